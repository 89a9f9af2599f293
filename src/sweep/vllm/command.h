/*
 * Command lines of vLLM's sweeps: split as a shell would, without running one, and changed by a
 * combination's parameters. A command is a JSON array of texts.
 */
#pragma once

#include "base/json.h"

/*
 * As Python's shlex.split(): quotes and backslashes, and nothing else a shell does. At least one word;
 * `option` is named in errors. New reference.
 */
int sweep_vllm_command_split(const char *option, const char *text, json_t **ret,
			     struct pl_err *err) PL_MUST_CHECK;

/*
 * Sets each parameter in the command:
 *
 *	{"max_num_seqs": 16}              --max-num-seqs 16
 *	{"a_b.c_d": 1}                    --a-b.c_d 1         only what is in front of the dot changes
 *	{"x": true}, {"x": false}         --x, --no-x         with a dot: --x.y=true, --x.y=false
 *	{"o": {"a": 1}}, {"l": [1, "b"]}  --o {"a": 1}, --l [1, "b"]
 *	{"n": null, "s": "t"}             --n None, --s t
 *
 * A flag that stands in the command, with dashes, underscores or as the key is spelt, alone or before
 * '=', is replaced with its value where it stands last, for that is what counts; any other comes at the
 * end.
 */
void sweep_vllm_command_set(json_t *command, const json_t *parameters);
/* Takes a flag, "output-json", and its value out, in both spellings, wherever it stands. */
void sweep_vllm_command_drop(json_t *command, const char *flag);
/* The value of a flag, "--port" or "-p" (NULL: it has no short form); NULL: it is not there.
 * Borrowed. */
const char *sweep_vllm_command_value(const json_t *command, const char *flag, const char *letter);
/* Two words more. */
void sweep_vllm_command_add(json_t *command, const char *flag, const char *value);
/* As a shell reads it. The caller's (free()). */
char *sweep_vllm_command_text(const json_t *command);
