/* Models with facts known by name: the rows of tbl/models.h. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/json.h"

struct ckpt_known {
	const char *name;
	const char *same_as;         /* other names, separated by blanks */
	double parameters;           /* the public count; 0: none */
	bool counted;                /* equals the exact count from the configuration */
	bool derived;                /* assembled from other sources: an omitted key is unknown */
	const char *config;          /* JSON, in the format of config.json */
	const char *hf_quant_config; /* JSON; "": none */
};

/*
 * Returns the row with the name, ignoring case like the Hub (no two rows differ only in case);
 * NULL: none. Compares texts without parsing a row.
 */
const struct ckpt_known *ckpt_known_find(const char *name);
/* Returns "seen" or "derived". */
const char *ckpt_known_confidence(const struct ckpt_known *row);
/* Returns the known name that is most similar; NULL: none. The caller frees it with free(). */
char *ckpt_known_nearest(const char *name);

/* Returns [{name, same_as, model_type, parameters, confidence}] for --models list --json. */
json_t *ckpt_known_to_json(void);
/* Appends one line per name for the terminal. */
void ckpt_known_text(struct pl_buf *buf);
