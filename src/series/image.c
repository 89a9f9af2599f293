#include "series/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/image.h"
#include "base/mem.h"
#include "series/series_priv.h"

/* Raise it with each change of what is read into the columns. */
#define FORM_VERSION 1
#define ID_BYTES     128

_Static_assert(2 + 2 * SERIES_TRACKS_MAX <= PL_IMAGE_PARTS_MAX, "two parts per track");

struct totals {
	uint64_t lines;
	uint64_t skipped;
};

struct track {
	uint64_t first;
	uint64_t width;
	double interval_s;
	char id[ID_BYTES];
};

/* Columns are places in the table of quantities, so its rows are part of the form. */
static char *form_of_series(void)
{
	uint64_t hash = PL_HASH_NONE;

	for (size_t i = 0; i < series_quantity_count; i++)
		hash = pl_hash_text(hash, series_quantities[i].full_name);
	return pl_asprintf("series %d, quantities %016llx, " PROFLLM_VERSION, FORM_VERSION,
			   (unsigned long long)hash);
}

int series_save(const struct series *series, int fd, struct pl_err *err)
{
	auto_free char *form = form_of_series();
	size_t count = 2 + 2 * series->track_count;
	struct totals totals = { series->lines, series->skipped };
	auto_free struct track *tracks = pl_alloc_array(series->track_count, sizeof(*tracks));
	auto_free struct pl_image_part *parts = pl_alloc_array(count, sizeof(*parts));

	parts[0] = (struct pl_image_part){ &totals, sizeof(totals) };
	parts[1] = (struct pl_image_part){ tracks, series->track_count * sizeof(*tracks) };
	for (size_t i = 0; i < series->track_count; i++) {
		const struct series_track *track = &series->tracks[i];
		tracks[i].first = track->first;
		tracks[i].width = track->width;
		tracks[i].interval_s = track->interval_s;
		memcpy(tracks[i].id, track->id, strnlen(track->id, ID_BYTES - 1));
		parts[2 + 2 * i] = (struct pl_image_part){ track->t_ns,
							   track->count * sizeof(int64_t) };
		parts[3 + 2 * i] = (struct pl_image_part){
			track->values, track->count * track->width * sizeof(double)
		};
	}
	return pl_image_write(fd, form, parts, count, err);
}

/* ---- reading: no track has a column that the table lacks, or a time before the one before ----- */

static bool is_source(const struct track *track)
{
	size_t first = track->first, end = first;

	while (end < series_quantity_count &&
	       strcmp(series_quantities[end].source, series_quantities[first].source) == 0)
		end++;
	return first < series_quantity_count && track->width == end - first &&
	       (first == 0 ||
		strcmp(series_quantities[first - 1].source, series_quantities[first].source) != 0);
}

static bool is_ordered(const struct series_track *track)
{
	for (size_t i = 0; i < track->count; i++) {
		if (track->t_ns[i] < (i > 0 ? track->t_ns[i - 1] : 0))
			return false;
	}
	/* the end of a range is after its last sample */
	return track->count > 0 && track->t_ns[track->count - 1] < INT64_MAX;
}

/* JSON has no infinite numbers. */
static bool has_numbers(const struct series_track *track)
{
	for (size_t i = 0; i < track->values_room; i++) {
		if (isinf(track->values[i]))
			return false;
	}
	return !isinf(track->interval_s);
}

static bool take_track(struct pl_image *image, const struct track *from, struct series_track *ret)
{
	if (!is_source(from) || memchr(from->id, '\0', ID_BYTES) == NULL)
		return false;
	ret->first = from->first;
	ret->width = from->width;
	ret->interval_s = from->interval_s;
	ret->id = pl_strdup(from->id);
	ret->hash = pl_hash_text(PL_HASH_NONE, ret->id);
	ret->t_ns = pl_image_take(image, sizeof(ret->t_ns[0]), &ret->t_room);
	ret->count = ret->t_room;
	ret->values = pl_image_take(image, sizeof(ret->values[0]), &ret->values_room);
	return ret->t_ns != NULL && ret->values != NULL &&
	       ret->values_room == ret->count * ret->width && is_ordered(ret) && has_numbers(ret);
}

static bool take_tracks(struct pl_image *image, struct series *ret)
{
	auto_free struct totals *totals = NULL;
	auto_free struct track *tracks = NULL;
	size_t one = 0, count = 0;

	if ((totals = pl_image_take(image, sizeof(*totals), &one)) == NULL || one != 1 ||
	    (tracks = pl_image_take(image, sizeof(*tracks), &count)) == NULL ||
	    count > SERIES_TRACKS_MAX || pl_image_count(image) != 2 + 2 * count)
		return false;
	ret->lines = totals->lines;
	ret->skipped = totals->skipped;
	ret->tracks = pl_alloc_array(count, sizeof(ret->tracks[0]));
	ret->track_room = count;
	for (; ret->track_count < count; ret->track_count++) {
		if (!take_track(image, &tracks[ret->track_count], &ret->tracks[ret->track_count])) {
			ret->track_count++;
			return false;
		}
	}
	return true;
}

int series_load(int fd, size_t bytes_max, struct series **ret, struct pl_err *err)
{
	auto_free char *form = form_of_series();
	auto_series struct series *series = pl_alloc(sizeof(*series));
	auto_image struct pl_image *image = NULL;

	atomic_init(&series->references, 1);
	if (pl_image_read(fd, form, bytes_max, &image, err) < 0)
		return -1;
	if (!take_tracks(image, series))
		return pl_err_invalid(err, "the image has no time series");
	*ret = pl_take(series);
	return 0;
}
