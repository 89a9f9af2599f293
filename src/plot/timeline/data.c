/*
 * The data of the timeline's page. A request is a row of integers, each in groups of seven bits,
 * the lowest first, with the top bit set if more follow; all rows together in base64: state (0
 * finished, 1 failed, 2 not sent), start and length (ns; the start relative to the earliest one),
 * prompt tokens + 1 and output tokens + 1 (0: unknown), number of events, and for each event the ns
 * since the previous one, for the first since the start. So a token takes four to five characters,
 * and its time is exact.
 */
#include "plot/timeline/timeline_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/stats.h"
#include "base/text.h"

#define ABOUT_BYTES_MAX   ((size_t)1 << 30)
#define MESSAGE_BYTES_MAX 300

/* JSON has no infinity, and no interval is this long. */
#define ENDLESS_MS 1e300

enum { FINISHED, FAILED, NOT_SENT };

static unsigned state_of(const struct res_record *record)
{
	if (record->ok)
		return FINISHED;
	return record->acted_ns == RES_NO_TIME ? NOT_SENT : FAILED;
}

/* ---- facts ---- */

static enum plot_timeline_class class_of(const struct plot_timeline_input *input, int64_t gap_ns)
{
	double ms = (double)gap_ns / 1e6;

	if (ms < input->thresholds_ms[0])
		return PLOT_TIMELINE_FAST;
	return ms < input->thresholds_ms[1] ? PLOT_TIMELINE_SLOWER : PLOT_TIMELINE_SLOW;
}

/* One request's chunks by class; gives how many there are. */
static size_t count_events(const struct plot_timeline_input *input, const struct res_record *record,
			   size_t counts[PLOT_TIMELINE_CLASSES])
{
	struct res_event_cursor cursor = res_record_cursor(record);
	struct res_event_at at;
	int64_t before_ns = 0;
	size_t count = 0;

	for (; record->acted_ns != RES_NO_TIME && res_record_next_chunk(&cursor, &at); count++) {
		counts[count == 0 ? PLOT_TIMELINE_TTFT : class_of(input, at.t_ns - before_ns)]++;
		before_ns = at.t_ns;
	}
	return count;
}

static void add_times(const struct res_record *record, struct plot_timeline_facts *facts)
{
	int64_t first_ns = res_record_first_chunk_ns(record);

	if (record->acted_ns == RES_NO_TIME)
		return;
	if (facts->start_ns == RES_NO_TIME || record->acted_ns < facts->start_ns)
		facts->start_ns = record->acted_ns;
	struct res_event_cursor cursor = res_record_cursor(record);
	int64_t last_ns = record->end_ns != RES_NO_TIME ? record->end_ns : record->acted_ns;
	struct res_event_at at;
	while (res_record_next(&cursor, &at))
		last_ns = at.t_ns > last_ns ? at.t_ns : last_ns;
	if (facts->end_ns == RES_NO_TIME || last_ns > facts->end_ns)
		facts->end_ns = last_ns;
	if (record->ok && first_ns != RES_NO_TIME)
		facts->ttfts_ms[facts->ttft_count++] = (double)(first_ns - record->acted_ns) / 1e6;
}

/* "25", "2.5" */
static void threshold_text(double ms, char text[PL_F64_TEXT_BYTES])
{
	pl_text_from_f64(ms, text);
	if (pl_text_ends(text, ".0"))
		text[strlen(text) - 2] = '\0';
}

void plot_timeline_facts_make(const struct plot_timeline_input *input,
			      struct plot_timeline_facts *ret)
{
	size_t most = input->events_max > 0 ? input->events_max : PLOT_EVENTS_MAX;
	size_t taken = 0;

	*ret = (struct plot_timeline_facts){ .start_ns = RES_NO_TIME, .end_ns = RES_NO_TIME };
	ret->ttfts_ms = pl_alloc_array(input->count, sizeof(*ret->ttfts_ms));
	char **labels = ret->labels;
	char first[PL_F64_TEXT_BYTES], second[PL_F64_TEXT_BYTES];
	threshold_text(input->thresholds_ms[0], first);
	threshold_text(input->thresholds_ms[1], second);
	labels[PLOT_TIMELINE_TTFT] = pl_strdup("TTFT");
	labels[PLOT_TIMELINE_FAST] = pl_asprintf("ITL < %sms", first);
	labels[PLOT_TIMELINE_SLOWER] = pl_asprintf("%sms ≤ ITL < %sms", first, second);
	labels[PLOT_TIMELINE_SLOW] = pl_asprintf("ITL ≥ %sms", second);
	labels[PLOT_TIMELINE_FAILED] = pl_strdup("failed");
	for (size_t i = 0; i < input->count; i++) {
		const struct res_record *record = &input->records[i];
		size_t counts[PLOT_TIMELINE_CLASSES] = { 0 };
		size_t events = count_events(input, record, counts);
		add_times(record, ret);
		ret->failed += !record->ok;
		taken += events + PLOT_EVENTS_REQUEST + (record->ok ? 0 : PLOT_EVENTS_FAILED);
		/* figures are of all requests, the picture of the first that a browser can hold;
		 * one at least */
		if (taken > most && i > 0)
			continue;
		counts[PLOT_TIMELINE_FAILED] = !record->ok;
		for (size_t k = 0; k < PLOT_TIMELINE_CLASSES; k++)
			ret->counts[k] += counts[k];
		ret->events += events;
		ret->shown = i + 1;
	}
	pl_stats_sort(ret->ttfts_ms, ret->ttft_count);
}

void plot_timeline_facts_done(struct plot_timeline_facts *facts)
{
	free(facts->ttfts_ms);
	for (size_t i = 0; i < PLOT_TIMELINE_CLASSES; i++)
		free(facts->labels[i]);
	*facts = (struct plot_timeline_facts){ 0 };
}

/* ---- as JSON ---- */

static json_t *message_of(const struct res_record *record)
{
	auto_free char *clean = pl_clean_line(record->error != NULL ? record->error : "");
	size_t len = strlen(clean);

	if (len > MESSAGE_BYTES_MAX) {
		len = MESSAGE_BYTES_MAX;
		/* not within a character */
		while (len > 0 && ((unsigned char)clean[len] & 0xC0) == 0x80)
			len--;
	}
	return json_sprintf("%s%s%.*s%s", record->error_kind != NULL ? record->error_kind : "",
			    record->error_kind != NULL && len > 0 ? ": " : "", (int)len, clean,
			    clean[len] != '\0' ? "…" : "");
}

char *plot_timeline_about(const struct plot_timeline_input *input,
			  const struct plot_timeline_facts *facts)
{
	json_t *labels = json_array(), *counts = json_array(), *errors = json_array();

	for (size_t i = 0; i < PLOT_TIMELINE_CLASSES; i++) {
		json_array_append_new(labels, json_string(facts->labels[i]));
		json_array_append_new(counts, json_integer((json_int_t)facts->counts[i]));
	}
	for (size_t i = 0; i < facts->shown; i++) {
		if (!input->records[i].ok)
			json_array_append_new(errors, message_of(&input->records[i]));
	}
	auto_json json_t *about = json_pack("{s:I, s:I, s:[f,f], s:o, s:o, s:o}", "requests",
					    (json_int_t)facts->shown, "events",
					    (json_int_t)facts->events, "thresholds_ms",
					    fmin(input->thresholds_ms[0], ENDLESS_MS),
					    fmin(input->thresholds_ms[1], ENDLESS_MS), "labels",
					    labels, "counts", counts, "errors", errors);
	auto_free char *text = pl_json_to_text(about, PL_JSON_COMPACT);
	struct pl_buf buf;
	pl_buf_init(&buf, ABOUT_BYTES_MAX);
	for (const char *at = text; *at != '\0'; at++) {
		if (strchr("<>&", *at) != NULL)
			pl_buf_addf(&buf, "\\u%04x", (unsigned char)*at);
		else
			pl_buf_add_char(&buf, *at);
	}
	return pl_buf_take(&buf);
}

/* ---- as base64 ---- */

struct base64 {
	FILE *stream;
	unsigned held; /* bits that wait */
	unsigned bits; /* how many */
};

static void put_sextet(struct base64 *out, unsigned value)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	putc_unlocked(digits[value & 63], out->stream);
}

static void put_byte(struct base64 *out, unsigned byte)
{
	out->held = (out->held & 0x3F) << 8 | byte;
	for (out->bits += 8; out->bits >= 6;) {
		out->bits -= 6;
		put_sextet(out, out->held >> out->bits);
	}
}

/* There are no negative values: unknown ones were written as 0. */
static void put_number(struct base64 *out, int64_t value)
{
	uint64_t rest = value > 0 ? (uint64_t)value : 0;

	for (; rest >= 0x80; rest >>= 7)
		put_byte(out, 0x80 | (unsigned)(rest & 0x7F));
	put_byte(out, (unsigned)rest);
}

static void put_record(struct base64 *out, const struct plot_timeline_input *input,
		       const struct res_record *record, int64_t start_ns)
{
	size_t ignored[PLOT_TIMELINE_CLASSES] = { 0 };
	size_t count = count_events(input, record, ignored);
	struct res_event_cursor cursor = res_record_cursor(record);
	bool acted = record->acted_ns != RES_NO_TIME;
	int64_t before_ns = record->acted_ns;
	struct res_event_at at;

	put_number(out, state_of(record));
	put_number(out, acted ? record->acted_ns - start_ns : 0);
	put_number(out,
		   acted && record->end_ns != RES_NO_TIME ? record->end_ns - record->acted_ns : 0);
	int64_t prompt = record->prompt_tokens != RES_NO_COUNT ? record->prompt_tokens
							       : record->prompt_tokens_requested;
	put_number(out, prompt + 1);
	put_number(out, record->output_tokens + 1);
	put_number(out, (int64_t)count);
	for (size_t i = 0; i < count && res_record_next_chunk(&cursor, &at); i++) {
		put_number(out, at.t_ns - before_ns);
		before_ns = at.t_ns;
	}
}

void plot_timeline_events(const struct plot_timeline_input *input,
			  const struct plot_timeline_facts *facts, FILE *stream)
{
	struct base64 out = { .stream = stream };

	for (size_t i = 0; i < facts->shown; i++)
		put_record(&out, input, &input->records[i], facts->start_ns);
	if (out.bits == 0)
		return;
	put_sextet(&out, out.held << (6 - out.bits));
	fputs(out.bits == 2 ? "==" : "=", out.stream);
}
