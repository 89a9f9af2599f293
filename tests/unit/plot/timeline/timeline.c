/* The page's words and counts; its data against records, and its look:
 * tests/scenario/programs/test_plots.py. */
#include "plot/timeline/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/scratch.h"
#include "base/text.h"
#include "plot/timeline/timeline_priv.h"

#define EVENTS_MAX 16

/* A request that starts at `start_ms`, with events after these ms each. */
static void make_record(struct res_record *record, uint64_t index, int64_t start_ms,
			const double *gaps_ms, size_t count)
{
	int64_t at_ns = start_ms * PL_NS_PER_MS;

	res_record_init(record, index);
	record->ok = true;
	record->acted_ns = at_ns;
	record->events = pl_alloc_array(EVENTS_MAX, sizeof(*record->events));
	for (size_t i = 0; i < count; i++) {
		int64_t gap_ns = (int64_t)(gaps_ms[i] * 1e6);
		record->event_count += res_event_encode(record->events + record->event_count, 1,
							gap_ns, 1, RES_EVENT_CONTENT);
		at_ns += gap_ns;
	}
	record->end_ns = at_ns;
	record->prompt_tokens = 5;
	record->output_tokens = (int64_t)count;
}

static void make_failed(struct res_record *record, uint64_t index, const char *error)
{
	res_record_init(record, index);
	record->error_kind = res_failure_name("connect");
	record->error = pl_strdup(error);
}

/* The name of the tag at "<" or "</", of up to 15 letters. */
static const char *tag_name(const char *at, char name[16])
{
	size_t len = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789");

	assert_in_range(len, 1, 15);
	memcpy(name, at, len);
	name[len] = '\0';
	return at + len;
}

/* Every element that is opened is closed, in the right order; a script or a style sheet is text. */
static void assert_tags_match(const char *page)
{
	static const char *const empty[] = { "meta", "link", "br", "input" };
	char open[32][16], name[16];
	size_t depth = 0, rows = 0;

	assert_true(pl_text_starts(page, "<!doctype html>\n<html "));
	for (const char *at = page + strlen("<!doctype html>"); (at = strchr(at, '<')) != NULL;) {
		bool closes = at[1] == '/';
		at = tag_name(at + (closes ? 2 : 1), name);
		if (closes) {
			assert_true(depth > 0);
			assert_string_equal(name, open[--depth]);
			continue;
		}
		if (PL_TEXT_IS_ONE_OF(name, empty))
			continue;
		/* a browser closes a row by itself where the next one begins */
		rows += strcmp(name, "tr") == 0;
		assert_true(depth < PL_ARRAY_SIZE(open));
		memcpy(open[depth++], name, sizeof(name));
		if (strcmp(name, "script") == 0 || strcmp(name, "style") == 0)
			at = strstr(at, name[1] == 'c' ? "</script" : "</style");
	}
	assert_int_equal(depth, 0);
	assert_int_equal(rows, 9);
}

static char *draw(struct scratch *scratch, const struct plot_timeline_input *input)
{
	const char *path = scratch_path(scratch, "t.html");
	struct pl_err err = PL_ERR_INIT;
	char *page = NULL;
	size_t len;

	assert_int_equal(plot_timeline(input, path, &err), 0);
	assert_int_equal(pl_file_read(path, 1 << 20, &page, &len, &err), 0);
	assert_int_equal(strlen(page), len);
	assert_tags_match(page);
	return page;
}

static void test_plot_timeline_timeline__gaps_by_threshold(void **state)
{
	static const double gaps[] = { 900, 24.999999, 25, 49.999999, 50, 51, 0 };
	struct res_record record;
	struct plot_timeline_facts facts;
	struct plot_timeline_input input = {
		.records = &record, .count = 1, .thresholds_ms = { 25, 50 }, .backend = "openai"
	};

	(void)state;
	make_record(&record, 0, 100, gaps, PL_ARRAY_SIZE(gaps));
	plot_timeline_facts_make(&input, &facts);
	assert_int_equal(facts.counts[PLOT_TIMELINE_TTFT], 1);
	assert_int_equal(facts.counts[PLOT_TIMELINE_FAST], 2);
	assert_int_equal(facts.counts[PLOT_TIMELINE_SLOWER], 2);
	assert_int_equal(facts.counts[PLOT_TIMELINE_SLOW], 2);
	assert_int_equal(facts.counts[PLOT_TIMELINE_FAILED], 0);
	assert_int_equal(facts.start_ns, 100 * PL_NS_PER_MS);
	assert_int_equal(facts.end_ns, record.end_ns);
	assert_string_equal(facts.labels[PLOT_TIMELINE_TTFT], "TTFT");
	assert_string_equal(facts.labels[PLOT_TIMELINE_FAST], "ITL < 25ms");
	assert_string_equal(facts.labels[PLOT_TIMELINE_SLOWER], "25ms ≤ ITL < 50ms");
	assert_string_equal(facts.labels[PLOT_TIMELINE_SLOW], "ITL ≥ 50ms");
	plot_timeline_facts_done(&facts);
	input.thresholds_ms[0] = 2.5;
	input.thresholds_ms[1] = 1000;
	plot_timeline_facts_make(&input, &facts);
	assert_string_equal(facts.labels[PLOT_TIMELINE_SLOWER], "2.5ms ≤ ITL < 1000ms");
	assert_int_equal(facts.counts[PLOT_TIMELINE_FAST], 1);
	assert_int_equal(facts.counts[PLOT_TIMELINE_SLOWER], 5);
	plot_timeline_facts_done(&facts);
	res_record_done(&record);
}

/* Names chosen by users and texts of servers stay text. */
static void test_plot_timeline_timeline__nothing_gets_out_of_its_place(void **state)
{
	static const char bad[] = "</script><b>x\xff\" & 'y' @EVENTS@";
	static const double gaps[] = { 3 };
	struct res_record records[2];
	struct plot_timeline_input input = {
		.records = records,
		.count = 2,
		.thresholds_ms = { 25, 50 },
		.model = bad,
		.backend = bad,
		.simulator = bad,
	};

	make_record(&records[0], 0, 1, gaps, 1);
	make_failed(&records[1], 1, bad);
	auto_free char *page = draw(*state, &input);
	assert_null(strstr(page, "<b>"));
	assert_null(strstr(page, "</script><b"));
	assert_null(strstr(page, "\xff"));
	/* its own two data blocks and its script */
	size_t ends = 0;
	for (const char *at = page; (at = strstr(at, "</script>")) != NULL; at++)
		ends++;
	assert_int_equal(ends, 3);
	assert_non_null(strstr(page, "&lt;/script&gt;&lt;b&gt;x"));
	assert_non_null(strstr(page, "connect: \\u003c/script\\u003e\\u003cb\\u003ex"));
	res_record_done(&records[0]);
	res_record_done(&records[1]);
}

static void test_plot_timeline_timeline__no_place_is_left(void **state)
{
	struct res_record record;
	struct plot_timeline_input input = {
		.records = &record, .count = 1, .thresholds_ms = { 25, 50 }, .backend = "openai"
	};

	make_failed(&record, 0, "connection refused");
	auto_free char *page = draw(*state, &input);
	for (const char *at = page; (at = strchr(at, '@')) != NULL; at++)
		assert_false(at[1] >= 'A' && at[1] <= 'Z');
	assert_non_null(strstr(page, "no request was sent"));
	assert_non_null(strstr(page, "<td>none</td>"));
	assert_null(strstr(page, "SIMULATED"));
	assert_null(strstr(page, "http:"));
	assert_null(strstr(page, "https:"));
	res_record_done(&record);
}

/* No page that cannot be opened: the first requests that fit, and a word about it. */
static void test_plot_timeline_timeline__too_many_events(void **state)
{
	static const double gaps[] = { 3, 4, 5, 6 };
	struct res_record records[5];
	struct plot_timeline_input input = {
		.records = records,
		.count = 5,
		.thresholds_ms = { 25, 50 },
		.backend = "openai",
		.events_max = 2 * (4 + PLOT_EVENTS_REQUEST) + 1,
	};

	for (uint64_t i = 0; i < 5; i++)
		make_record(&records[i], i, 10, gaps, 4);
	auto_free char *page = draw(*state, &input);
	assert_non_null(strstr(page, "the first 2 of 5 requests are drawn"));
	assert_non_null(strstr(page, "\"requests\":2,\"events\":8"));
	input.events_max = 3;
	auto_free char *small = draw(*state, &input);
	assert_non_null(strstr(small, "the first 1 of 5 requests are drawn"));
	input.events_max = 5 * (4 + PLOT_EVENTS_REQUEST);
	auto_free char *whole = draw(*state, &input);
	assert_null(strstr(whole, "are drawn"));
	for (size_t i = 0; i < 5; i++)
		res_record_done(&records[i]);
}

/* A million refused connections have no event at all, and a message each. */
static void test_plot_timeline_timeline__too_many_failures(void **state)
{
	struct res_record records[5];
	struct plot_timeline_input input = {
		.records = records,
		.count = 5,
		.thresholds_ms = { 25, 50 },
		.backend = "openai",
		.events_max = 3 * (PLOT_EVENTS_REQUEST + PLOT_EVENTS_FAILED),
	};

	for (uint64_t i = 0; i < 5; i++)
		make_failed(&records[i], i, "connection refused");
	auto_free char *page = draw(*state, &input);
	assert_non_null(strstr(page, "the first 3 of 5 requests are drawn"));
	assert_non_null(strstr(page, "<th scope=\"row\">Failed</th><td>5</td>"));
	for (size_t i = 0; i < 5; i++)
		res_record_done(&records[i]);
}

static void test_plot_timeline_timeline__no_record_at_all(void **state)
{
	struct plot_timeline_input input = { .thresholds_ms = { 25, 50 }, .backend = "openai" };
	auto_free char *page = draw(*state, &input);

	assert_non_null(strstr(page, "\"requests\":0,\"events\":0"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plot_timeline_timeline__gaps_by_threshold),
		scratch_test(test_plot_timeline_timeline__nothing_gets_out_of_its_place),
		scratch_test(test_plot_timeline_timeline__no_place_is_left),
		scratch_test(test_plot_timeline_timeline__too_many_events),
		scratch_test(test_plot_timeline_timeline__too_many_failures),
		scratch_test(test_plot_timeline_timeline__no_record_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
