#include "host/telemetry/sums.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"

/*
 * Required share of the windows between known samples: a sum lacks unobserved parts, a mean is only
 * less certain.
 */
#define TOTAL_COVERAGE_MIN 0.995
#define MEAN_COVERAGE_MIN  0.9

/*
 * Power is level if it changes by no more than the larger of both. A GPU that was just used draws
 * more at idle than a cold one, by less than the third value.
 */
#define LEVEL_W      2.0
#define LEVEL_SHARE  0.03
#define WARMER_SHARE 0.10

enum kind { KIND_LEVEL, KIND_RATE, KIND_COUNT, KIND_BITS };

static const struct quantity {
	const char *name;
	enum host_source source;
	enum kind kind;
} quantities[] = {
#define QUANTITY(source, name, unit, kind, text) { #name, HOST_SOURCE_##source, KIND_##kind },
#include "tbl/telemetry.h"
};

static const char *const source_names[] = {
	[HOST_SOURCE_gpu] = "gpu",
	[HOST_SOURCE_host] = "host",
	[HOST_SOURCE_server] = "server",
	[HOST_SOURCE_client] = "client",
};

const char *host_source_name(enum host_source source)
{
	return source_names[source];
}

enum host_quantity host_source_first(enum host_source source, size_t *ret_count)
{
	size_t first = 0, count = 0;

	while (quantities[first].source != source)
		first++;
	while (first + count < HOST_Q_COUNT && quantities[first + count].source == source)
		count++;
	*ret_count = count;
	return (enum host_quantity)first;
}

const char *host_quantity_name(enum host_quantity quantity)
{
	return quantities[quantity].name;
}

void host_windows_begin(struct host_windows *windows, int64_t t_ns)
{
	host_windows_end(windows, t_ns);
	*PL_PUSH(windows->items, windows->count,
		 windows->room) = (struct host_window){ .begin_ns = t_ns, .end_ns = INT64_MAX };
}

void host_windows_end(struct host_windows *windows, int64_t t_ns)
{
	if (windows->count > 0 && windows->items[windows->count - 1].end_ns == INT64_MAX)
		windows->items[windows->count - 1].end_ns = t_ns;
}

bool host_windows_hold(const struct host_windows *windows, int64_t t_ns)
{
	for (size_t i = windows->count; i-- > 0;) {
		if (t_ns > windows->items[i].end_ns)
			return false;
		if (t_ns >= windows->items[i].begin_ns)
			return true;
	}
	return false;
}

double host_windows_length_s(const struct host_windows *windows)
{
	double length_s = 0;
	bool any = false;

	for (size_t i = 0; i < windows->count; i++) {
		const struct host_window *window = &windows->items[i];
		if (window->end_ns == INT64_MAX)
			continue;
		any = true;
		length_s += (double)(window->end_ns - window->begin_ns) / 1e9;
	}
	return any ? length_s : NAN;
}

void host_windows_done(struct host_windows *windows)
{
	free(windows->items);
	*windows = (struct host_windows){ 0 };
}

void host_sums_init(struct host_sums *sums, enum host_source source, int64_t gap_ns)
{
	*sums = (struct host_sums){
		.source = source, .gap_ns = gap_ns, .sample_ns = INT64_MIN, .idle = HOST_IDLE_COUNT
	};
	for (size_t i = 0; i < HOST_SOURCE_VALUES_MAX; i++)
		sums->sums[i] = (struct host_sum){
			.highest = NAN, .min = NAN, .max = NAN, .last = NAN, .last_ns = INT64_MIN
		};
}

/*
 * The value that goes from v0 at t0 to v1 at t1, over the part of it in windows: trapezoids, cut at
 * their borders.
 *
 *    v0 ●──────────╲
 *      :   ┌─ window ─┐           counted: the part below the line within the window, and how long
 *      :   │▒▒▒▒▒▒╲▒▒▒│           that is (covered_s), so that a gap shows as too little covered
 *    ──┴───┴──────────┴─── ● v1
 *     t0                   t1
 *
 * From the last window back: samples come in order of time, so those before are mostly over.
 */
static void add_line(struct host_sum *sum, const struct host_windows *windows, int64_t t0_ns,
		     double v0, int64_t t1_ns, double v1)
{
	for (size_t i = windows->count; i-- > 0 && windows->items[i].end_ns > t0_ns;) {
		const struct host_window *window = &windows->items[i];
		int64_t from_ns = window->begin_ns > t0_ns ? window->begin_ns : t0_ns;
		int64_t to_ns = window->end_ns < t1_ns ? window->end_ns : t1_ns;
		if (to_ns <= from_ns)
			continue;
		double slope = (v1 - v0) / (double)(t1_ns - t0_ns);
		double from = v0 + slope * (double)(from_ns - t0_ns);
		double to = v0 + slope * (double)(to_ns - t0_ns);
		double seconds = (double)(to_ns - from_ns) / 1e9;
		sum->integral += (from + to) / 2 * seconds;
		sum->covered_s += seconds;
		sum->min = fmin(sum->min, fmin(from, to));
		sum->max = fmax(sum->max, fmax(from, to));
	}
}

static void add_level(struct host_sum *sum, const struct host_sums *sums,
		      const struct host_windows *windows, int64_t t_ns, double value)
{
	/* values between two distant samples are not guessed */
	if (sum->last_ns == sums->sample_ns && !isnan(sum->last) &&
	    t_ns - sum->last_ns <= sums->gap_ns)
		add_line(sum, windows, sum->last_ns, sum->last, t_ns, value);
}

static void add_count(struct host_sum *sum, const struct host_windows *windows, int64_t t_ns,
		      double value)
{
	double grown = value - sum->last;

	/* without a last value its time is unset, too */
	if (isnan(grown) || grown < 0)
		return;
	double elapsed_s = (double)(t_ns - sum->last_ns) / 1e9;
	if (elapsed_s <= 0)
		return;
	/*
	 * A counter may be connected across a gap, unlike a level: its growth is known whenever it
	 * is read. It is spread evenly over the elapsed time as a rate.
	 */
	add_line(sum, windows, sum->last_ns, grown / elapsed_s, t_ns, grown / elapsed_s);
}

static void add_bits(struct host_sum *sum, const struct host_windows *windows, int64_t t_ns,
		     double value)
{
	if (!host_windows_hold(windows, t_ns))
		return;
	for (unsigned bit = 0; bit < HOST_BITS_MAX; bit++)
		sum->bits[bit] += (int64_t)value >> bit & 1;
	sum->bad_samples += ((int64_t)value & HOST_BAD_BITS) != 0;
}

static void add_value(struct host_sums *sums, struct host_sum *sum, enum kind kind,
		      const struct host_windows *windows, int64_t t_ns, double value)
{
	if (isnan(value))
		return;
	if (kind == KIND_LEVEL)
		add_level(sum, sums, windows, t_ns, value);
	else if (kind == KIND_COUNT)
		add_count(sum, windows, t_ns, value);
	else if (kind == KIND_BITS)
		add_bits(sum, windows, t_ns, value);
	else if (sums->sample_ns != INT64_MIN) /* a rate is a mean since then: a rectangle */
		add_line(sum, windows, sums->sample_ns, value, t_ns, value);
	sum->highest = fmax(sum->highest, value);
	sum->samples += host_windows_hold(windows, t_ns);
	if (sums->idle != HOST_IDLE_COUNT) {
		struct host_idle_part *part = &sum->idle[sums->idle];
		part->min = part->count > 0 ? fmin(part->min, value) : value;
		part->max = part->count > 0 ? fmax(part->max, value) : value;
		part->sum += value;
		part->count++;
	}
	sum->last = value;
	sum->last_ns = t_ns;
}

void host_sums_add(struct host_sums *sums, const struct host_windows *windows, int64_t t_ns,
		   const double *values)
{
	size_t count;
	enum host_quantity first = host_source_first(sums->source, &count);

	for (size_t i = 0; i < count; i++)
		add_value(sums, &sums->sums[i], quantities[first + i].kind, windows, t_ns,
			  values[i]);
	sums->sample_ns = t_ns;
}

void host_sums_idle(struct host_sums *sums, enum host_idle when)
{
	sums->idle = when;
	for (size_t i = 0; when != HOST_IDLE_COUNT && i < HOST_SOURCE_VALUES_MAX; i++)
		sums->sums[i].idle[when] = (struct host_idle_part){ 0 };
}

const struct host_sum *host_sums_get(const struct host_sums *sums, enum host_quantity quantity)
{
	size_t count;

	return &sums->sums[quantity - host_source_first(sums->source, &count)];
}

double host_sum_coverage(const struct host_sum *sum, const struct host_windows *windows)
{
	double length_s = host_windows_length_s(windows);

	return length_s > 0 ? fmin(sum->covered_s / length_s, 1) : NAN;
}

double host_sum_mean(const struct host_sum *sum, const struct host_windows *windows)
{
	/* written so that NaN gives NaN */
	if (!(host_sum_coverage(sum, windows) >= MEAN_COVERAGE_MIN))
		return NAN;
	return sum->integral / sum->covered_s;
}

double host_sum_total(const struct host_sum *sum, const struct host_windows *windows)
{
	if (!(host_sum_coverage(sum, windows) >= TOTAL_COVERAGE_MIN))
		return NAN;
	return sum->integral;
}

double host_sum_idle(const struct host_sum *sum, enum host_idle when)
{
	const struct host_idle_part *part = &sum->idle[when];

	return part->count > 0 ? part->sum / (double)part->count : NAN;
}

bool host_power_is_at_rest(const struct host_sum *power)
{
	const struct host_idle_part *part = &power->idle[HOST_IDLE_AFTER];
	double before_w = host_sum_idle(power, HOST_IDLE_BEFORE);
	double after_w = host_sum_idle(power, HOST_IDLE_AFTER);

	/* NaN, if there were no earlier samples, sets no bound */
	return part->count >= HOST_IDLE_LOOKS &&
	       part->max - part->min <= fmax(LEVEL_W, LEVEL_SHARE * after_w) &&
	       !(after_w > before_w + fmax(LEVEL_W, WARMER_SHARE * before_w));
}
