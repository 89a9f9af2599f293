#include "series/series_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "io/jwalk.h"

const struct series_quantity series_quantities[] = {
	{ "load", "in_flight", "load.in_flight", "req", "requests in flight", HELD },
#define QUANTITY(source, name, unit, kind, text) \
	{ #source, #name, #source "." #name, unit, text, kind },
#define PAGE(name, unit, kind, text) \
	{ "server_metrics", #name, "server_metrics." #name, unit, text, kind },
#include "tbl/telemetry.h"
};

#define QUANTITIES PL_ARRAY_SIZE(series_quantities)
const size_t series_quantity_count = QUANTITIES;

bool series_is_name(const char *name, const char **ret_nearest)
{
	struct pl_nearest nearest = { .name = name };

	for (size_t i = 0; i < QUANTITIES; i++) {
		const struct series_quantity *quantity = &series_quantities[i];
		if (!series_is_shown(quantity))
			continue;
		if (strcmp(quantity->full_name, name) == 0)
			return true;
		pl_nearest_try(&nearest, quantity->full_name);
	}
	*ret_nearest = nearest.found;
	return false;
}

/* ---- one line ------------------------------------------------------------------------------ */

struct line {
	int64_t t_ns; /* -1: none yet */
	size_t first; /* quantity of the source; QUANTITIES: an unknown source */
	size_t width;
	bool has_source;
	bool has_values;
	char id[128];              /* "": none */
	double values[QUANTITIES]; /* [width] */
};

static size_t width_from(size_t first)
{
	size_t end = first;

	while (end < QUANTITIES &&
	       strcmp(series_quantities[end].source, series_quantities[first].source) == 0)
		end++;
	return end - first;
}

static void set_source(struct line *line, const struct io_jwalk *walk)
{
	line->has_source = true;
	line->first = 0;
	while (line->first < QUANTITIES &&
	       !io_jwalk_is(walk, series_quantities[line->first].source))
		line->first += width_from(line->first);
	line->width = line->first < QUANTITIES ? width_from(line->first) : 0;
	for (size_t i = 0; i < line->width; i++)
		line->values[i] = NAN;
}

/*
 * The number of a token. A mantissa up to 2^53 and a power of ten up to 10^22 are exact as doubles, so one division
 * rounds correctly (W. Clinger, "How to read floating point numbers accurately", 1990); strtod() reads all others.
 */
static double number_of(const struct io_jwalk *walk)
{
	static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
					 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
					 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	const char *at = walk->text, *end = walk->text + walk->len;
	bool is_negative = *at == '-', has_point = false;
	uint64_t mantissa = 0;
	size_t decimals = 0;

	for (at += is_negative; at < end; at++) {
		if (*at == '.') {
			has_point = true;
			continue;
		}
		if (*at < '0' || *at > '9' || mantissa > (UINT64_C(1) << 53) / 10)
			break;
		mantissa = mantissa * 10 + (uint64_t)(*at - '0');
		decimals += has_point;
	}
	if (at == end && mantissa <= UINT64_C(1) << 53 && decimals < PL_ARRAY_SIZE(powers)) {
		double value = (double)mantissa / powers[decimals];
		return is_negative ? -value : value;
	}
	auto_free char *digits = pl_strndup(walk->text, walk->len);
	return strtod(digits, NULL);
}

/* Members mostly come in the order of the table. Returns the column, or SIZE_MAX. */
static size_t column_of(const struct line *line, const struct io_jwalk *walk, size_t next)
{
	for (size_t tried = 0; tried < line->width; tried++) {
		size_t at = (next + tried) % line->width;
		if (io_jwalk_is(walk, series_quantities[line->first + at].name))
			return at;
	}
	return SIZE_MAX;
}

/* After OBJECT. */
static bool take_values(struct io_jwalk *walk, struct line *line)
{
	enum io_jwalk_token token;
	size_t next = 0;

	while ((token = io_jwalk_next(walk)) == IO_JWALK_KEY) {
		size_t at = column_of(line, walk, next);
		token = io_jwalk_skip_value(walk);
		if (token == IO_JWALK_ERROR)
			return false;
		if (at == SIZE_MAX)
			continue;
		double value = token == IO_JWALK_NUMBER ? number_of(walk) : NAN;
		line->values[at] = isfinite(value) ? value : NAN;
		next = at + 1;
	}
	return token == IO_JWALK_END;
}

/* Values that come before their source are read later: *ret_later is their position then. */
static bool take_member(struct io_jwalk *walk, struct line *line, struct io_jwalk *ret_later,
			bool *ret_is_later)
{
	if (io_jwalk_is(walk, "t_ns"))
		return io_jwalk_next(walk) == IO_JWALK_NUMBER &&
		       io_jwalk_to_i64(walk, &line->t_ns) && line->t_ns >= 0 &&
		       line->t_ns < INT64_MAX;
	if (io_jwalk_is(walk, "source")) {
		if (io_jwalk_next(walk) != IO_JWALK_STRING)
			return false;
		set_source(line, walk);
		return true;
	}
	if (io_jwalk_is(walk, "id")) {
		enum io_jwalk_token token = io_jwalk_skip_value(walk);
		size_t len = token == IO_JWALK_STRING
				     ? io_jwalk_decode(walk, line->id, sizeof(line->id) - 1)
				     : 0;
		if (token == IO_JWALK_ERROR || len == (size_t)-1)
			return false;
		line->id[len] = '\0';
		return true;
	}
	if (!io_jwalk_is(walk, "values"))
		return io_jwalk_skip_value(walk) != IO_JWALK_ERROR;
	if (io_jwalk_next(walk) != IO_JWALK_OBJECT)
		return false;
	line->has_values = true;
	if (line->has_source)
		return take_values(walk, line);
	*ret_later = *walk;
	*ret_is_later = true;
	return io_jwalk_skip(walk) == IO_JWALK_END;
}

/* Returns whether the text is a sample. */
static bool read_line(const char *text, size_t len, struct line *ret)
{
	struct io_jwalk walk, later;
	enum io_jwalk_token token;
	bool is_later = false;

	ret->t_ns = -1;
	ret->has_source = ret->has_values = false;
	ret->id[0] = '\0';
	io_jwalk_init(&walk, text, len);
	if (io_jwalk_next(&walk) != IO_JWALK_OBJECT)
		return false;
	while ((token = io_jwalk_next(&walk)) == IO_JWALK_KEY) {
		if (!take_member(&walk, ret, &later, &is_later))
			return false;
	}
	if (token != IO_JWALK_END || io_jwalk_next(&walk) != IO_JWALK_DONE || ret->t_ns < 0 ||
	    !ret->has_source || !ret->has_values)
		return false;
	return !is_later || take_values(&later, ret);
}

/* ---- columns ------------------------------------------------------------------------------- */

/* Returns NULL if there are too many. */
static struct series_track *track_of(struct series *series, const struct line *line, size_t *last)
{
	uint64_t hash = pl_hash_text(PL_HASH_NONE, line->id);

	/* lines of a tick follow each other: the next track is likely */
	for (size_t tried = 0; tried < series->track_count; tried++) {
		size_t at = (*last + 1 + tried) % series->track_count;
		struct series_track *track = &series->tracks[at];
		if (track->hash == hash && track->first == line->first &&
		    strcmp(track->id, line->id) == 0) {
			*last = at;
			return track;
		}
	}
	if (series->track_count == SERIES_TRACKS_MAX)
		return NULL;
	*last = series->track_count;
	struct series_track *track = PL_PUSH(series->tracks, series->track_count,
					     series->track_room);
	track->first = line->first;
	track->width = line->width;
	track->id = pl_strdup(line->id);
	track->hash = hash;
	return track;
}

static void add_sample(struct series_track *track, const struct line *line)
{
	if (track->count > 0 && line->t_ns < track->t_ns[track->count - 1])
		track->is_unordered = true;
	if ((track->count + 1) * track->width > track->values_room)
		pl_grow((void **)&track->values, &track->values_room,
			(track->count + 1) * track->width, sizeof(track->values[0]));
	memcpy(&track->values[track->count * track->width], line->values,
	       track->width * sizeof(line->values[0]));
	*PL_PUSH(track->t_ns, track->count, track->t_room) = line->t_ns;
}

struct moment {
	int64_t t_ns;
	size_t at;
};

/* Samples of one time keep their order. */
static int by_time(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void sort_track(struct series_track *track)
{
	auto_free struct moment *moments = pl_alloc_array(track->count, sizeof(*moments));
	double *values = pl_alloc_array(track->count * track->width, sizeof(*values));

	for (size_t i = 0; i < track->count; i++)
		moments[i] = (struct moment){ track->t_ns[i], i };
	qsort(moments, track->count, sizeof(*moments), by_time);
	for (size_t i = 0; i < track->count; i++) {
		track->t_ns[i] = moments[i].t_ns;
		memcpy(&values[i * track->width], &track->values[moments[i].at * track->width],
		       track->width * sizeof(*values));
	}
	free(track->values);
	track->values = values;
}

static int by_size(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static double interval_of(const struct series_track *track)
{
	if (track->count < 2)
		return NAN;
	auto_free int64_t *steps = pl_alloc_array(track->count - 1, sizeof(*steps));
	for (size_t i = 1; i < track->count; i++)
		steps[i - 1] = track->t_ns[i] - track->t_ns[i - 1];
	qsort(steps, track->count - 1, sizeof(*steps), by_size);
	return (double)steps[(track->count - 1) / 2] / 1e9;
}

static bool has_value(const struct line *line)
{
	for (size_t i = 0; i < line->width; i++) {
		if (!isnan(line->values[i]))
			return true;
	}
	return false;
}

/* Returns whether the line is a sample. One without a value has no place in the columns. */
static bool take_line(struct series *series, const struct line *line, size_t *last)
{
	if (!has_value(line))
		return true;
	struct series_track *track = track_of(series, line, last);
	if (track != NULL)
		add_sample(track, line);
	return track != NULL;
}

int series_read(const char *text, size_t len, size_t bytes_max, struct series **ret,
		struct pl_err *err)
{
	auto_series struct series *series = pl_alloc(sizeof(*series));
	struct line line;
	size_t last = 0;

	atomic_init(&series->references, 1);
	const char *end = text + len;
	for (const char *at = text; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline != NULL ? newline : end;
		bool is_taken = stop > at && read_line(at, (size_t)(stop - at), &line) &&
				take_line(series, &line, &last);
		series->lines += is_taken;
		series->skipped += stop > at && !is_taken;
		if ((series->lines & 1023) == 0 && series_bytes(series) > bytes_max)
			return pl_err_set(err, PL_ERR_INVALID,
					  "the time series has more than %zu bytes of samples",
					  bytes_max);
		at = stop + 1;
	}
	for (size_t i = 0; i < series->track_count; i++) {
		struct series_track *track = &series->tracks[i];
		if (track->is_unordered)
			sort_track(track);
		track->interval_s = interval_of(track);
	}
	*ret = pl_take(series);
	return 0;
}

struct series *series_ref(struct series *series)
{
	atomic_fetch_add(&series->references, 1);
	return series;
}

void series_unref(struct series *series)
{
	if (series == NULL || atomic_fetch_sub(&series->references, 1) != 1)
		return;
	for (size_t i = 0; i < series->track_count; i++) {
		free(series->tracks[i].id);
		free(series->tracks[i].t_ns);
		free(series->tracks[i].values);
	}
	free(series->tracks);
	free(series);
}

size_t series_bytes(const struct series *series)
{
	size_t bytes = sizeof(*series) + series->track_room * sizeof(series->tracks[0]);

	for (size_t i = 0; i < series->track_count; i++) {
		const struct series_track *track = &series->tracks[i];
		bytes += track->t_room * sizeof(track->t_ns[0]) +
			 track->values_room * sizeof(track->values[0]);
	}
	return bytes;
}

bool series_range(const struct series *series, int64_t *ret_begin_ns, int64_t *ret_end_ns)
{
	*ret_begin_ns = series->track_count > 0 ? INT64_MAX : 0;
	*ret_end_ns = 0;
	for (size_t i = 0; i < series->track_count; i++) {
		const struct series_track *track = &series->tracks[i];
		if (track->t_ns[0] < *ret_begin_ns)
			*ret_begin_ns = track->t_ns[0];
		if (track->t_ns[track->count - 1] > *ret_end_ns)
			*ret_end_ns = track->t_ns[track->count - 1];
	}
	return series->track_count > 0;
}
