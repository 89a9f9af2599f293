/* Reads the records of the load as they begin and end. */
#include <math.h>
#include <string.h>

#include "result/timing.h"
#include "run/watch/watch_priv.h"

/* The journal is the other reader. */
#define READER 1

static double ms_of(int64_t ns)
{
	return (double)ns / 1e6;
}

static void on_acted(void *data, const struct res_record *record)
{
	struct run_seen *seen = data;

	if (record->queued_ns != RES_NO_TIME) {
		seen->held++;
		return;
	}
	run_sketch_add(&seen->late, ms_of(record->acted_ns - record->planned_ns));
	if (seen->late.count == 1 || record->planned_ns < seen->first_planned_ns)
		seen->first_planned_ns = record->planned_ns;
	if (seen->late.count == 1 || record->planned_ns > seen->last_planned_ns)
		seen->last_planned_ns = record->planned_ns;
	if (seen->late.count == 1 || record->acted_ns < seen->first_acted_ns)
		seen->first_acted_ns = record->acted_ns;
	if (seen->late.count == 1 || record->acted_ns > seen->last_acted_ns)
		seen->last_acted_ns = record->acted_ns;
}

static void on_tried(void *data, const struct res_record *record)
{
	struct run_seen *seen = data;

	(void)record;
	seen->retries++;
}

static void take_error(struct run_seen *seen, const struct res_record *record)
{
	const char *kind = record->error_kind != NULL ? record->error_kind : "unknown";
	struct run_seen_error *error = NULL;

	for (size_t i = 0; i < seen->error_count && error == NULL; i++) {
		if (strcmp(seen->errors[i].kind, kind) == 0)
			error = &seen->errors[i];
	}
	if (error == NULL && seen->error_count < RUN_WATCH_ERRORS_MAX) {
		error = &seen->errors[seen->error_count++];
		error->kind = kind;
		error->index = record->index;
		error->first_s = seen->late.count + seen->held > 0 &&
						 record->acted_ns != RES_NO_TIME
					 ? (double)(record->end_ns - seen->first_acted_ns) / 1e9
					 : NAN;
		snprintf(error->sample, sizeof(error->sample), "%s",
			 record->error != NULL ? record->error : "");
	}
	if (error != NULL)
		error->count++;
}

static void on_over(void *data, const struct res_record *record)
{
	struct run_seen *seen = data;

	if (!record->ok) {
		seen->failed++;
		take_error(seen, record);
		return;
	}
	struct res_timing timing = res_timing_of(record);
	seen->completed++;
	/* a pooling response has no tokens, no finish reason and no stream */
	if (record->input_sequences == 0) {
		seen->reasonless += !res_record_names_reason(record);
		seen->lacking_done += record->done_missing;
		seen->uncounted += record->token_source == RES_TOKENS_EVENTS ||
				   record->output_tokens == RES_NO_COUNT;
	}
	seen->inputs += (uint64_t)record->input_sequences;
	run_sketch_add(&seen->e2el, timing.e2el_s * 1e3);
	run_sketch_add(&seen->ttft, timing.ttft_s * 1e3);
	if (timing.output_tokens > 1)
		run_sketch_add(&seen->tpot, timing.tpot_s * 1e3);
}

void run_watch_read_feed(struct run_watch *watch)
{
	const struct bench_feed_reader reader = {
		.index = READER,
		.data = &watch->seen,
		.acted = on_acted,
		.tried = on_tried,
		.over = on_over,
	};

	if (watch->is_loading && watch->load.feed != NULL &&
	    bench_feed_start_ns(watch->load.feed) != RES_NO_TIME)
		bench_feed_take(watch->load.feed, &reader);
}
