/*
 * One document that came in: what it is, and whether it can be taken.
 *
 *	form   what it is                                         its document
 *	own    a result of ours, of any schema_version; inside     itself
 *	       of a flat file of ours (key `profllm`), too
 *	flat   vLLM's flat result                                  made by result/flat/document.h
 *	console  the table that vllm bench serve prints               made by result/flat/document.h
 *	latency, throughput, startup, mm_processor
 *	       vLLM's files of these benchmarks                    made by result/flat/offline.h
 *	plain  run_id and other keys that the first description    itself
 *	       of results names, no schema_version
 *
 * - A result of our schema_version is checked against the schema. Of another version what it has is
 *   taken. Keys, and words of lists, that the schema does not know are kept, and told as notes: a newer
 *   release has written them.
 * - Secrets, by the names of their keys, are "***" in all that is kept.
 * - NaN and Infinity, which Python writes and JSON does not have, are read as null and told as notes.
 * - A file of vLLM's has no name of its own: its document has the name of the file.
 * - Two documents have the same content where their JSON is the same but for blanks and the order of
 *   keys. Of a flat result all that the file says counts.
 * - A reader never changes after it was made and may be used by any number of threads.
 */
#pragma once

#include "result/fields/fields.h"

enum store_form {
#define STORE_FORM(NAME, name, text) STORE_FORM_##NAME,
#include "tbl/store_words.h"
	STORE_FORM_COUNT
};
/* "own", "flat", "latency" */
const char *store_form_name(enum store_form form);
/* Of what store_document.json is. */
enum store_form store_form_of(const json_t *document);
/* A file that vLLM wrote: its content is the file, and its document was made of it. */
static inline bool store_form_is_vllm(enum store_form form)
{
	return form != STORE_FORM_OWN && form != STORE_FORM_PLAIN;
}
/* Sets `name` of a document that has neither run_id nor a name to that of the file that it came as; NULL, and one that
 * STORE_NAMELESS begins, are none. */
void store_document_set_name(json_t *document, const char *name);
/* What came without the name of a file goes by this one, and a suffix. */
#define STORE_NAMELESS "upload"

#define STORE_DOCUMENT_BYTES_MAX (64u << 20)

struct store_reader;
/* Borrows the fields. */
int store_reader_new(const struct res_fields *fields, struct store_reader **ret,
		     struct pl_err *err) PL_MUST_CHECK;
void store_reader_free(struct store_reader *reader);
PL_AUTO_DEFINE(struct store_reader, store_reader_free);
#define auto_store_reader PL_AUTO(store_reader_free)

struct store_document {
	enum store_form form;
	json_t *json; /* a document as res_field_value() takes it; NULL: it was let go */
	char *bytes; /* as they came; written anew, compact, with "***", where there was a secret */
	size_t len;
	char sha256[65]; /* of the content */
	char *run_id;    /* NULL: it has none */
	/* Array of faults as below that are none: unknown keys of another version, secrets. */
	json_t *notes;
	json_t *secrets; /* array of JSON pointers, 1,000 at most: where secrets stood; NULL: none did */
};

struct store_source {
	const char *bytes;
	size_t len;
	const char *name; /* its file, for messages */
	int line; /* of the file, where it begins; 0: it is not as it came, and nothing has a line */
};

/*
 * Reads one document. 0: *ret is filled (store_document_done()).
 * -1: it is rejected, err says why in one line and *ret_faults, a new reference, is an array of all
 * that there is to say: {pointer, key, line, found, expected, nearest, message}, where a member that says
 * nothing is left out; line is one of the file.
 */
int store_document_read(const struct store_reader *reader, const struct store_source *source,
			struct store_document *ret, json_t **ret_faults,
			struct pl_err *err) PL_MUST_CHECK;
/*
 * The hash of a kept document's content, once more: `json` is what store_document.json was, `bytes` those that are
 * kept. Of two that are the same content it is the same.
 */
int store_document_content(enum store_form form, const json_t *json, const char *bytes, size_t len,
			   char ret[65], struct pl_err *err) PL_MUST_CHECK;
/* Its json, which is most of its memory and of no more use once it is prepared (store_prepare()). */
void store_document_let_go(struct store_document *document);
void store_document_done(struct store_document *document);
#define auto_store_document \
	__attribute__((cleanup(store_document_done), unused)) struct store_document

/*
 * As pl_json_parse(), of what may hold secrets: the error says where and why, and quotes none of it. What
 * is no JSON has no keys to know a secret by. More values than PL_JSON_MEMORY_BYTES_MAX allows are refused
 * before any is made.
 */
int store_json_parse(const char *bytes, size_t len, const char *name, json_t **ret,
		     struct pl_err *err) PL_MUST_CHECK;

/*
 * The same of a result, which Python may have written (result/flat/python_json.h). *ret_notes, a new reference: faults
 * as below, of numbers that became null; NULL: there are none.
 */
int store_result_parse(const char *bytes, size_t len, const char *name, json_t **ret,
		       json_t **ret_notes, struct pl_err *err) PL_MUST_CHECK;

/* {pointer, key, line, found, expected, nearest, message}; NULL and 0 say nothing. */
json_t *store_fault_new(const char *pointer, int line, const char *message);
