/*
 * Names of the store: the outcome of an incoming document.
 *
 * STORE_OUTCOME(NAME, name, text)
 * STORE_CONFLICT_POLICY(NAME, name, text)       the handling of an existing result
 * STORE_ITEM_STATE(NAME, name, text)  of an item of a job; includes the outcomes
 * STORE_CHANGE(NAME, name, text)      of a stored result
 * Undefined again at the end.
 */
#ifndef STORE_OUTCOME
#define STORE_OUTCOME(NAME, name, text)
#endif
#ifndef STORE_CONFLICT_POLICY
#define STORE_CONFLICT_POLICY(NAME, name, text)
#endif
#ifndef STORE_ITEM_STATE
#define STORE_ITEM_STATE(NAME, name, text)
#endif
#ifndef STORE_CHANGE
#define STORE_CHANGE(NAME, name, text)
#endif

STORE_OUTCOME(STORED,    stored,    "stored")
STORE_OUTCOME(DUPLICATE, duplicate, "the same content is already stored")
STORE_OUTCOME(CONFLICT,  conflict,  "its run_id is already stored with other content")
STORE_OUTCOME(REJECTED,  rejected,  "not a result, or a malformed one")

STORE_CONFLICT_POLICY(SKIP,    skip,    "the stored result stays; the new one is reported as a duplicate or a conflict")
STORE_CONFLICT_POLICY(REPLACE, replace, "the stored result gets the new content and keeps its id")
STORE_CONFLICT_POLICY(KEEP,    keep,    "the new result is stored in addition, as a repeat")

STORE_ITEM_STATE(QUEUED,    queued,    "waiting")
STORE_ITEM_STATE(PARSED,    parsed,    "being read")
STORE_ITEM_STATE(VALID,     valid,     "valid, and about to be stored")
STORE_ITEM_STATE(STORED,    stored,    "stored")
STORE_ITEM_STATE(DUPLICATE, duplicate, "the same content was already stored")
STORE_ITEM_STATE(CONFLICT,  conflict,  "its run_id is already stored with other content")
STORE_ITEM_STATE(REJECTED,  rejected,  "not a result, or a malformed one")
STORE_ITEM_STATE(CANCELLED, cancelled, "canceled by the user")

STORE_CHANGE(TAG,      tag,      "a tag was set, changed or removed")
STORE_CHANGE(NOTES,    notes,    "the notes were set, changed or removed")
STORE_CHANGE(DELETED,  deleted,  "the result was deleted")
STORE_CHANGE(RESTORED, restored, "the result was restored")
STORE_CHANGE(REPLACED, replaced, "the content of the result was replaced")

#undef STORE_OUTCOME
#undef STORE_CONFLICT_POLICY
#undef STORE_ITEM_STATE
#undef STORE_CHANGE
