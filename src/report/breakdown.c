/* Where the time of a request went: its parts, and the server's histograms. */
#include <math.h>

#include "base/text.h"
#include "report/report_priv.h"
#include "result/breakdown.h"

static const struct row {
	const char *key;
	const char *title;
	const char *text;
} parts[] = {
#define PART(id, key, title, text) { #key, title, text },
#include "tbl/breakdown.h"
},
  latencies[] = {
#define SERVER_LATENCY(id, key, title, text) { #key, title, text },
#include "tbl/breakdown.h"
  };

static double number_at(const json_t *object, const char *key, const char *end)
{
	auto_free char *name = pl_asprintf("%s%s", key, end);

	return report_json_number(json_object_get(object, name));
}

/* "1.2", "1.2 – 3.4"; "–": unknown. A limit that is missing is infinite. */
static void add_limits(json_t *row, const json_t *object, const char *key)
{
	double low = number_at(object, key, "_low_ms"), high = number_at(object, key, "_high_ms");
	char from[REPORT_NUMBER_BYTES], to[REPORT_NUMBER_BYTES];

	report_number_text(low, false, from);
	report_number_text(high, false, to);
	if (isnan(low) || pl_text_equal(from, to)) {
		report_add_number_cell(row, low, false);
		return;
	}
	auto_free char *text = isnan(high) ? pl_asprintf("≥ %s", from)
					   : pl_asprintf("%s – %s", from, to);
	report_add_cell(row, text);
}

static void add_parts(const json_t *breakdown, json_t *blocks)
{
	const json_t *ttft = json_object_get(breakdown, "ttft");
	const json_t *e2el = json_object_get(breakdown, "e2el");
	json_t *table = report_add_table(blocks, "Parts of the mean latencies",
					 "Part<!|TTFT, ms>!|E2EL, ms>!|Definition<", false);

	for (size_t i = 0; i < PL_ARRAY_SIZE(parts); i++) {
		json_t *row = report_add_row(table);
		report_add_cell(row, parts[i].title);
		add_limits(row, ttft, parts[i].key);
		add_limits(row, e2el, parts[i].key);
		report_add_cell(row, parts[i].text);
	}
	json_t *row = report_add_row(table);
	report_add_cell(row, "Total");
	report_add_number_cell(row, number_at(ttft, "total", "_ms"), false);
	report_add_number_cell(row, number_at(e2el, "total", "_ms"), false);
	report_add_cell(row, "mean of the client");
}

static void add_histograms(const json_t *breakdown, json_t *blocks)
{
	const json_t *server = json_object_get(breakdown, "server");
	json_t *table = report_add_table(
		blocks, "Histograms of the server",
		"Latency<!|Requests>!|Mean, ms>!|Median within, ms>|P99 within, ms>|Definition<",
		true);

	for (size_t i = 0; i < PL_ARRAY_SIZE(latencies); i++) {
		const json_t *latency = json_object_get(server, latencies[i].key);
		json_t *row = report_add_row(table);
		report_add_cell(row, latencies[i].title);
		report_add_number_cell(row, number_at(latency, "count", ""), true);
		report_add_number_cell(row, number_at(latency, "mean", "_ms"), false);
		add_limits(row, latency, "median");
		add_limits(row, latency, "p99");
		report_add_cell(row, latencies[i].text);
	}
}

void report_add_breakdown(const json_t *document, json_t *report)
{
	const json_t *breakdown = pl_json_get_path(document, "results.latency_breakdown");
	const char *state = pl_json_get_text(breakdown, "state");
	const char *reason = res_breakdown_reason_text(pl_json_get_text(breakdown, "reason"));

	if (!json_is_object(breakdown))
		return;
	json_t *blocks = report_add_section(report, "breakdown", "Where the time went");
	bool is_split = !pl_text_equal(state, "none");
	if (reason != NULL) {
		auto_free char *text = pl_asprintf(
			is_split ? "The parts have limits, because %s."
				 : "The latencies cannot be split, because %s.",
			reason);
		report_add_text(blocks, "note", text);
	}
	if (json_is_true(json_object_get(breakdown, "busy_before")))
		report_add_text(blocks, "note",
				"The server was already busy with requests of others before the "
				"run.");
	if (is_split)
		add_parts(breakdown, blocks);
	if (isfinite(report_json_number(pl_json_get_path(breakdown, "server.queue.count"))))
		add_histograms(breakdown, blocks);
}
