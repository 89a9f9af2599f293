/*
 * Between mirror.c (the writer), snapshot.c (what readers hold), and lazy.c (fields that are no columns).
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "mirror/column.h"
#include "mirror/mirror.h"
#include "mirror/shelf.h"

/* Of one column. */
struct values {
	atomic_uint users; /* the mirror, snapshots */
	struct dictionary dictionary;
};

/* Ids of the rows of a segment, as they come. */
struct names {
	atomic_uint users; /* segments */
	int64_t *ids;
	const char **run_ids;
	struct pl_arena *arena; /* of run ids */
	size_t bytes;           /* of them */
};

struct segment {
	atomic_uint users; /* the mirror, snapshots */
	size_t rows;       /* while it is open the writer's own count */
	struct names *names;
	struct chunk *chunks; /* one a column */
	size_t column_count;
	struct garbage garbage;
};

/* Rows of a segment that are no more. Never changed while a snapshot has it. */
struct dead {
	atomic_uint users;
	size_t count;
	uint64_t words[MIRROR_SEGMENT_WORDS];
};

struct lazy_columns;

struct mirror_snapshot {
	atomic_uint users;
	struct mirror_snapshot *whole;      /* all from here on is this one's; or NULL */
	struct mirror_cancel_token *waiter; /* or NULL */
	struct mirror *mirror;
	int64_t version;
	size_t live;
	size_t segment_count;
	size_t *rows; /* of each segment, dead ones too */
	struct segment **segments;
	struct dead **dead;          /* of each segment; NULL: none */
	const struct chunk **chunks; /* of each segment */
	struct chunk *open;          /* of the last one, as they were; NULL: it is sealed */
	struct mirror_column *columns;
	struct values **values; /* of each of them */
	size_t other_bytes;     /* values, ids */
};

struct mirror {
	const struct res_fields *fields;
	mirror_read_fn *read;
	mirror_may_have_fn *may_have; /* NULL: all documents may have anything */
	void *context;
	atomic_bool is_over; /* no question is to be answered */
	const struct res_field *const *column_fields;
	size_t column_count;
	struct lazy_columns *lazy;
	struct shelf *shelf; /* of all columns */

	/* the writer's */
	struct values **values; /* of each column */
	struct segment **segments;
	size_t segment_count;
	size_t segment_room;
	struct dead **dead;
	size_t dead_room;
	size_t live;
	bool is_open;    /* the last segment takes rows */
	uint32_t *slots; /* a hash of ids: the row's place + 1; 0: free */
	size_t slot_count;
	size_t slots_used;
	int64_t version;

	pthread_mutex_t lock; /* of what follows, and held for no more than a reference takes */
	struct mirror_snapshot *published;
};

void mirror_values_put(struct values *values);
void mirror_segment_put(struct segment *segment);
void mirror_dead_put(struct dead *dead);
struct mirror_snapshot *mirror_snapshot_new(struct mirror *mirror);
/* -1, INTERRUPTED: no question is to be answered any more, or nobody waits for this one's answer. */
int mirror_snapshot_goes_on(const struct mirror_snapshot *snapshot,
			    struct pl_err *err) PL_MUST_CHECK;

/*
 * The document of a row that lives in the snapshot, as it was then: a new reference. NULL: the result was
 * changed or removed since, at *ret_changed or before, and what it was is known no more. member: as of mirror_read_fn.
 */
int mirror_snapshot_read(const struct mirror_snapshot *snapshot, size_t row, const char *member,
			 json_t **ret, int64_t *ret_changed, struct pl_err *err) PL_MUST_CHECK;

/* Always -1, BUSY: a newer snapshot has the answer. */
int mirror_snapshot_too_old(struct pl_err *err);

/* Rows of a segment that live. */
void mirror_snapshot_live(const struct mirror_snapshot *snapshot, size_t segment,
			  uint64_t ret_rows[MIRROR_SEGMENT_WORDS]);
static inline int64_t snapshot_id(const struct mirror_snapshot *snapshot, size_t row)
{
	return snapshot->segments[row / MIRROR_SEGMENT_ROWS]->names->ids[row % MIRROR_SEGMENT_ROWS];
}

/* ---- fields that are no columns --------------------------------------------------------------- */

struct lazy_columns *mirror_lazy_columns_new(void);
void mirror_lazy_columns_free(struct lazy_columns *lazy);

/* One of them for a query: the column lasts until it is given back. */
struct lazy;
struct lazy_use {
	struct lazy *lazy;
	struct mirror_column column;
	struct chunk *chunks;
	const struct chunk **lists;
	bool is_known; /* a field of the rows, or one that some document has */
};
/* Takes one up for a query; its column is there when mirror_lazy_read() has answered 0. */
void mirror_lazy_take(const struct mirror_snapshot *snapshot, const char *id, struct lazy_use *ret);
/* All of them in one pass over the documents. */
int mirror_lazy_read(const struct mirror_snapshot *snapshot, struct lazy_use *uses, size_t count,
		     struct pl_err *err) PL_MUST_CHECK;
void mirror_lazy_give_back(const struct mirror_snapshot *snapshot, struct lazy_use *uses,
			   size_t count);
