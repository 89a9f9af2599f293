#include "dash/live/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dash/live/live.h"

enum column {
	TIME,
	IN_FLIGHT,
	RUNNING,
	WAITING,
	KV_CACHE,
	TTFT,
	TTFT_LOW,
	TTFT_HIGH,
	E2EL,
	E2EL_LOW,
	E2EL_HIGH,
	UTILIZATION,
	POWER,
	LATE,
	DONE_RATE,
	COLUMN_COUNT
};

static const struct {
	const char *name;
	const char *path; /* in a snapshot; NULL: computed */
} columns[COLUMN_COUNT] = {
	[TIME] = { "t_s", "elapsed_s" },
	[IN_FLIGHT] = { "in_flight", "requests.in_flight" },
	[RUNNING] = { "running", "server.running" },
	[WAITING] = { "waiting", "server.waiting" },
	[KV_CACHE] = { "kv_cache_percent", "server.kv_cache_percent" },
	[TTFT] = { "ttft_median_ms", "ttft_ms.median" },
	[TTFT_LOW] = { "ttft_low_ms", "ttft_ms.low" },
	[TTFT_HIGH] = { "ttft_high_ms", "ttft_ms.high" },
	[E2EL] = { "e2el_median_ms", "e2el_ms.median" },
	[E2EL_LOW] = { "e2el_low_ms", "e2el_ms.low" },
	[E2EL_HIGH] = { "e2el_high_ms", "e2el_ms.high" },
	[UTILIZATION] = { "gpu_utilization_percent", NULL },
	[POWER] = { "power_w", NULL },
	[LATE] = { "late_median_ms", "client.late_median_ms" },
	[DONE_RATE] = { "done_per_s", "rates.done_per_s" },
};

struct mean {
	double sum;
	unsigned count; /* of known values */
};

struct dash_live_history {
	size_t count;
	unsigned per_point; /* snapshots per point */
	unsigned pending;   /* snapshots that are not yet a point */
	struct mean means[COLUMN_COUNT];
	double last_s;                                     /* time of the last snapshot */
	double values[COLUMN_COUNT][DASH_LIVE_POINTS_MAX]; /* NAN: unknown */
	bool is_gap[DASH_LIVE_POINTS_MAX];                 /* only its time is known */
};

struct dash_live_history *dash_live_history_new(void)
{
	struct dash_live_history *history = pl_alloc(sizeof(*history));

	history->per_point = 1;
	history->last_s = -1;
	return history;
}

void dash_live_history_free(struct dash_live_history *history)
{
	free(history);
}

size_t dash_live_history_count(const struct dash_live_history *history)
{
	return history->count;
}

static double mean_of_two(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : (a + b) / 2;
}

static void halve(struct dash_live_history *history)
{
	for (size_t i = 0; i < history->count / 2; i++) {
		/* a gap next to a point stays a gap: otherwise it would vanish */
		bool is_gap = history->is_gap[2 * i] || history->is_gap[2 * i + 1];
		for (size_t c = 0; c < COLUMN_COUNT; c++) {
			double *values = history->values[c];
			double mean = mean_of_two(values[2 * i], values[2 * i + 1]);
			values[i] = is_gap && c != TIME ? NAN : mean;
		}
		history->is_gap[i] = is_gap;
	}
	history->count /= 2;
	history->per_point *= 2;
}

static void add_point(struct dash_live_history *history, const double point[COLUMN_COUNT],
		      bool is_gap)
{
	if (history->count == DASH_LIVE_POINTS_MAX)
		halve(history);
	for (size_t c = 0; c < COLUMN_COUNT; c++)
		history->values[c][history->count] = point[c];
	history->is_gap[history->count] = is_gap;
	history->count++;
}

/* Makes a point of the pending snapshots. */
static void flush(struct dash_live_history *history)
{
	double point[COLUMN_COUNT];

	if (history->pending == 0)
		return;
	for (size_t c = 0; c < COLUMN_COUNT; c++) {
		const struct mean *mean = &history->means[c];
		point[c] = mean->count > 0 ? mean->sum / mean->count : NAN;
	}
	memset(history->means, 0, sizeof(history->means));
	history->pending = 0;
	add_point(history, point, false);
}

static void add_gap(struct dash_live_history *history, double at_s)
{
	double point[COLUMN_COUNT];

	flush(history);
	for (size_t c = 0; c < COLUMN_COUNT; c++)
		point[c] = NAN;
	point[TIME] = at_s;
	add_point(history, point, true);
}

/* Returns the sum of a member of all GPUs, and how many have it. */
static double sum_of_gpus(const json_t *snapshot, const char *key, unsigned *ret_count)
{
	double sum = 0;

	*ret_count = 0;
	PL_JSON_EACH(gpu, json_object_get(snapshot, "gpus")) {
		const json_t *value = json_object_get(gpu, key);
		if (!json_is_number(value))
			continue;
		sum += json_number_value(value);
		++*ret_count;
	}
	return sum;
}

static double value_of(const json_t *snapshot, enum column column)
{
	const json_t *value;
	unsigned count;
	double sum;

	if (column == UTILIZATION) {
		sum = sum_of_gpus(snapshot, "utilization_percent", &count);
		return count > 0 ? sum / count : NAN;
	}
	if (column == POWER) {
		sum = sum_of_gpus(snapshot, "power_w", &count);
		return count > 0 ? sum : NAN;
	}
	value = pl_json_get_path(snapshot, columns[column].path);
	return json_is_number(value) ? json_number_value(value) : NAN;
}

void dash_live_history_add(struct dash_live_history *history, const json_t *snapshot, double gap_s)
{
	double time_s = value_of(snapshot, TIME);

	if (time_s <= history->last_s)
		return;
	if (history->last_s >= 0 && time_s - history->last_s > gap_s)
		add_gap(history, (history->last_s + time_s) / 2);
	history->last_s = time_s;
	for (size_t c = 0; c < COLUMN_COUNT; c++) {
		double value = value_of(snapshot, (enum column)c);
		if (isnan(value))
			continue;
		history->means[c].sum += value;
		history->means[c].count++;
	}
	if (++history->pending >= history->per_point)
		flush(history);
}

void dash_live_history_write(const struct dash_live_history *history, struct pl_buf *buf)
{
	for (size_t c = 0; c < COLUMN_COUNT; c++) {
		pl_buf_addf(buf, "%s\"%s\":[", c > 0 ? "," : "{", columns[c].name);
		for (size_t i = 0; i < history->count; i++) {
			double value = history->values[c][i];
			const char *comma = i > 0 ? "," : "";
			/* sums of the largest numbers are infinite, which JSON cannot hold */
			if (!isfinite(value))
				pl_buf_addf(buf, "%snull", comma);
			else
				pl_buf_addf(buf, "%s%.9g", comma, value);
		}
		pl_buf_add_char(buf, ']');
	}
	pl_buf_add_char(buf, '}');
}
