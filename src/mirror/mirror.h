/*
 * All results in memory: what queries (query/query.h) look at, so that none of them has to ask a
 * database or read a document.
 *
 *	a column     the values that a field has, each once (dictionary.h)
 *	a segment    up to 65,536 rows: for each column a chunk of codes (chunk.h), their ids; the last one is open
 *	a snapshot   all columns and segments as they were at one moment, and which rows of them are dead
 *
 * - Rows stand in the order in which they came. One that is replaced is dead, and stands anew at the end; a
 *   row that is removed is dead.
 * - One thread at a time writes: append, replace, remove, and publish, which makes all that was
 *   written since a snapshot. Any number of threads take snapshots and look at them as long as they
 *   like; they never wait for the writer, nor the writer for them.
 * - A snapshot is put back before the mirror is freed.
 */
#pragma once

#include "mirror/row.h"

struct mirror;
struct mirror_snapshot;
struct mirror_cancel_token;

/*
 * The document of a result: a new reference. member: nothing but this member of it is looked at, all others may lack; NULL: all are.
 * *ret_changed is the version of the data at which the result
 * changed last, looked up behind reading: a snapshot of at least that version has what was read. -1: it cannot
 * be read, which ends the query; NOT_FOUND: it was removed, at *ret_changed or before.
 */
typedef int mirror_read_fn(void *context, int64_t id, const char *member, json_t **ret,
			   int64_t *ret_changed, struct pl_err *err);

/* May a document that is there by now have something at this field, of any id? False: surely none. */
typedef bool mirror_may_have_fn(void *context, const char *id);

/* Borrows the fields. `read`, which threads that ask may call, is for fields that are no columns: see
 * mirror/view.h. Holds an empty snapshot. */
struct mirror *mirror_new(const struct res_fields *fields, mirror_read_fn *read, void *context);
void mirror_free(struct mirror *mirror);
PL_AUTO_DEFINE(struct mirror, mirror_free);
#define auto_mirror PL_AUTO(mirror_free)

/* Documents are read for a field only where some may have it; where this was not said, always. The
 * context is that of `read`, and the threads are. */
void mirror_ask_first(struct mirror *mirror, mirror_may_have_fn *may_have);

/* From any thread: what is being asked, and what is asked from now on, ends soon with INTERRUPTED. For who waits
 * for all readers before it frees. */
void mirror_end_questions(struct mirror *mirror);

/* ---- the writer ---------------------------------------------------------------------------- */

/* No row has the id. Nothing of the row is borrowed. */
void mirror_append(struct mirror *mirror, const struct mirror_row *row);
/* The row by that id takes these values. False: there is none. */
bool mirror_replace(struct mirror *mirror, const struct mirror_row *row);
/* False: there is none. */
bool mirror_remove(struct mirror *mirror, int64_t id);
/* Rows by other ids than these, which rise, are removed. */
void mirror_keep(struct mirror *mirror, const int64_t *ids, size_t count);
/* The version grows by one at each of these. The owner may have it go on from that of a database. */
void mirror_set_version(struct mirror *mirror, int64_t version);
void mirror_publish(struct mirror *mirror);
/* Rows that come later begin a segment of their own: for when many have come, and few will. */
void mirror_seal(struct mirror *mirror);

/* ---- readers ------------------------------------------------------------------------------- */

/* What was published last: mirror_snapshot_put() exactly once. */
struct mirror_snapshot *mirror_snapshot_take(struct mirror *mirror);
void mirror_snapshot_put(struct mirror_snapshot *snapshot);
PL_AUTO_DEFINE(struct mirror_snapshot, mirror_snapshot_put);
#define auto_snapshot PL_AUTO(mirror_snapshot_put)

/*
 * The same moment for one question, which ends with INTERRUPTED soon after the waiter has left; NULL: nobody leaves. To
 * be put back as any other.
 */
struct mirror_snapshot *mirror_snapshot_for(struct mirror_snapshot *snapshot,
					    struct mirror_cancel_token *waiter);

/* Results in it. */
size_t mirror_snapshot_count(const struct mirror_snapshot *snapshot);
int64_t mirror_snapshot_version(const struct mirror_snapshot *snapshot);
/* Memory that its columns, values and ids take; without those of fields that are no columns. */
size_t mirror_snapshot_bytes(const struct mirror_snapshot *snapshot);
