/*
 * The commands that repeat a result, and what the result does not record. Reads no file and no variable of this host,
 * whatever the document says: ${NAME} stays in the commands, for the user's shell.
 */
#pragma once

#include "base/json.h"

/*
 * Returns a new reference to
 *
 *	{commands: [{id, language, file, text, complete, reason, notes: [text]}],
 *	 not_recorded: [{key, text}], secrets: [key]}
 *
 *	id       repeat (profllm with this result), experiment (the experiment file), server (starts vLLM),
 *	         load (vLLM's own client, or its offline benchmark)
 *	language sh or yaml
 *	file     the name under which the result or the experiment file is to be saved; null: none
 *	text     null: unknown, for the reason
 *	complete false: the text has only what the result records
 *
 * is_vllm: vLLM wrote the file, and the document is derived from it.
 */
json_t *res_commands(const json_t *document, bool is_vllm);
