/*
 * What one query sees of a snapshot: the columns of the fields that it names, for as long as it runs.
 *
 * - A column field is there at once. Any other field becomes a column when the first query names it, of
 *   all documents; it is kept for the next query. Rows that come later are added when it is asked for
 *   again; those used least are dropped where they are many.
 * - A view belongs to one thread and borrows the snapshot.
 * - A row is told by its place. Places go by segments, of MIRROR_SEGMENT_WORDS words of a bitmap each; some
 *   places hold rows that are no more (mirror_view_live()). Newer is what has the greater id, wherever it stands.
 */
#pragma once

#include "mirror/column.h"
#include "mirror/mirror.h"

/* Ids of fields, borrowed; the array is the caller's (free()). */
struct mirror_ids {
	const char **items;
	size_t count;
	size_t room;
};

struct mirror_view;

/*
 * With the columns of these fields and of all column fields. -1: a document could not be read; BUSY: a row of this
 * snapshot has gone, and for one that is newer such a field was read without it; a new snapshot has what is wanted.
 */
int mirror_view_new(const struct mirror_snapshot *snapshot, const struct mirror_ids *ids,
		    struct mirror_view **ret, struct pl_err *err) PL_MUST_CHECK;
void mirror_view_free(struct mirror_view *view);
PL_AUTO_DEFINE(struct mirror_view, mirror_view_free);
#define auto_view PL_AUTO(mirror_view_free)

/* NULL: there is no such field, or the view was not asked for it. */
const struct mirror_column *mirror_view_column(const struct mirror_view *view, const char *id);
/* Of the column fields, in their order. */
const struct mirror_column *mirror_view_at(const struct mirror_view *view, size_t i);
size_t mirror_view_column_count(const struct mirror_view *view);

/* 0: go on. -1, INTERRUPTED: mirror_end_questions(), mirror_snapshot_for(); what takes long asks every now and then. */
int mirror_view_goes_on(const struct mirror_view *view, struct pl_err *err) PL_MUST_CHECK;

const struct res_fields *mirror_view_fields(const struct mirror_view *view);
/* Results. */
size_t mirror_view_count(const struct mirror_view *view);
size_t mirror_view_segments(const struct mirror_view *view);
/* Places of the segment that hold a row or held one; 64-bit words of a bitmap of all segments. */
size_t mirror_view_rows(const struct mirror_view *view, size_t segment);
static inline size_t mirror_view_words(const struct mirror_view *view)
{
	return mirror_view_segments(view) * MIRROR_SEGMENT_WORDS;
}
/* The rows of a segment that are there. */
void mirror_view_live(const struct mirror_view *view, size_t segment,
		      uint64_t ret_rows[MIRROR_SEGMENT_WORDS]);
int64_t mirror_view_id(const struct mirror_view *view, size_t row);
/* The document of a row, a new reference. -1: it cannot be read; BUSY: it has changed since, as of
 * mirror_view_new(). */
int mirror_view_document(const struct mirror_view *view, size_t row, json_t **ret,
			 struct pl_err *err) PL_MUST_CHECK;
/* NULL: it has none. */
const char *mirror_view_run_id(const struct mirror_view *view, size_t row);
