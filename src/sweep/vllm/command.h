/*
 * Command lines of vLLM's sweeps: split like a shell would, without running one, and changed by a combination's
 * parameters. A command is a JSON array of texts.
 */
#pragma once

#include "base/json.h"

/*
 * As Python's shlex.split(): handles quotes and backslashes, and no other shell syntax. At least one word; errors name
 * `option`. New reference.
 */
int sweep_vllm_command_split(const char *option, const char *text, json_t **ret,
			     struct pl_err *err) PL_MUST_CHECK;

/*
 * Sets each parameter in the command:
 *
 *	{"max_num_seqs": 16}             --max-num-seqs 16
 *	{"a_b.c_d": 1}                   --a-b.c_d 1        only the part before the dot changes
 *	{"x": true}, {"x": false}        --x, --no-x        with a dot: --x.y=true, --x.y=false
 *	{"o": {"a": 1}}, {"l": [1, "b"]} --o {"a": 1}, --l [1, "b"]
 *	{"n": null, "s": "t"}            --n None, --s t
 *
 * If the command has the flag (with dashes, with underscores or spelled like the key, alone or before '='), its last
 * occurrence is replaced with its value, because the last one counts. Otherwise the flag is appended.
 */
void sweep_vllm_command_set(json_t *command, const json_t *parameters);
/* Removes every occurrence of a flag, "output-json", and its value, in both spellings. */
void sweep_vllm_command_drop(json_t *command, const char *flag);
/* Returns the value of a flag, "--port" or "-p" (NULL: no short form); NULL: it is missing. Borrowed. */
const char *sweep_vllm_command_value(const json_t *command, const char *flag, const char *letter);
/* Appends two words. */
void sweep_vllm_command_add(json_t *command, const char *flag, const char *value);
/* Returns the command as shell text; free(). */
char *sweep_vllm_command_text(const json_t *command);
