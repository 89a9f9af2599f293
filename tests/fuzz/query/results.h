/*
 * A few results in memory, for queries of any form. They are made once and stay until the program ends.
 */
#pragma once

#include <stdlib.h>

#include "mirror/mirror.h"
#include "mirror/row.h"
#include "result/fields/fields.h"

#define RESULTS_MAX 8

static json_t *results_documents[RESULTS_MAX];

static inline int results_read(void *context, int64_t id, const char *member, json_t **ret,
			       int64_t *ret_changed, struct pl_err *err)
{
	(void)member;
	(void)context;
	(void)err;
	*ret_changed = 0;
	*ret = json_incref(results_documents[id - 1]);
	return 0;
}

/* Returns the mirror of these documents, at most RESULTS_MAX; the first has id 1. */
static inline struct mirror *results_mirror(const char *const *texts, size_t count)
{
	struct res_fields *fields = res_fields_new(NULL);
	struct mirror *mirror = mirror_new(fields, results_read, NULL);

	for (size_t i = 0; i < count; i++) {
		auto_row row = { .id = 0 };
		results_documents[i] = json_loads(texts[i], 0, NULL);
		if (results_documents[i] == NULL)
			abort();
		mirror_row_of_document(fields, results_documents[i], &row);
		row.id = (int64_t)i + 1;
		mirror_append(mirror, &row);
	}
	mirror_publish(mirror);
	return mirror;
}
