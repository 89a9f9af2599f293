/*
 * Words of the store: what a document that came in is, and what became of it.
 *
 * STORE_FORM(NAME, name, text)     name stands in the database, in answers and in --json
 * STORE_OUTCOME(NAME, name, text)
 * Undefined again at the end.
 */
#ifndef STORE_FORM
#define STORE_FORM(NAME, name, text)
#endif
#ifndef STORE_OUTCOME
#define STORE_OUTCOME(NAME, name, text)
#endif

STORE_FORM(OWN,   own,   "a result of profllm")
STORE_FORM(FLAT,  flat,  "a result of vllm bench serve")
STORE_FORM(PLAIN, plain, "a document with run_id and no schema_version")

STORE_OUTCOME(STORED,    stored,    "it is in the store now")
STORE_OUTCOME(DUPLICATE, duplicate, "the same content is there already")
STORE_OUTCOME(CONFLICT,  conflict,  "other content is there under its run_id")
STORE_OUTCOME(REJECTED,  rejected,  "it is no result, or a broken one")

#undef STORE_FORM
#undef STORE_OUTCOME
