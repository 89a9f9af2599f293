/*
 * Shared by mirror.c (the writer), compact.c (memory of dead rows), snapshot.c (what readers hold) and lazy.c (fields that
 * are not columns).
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "mirror/column.h"
#include "mirror/mirror.h"
#include "mirror/number_cache.h"
#include "result/fields/priced.h"

/* The values of one column. */
struct values {
	atomic_uint users; /* references of the mirror and of snapshots */
	struct dictionary dictionary;
};

/* The ids of the rows of a segment, in insertion order. */
struct names {
	atomic_uint users; /* references of segments */
	int64_t *ids;
	const char **run_ids;
	struct pl_arena *arena; /* memory of the run ids */
	size_t bytes;           /* of the run ids */
};

struct segment {
	atomic_uint users; /* references of the mirror and of snapshots */
	size_t rows;       /* counted by the writer alone while the segment is open */
	struct names *names;
	struct chunk *chunks; /* one per column */
	size_t column_count;
	struct garbage garbage;
};

/* The dead rows of a segment. Never changed while a snapshot refers to it. */
struct dead {
	atomic_uint users;
	size_t count;
	uint64_t words[MIRROR_SEGMENT_WORDS];
};

struct lazy_columns;

/* Data that readers cache by the places of rows. */
struct caches {
	atomic_uint users; /* references of the mirror and of snapshots */
	struct lazy_columns *lazy;
	struct number_cache *numbers; /* of all columns */
};

/* Prices, and the columns computed with them (priced.h), by the places of rows. */
struct pricing {
	atomic_uint users;            /* references of the mirror and of snapshots */
	struct shared_prices *shared; /* owns the prices */
	const struct res_prices *prices;
	struct lazy_columns *columns;
};

struct mirror_snapshot {
	atomic_uint users;
	struct mirror_snapshot *whole; /* owns all fields below; NULL: this snapshot owns them */
	struct mirror_cancel_token *cancel_token; /* or NULL */
	/* mirror_snapshot_limit() */
	int64_t end_ns;
	int64_t refuse_ns;
	struct mirror *mirror;
	int64_t version;
	int64_t mark;
	int64_t epoch;
	size_t live;
	size_t segment_count;
	size_t *rows; /* of each segment, including dead rows */
	struct segment **segments;
	struct dead **dead;          /* of each segment; NULL: none */
	const struct chunk **chunks; /* of each segment */
	struct chunk *open; /* copies of the chunks of the last segment; NULL: it is sealed */
	struct mirror_column *columns;
	struct values **values; /* of each column */
	struct caches *caches;
	struct pricing *pricing;
	size_t other_bytes; /* of values and ids */
};

struct mirror {
	const struct res_fields *fields;
	mirror_read_fn *read;
	mirror_may_have_fn *may_have; /* NULL: assume that every document may have every field */
	mirror_index_fn *index;       /* NULL: read documents */
	void *context;
	atomic_bool is_over; /* all queries end */
	const struct res_field *const *column_fields;
	size_t column_count;

	/* ---- of the writer ---- */
	struct values **values; /* of each column */
	struct segment **segments;
	size_t segment_count;
	size_t segment_room;
	struct dead **dead;
	size_t dead_room;
	size_t live;
	bool is_open;    /* the last segment accepts rows */
	uint32_t *slots; /* hash table from id to row + 1; 0: free */
	size_t slot_count;
	size_t slots_used;
	int64_t version;
	int64_t mark;
	int64_t epoch;
	struct caches *caches;
	struct pricing *pricing;

	pthread_mutex_t lock; /* protects the fields below; held only while a reference is taken */
	struct mirror_snapshot *published;
};

void mirror_values_put(struct values *values);
/* Takes over the names. */
struct segment *mirror_segment_new(size_t column_count, struct names *names);
void mirror_segment_put(struct segment *segment);
/*
 * Gives a mirror without rows these values, one per column, and sealed segments, and takes them over. Returns false and
 * changes nothing if an id is not positive or occurs twice.
 */
bool mirror_restore(struct mirror *mirror, struct values *const *values,
		    struct segment *const *segments, size_t count);
/* Replaces all values and rows of a mirror by these, as mirror_restore() does. The ids are those of its live rows. */
void mirror_replace_all(struct mirror *mirror, struct values *const *values,
			struct segment *const *segments, size_t count);
void mirror_dead_put(struct dead *dead);
void mirror_compact(struct mirror *mirror);
void mirror_compact_if_needed(struct mirror *mirror);
struct caches *mirror_caches_new(size_t columns);
void mirror_caches_put(struct caches *caches);
struct mirror_snapshot *mirror_snapshot_new(struct mirror *mirror);
/* Returns the column of a column field; NULL: it is none. */
const struct mirror_column *mirror_snapshot_column(const struct mirror_snapshot *snapshot,
						   const char *id);
/* Returns -1 with INTERRUPTED if all queries were ended or the client of this one has left. */
int mirror_snapshot_goes_on(const struct mirror_snapshot *snapshot,
			    struct pl_err *err) PL_MUST_CHECK;
/* The same until refuse_ns. */
int mirror_snapshot_is_in_time(const struct mirror_snapshot *snapshot,
			       struct pl_err *err) PL_MUST_CHECK;

/*
 * Reads the document of a live row as it was when the snapshot was taken, as a new reference. NULL: the result was
 * changed or removed at or before *ret_changed, and its former document is unknown. `member` is as in mirror_read_fn.
 */
int mirror_snapshot_read(const struct mirror_snapshot *snapshot, size_t row, const char *member,
			 json_t **ret, int64_t *ret_changed, struct pl_err *err) PL_MUST_CHECK;

/* Returns -1 with BUSY: a newer snapshot has the answer. */
int mirror_snapshot_too_old(struct pl_err *err);

/* Returns the live rows of a segment. */
void mirror_snapshot_live(const struct mirror_snapshot *snapshot, size_t segment,
			  uint64_t ret_rows[MIRROR_SEGMENT_WORDS]);
static inline int64_t snapshot_id(const struct mirror_snapshot *snapshot, size_t row)
{
	return snapshot->segments[row / MIRROR_SEGMENT_ROWS]->names->ids[row % MIRROR_SEGMENT_ROWS];
}

/* ---- fields that are not columns --------------------------------------------------------------- */

struct lazy_columns *mirror_lazy_columns_new(void);
void mirror_lazy_columns_free(struct lazy_columns *lazy);

/* One lazy column in use by a query. It lasts until it is given back. */
struct lazy;
struct lazy_use {
	struct lazy *lazy;
	struct mirror_column column;
	struct chunk *chunks;
	const struct chunk **lists;
	bool is_known; /* a field of the rows, or one that some document has */
};
/*
 * `columns`: of the snapshot's caches, which are read from documents, or of its pricing.
 *
 * Takes a lazy column for a query. The column is complete after mirror_lazy_read() has returned 0.
 */
void mirror_lazy_take(const struct mirror_snapshot *snapshot, struct lazy_columns *columns,
		      const char *id, struct lazy_use *ret);
/* Reads all of them in one pass over the documents. */
int mirror_lazy_read(const struct mirror_snapshot *snapshot, struct lazy_columns *columns,
		     struct lazy_use *uses, size_t count, struct pl_err *err) PL_MUST_CHECK;
void mirror_lazy_give_back(struct lazy_columns *columns, struct lazy_use *uses, size_t count);

/* ---- fields computed with prices ------------------------------------------------------------------ */

/* Takes over the prices. */
struct pricing *mirror_pricing_new(struct res_prices *prices);
/* Returns the same prices without columns. */
struct pricing *mirror_pricing_again(const struct pricing *pricing);
void mirror_pricing_put(struct pricing *pricing);
/* Computes a field of all rows of a segment; NaN: missing. */
void mirror_priced_values(const struct mirror_snapshot *snapshot, enum res_priced field,
			  size_t segment, double *ret);
