/*
 * The view of one query on a snapshot: the columns of the fields that the query names, while it runs.
 * - Column fields are always available. Any other field becomes a column of all documents when the first query names
 *   it, and is cached for later queries. Later rows are added on the next use. If the cached columns take too much
 *   memory, the least recently used are dropped.
 * - A view belongs to one thread and borrows the snapshot.
 * - A row has a place. Places are numbered by segment, with MIRROR_SEGMENT_WORDS bitmap words each; some hold dead rows
 *   (mirror_view_live()). The row with the greater id is the newer one, whatever its place.
 */
#pragma once

#include "mirror/column.h"
#include "mirror/mirror.h"

/* Ids of fields, borrowed; the caller owns the array (free()). */
struct mirror_ids {
	const char **items;
	size_t count;
	size_t room;
};

struct mirror_view;

/*
 * Opens the columns of these fields and of all column fields. Returns -1 if a document could not be read. BUSY: a row
 * of this snapshot has changed before such a field was read; retry with a new snapshot.
 */
int mirror_view_new(const struct mirror_snapshot *snapshot, const struct mirror_ids *ids,
		    struct mirror_view **ret, struct pl_err *err) PL_MUST_CHECK;
void mirror_view_free(struct mirror_view *view);
PL_AUTO_DEFINE(struct mirror_view, mirror_view_free);
#define auto_view PL_AUTO(mirror_view_free)

/* Returns NULL if there is no such field or the view was opened without it. */
const struct mirror_column *mirror_view_column(const struct mirror_view *view, const char *id);
/* Returns the column fields, in their order, and then the fields computed with prices (priced.h). */
const struct mirror_column *mirror_view_at(const struct mirror_view *view, size_t i);
size_t mirror_view_column_count(const struct mirror_view *view);

/*
 * Returns 0 while the query may continue, or -1 with INTERRUPTED after mirror_end_questions(), if the client has left
 * (mirror_snapshot_for()), or if the required parts of the response take too long (mirror_snapshot_limit()). Long loops
 * must call it regularly; one that cannot report an error stops, and its caller calls it again.
 */
int mirror_view_goes_on(const struct mirror_view *view, struct pl_err *err) PL_MUST_CHECK;
/* The same, once all required parts are complete: from then on the time of the query ends its optional parts only. */
int mirror_view_settle(const struct mirror_view *view, struct pl_err *err) PL_MUST_CHECK;
/* Returns whether there is time for optional parts of the response. */
bool mirror_view_has_time(const struct mirror_view *view);

const struct res_fields *mirror_view_fields(const struct mirror_view *view);
/* Returns the number of results. */
size_t mirror_view_count(const struct mirror_view *view);
/* As mirror_snapshot_epoch(). */
int64_t mirror_view_epoch(const struct mirror_view *view);
size_t mirror_view_segments(const struct mirror_view *view);
/*
 * mirror_view_rows() returns the number of places in a segment, including dead rows; mirror_view_words() the number of
 * bitmap words for all segments.
 */
size_t mirror_view_rows(const struct mirror_view *view, size_t segment);
static inline size_t mirror_view_words(const struct mirror_view *view)
{
	return mirror_view_segments(view) * MIRROR_SEGMENT_WORDS;
}
/* Returns the live rows of a segment. */
void mirror_view_live(const struct mirror_view *view, size_t segment,
		      uint64_t ret_rows[MIRROR_SEGMENT_WORDS]);
int64_t mirror_view_id(const struct mirror_view *view, size_t row);
/*
 * Reads the document of a row as a new reference. Returns -1 if it cannot be read; BUSY: it has changed, as in
 * mirror_view_new().
 */
int mirror_view_document(const struct mirror_view *view, size_t row, json_t **ret,
			 struct pl_err *err) PL_MUST_CHECK;
/* Returns NULL if it has none. */
const char *mirror_view_run_id(const struct mirror_view *view, size_t row);
