/*
 * One incoming document: its form, and whether it is valid.
 *
 *	form           source                                              document
 *	own            a result of ours, of any schema_version; also       itself
 *	               inside a flat file of ours (key `profllm`)
 *	flat           vLLM's flat result                                  made by result/flat/document.h
 *	console        the table that vllm bench serve prints              made by result/flat/document.h
 *	latency, throughput, startup, mm_processor
 *	               vLLM's files of these benchmarks                    made by result/flat/offline.h
 *	plain          run_id and other keys of the first description      itself
 *	               of results, without schema_version
 *
 * - A result of our schema_version is validated against the schema. Otherwise, the known keys are read. Keys
 *   and list values that the schema does not know are kept and noted, because a newer release has written them.
 * - Secrets, recognized by the names of their keys, are "***" in everything that is stored.
 * - NaN and Infinity, which Python writes and JSON lacks, are read as null and noted.
 * - A vLLM file has no name of its own: its document has the name of the file.
 * - A result of the version before is validated with its former names renamed (schema/former.h).
 * - Two documents have the same content if their JSON as received is equal except for blanks and the order of keys.
 *   For a flat result, the complete file counts.
 * - A reader never changes after it was made; any number of threads may use it.
 */
#pragma once

#include "result/fields/fields.h"

enum store_form {
	STORE_FORM_NATIVE,
#define PRODUCER(ID, id, text) STORE_FORM_##ID,
#include "tbl/producers.h"
	STORE_FORM_PLAIN,
	STORE_FORM_COUNT
};
/* "native", "flat", "latency" */
const char *store_form_name(enum store_form form);
/* Returns the form of store_document.json. */
enum store_form store_form_of(const json_t *document);
/* Returns whether vLLM wrote the file: then its content is the file, and its document is derived from it. */
static inline bool store_form_is_vllm(enum store_form form)
{
	return form != STORE_FORM_NATIVE && form != STORE_FORM_PLAIN;
}
/*
 * Sets `name` of a document without run_id and name to the name of its file, unless that is NULL or starts with
 * STORE_NAMELESS.
 */
void store_document_set_name(json_t *document, const char *name);
/* Uploads without a file name get this name and a suffix. */
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
	json_t *json; /* a document as res_field_value() expects it; NULL: was freed early */
	char *bytes;  /* as received; if there was a secret, rewritten in compact form with "***" */
	size_t len;
	char sha256[65]; /* of the content */
	char *run_id;    /* NULL: none */
	/* Array of the same form as faults: unknown keys of another version, secrets. */
	json_t *notes;
	json_t *secrets; /* array of JSON pointers to secrets, at most 1,000; NULL: none */
};

struct store_source {
	const char *bytes;
	size_t len;
	const char *name; /* of its file, for messages */
	int line; /* of the file, where it starts; 0: the text was generated, so lines are unknown */
};

/*
 * Reads one document. Returns 0 and fills *ret (store_document_done()).
 * Returns -1 if it is rejected. err gives the reason in one line, and *ret_faults, a new reference, is an array of all
 * faults: {pointer, key, line, found, expected, nearest, message}, without the members that do not apply. line is the
 * line in the file.
 */
int store_document_read(const struct store_reader *reader, const struct store_source *source,
			struct store_document *ret, json_t **ret_faults,
			struct pl_err *err) PL_MUST_CHECK;
/*
 * Computes the content hash of a stored document again, from its former store_document.json and the stored bytes. It is
 * equal for equal content.
 */
int store_document_content(enum store_form form, const json_t *json, const char *bytes, size_t len,
			   char ret[65], struct pl_err *err) PL_MUST_CHECK;
/* Frees its json, which takes most of its memory, after store_prepare(). */
void store_document_let_go(struct store_document *document);
void store_document_done(struct store_document *document);
#define auto_store_document \
	__attribute__((cleanup(store_document_done), unused)) struct store_document

/*
 * As pl_json_parse(), for texts that may contain secrets: the error gives reason and location and quotes nothing. An
 * invalid JSON text has no keys to recognize a secret by. A text with more values than PL_JSON_MEMORY_BYTES_MAX allows
 * is refused before any is allocated.
 */
int store_json_parse(const char *bytes, size_t len, const char *name, json_t **ret,
		     struct pl_err *err) PL_MUST_CHECK;

/*
 * The same for a result, which Python may have written (result/flat/python_json.h). *ret_notes, a new reference, lists
 * the numbers that became null, in the form of faults; NULL: none.
 */
int store_result_parse(const char *bytes, size_t len, const char *name, json_t **ret,
		       json_t **ret_notes, struct pl_err *err) PL_MUST_CHECK;

/* Makes {pointer, key, line, found, expected, nearest, message}; NULL and 0 are omitted. */
json_t *store_fault_new(const char *pointer, int line, const char *message);
