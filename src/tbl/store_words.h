/*
 * Words of the store: what a document that came in is, and what became of it.
 *
 * STORE_FORM(NAME, name, text)     name stands in the database, in answers and in --json
 * STORE_OUTCOME(NAME, name, text)
 * STORE_KNOWN(NAME, name, text)     what is done with a result that is there already
 * STORE_ITEM_STATE(NAME, name, text)  of an item of a job; outcomes are among them
 * STORE_CHANGE(NAME, name, text)    of a result that is stored
 * Undefined again at the end.
 */
#ifndef STORE_FORM
#define STORE_FORM(NAME, name, text)
#endif
#ifndef STORE_OUTCOME
#define STORE_OUTCOME(NAME, name, text)
#endif
#ifndef STORE_KNOWN
#define STORE_KNOWN(NAME, name, text)
#endif
#ifndef STORE_ITEM_STATE
#define STORE_ITEM_STATE(NAME, name, text)
#endif
#ifndef STORE_CHANGE
#define STORE_CHANGE(NAME, name, text)
#endif

STORE_FORM(OWN,   own,   "a result of profllm")
STORE_FORM(FLAT,  flat,  "a result of vllm bench serve")
STORE_FORM(CONSOLE, console, "what vllm bench serve, latency or throughput prints")
STORE_FORM(LATENCY, latency, "a result of vllm bench latency")
STORE_FORM(THROUGHPUT, throughput, "a result of vllm bench throughput")
STORE_FORM(STARTUP, startup, "a result of vllm bench startup")
STORE_FORM(MM_PROCESSOR, mm_processor, "a result of vllm bench mm-processor")
STORE_FORM(PLAIN, plain, "a document with run_id and no schema_version")

STORE_OUTCOME(STORED,    stored,    "it is in the store now")
STORE_OUTCOME(DUPLICATE, duplicate, "the same content is there already")
STORE_OUTCOME(CONFLICT,  conflict,  "other content is there under its run_id")
STORE_OUTCOME(REJECTED,  rejected,  "it is no result, or a broken one")

STORE_KNOWN(SKIP,    skip,    "nothing changes: it is told as a duplicate or a conflict")
STORE_KNOWN(REPLACE, replace, "the result that is there has the new content, under its id")
STORE_KNOWN(KEEP,    keep,    "it is stored beside that one, as a repeat")

STORE_ITEM_STATE(QUEUED,    queued,    "it waits")
STORE_ITEM_STATE(PARSED,    parsed,    "it is read just now")
STORE_ITEM_STATE(VALID,     valid,     "it was read, and is about to be stored")
STORE_ITEM_STATE(STORED,    stored,    "it is in the store")
STORE_ITEM_STATE(DUPLICATE, duplicate, "the same content was there already")
STORE_ITEM_STATE(CONFLICT,  conflict,  "other content is there under its run_id")
STORE_ITEM_STATE(REJECTED,  rejected,  "it is no result, or a broken one")
STORE_ITEM_STATE(CANCELLED, cancelled, "nobody wanted it any more")

STORE_CHANGE(TAG,      tag,      "a tag was set, changed or taken away")
STORE_CHANGE(NOTES,    notes,    "the notes were written, changed or taken away")
STORE_CHANGE(DELETED,  deleted,  "it was deleted")
STORE_CHANGE(RESTORED, restored, "it was brought back")
STORE_CHANGE(REPLACED, replaced, "other content took its place")

#undef STORE_FORM
#undef STORE_OUTCOME
#undef STORE_KNOWN
#undef STORE_ITEM_STATE
#undef STORE_CHANGE
