/* YAML output: JSON values as block YAML, and the experiment file for a command line. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>

struct vllm_command;

/*
 * Appends one value after "key:" or "-", in flow style if it is not an object; without a newline.
 */
void vllm_yaml_add_inline(struct pl_buf *buf, const json_t *value);
/*
 * Appends the members of an object, one per line, each after `indent` blanks; nested objects are
 * indented further.
 */
void vllm_yaml_add_members(struct pl_buf *buf, const json_t *object, int indent);

/*
 * Appends the experiment file of a command: a name from the load's label or the model, `server` as
 * given, `launch` with the command's words, environment and target release, `benchmark` with the
 * options of a load. Data that it cannot express, such as a container's options, becomes a comment.
 * Without `secrets`, "***" replaces secret values. Returns -1 if the buffer's limit is exceeded.
 */
int vllm_yaml_from_command(const struct vllm_command *command, bool secrets, struct pl_buf *buf,
			   struct pl_err *err) PL_MUST_CHECK;
