#include "result/metrics/turns.h"

#include <math.h>
#include <stdlib.h>

#include "base/stats.h"
#include "result/metrics/part.h"
#include "result/timing.h"

/* Later turns have no entry of their own: a document is read as a whole. */
#define TURNS_MAX 1000

double res_turns_cached(const struct res_record *before, bool continues,
			const struct res_record *record, int64_t block_size)
{
	if (before->prompt_tokens < 0 || before->output_tokens < 0 || record->prompt_tokens < 1)
		return NAN;
	int64_t known = before->prompt_tokens + (continues ? before->output_tokens : 0);
	int64_t most = known < record->prompt_tokens ? known : record->prompt_tokens;

	return most > 0 ? (double)((most - 1) / block_size * block_size) : 0;
}

/* ---- by turn ---- */

static int by_turn(const void *a, const void *b)
{
	const struct res_record *x = a, *y = b;

	if (x->turn != y->turn)
		return x->turn < y->turn ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static json_t *turns_json(const struct res_record *sorted, size_t total, const struct res_how *how)
{
	json_t *list = json_array();
	bool has_cached = res_part_has_cached(sorted, total);

	for (size_t from = 0, to; from < total && json_array_size(list) < TURNS_MAX; from = to) {
		for (to = from + 1; to < total && sorted[to].turn == sorted[from].turn;)
			to++;
		const struct res_outcome part = { .records = (struct res_record *)sorted + from,
						  .count = to - from };
		json_t *json = json_pack("{s:I}", "turn", (json_int_t)sorted[from].turn);
		res_part_add(&part, how, has_cached, json);
		json_array_append_new(list, json);
	}
	return list;
}

/* ---- sessions ---- */

struct session {
	int64_t start_ns;
	int64_t end_ns;
	double waited_s;
	uint32_t turns;
	bool failed;
};

static void add_record(const struct res_record *record, struct session *session)
{
	struct res_timing timing = res_timing_of(record);

	session->turns++;
	if (!record->ok) {
		session->failed = true;
		return;
	}
	if (record->turn == 0)
		session->start_ns = record->acted_ns;
	if (timing.last_chunk_ns > session->end_ns)
		session->end_ns = timing.last_chunk_ns;
	session->waited_s += timing.e2el_s;
}

static void add_statistics(json_t *json, const char *name, double *values, size_t n)
{
	auto_free char *mean = pl_asprintf("mean_%s", name);
	auto_free char *median = pl_asprintf("median_%s", name);
	auto_free char *p90 = pl_asprintf("p90_%s", name);
	auto_free char *p99 = pl_asprintf("p99_%s", name);

	pl_stats_sort(values, n);
	json_object_set_new(json, mean, pl_json_number(n > 0 ? pl_stats_mean(values, n) : NAN));
	json_object_set_new(
		json, median,
		pl_json_number(n > 0 ? pl_stats_percentile_sorted(values, n, 50) : NAN));
	json_object_set_new(
		json, p90, pl_json_number(n > 0 ? pl_stats_percentile_sorted(values, n, 90) : NAN));
	json_object_set_new(
		json, p99, pl_json_number(n > 0 ? pl_stats_percentile_sorted(values, n, 99) : NAN));
}

static json_t *sessions_json(const struct session *sessions, size_t total)
{
	auto_free double *durations_ms = pl_alloc_array(total, sizeof(double));
	auto_free double *shares = pl_alloc_array(total, sizeof(double));
	size_t completed = 0;
	double turns = 0;

	for (size_t i = 0; i < total; i++) {
		const struct session *session = &sessions[i];
		turns += session->turns;
		if (session->failed || session->turns == 0)
			continue;
		double duration_s = res_seconds(session->start_ns, session->end_ns);
		durations_ms[completed] = duration_s * 1e3;
		shares[completed++] = duration_s > 0 ? session->waited_s / duration_s : 1;
	}
	json_t *json = json_pack("{s:I, s:I, s:I, s:o}", "count", (json_int_t)total, "completed",
				 (json_int_t)completed, "failed", (json_int_t)(total - completed),
				 "mean_turns", pl_json_number(turns / (double)total));
	add_statistics(json, "duration_ms", durations_ms, completed);
	add_statistics(json, "wait_share", shares, completed);
	return json;
}

void res_turns_write(const struct res_outcome *outcome, const struct res_how *how, json_t *results)
{
	auto_free struct res_record *sorted = pl_alloc_array(outcome->count, sizeof(*sorted));
	size_t total = 0, count = 0;

	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		if (record->session == 0)
			continue;
		sorted[total++] = *record;
		count = record->session > count ? record->session : count;
	}
	/* as many sessions as requests at most: a number from a file may be any */
	if (total == 0 || count > outcome->count)
		return;
	auto_free struct session *sessions = pl_alloc_array(count, sizeof(*sessions));
	for (size_t i = 0; i < count; i++)
		sessions[i].end_ns = INT64_MIN;
	for (size_t i = 0; i < total; i++)
		add_record(&sorted[i], &sessions[sorted[i].session - 1]);
	qsort(sorted, total, sizeof(*sorted), by_turn);
	json_object_set_new(results, "by_turn", turns_json(sorted, total, how));
	json_object_set_new(results, "sessions", sessions_json(sessions, count));
}
