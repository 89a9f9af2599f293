/*
 * What the files validate*.c share.
 */
#ifndef VLLM_VALIDATE_PRIV_H
#define VLLM_VALIDATE_PRIV_H

#include "vllm/validate.h"

/* Refuses the node; always NULL. found NULL: the node is described. */
json_t *vllm_value_refuse(struct vllm_reader *reader, const struct pl_yaml *node, const char *key,
			  const struct vllm_spec *spec, const char *found);
/* A mapping, or a text that is a JSON object. */
json_t *vllm_value_object(struct vllm_reader *reader, const struct pl_yaml *node, const char *key,
			  const struct vllm_spec *spec);
/* Whatever it is, as long as JSON can say it. */
json_t *vllm_value_any(struct vllm_reader *reader, const struct pl_yaml *node, const char *key);

#endif
