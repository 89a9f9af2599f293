/* Names that earlier versions wrote or accepted: the rows of src/tbl/former_names.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

/*
 * Renames the keys and values of a document, and of the runs in it, in place. If the current name
 * of a key also occurs, the former one remains, so that validation rejects it. Does nothing if the
 * document is not an object.
 */
void schema_rename_former(json_t *document);
/* The same for one run of a sweep. */
void schema_rename_former_run(json_t *run);
/* The same for a request record, and for a planned request in a journal. */
void schema_rename_former_record(json_t *record);
/* The same for the first line of a journal. */
void schema_rename_former_head(json_t *head);

/* Renames the former names in a result of an earlier schema_version, which it keeps. */
void schema_rename_former_result(json_t *result);
/* The same for a document without a schema_version: a part of a result, or the state in a journal. */
void schema_rename_former_sections(json_t *document);
/*
 * Returns the document that the schema of results is to check: the renamed result, or a copy with the
 * present schema_version if only names changed since its own. New reference.
 */
json_t *schema_result_to_check(json_t *result);

/* A row of the table, for those that deal with fields. */
struct schema_former {
	const char *
		path; /* path of the section of a result; NULL: the row is about another document */
	const char *key; /* key of the renamed value; "": every key; NULL: a renamed key */
	const char *former;
	const char *name;
};
/* Copies row `i`, from 0. Returns false if there are no more. */
bool schema_former_row(size_t i, struct schema_former *ret);
