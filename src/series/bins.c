#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "series/series_priv.h"

struct bin {
	double sum; /* of a held value: the last one */
	double min;
	double max;
	size_t count;
	bool is_from_start; /* its first sample is at its start */
};

struct work {
	const struct series_span *span;
	struct bin *bins;   /* consecutive per quantity */
	bool *is_wanted;    /* per quantity */
	double *before;     /* per quantity: a held value at the start; NaN: none */
	int64_t *before_ns; /* its time */
	double *interval_s; /* per quantity: the longest of its tracks; NaN: none */
	size_t *tracks;     /* per quantity, with a sample in the range */
};

/* The first sample at or after a time. */
static size_t first_at(const struct series_track *track, int64_t t_ns)
{
	size_t low = 0, high = track->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (track->t_ns[middle] < t_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_value(struct bin *bin, double value, bool is_held)
{
	bin->sum = is_held ? value : bin->sum + value;
	bin->min = bin->count == 0 || value < bin->min ? value : bin->min;
	bin->max = bin->count == 0 || value > bin->max ? value : bin->max;
	bin->count++;
}

/* The first time of a bin, rounded up to whole ns. */
static int64_t start_of(const struct series_span *span, size_t bin)
{
	unsigned __int128 width = (unsigned __int128)(uint64_t)(span->to_ns - span->from_ns);

	return span->from_ns + (int64_t)((width * bin + span->bins - 1) / span->bins);
}

/* Returns whether a time is exactly that at which its bin begins. */
static bool is_start(const struct series_span *span, int64_t t_ns)
{
	return (unsigned __int128)(t_ns - span->from_ns) * span->bins %
		       (uint64_t)(span->to_ns - span->from_ns) ==
	       0;
}

/* Finds the held value at the start of the range, among the samples before `begin`. */
static void find_before(struct work *work, const struct series_track *track, size_t column,
			size_t begin)
{
	size_t quantity = track->first + column;

	for (size_t i = begin; i > 0; i--) {
		double value = track->values[(i - 1) * track->width + column];
		if (isnan(value))
			continue;
		if (isnan(work->before[quantity]) ||
		    track->t_ns[i - 1] >= work->before_ns[quantity]) {
			work->before[quantity] = value;
			work->before_ns[quantity] = track->t_ns[i - 1];
		}
		return;
	}
}

struct column {
	size_t at; /* of the track */
	struct bin *bins;
	bool is_held;
	bool is_found;
};

static void add_samples(const struct work *work, const struct series_track *track, size_t begin,
			size_t end, struct column *columns, size_t count)
{
	const struct series_span *span = work->span;
	int64_t bin_end_ns = span->from_ns;
	size_t bin = 0;

	for (size_t i = begin; i < end; i++) {
		int64_t t_ns = track->t_ns[i];
		/* the samples are in the order of their times, and mostly several to a bin */
		if (t_ns >= bin_end_ns) {
			bin = (size_t)((unsigned __int128)(t_ns - span->from_ns) * span->bins /
				       (uint64_t)(span->to_ns - span->from_ns));
			bin_end_ns = start_of(span, bin + 1);
		}
		const double *values = &track->values[i * track->width];
		for (size_t k = 0; k < count; k++) {
			struct column *column = &columns[k];
			double value = values[column->at];
			if (isnan(value))
				continue;
			if (column->is_held && column->bins[bin].count == 0)
				column->bins[bin].is_from_start = is_start(span, t_ns);
			add_value(&column->bins[bin], value, column->is_held);
			column->is_found = true;
		}
	}
}

static void add_track(struct work *work, const struct series_track *track)
{
	const struct series_span *span = work->span;
	size_t begin = first_at(track, span->from_ns), end = first_at(track, span->to_ns);
	auto_free struct column *columns = pl_alloc_array(track->width, sizeof(*columns));
	size_t count = 0;

	for (size_t at = 0; at < track->width; at++) {
		size_t quantity = track->first + at;
		bool is_held = series_quantities[quantity].kind == HELD;
		if (!work->is_wanted[quantity])
			continue;
		if (is_held)
			find_before(work, track, at, begin);
		columns[count++] = (struct column){ at, &work->bins[quantity * span->bins], is_held,
						    false };
	}
	/* a track of other series is not read at all */
	if (count > 0)
		add_samples(work, track, begin, end, columns, count);
	for (size_t i = 0; i < count; i++) {
		size_t quantity = track->first + columns[i].at;
		if (!columns[i].is_found)
			continue;
		work->tracks[quantity]++;
		if (!columns[i].is_held && !isnan(track->interval_s) &&
		    !(work->interval_s[quantity] >= track->interval_s))
			work->interval_s[quantity] = track->interval_s;
	}
}

static void hold(struct work *work, size_t quantity, int64_t end_ns)
{
	const struct series_span *span = work->span;
	double held = work->before[quantity];

	for (size_t i = 0; i < span->bins; i++) {
		struct bin *bin = &work->bins[quantity * span->bins + i];
		int64_t start_ns = span->from_ns +
				   (int64_t)((unsigned __int128)(span->to_ns - span->from_ns) * i /
					     span->bins);
		if (start_ns > end_ns)
			break;
		if (!isnan(held) && !bin->is_from_start) {
			double last = bin->count > 0 ? bin->sum : held;
			add_value(bin, held, true);
			bin->sum = last;
		}
		if (bin->count > 0)
			held = bin->sum;
	}
}

/* A whole number as such: it is shorter. */
static json_t *number(double value)
{
	return value == rint(value) && fabs(value) < 9007199254740992.0
		       ? json_integer((json_int_t)value)
		       : json_real(value);
}

static json_t *series_json(const struct work *work, size_t at)
{
	const struct series_quantity *quantity = &series_quantities[at];
	json_t *values = json_array(), *min = json_array(), *max = json_array();

	for (size_t i = 0; i < work->span->bins; i++) {
		const struct bin *bin = &work->bins[at * work->span->bins + i];
		bool is_mean = quantity->kind != HELD && bin->count > 0;
		double mean = is_mean ? bin->sum / (double)bin->count : bin->sum;
		bool is_there = bin->count > 0;
		/* the sum of the largest doubles is infinite */
		mean = isfinite(mean) ? mean : bin->min / 2 + bin->max / 2;
		json_array_append_new(values, is_there ? number(mean) : json_null());
		json_array_append_new(min, is_there ? number(bin->min) : json_null());
		json_array_append_new(max, is_there ? number(bin->max) : json_null());
	}
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:I, s:o, s:o, s:o}", "source",
			 quantity->source, "name", quantity->name, "unit", quantity->unit, "text",
			 quantity->text, "interval_s", pl_json_number(work->interval_s[at]),
			 "tracks", (json_int_t)work->tracks[at], "values", values, "min", min,
			 "max", max);
}

static bool is_wanted(const struct series_span *span, const struct series_quantity *quantity)
{
	if (!series_is_shown(quantity) || span->only == NULL)
		return series_is_shown(quantity);
	PL_JSON_EACH(name, span->only) {
		if (strcmp(json_string_value(name), quantity->full_name) == 0)
			return true;
	}
	return false;
}

json_t *series_bins(const struct series *series, const struct series_span *span)
{
	size_t count = series_quantity_count;
	auto_free struct bin *bins = pl_alloc_array(span->bins * count, sizeof(*bins));
	auto_free bool *wanted = pl_alloc_array(count, sizeof(*wanted));
	auto_free double *before = pl_alloc_array(count, sizeof(*before));
	auto_free double *interval_s = pl_alloc_array(count, sizeof(*interval_s));
	auto_free size_t *tracks = pl_alloc_array(count, sizeof(*tracks));
	auto_free int64_t *before_ns = pl_alloc_array(count, sizeof(*before_ns));
	struct work work = { span, bins, wanted, before, before_ns, interval_s, tracks };
	double bin_s = (double)(span->to_ns - span->from_ns) / 1e9 / (double)span->bins;
	int64_t begin_ns, end_ns;
	json_t *t_s = json_array(), *list = json_array();

	for (size_t i = 0; i < count; i++) {
		wanted[i] = is_wanted(span, &series_quantities[i]);
		before[i] = interval_s[i] = NAN;
	}
	for (size_t i = 0; i < series->track_count; i++)
		add_track(&work, &series->tracks[i]);
	bool has_any = series_range(series, &begin_ns, &end_ns);
	for (size_t i = 0; i < count; i++) {
		/* a value that does not change in the range is held through it, up to the end of the recording */
		bool is_held = !isnan(before[i]) && span->from_ns <= end_ns;
		if (tracks[i] == 0 && !is_held)
			continue;
		tracks[i] = tracks[i] > 0 ? tracks[i] : 1;
		if (series_quantities[i].kind == HELD)
			hold(&work, i, end_ns);
		json_array_append_new(list, series_json(&work, i));
	}
	for (size_t i = 0; i < span->bins; i++)
		json_array_append_new(t_s, json_real(((double)i + 0.5) * bin_s));
	return json_pack("{s:o, s:o, s:o, s:I, s:I, s:o}", "begin_ns",
			 has_any ? json_integer(begin_ns) : json_null(), "end_ns",
			 has_any ? json_integer(end_ns) : json_null(), "t_s", t_s, "lines",
			 (json_int_t)series->lines, "skipped", (json_int_t)series->skipped,
			 "series", list);
}
