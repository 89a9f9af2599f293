/*
 * All results in memory. Queries (query/query.h) read them, so no query has to ask a database or parse a document.
 *
 *	a column     the distinct values of a field (dictionary.h)
 *	a segment    up to 65,536 rows: a chunk of codes (chunk.h) for each column, and ids; the last segment is open
 *	a snapshot   all columns and segments at one moment, with the set of dead rows
 *
 * - Rows are in insertion order. Replacing a row marks it dead and appends the new version; removing a row marks it
 *   dead. When most rows are dead, a publish gives their memory back, and that of values that no other row has.
 * - One thread at a time writes: append, replace, remove, and publish, which takes a snapshot of everything written so
 *   far. Any number of threads read snapshots for any time. Readers and the writer never wait for each other.
 * - All snapshots must be put back before the mirror is freed.
 */
#pragma once

#include "mirror/row.h"

struct mirror;
struct mirror_snapshot;
struct mirror_cancel_token;

/*
 * Reads the document of a result as a new reference. `member`: only this member is needed, the others may be missing;
 * NULL: all members are needed. *ret_changed is the data version of the last change of the result, read after the
 * document: a snapshot of at least that version contains what was read. Returns -1 if the document cannot be read,
 * which ends the query, or NOT_FOUND if the result was removed at or before *ret_changed.
 */
typedef int mirror_read_fn(void *context, int64_t id, const char *member, json_t **ret,
			   int64_t *ret_changed, struct pl_err *err);

/* Returns whether an existing document may have a value for this field, which can be any id. False is certain. */
typedef bool mirror_may_have_fn(void *context, const char *id);

/*
 * Borrows the fields. `read` reads fields that are not columns (see mirror/view.h); threads that run queries may call
 * it. Publishes an empty snapshot.
 */
struct mirror *mirror_new(const struct res_fields *fields, mirror_read_fn *read, void *context);
void mirror_free(struct mirror *mirror);
PL_AUTO_DEFINE(struct mirror, mirror_free);
#define auto_mirror PL_AUTO(mirror_free)

/*
 * Documents are read for a field only if `may_have` returns true. Without this call they are always read. The context
 * and the threads are those of `read`.
 */
void mirror_ask_first(struct mirror *mirror, mirror_may_have_fn *may_have);

/*
 * Values of one field for many rows, from an index of the database.
 * - ids: of the rows, in ascending order; borrowed.
 * - values: of each id, an index into `cells`: 0: unknown, read the document. cells[1] is "not recorded".
 */
#define MIRROR_INDEXED_UNKNOWN     0
#define MIRROR_INDEXED_NOT_THERE   1
#define MIRROR_INDEXED_FIRST_VALUE 2
struct mirror_indexed {
	const struct mirror_snapshot
		*snapshot; /* a result that changed after its version is unknown */
	const int64_t *ids;
	size_t count;
	uint32_t *values;
	struct mirror_cell *cells; /* their texts are in the arena */
	size_t cell_count;
	size_t cell_room;
	struct pl_arena *arena;
};
/* Returns -1 if the database cannot be read. */
typedef int mirror_index_fn(void *context, const struct res_field *field,
			    struct mirror_indexed *indexed, struct pl_err *err);
/* Documents are read only for rows that the index does not know. The context and the threads are those of `read`. */
void mirror_use_index(struct mirror *mirror, mirror_index_fn *index);
/* Returns -1 with INTERRUPTED if the query that needs the values has ended. */
int mirror_indexed_goes_on(const struct mirror_indexed *indexed, struct pl_err *err) PL_MUST_CHECK;

/*
 * From any thread: all current and future queries end soon with INTERRUPTED. Call it before waiting for the readers in
 * order to free the mirror.
 */
void mirror_end_questions(struct mirror *mirror);

/* ---- writer ---------------------------------------------------------------------------------- */

/* No row may have this id yet. Borrows nothing from the row. */
void mirror_append(struct mirror *mirror, const struct mirror_row *row);
/* Replaces the values of the row with this id. Returns false if there is none. */
bool mirror_replace(struct mirror *mirror, const struct mirror_row *row);
/* Returns false if there is no such row. */
bool mirror_remove(struct mirror *mirror, int64_t id);
/* Removes all rows except those with these ids, which are in ascending order. */
void mirror_keep(struct mirror *mirror, const int64_t *ids, size_t count);
/* Returns the number of rows, also those that are not published yet. */
int64_t mirror_count(const struct mirror *mirror);
/* Each publish increments the version by one. The owner may set it to the version of a database. */
void mirror_set_version(struct mirror *mirror, int64_t version);
/* Sets what mirror_snapshot_mark() and mirror_snapshot_epoch() return for later snapshots; initially 0. */
void mirror_set_origin(struct mirror *mirror, int64_t mark, int64_t epoch);
void mirror_publish(struct mirror *mirror);
/* Starts a new segment with the next row. Use it after a bulk load that few rows will follow. */
void mirror_seal(struct mirror *mirror);

/* ---- readers ------------------------------------------------------------------------------- */

/* Returns the last published snapshot. Call mirror_snapshot_put() exactly once. */
struct mirror_snapshot *mirror_snapshot_take(struct mirror *mirror);
void mirror_snapshot_put(struct mirror_snapshot *snapshot);
PL_AUTO_DEFINE(struct mirror_snapshot, mirror_snapshot_put);
#define auto_snapshot PL_AUTO(mirror_snapshot_put)

/*
 * Returns the same snapshot for one query, which ends with INTERRUPTED soon after the client has left; NULL: the query
 * cannot be cancelled. Put it back like any other.
 */
struct mirror_snapshot *mirror_snapshot_for(struct mirror_snapshot *snapshot,
					    struct mirror_cancel_token *cancel_token);

/*
 * Limits the time of the query, on the monotonic clock; 0: no limit. Call it on a snapshot of mirror_snapshot_for(), before
 * the query.
 * - end_ns: after it, the query reads no more documents and ends with INTERRUPTED, and optional parts of the response
 *   end (mirror_view_has_time()). Values read so far are cached, so that the same query continues from there.
 * - refuse_ns: after it, a query whose required parts are not complete ends with INTERRUPTED (mirror_view_settle()).
 */
void mirror_snapshot_limit(struct mirror_snapshot *snapshot, int64_t end_ns, int64_t refuse_ns);

int64_t mirror_snapshot_version(const struct mirror_snapshot *snapshot);
/* Returns a number of the state of the database, which no other state has. */
int64_t mirror_snapshot_mark(const struct mirror_snapshot *snapshot);
/* Returns a number that changes when other data replaces the database. */
int64_t mirror_snapshot_epoch(const struct mirror_snapshot *snapshot);
/* Returns the number of live rows. */
size_t mirror_snapshot_count(const struct mirror_snapshot *snapshot);
/* Returns the memory of its columns, values and ids, without fields that are not columns. */
size_t mirror_snapshot_bytes(const struct mirror_snapshot *snapshot);
