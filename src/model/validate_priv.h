/*
 * What the files validate*.c share.
 */
#ifndef MODEL_VALIDATE_PRIV_H
#define MODEL_VALIDATE_PRIV_H

#include "model/validate.h"

/* Refuses the node; always NULL. found NULL: the node is described. */
json_t *md_value_refuse(struct md_reader *reader, const struct pl_yaml *node, const char *key,
			const struct md_spec *spec, const char *found);
/* A mapping, or a text that is a JSON object. */
json_t *md_value_object(struct md_reader *reader, const struct pl_yaml *node, const char *key,
			const struct md_spec *spec);
/* Whatever it is, as long as JSON can say it. */
json_t *md_value_any(struct md_reader *reader, const struct pl_yaml *node, const char *key);

#endif
