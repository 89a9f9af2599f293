/*
 * Result documents as sides of a comparison, without a database (result/compare/compare.h).
 */
#pragma once

#include "result/compare/compare.h"

struct res_compare_documents {
	struct res_compare_side side;
	json_t **items; /* references of its own */
	size_t count;
	size_t room;
};
void res_compare_documents_done(struct res_compare_documents *documents);
/* Takes the reference. */
void res_compare_documents_add(struct res_compare_documents *documents, json_t *document);

/* Two sides at least and RES_COMPARE_SIDES_MAX at most, none of them empty. New reference. */
json_t *res_compare_of_documents(const struct res_fields *fields,
				 struct res_compare_documents *sides, size_t count,
				 const struct res_compare_options *options);

/* The interval that a document has of one of its figures; false: it has none. */
bool res_compare_within(const struct res_fields *fields, const struct res_field *field,
			const json_t *document, struct res_interval *ret);
