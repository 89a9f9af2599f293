/* Comparison of result documents without a database (result/compare/compare.h). */
#pragma once

#include "result/compare/compare.h"

struct res_compare_documents {
	struct res_compare_side side;
	json_t **items; /* owned references */
	size_t count;
	size_t room;
};
void res_compare_documents_done(struct res_compare_documents *documents);
/*
 * Adds the result in a file, all results (.json) of a directory, or the runs of one combination of a sweep
 * ("SWEEP#ID": its directory and the id in its summary), and names the side after it (borrowed). Returns -1 if there is
 * none, or one cannot be read.
 */
int res_compare_documents_read(const struct res_fields *fields, const char *path,
			       struct res_compare_documents *ret, struct pl_err *err) PL_MUST_CHECK;
/* Takes the reference. */
void res_compare_documents_add(struct res_compare_documents *documents, json_t *document);

/* Compares two to RES_COMPARE_SIDES_MAX sides, none of them empty. Returns a new reference. */
json_t *res_compare_of_documents(const struct res_fields *fields,
				 struct res_compare_documents *sides, size_t count,
				 const struct res_compare_options *options);

/* Gets the confidence interval that a document records for one of its metrics; false: none. */
bool res_compare_within(const struct res_fields *fields, const struct res_field *field,
			const json_t *document, struct res_interval *ret);
