/*
 * The verdict as a person reads it: the word, one sentence with what it was made of, and the checks
 * that are beyond their limits. What may explain a client's error (a busy processor, bytes that
 * waited) is told where there is one to explain: beside figures that it has not moved it would only
 * frighten.
 */
#include "result/report.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "result/document.h"

#define TEXT_WIDTH       80
#define REASON_BYTES_MAX (1u << 20)
#define SHARE_TOLD_MAX   10.0

enum about { FIGURES, LOAD, CLIENT, RUN };

static const struct check_row {
	const char *id;
	enum about about;
} check_rows[] = {
#define QUALITY(id, about, unit, sense, limit, effect, worse, worse_effect, text) { #id, about },
#include "tbl/quality.h"
#undef QUALITY
};

static const struct family {
	const char *key;
	const char *name;
} families[] = {
#define FAMILY(id, key, title, label, direction, origin, headline, formula, text) \
	{ key, sizeof(label) > 1 ? label : title },
#include "tbl/metrics.h"
};

static const char *colour_of(const char *effect)
{
	if (pl_text_equal(effect, "trusted"))
		return "\033[32m";
	if (pl_text_equal(effect, "degraded"))
		return "\033[33m";
	if (pl_text_equal(effect, "client_limited"))
		return "\033[31m";
	return "";
}

static void add_coloured(struct pl_buf *buf, const char *text, bool colour)
{
	const char *start = colour ? colour_of(text) : "";

	pl_buf_addf(buf, "%s%s%s", start, text, *start != '\0' ? "\033[0m" : "");
}

static void add_value(struct pl_buf *buf, const json_t *check, const char *key)
{
	const json_t *value = json_object_get(check, key);
	const char *unit = pl_json_get_text(check, "unit");

	if (!json_is_number(value))
		return;
	pl_buf_addf(buf, "%s %.4g", key, json_number_value(value));
	if (unit != NULL && !pl_text_equal(unit, "count") && !pl_text_equal(unit, "share") &&
	    !pl_text_equal(unit, "yes"))
		pl_buf_addf(buf, " %s", unit);
}

/* Words from column `at`, further lines under the first. */
static void add_wrapped(struct pl_buf *buf, const char *text, size_t at)
{
	while (*text != '\0') {
		size_t word = *text == ' ' ? 1 + strcspn(text + 1, " ") : strcspn(text, " ");
		size_t columns = pl_text_columns(text, word);
		if (at + columns > TEXT_WIDTH && *text == ' ') {
			pl_buf_add_text(buf, "\n   ");
			at = strlen("   ");
		}
		pl_buf_add(buf, text, word);
		at += columns;
		text += word;
	}
}

static void add_reason(struct pl_buf *buf, const json_t *check, bool colour)
{
	auto_buf rest = PL_BUF(REASON_BYTES_MAX);
	const char *id = pl_json_get_text(check, "id");
	const char *effect = pl_json_get_text(check, "effect");
	const char *text = pl_json_get_text(check, "text");

	if (effect == NULL)
		effect = "info";
	pl_buf_addf(&rest, ": %s: ", id != NULL ? id : "unknown");
	add_value(&rest, check, "value");
	if (json_is_number(json_object_get(check, "limit"))) {
		pl_buf_add_text(&rest, ", ");
		add_value(&rest, check, "limit");
	}
	pl_buf_addf(&rest, " (%s)", text != NULL ? text : "");
	pl_buf_add_text(buf, "  ");
	add_coloured(buf, effect, colour);
	add_wrapped(buf, pl_buf_text(&rest), 2 + strlen(effect));
	pl_buf_add_char(buf, '\n');
}

/*
 * A run that did not come to its end has no verdict, however sound what was measured until then: a
 * bare "trusted" would be read as one of the whole run.
 */
static void add_verdict(const json_t *result, const char *verdict, bool colour, struct pl_buf *buf)
{
	const char *name = pl_json_get_text(result, "status");
	double finished = json_number_value(pl_json_get_path(result, "results.completed"));
	enum res_status status;

	if (verdict == NULL && finished > 0)
		pl_buf_add_text(buf, "none, too little is known of what was measured");
	else if (verdict == NULL)
		pl_buf_add_text(buf, "none, nothing was measured");
	else if (res_status_find(name, &status) == 0 && status != RES_STATUS_COMPLETED)
		pl_buf_addf(buf, "no verdict on %s; what was measured: %s", res_status_run(status),
			    verdict);
	else
		add_coloured(buf, verdict, colour);
}

/* "p99 TTFT" of "p99_ttft_ms"; as it is where there is no such family. */
static void add_figure(struct pl_buf *buf, const char *figure)
{
	size_t len = strcspn(figure, "_");

	for (size_t i = 0; i < PL_ARRAY_SIZE(families); i++) {
		if (figure[len] == '_' && pl_text_equal(figure + len + 1, families[i].key)) {
			pl_buf_addf(buf, "%.*s %s", (int)len, figure, families[i].name);
			return;
		}
	}
	pl_buf_add_text(buf, figure);
}

/* Two digits, and nothing finer than `least`: "at most" stays true. */
static void add_at_most(struct pl_buf *buf, double value, double least)
{
	double shown = value > 0 ? fmax(value, least) : 0;
	double grain = shown > 0 && shown < 10 ? pow(10, floor(log10(shown)) - 1) : 1;

	/* upwards; a hair less, for 0.12 is 12.000000000000002 hundredths */
	if (shown > 0)
		shown = ceil(shown / grain - 1e-9) * grain;
	pl_buf_addf(buf, shown < 10 ? "%.2g" : "%.0f", shown);
}

static void add_error(struct pl_buf *buf, const json_t *measurement)
{
	const char *figure = pl_json_get_text(measurement, "worst_figure");
	double lo = pl_json_get_f64(measurement, "lo");
	double hi = pl_json_get_f64(measurement, "hi");
	double share = pl_json_get_f64(measurement, "share");

	if (figure == NULL) {
		pl_buf_add_text(buf, "client error not known");
		return;
	}
	pl_buf_add_text(buf, "client error at most ");
	add_at_most(buf, fmax(-lo, hi), 0.001);
	pl_buf_add_text(buf, " ms (");
	/* of a figure of nearly nothing anything is a thousandfold */
	if (share < SHARE_TOLD_MAX)
		add_at_most(buf, 100 * share, 0.01);
	else
		pl_buf_addf(buf, "over %.0f", 100 * SHARE_TOLD_MAX);
	pl_buf_add_text(buf, " %) on ");
	add_figure(buf, figure);
}

static enum about about_of(const json_t *check)
{
	const char *id = pl_json_get_text(check, "id");

	for (size_t i = 0; i < PL_ARRAY_SIZE(check_rows); i++) {
		if (pl_text_equal(check_rows[i].id, id))
			return check_rows[i].about;
	}
	return RUN;
}

static bool has_status(const json_t *check, const char *status)
{
	return pl_text_equal(pl_json_get_text(check, "status"), status);
}

/* How many checks about it have this status. */
static size_t count_of(const json_t *quality, enum about about, const char *status)
{
	size_t count = 0;

	PL_JSON_EACH(check, json_object_get(quality, "checks"))
		count += about_of(check) == about && has_status(check, status);
	return count;
}

static void add_load(struct pl_buf *buf, const json_t *quality)
{
	const char *before = "load off: ";

	if (count_of(quality, LOAD, "beyond") == 0) {
		bool known = count_of(quality, LOAD, "ok") > 0;
		pl_buf_add_text(buf, known ? "load as asked" : "load not known");
		return;
	}
	PL_JSON_EACH(check, json_object_get(quality, "checks")) {
		const char *id = pl_json_get_text(check, "id");
		bool rate = pl_text_equal(id, "rate_shortfall");
		if (about_of(check) != LOAD || !has_status(check, "beyond"))
			continue;
		pl_buf_addf(buf, "%s%s %.3g (limit %.3g)", rate ? "" : before,
			    rate ? "rate not reached:" : id, pl_json_get_f64(check, "value"),
			    pl_json_get_f64(check, "limit"));
		/* the rate's row comes first */
		before = rate ? "; load off: " : ", ";
	}
}

static void add_sentence(struct pl_buf *buf, const json_t *result)
{
	auto_buf sentence = PL_BUF(REASON_BYTES_MAX);

	res_report_sentence(result, &sentence);
	if (sentence.len == 0)
		return;
	pl_buf_add_text(buf, "  ");
	add_wrapped(buf, pl_buf_text(&sentence), 2);
	pl_buf_add_char(buf, '\n');
}

void res_report_sentence(const json_t *result, struct pl_buf *buf)
{
	const json_t *quality = json_object_get(result, "quality");

	/* a finished request is what there is to say it of */
	if (!(json_number_value(pl_json_get_path(result, "results.completed")) > 0))
		return;
	add_error(buf, json_object_get(quality, "measurement"));
	pl_buf_add_text(buf, "; ");
	add_load(buf, quality);
}

/* Over its limit, or without one and not as it was asked. */
static bool is_reported(const json_t *check)
{
	bool has_limit = json_is_number(json_object_get(check, "limit"));

	return has_status(check, "beyond") ||
	       (has_status(check, "ok") && !has_limit && pl_json_get_f64(check, "value") > 0);
}

void res_report_verdict(const json_t *result, bool colour, struct pl_buf *buf)
{
	const json_t *quality = json_object_get(result, "quality");
	const char *verdict = pl_json_get_text(quality, "verdict");
	bool sound = count_of(quality, FIGURES, "ok") > 0 && count_of(quality, LOAD, "beyond") == 0;

	pl_buf_add_text(buf, "Verdict: ");
	add_verdict(result, verdict, colour, buf);
	pl_buf_add_char(buf, '\n');
	add_sentence(buf, result);
	PL_JSON_EACH(check, json_object_get(quality, "checks")) {
		if (is_reported(check) && !(sound && about_of(check) == CLIENT))
			add_reason(buf, check, colour);
	}
}
