/*
 * Models whose facts are known by their names: the rows of tbl/models.h.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/json.h"

struct ckpt_known {
	const char *name;
	const char *same_as;         /* other names, parted by blanks */
	double parameters;           /* the public count; 0: none */
	bool counted;                /* it is what the configuration gives, to the last number */
	bool derived;                /* put together: a key that is left out is not known */
	const char *config;          /* JSON, as config.json has it */
	const char *hf_quant_config; /* JSON; "": none */
};

/*
 * The row that has the name, in either case (the Hub takes a name so, and no two rows differ in it
 * alone); NULL. Texts are compared, no row is parsed.
 */
const struct ckpt_known *ckpt_known_find(const char *name);
/* "seen", "derived" */
const char *ckpt_known_confidence(const struct ckpt_known *row);
/* The known name that a person most likely meant; NULL: none is near. The caller's (free()). */
char *ckpt_known_nearest(const char *name);

/* [{name, same_as, model_type, parameters, confidence}] for --models list --json. */
json_t *ckpt_known_to_json(void);
/* A line a name, for people. */
void ckpt_known_text(struct pl_buf *buf);
