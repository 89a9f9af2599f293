/*
 * Readers of result files that other programs wrote: one row of tbl/producers.h and one constant each.
 *
 * A reader makes a document {timestamp, tags, config: {benchmark, server}, results, quality} from the parsed
 * file. The document contains what the file reports and nothing else.
 */
#pragma once

#include "result/fields/fields.h"

struct res_producer {
	const char *
		kind; /* `config.benchmark.kind` of its documents; NULL if the producer does not set it */
	/* Returns true if the program wrote this file. */
	bool (*is_file)(const struct res_producer *self, const json_t *json);
	/* Returns true if read() made this document. */
	bool (*is_document)(const struct res_producer *self, const json_t *document);
	/* `source` is the file's name in messages. *ret is a new reference. */
	int (*read)(const struct res_producer *self, const struct res_fields *fields, json_t *json,
		    const char *source, json_t **ret, struct pl_err *err);
};

enum res_producer_id {
#define PRODUCER(ID, id, text) RES_PRODUCER_##ID,
#include "tbl/producers.h"
	RES_PRODUCER_COUNT
};

#define PRODUCER(ID, id, text) extern const struct res_producer res_producer_##id;
#include "tbl/producers.h"

/* Reads a parsed file that is not a result of ProfLLM. */
int res_producer_read(const struct res_fields *fields, json_t *json, const char *source,
		      json_t **ret, struct pl_err *err) PL_MUST_CHECK;
/* Returns the producer of a document without a run_id. */
enum res_producer_id res_producer_of(const json_t *document);
