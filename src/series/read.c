#include "series/series_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "io/jwalk.h"
#include "series/form.h"

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
	struct series_number numbers[QUANTITIES + 1];
	size_t number_count;
	bool is_irregular; /* a member is repeated, or comes before the source: it has no form */
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
	line->is_irregular = line->is_irregular || line->has_source;
	line->has_source = true;
	line->first = 0;
	while (line->first < QUANTITIES &&
	       !io_jwalk_is(walk, series_quantities[line->first].source))
		line->first += width_from(line->first);
	line->width = line->first < QUANTITIES ? width_from(line->first) : 0;
	for (size_t i = 0; i < line->width; i++)
		line->values[i] = NAN;
}

/* The number of a token. */
static double number_of(const struct io_jwalk *walk)
{
	const char *end = walk->text + walk->len;
	double value;

	if (series_take_number(walk->text, end, &value) == end)
		return value;
	auto_free char *digits = pl_strndup(walk->text, walk->len);
	return strtod(digits, NULL);
}

static void note_number(struct line *line, const struct io_jwalk *walk, int column)
{
	if (line->number_count == PL_ARRAY_SIZE(line->numbers))
		line->is_irregular = true;
	else
		line->numbers[line->number_count++] = (struct series_number){ walk->text, walk->len,
									      column };
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
		line->is_irregular = line->is_irregular || !isnan(line->values[at]);
		if (token == IO_JWALK_NUMBER && !line->is_irregular)
			note_number(line, walk, (int)at);
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
	if (io_jwalk_is(walk, "t_ns")) {
		line->is_irregular = line->is_irregular || line->t_ns >= 0;
		if (io_jwalk_next(walk) != IO_JWALK_NUMBER || !io_jwalk_to_i64(walk, &line->t_ns) ||
		    line->t_ns < 0 || line->t_ns == INT64_MAX)
			return false;
		if (!line->is_irregular)
			note_number(line, walk, SERIES_TIME);
		return true;
	}
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
	*ret_is_later = line->is_irregular = true;
	return io_jwalk_skip(walk) == IO_JWALK_END;
}

/* Returns whether the text is a sample. */
static bool read_line(const char *text, size_t len, struct line *ret)
{
	struct io_jwalk walk, later;
	enum io_jwalk_token token;
	bool is_later = false;

	ret->t_ns = -1;
	ret->has_source = ret->has_values = ret->is_irregular = false;
	ret->number_count = 0;
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

/* Returns the place of the next sample's values. */
static double *next_values(struct series_track *track)
{
	if ((track->count + 1) * track->width > track->values_room)
		pl_grow((void **)&track->values, &track->values_room,
			(track->count + 1) * track->width, sizeof(track->values[0]));
	return &track->values[track->count * track->width];
}

/* Takes the values that are at their place. */
static void add_sample(struct series_track *track, int64_t t_ns)
{
	if (track->count > 0 && t_ns < track->t_ns[track->count - 1])
		track->is_unordered = true;
	*PL_PUSH(track->t_ns, track->count, track->t_room) = t_ns;
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
	bool is_even = true;
	for (size_t i = 1; i < track->count; i++) {
		steps[i - 1] = track->t_ns[i] - track->t_ns[i - 1];
		is_even = is_even && steps[i - 1] == steps[0];
	}
	if (!is_even)
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

/* ---- all lines ----------------------------------------------------------------------------- */

struct series_reader {
	struct series *series;
	struct series_form *forms; /* per track */
	size_t form_room;
	size_t last; /* the track of the line before */
	size_t bytes_max;
	struct line line;    /* of the line that is read by tokens */
	struct pl_buf start; /* of a line that came in pieces */
	bool is_too_long;
};

/* Returns whether the line is a sample. One without a value has no place in the columns. */
static bool take_by_tokens(struct series_reader *reader, const char *text, size_t len)
{
	struct line *line = &reader->line;

	if (!read_line(text, len, line))
		return false;
	if (!has_value(line))
		return true;
	struct series_track *track = track_of(reader->series, line, &reader->last);
	if (track == NULL)
		return false;
	memcpy(next_values(track), line->values, track->width * sizeof(line->values[0]));
	add_sample(track, line->t_ns);
	if (reader->last >= reader->form_room)
		pl_grow((void **)&reader->forms, &reader->form_room, reader->last + 1,
			sizeof(reader->forms[0]));
	if (!line->is_irregular)
		series_form_learn(&reader->forms[reader->last], text, len, line->numbers,
				  line->number_count);
	return true;
}

/* Lines of a tick follow each other: the next track is likely, and lines at changes come between them. */
#define FORMS_TRIED 24

/* Returns false if no form that is likely fits. */
static bool take_by_form(struct series_reader *reader, const char *text, size_t len)
{
	struct series *series = reader->series;
	int64_t t_ns;

	for (size_t tried = 0; tried < series->track_count && tried < FORMS_TRIED; tried++) {
		size_t at = (reader->last + 1 + tried) % series->track_count;
		struct series_track *track = &series->tracks[at];
		double *values = next_values(track);
		for (size_t i = 0; i < track->width; i++)
			values[i] = NAN;
		if (!series_form_read(&reader->forms[at], text, len, &t_ns, values))
			continue;
		add_sample(track, t_ns);
		reader->last = at;
		return true;
	}
	return false;
}

static int take_line(struct series_reader *reader, const char *text, size_t len, struct pl_err *err)
{
	struct series *series = reader->series;

	if (len == 0)
		return 0;
	bool is_taken = len <= SERIES_LINE_BYTES_MAX &&
			(take_by_form(reader, text, len) || take_by_tokens(reader, text, len));
	series->lines += is_taken;
	series->skipped += !is_taken;
	if ((series->lines & 1023) == 0 && series_bytes(series) > reader->bytes_max)
		return pl_err_set(err, PL_ERR_INVALID,
				  "the time series has more than %zu bytes of samples",
				  reader->bytes_max);
	return 0;
}

struct series_reader *series_reader_new(size_t bytes_max)
{
	struct series_reader *reader = pl_alloc(sizeof(*reader));

	reader->series = pl_alloc(sizeof(*reader->series));
	atomic_init(&reader->series->references, 1);
	reader->bytes_max = bytes_max;
	pl_buf_init(&reader->start, SERIES_LINE_BYTES_MAX);
	return reader;
}

void series_reader_free(struct series_reader *reader)
{
	if (reader == NULL)
		return;
	for (size_t i = 0; i < reader->form_room; i++)
		series_form_done(&reader->forms[i]);
	free(reader->forms);
	pl_buf_done(&reader->start);
	series_unref(reader->series);
	free(reader);
}

/* Takes the rest of a line that came in pieces. */
static int end_line(struct series_reader *reader, struct pl_err *err)
{
	int result = 0;

	if (reader->is_too_long)
		reader->series->skipped++;
	else
		result = take_line(reader, pl_buf_text(&reader->start), reader->start.len, err);
	reader->is_too_long = false;
	pl_buf_clear(&reader->start);
	return result;
}

int series_reader_add(struct series_reader *reader, const char *text, size_t len,
		      struct pl_err *err)
{
	const char *end = text + len;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline != NULL ? newline : end;
		size_t part = (size_t)(stop - text);
		if (newline != NULL && reader->start.len == 0 && !reader->is_too_long) {
			if (take_line(reader, text, part, err) < 0)
				return -1;
		} else {
			if (!reader->is_too_long && !pl_buf_add(&reader->start, text, part))
				reader->is_too_long = true;
			if (newline != NULL && end_line(reader, err) < 0)
				return -1;
		}
		text = stop + 1;
	}
	return 0;
}

int series_reader_end(struct series_reader *reader, struct series **ret, struct pl_err *err)
{
	struct series *series = reader->series;

	if ((reader->start.len > 0 || reader->is_too_long) && end_line(reader, err) < 0)
		return -1;
	for (size_t i = 0; i < series->track_count; i++) {
		struct series_track *track = &series->tracks[i];
		if (track->is_unordered)
			sort_track(track);
		track->interval_s = interval_of(track);
	}
	*ret = pl_take(reader->series);
	return 0;
}

int series_read(const char *text, size_t len, size_t bytes_max, struct series **ret,
		struct pl_err *err)
{
	auto_series_reader struct series_reader *reader = series_reader_new(bytes_max);

	if (len > 0 && series_reader_add(reader, text, len, err) < 0)
		return -1;
	return series_reader_end(reader, ret, err);
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
