/*
 * Any bytes as the JSON of a cursor, in the form that requests carry (hexadecimal digits), and as the text of a
 * cursor: the page after it has rows of the snapshot, each of them after the cursor. A cursor that was
 * written is read back as the places of its row.
 */
#include "query/cursor_priv.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "mirror/view.h"
#include "results.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define QUESTION 1 /* "q": "1" */

static const char *const texts[] = {
	"{\"run_id\": \"a\", \"timestamp\": \"2026-11-19T14:12:00Z\", \"config\": {\"server\":"
	" {\"model\": \"Meta\"}}, \"tags\": {\"any\": [1, {\"b\": null}]}, \"results\": "
	"{\"p99_ttft_ms\": 12.5}}",
	"{\"run_id\": \"b\", \"timestamp\": \"yesterday\", \"config\": {\"server\": {\"model\": "
	"\"\"}}, \"tags\": {\"any\": \"\xce\xa3\"}, \"results\": {\"p99_ttft_ms\": -0.0}}",
	"{\"run_id\": \"c\", \"timestamp\": \"2026-11-19\", \"results\": null, \"tags\": {\"any\": "
	"1e300}}",
	"{\"run_id\": \"d\", \"tags\": {\"any\": true}, \"results\": {\"p99_ttft_ms\": 3e300}}",
};
#define RESULTS PL_ARRAY_SIZE(texts)

static const char *ids[] = { "run.timestamp", "results.p99_ttft_ms", "server.model", "tags.any" };
#define KEYS PL_ARRAY_SIZE(ids)

static struct mirror_view *view;
static struct rows_key keys[KEYS];
static struct rows_order *order;

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* -1, 0 or 1, as rows are sorted. */
static int compare_positions(const uint64_t *a, const uint64_t *b)
{
	for (size_t i = 0; i <= KEYS; i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

static void check_written(size_t row)
{
	uint64_t positions[KEYS + 1], read[KEYS + 1];
	auto_buf text = PL_BUF(1u << 16);

	query_cursor_write(keys, KEYS, QUESTION, view, row, &text);
	must(text.len > 2);
	auto_free char *bare = pl_strndup(text.data + 1, text.len - 2);
	must(query_cursor_read(bare, keys, KEYS, QUESTION, view, order, read));
	query_rows_positions(order, row, positions);
	must(compare_positions(positions, read) == 0);
	must(!query_cursor_read(bare, keys, KEYS, QUESTION + 1, view, order, read));
}

static void make_order(void)
{
	const struct mirror_ids wanted = { .items = ids, .count = KEYS };
	struct mirror_snapshot *snapshot = mirror_snapshot_take(results_mirror(texts, RESULTS));
	struct pl_err err = PL_ERR_INIT;

	must(mirror_view_new(snapshot, &wanted, &view, &err) == 0);
	for (size_t i = 0; i < KEYS; i++) {
		keys[i].column = mirror_view_column(view, ids[i]);
		keys[i].descends = i % 2 == 1;
		must(keys[i].column != NULL);
	}
	order = query_rows_order_new(view, keys, KEYS);
	for (size_t row = 0; row < RESULTS; row++)
		check_written(row);
}

static void check_page(const uint64_t *after)
{
	size_t found[RESULTS];
	auto_free uint64_t *rows = pl_alloc_array(mirror_view_words(view), sizeof(*rows));
	struct rows_page page = { .after = after, .limit = RESULTS, .rows = found };

	rows[0] = (UINT64_C(1) << RESULTS) - 1;
	query_rows_of_page(order, rows, &page);
	must(page.count <= RESULTS && page.left == 0);
	for (size_t i = 0; i < page.count; i++) {
		uint64_t positions[KEYS + 1];
		must(found[i] < RESULTS);
		query_rows_positions(order, found[i], positions);
		must(compare_positions(after, positions) < 0);
	}
}

static void check(const char *text)
{
	uint64_t positions[KEYS + 1];

	if (query_cursor_read(text, keys, KEYS, QUESTION, view, order, positions))
		check_page(positions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	auto_free char *plain = pl_strndup((const char *)data, size);
	auto_free char *text = pl_alloc(2 * size + 1);

	if (order == NULL)
		make_order();
	for (size_t i = 0; i < size; i++) {
		text[2 * i] = digits[data[i] >> 4];
		text[2 * i + 1] = digits[data[i] & 15];
	}
	check(text);
	check(plain);
	return 0;
}
