/*
 * YAML for people: JSON values as block YAML, and the experiment file that means what a command
 * line means.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>

struct vllm_command;

/* One value behind "key:" or "-", in flow style where it is no object; no newline behind it. */
void vllm_yaml_add_inline(struct pl_buf *buf, const json_t *value);
/* The members of an object, one a line, each after `indent` blanks; objects inside go deeper. */
void vllm_yaml_add_members(struct pl_buf *buf, const json_t *object, int indent);

/*
 * The experiment file of a command: a name made from the load's label or the model, `server` as it was
 * given, `launch` with the command's words, environment and target release, `benchmark` with the
 * options of a load. What has no place there, such as a container's options, becomes a comment. Without `secrets` "***" stands for them.
 * -1: larger than the buffer may get.
 */
int vllm_yaml_from_command(const struct vllm_command *command, bool secrets, struct pl_buf *buf,
			   struct pl_err *err) PL_MUST_CHECK;
