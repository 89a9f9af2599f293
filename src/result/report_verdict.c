/*
 * The printed verdict: whether to use the metrics, why, and what to do; then the other checks over
 * their limits. Checks that only explain a client error are hidden if there is none.
 */
#include "result/report.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "result/document.h"
#include "result/metrics/client_error.h"
#include "vllm/bench/kinds.h"

#define TEXT_WIDTH         80
#define SENTENCE_BYTES_MAX (1u << 20)
#define SHARE_SHOWN_MAX    10.0
#define SIMULATED          "simulated" /* check that a simulator answered */
#define SAMPLE_SIZE        "sample_size" /* check whose detail is a finding that names the percentiles */

enum about { FIGURES, LOAD, CLIENT, RUN };
enum sense { MOST, LEAST };

static const struct check_row {
	const char *id;
	enum about about;
	enum sense sense;
	const char *text;
	const char *finding;
	const char *action;
} check_rows[] = {
#define QUALITY(id, about, unit, sense, limit, effect, worse, worse_effect, text, finding, action) \
	{ #id, about, sense, text, finding, action },
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

/* Verdicts from best to worst; an effect that lowers the verdict has the same name. */
static const char *const verdicts[] = { "trusted", "degraded", "client_limited" };

static const char *const beliefs[] = {
	"you can rely on these metrics",
	"use these metrics with care",
	"do not use these metrics: they describe the load generator, not the server",
};

/* The same for a simulated server. */
static const char *const beliefs_simulated[] = {
	("the measurement is sound, but the server is simulated: these metrics do not describe a "
	 "real engine"),
	("use these metrics only to try out ProfLLM: the server is simulated, and the measurement "
	 "is degraded"),
	("do not use these metrics: they describe the load generator, not the server. The server "
	 "is "
	 "simulated"),
};

/* A result as the sentences need it. */
struct ruling {
	const json_t *result;
	const json_t *quality;
	const char *verdict; /* NULL: none */
	enum res_status status;
	bool is_complete;
	bool is_simulated; /* a simulator answered the requests */
	bool has_metrics;
	const json_t
		*reason; /* first check with the worst effect; NULL: no check lowers the verdict */
	bool is_explained; /* the reason leads to the verdict of the file */
};

/* ---- checks -------------------------------------------------------------------------------- */

/* NULL: a check of another version. */
static const struct check_row *find_row(const char *id)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(check_rows); i++) {
		if (pl_text_equal(check_rows[i].id, id))
			return &check_rows[i];
	}
	return NULL;
}

static const struct check_row *row_of(const json_t *check)
{
	return find_row(pl_json_get_text(check, "id"));
}

static enum about about_of(const json_t *check)
{
	const struct check_row *row = row_of(check);

	return row != NULL ? row->about : RUN;
}

static bool has_status(const json_t *check, const char *status)
{
	return pl_text_equal(pl_json_get_text(check, "status"), status);
}

/* Index in verdicts[]; 0 for "info" and unknown names, too. */
static size_t severity_of(const char *name)
{
	size_t i = PL_ARRAY_SIZE(verdicts) - 1;

	while (i > 0 && !pl_text_equal(name, verdicts[i]))
		i--;
	return i;
}

/* How far the check lowers the verdict. */
static size_t severity_of_check(const json_t *check)
{
	return has_status(check, "over_limit") ? severity_of(pl_json_get_text(check, "effect")) : 0;
}

/* Number of checks about `about` that have this status. */
static size_t count_of(const json_t *quality, enum about about, const char *status)
{
	size_t count = 0;

	PL_JSON_EACH(check, json_object_get(quality, "checks"))
		count += about_of(check) == about && has_status(check, status);
	return count;
}

/* Returns whether it is over its limit, or above 0 without a limit. */
static bool is_reported(const json_t *check)
{
	bool has_limit = json_is_number(json_object_get(check, "limit"));

	return has_status(check, "over_limit") ||
	       (has_status(check, "passed") && !has_limit && pl_json_get_f64(check, "value") > 0);
}

/* Listed below the sentences, which name a simulator themselves. */
static bool is_note(const struct ruling *ruling, const json_t *check)
{
	bool is_printed = ruling->is_simulated &&
			  pl_text_equal(pl_json_get_text(check, "id"), SIMULATED);
	bool sound = count_of(ruling->quality, FIGURES, "passed") > 0 &&
		     count_of(ruling->quality, LOAD, "over_limit") == 0;

	return ruling->has_metrics && check != ruling->reason && !is_printed &&
	       is_reported(check) &&
	       (severity_of_check(check) > 0 || !(sound && about_of(check) == CLIENT));
}

static struct ruling ruling_of(const json_t *result)
{
	const json_t *completed = pl_json_get_path(result, "results.completed");
	const json_t *quality = json_object_get(result, "quality");
	const json_t *reason = NULL;
	PL_JSON_EACH(check, json_object_get(quality, "checks")) {
		if (severity_of_check(check) > (reason != NULL ? severity_of_check(reason) : 0))
			reason = check;
	}
	struct ruling ruling = {
		.result = result,
		.quality = quality,
		.verdict = pl_json_get_text(quality, "verdict"),
		.status = RES_STATUS_COMPLETED,
		.is_simulated = json_is_true(
			pl_json_get_path(result, "environment.engine.simulated")),
		.has_metrics = json_is_object(json_object_get(result, "results")) &&
			       !(json_is_number(completed) && !(json_number_value(completed) > 0)),
		.reason = reason,
	};

	if (res_status_find(pl_json_get_text(result, "status"), &ruling.status) < 0)
		ruling.status = RES_STATUS_COMPLETED;
	ruling.is_complete = ruling.status == RES_STATUS_COMPLETED;
	ruling.is_explained = (reason != NULL ? severity_of_check(reason) : 0) ==
			      severity_of(ruling.verdict);
	return ruling;
}

/* ---- values -------------------------------------------------------------------------------- */

/* "12 %", "3 ms", "7"; shares are percentages. */
static void add_amount(struct pl_buf *buf, double value, const char *unit)
{
	bool is_share = pl_text_equal(unit, "share");

	pl_buf_addf(buf, "%.4g", is_share ? 100 * value : value);
	if (is_share)
		pl_buf_add_text(buf, " %");
	else if (pl_text_equal(unit, "us"))
		pl_buf_add_text(buf, " µs");
	else if (unit != NULL && !pl_text_equal(unit, "count") && !pl_text_equal(unit, "yes"))
		pl_buf_addf(buf, " %s", unit);
}

/* Names and counts: the end of a check's text, after the text of its row. "": none. */
static const char *detail_of(const json_t *check)
{
	const struct check_row *row = row_of(check);
	const char *text = pl_json_get_text(check, "text");

	if (row == NULL || text == NULL || !pl_text_starts(text, row->text))
		return "";
	text += strlen(row->text);
	return pl_text_starts(text, "; ") ? text : "";
}

/* "p99 TTFT" of "p99_ttft_ms"; unchanged if no family has this key. */
static void add_metric(struct pl_buf *buf, const char *metric)
{
	size_t len = strcspn(metric, "_");

	for (size_t i = 0; i < PL_ARRAY_SIZE(families); i++) {
		if (metric[len] == '_' && pl_text_equal(metric + len + 1, families[i].key)) {
			pl_buf_addf(buf, "%.*s %s", (int)len, metric, families[i].name);
			return;
		}
	}
	pl_buf_add_text(buf, metric);
}

/* Rounds up to two digits, at least to `least`, so that "at most" stays true. */
static void add_at_most(struct pl_buf *buf, double value, double least)
{
	double shown = value > 0 ? fmax(value, least) : 0;
	double grain = shown > 0 && shown < 10 ? pow(10, floor(log10(shown)) - 1) : 1;

	/* less by a hair, because 0.12 is 12.000000000000002 hundredths */
	if (shown > 0)
		shown = ceil(shown / grain - 1e-9) * grain;
	pl_buf_addf(buf, shown < 10 ? "%.2g" : "%.0f", shown);
}

/* The client error of a measurement in ms. */
static double error_ms(const json_t *measurement)
{
	return fmax(-pl_json_get_f64(measurement, "lo"), pl_json_get_f64(measurement, "hi"));
}

/* "0.022 ms", `open`, "0.098 %", `close`: the client error of a measurement. */
static void add_error(struct pl_buf *buf, const json_t *measurement, const char *open,
		      const char *close)
{
	double share = pl_json_get_f64(measurement, "share");

	add_at_most(buf, error_ms(measurement), 0.001);
	pl_buf_addf(buf, " ms%s", open);
	/* shares of a metric near 0 have no meaning */
	if (share < SHARE_SHOWN_MAX)
		add_at_most(buf, 100 * share, 0.01);
	else
		pl_buf_addf(buf, "over %.0f", 100 * SHARE_SHOWN_MAX);
	pl_buf_addf(buf, " %%%s", close);
}

/* ---- sentences ----------------------------------------------------------------------------- */

/*
 * The limit of the client error: "2 %", or "0.1 ms (3.6 %)" where the absolute limit applies, because 2 % of the metric is
 * less. The check holds its share of the metric, which converts as the error's own share does.
 */
static void add_error_limit(struct pl_buf *buf, const json_t *measurement, double limit,
			    const char *unit)
{
	double share = pl_json_get_f64(measurement, "share");

	if (limit > RES_CLIENT_ERROR_SHARE_MAX && share > 0 && isfinite(share)) {
		pl_buf_addf(buf, "%.2g ms (", error_ms(measurement) * limit / share);
		pl_buf_addf(buf, limit < 0.1 ? "%.2g %%)" : "%.0f %%)", 100 * limit);
	} else {
		add_amount(buf, limit, unit);
	}
}

/* "FINDING (ID: found X, expected at most Y; DETAIL)"; of the client error "FINDING, more than the limit of Y (ID)" */
static void add_finding(struct pl_buf *buf, const struct ruling *ruling, const json_t *check)
{
	const struct check_row *row = row_of(check);
	const char *id = pl_json_get_text(check, "id");
	const char *unit = pl_json_get_text(check, "unit");
	const char *text = pl_json_get_text(check, "text");
	const json_t *value = json_object_get(check, "value");
	const json_t *limit = json_object_get(check, "limit");
	const json_t *measurement = json_object_get(ruling->quality, "measurement");
	const char *metric = pl_json_get_text(measurement, "metric");

	/* the share of the metric is part of this finding */
	bool is_measured = row != NULL && row->about == FIGURES && metric != NULL;
	const char *detail = detail_of(check);

	if (is_measured) {
		pl_buf_add_text(buf, "the load generator may have changed ");
		add_metric(buf, metric);
		pl_buf_add_text(buf, " by up to ");
		add_error(buf, measurement, " (", ")");
	} else if (row != NULL && pl_text_equal(id, SAMPLE_SIZE) && *detail != '\0') {
		pl_buf_add_text(buf, detail + strlen("; "));
		detail = "";
	} else if (row != NULL) {
		pl_buf_add_text(buf, row->finding);
	} else {
		pl_buf_addf(buf, "%s",
			    text != NULL && *text != '\0' ? text : "a check is over its limit");
	}
	if (is_measured && json_is_number(limit)) {
		pl_buf_add_text(buf, ", more than the limit of ");
		add_error_limit(buf, measurement, json_number_value(limit), unit);
	}
	pl_buf_addf(buf, " (%s", id != NULL ? id : "unknown check");
	if (!is_measured && json_is_number(value) && !pl_text_equal(unit, "yes")) {
		pl_buf_add_text(buf, ": found ");
		add_amount(buf, json_number_value(value), unit);
		if (json_is_number(limit)) {
			pl_buf_add_text(buf, ", ");
			pl_buf_add_text(buf, row == NULL                    ? "limit "
					     : row->sense == LEAST          ? "expected at least "
					     : json_number_value(limit) > 0 ? "expected at most "
									    : "expected ");
			add_amount(buf, json_number_value(limit), unit);
		}
	}
	pl_buf_addf(buf, "%s)", detail);
}

/* Did the concurrency limit hold requests of a finite rate back? Then the rate was lower than configured. */
static bool is_capped(const json_t *quality)
{
	PL_JSON_EACH(check, json_object_get(quality, "checks")) {
		if (pl_text_equal(pl_json_get_text(check, "id"), "concurrency_limited"))
			return has_status(check, "over_limit");
	}
	return false;
}

/* The client error, and whether the load arrived as configured; false: both are unknown. */
static bool add_soundness(struct pl_buf *buf, const json_t *quality)
{
	const json_t *measurement = json_object_get(quality, "measurement");
	const char *metric = pl_json_get_text(measurement, "metric");
	bool load = count_of(quality, LOAD, "passed") > 0;

	if (metric != NULL) {
		pl_buf_add_text(buf, "the load generator changed ");
		add_metric(buf, metric);
		pl_buf_add_text(buf, ", the most affected metric, by at most ");
		add_error(buf, measurement, " (", ")");
	}
	if (load)
		pl_buf_addf(buf, "%sthe server received the %s", metric != NULL ? ", and " : "",
			    is_capped(quality) ? "load that max_concurrency allowed"
					       : "configured load");
	return metric != NULL || load;
}

static bool is_offline(const json_t *result)
{
	const char *kind = pl_json_path_text(result, "config.benchmark.kind");

	return kind != NULL && !pl_text_equal(kind, "serve");
}

/* The run started no server, but used a running one. */
static bool is_unreachable(const json_t *result)
{
	return pl_text_equal(pl_json_path_text(result, "error.cause"), "unreachable");
}

static void add_belief(struct pl_buf *buf, const struct ruling *ruling)
{
	const char *const *by_severity = ruling->is_simulated ? beliefs_simulated : beliefs;
	size_t severity = severity_of(ruling->verdict);
	size_t checked = ruling->reason != NULL ? severity_of_check(ruling->reason) : 0;

	if (!ruling->has_metrics && ruling->is_complete)
		pl_buf_add_text(buf, "there are no metrics: no request finished");
	else if (!ruling->has_metrics && ruling->status == RES_STATUS_LAUNCH_FAILED)
		pl_buf_addf(buf, "there are no metrics: the server did not %s",
			    is_unreachable(ruling->result) ? "respond" : "start");
	else if (!ruling->has_metrics)
		pl_buf_addf(buf, "there are no metrics: this is %s",
			    res_status_run(ruling->status));
	else if (!ruling->is_complete)
		pl_buf_addf(buf, "do not compare these metrics with others: they belong to %s",
			    res_status_run(ruling->status));
	else if (ruling->verdict == NULL)
		pl_buf_add_text(buf, "it is unknown whether you can rely on these metrics");
	else if (severity == 0 && !pl_text_equal(ruling->verdict, verdicts[0]))
		pl_buf_addf(buf, "the verdict '%s' is unknown to this version of profllm",
			    ruling->verdict);
	else /* the worse of the recorded verdict and of what the checks give */
		pl_buf_add_text(buf, by_severity[checked > severity ? checked : severity]);
}

/* The errors of a run that did not complete, or of one in which no request finished. */
static void add_failure(struct pl_buf *buf, const struct ruling *ruling)
{
	const char *message = pl_json_path_text(ruling->result, "error.message");
	json_int_t failed = json_integer_value(pl_json_get_path(ruling->result, "results.failed"));

	if (message != NULL)
		pl_buf_add_text(buf, message);
	else if (failed > 0)
		pl_buf_addf(buf, "%lld %s failed", (long long)failed,
			    failed == 1 ? "request" : "requests");
	else
		pl_buf_add_text(buf, "the result records no error");
	if (ruling->has_metrics && ruling->verdict != NULL)
		pl_buf_addf(buf, "; for the finished requests alone, the verdict is '%s'",
			    ruling->verdict);
}

/* "the result does not record …" after `before`; nothing if the client error and the load are known. */
static bool add_unrecorded(struct pl_buf *buf, const json_t *quality, const char *before)
{
	bool figures = count_of(quality, FIGURES, "passed") +
			       count_of(quality, FIGURES, "over_limit") >
		       0;
	bool load = count_of(quality, LOAD, "passed") + count_of(quality, LOAD, "over_limit") > 0;

	if (figures && load)
		return false;
	pl_buf_addf(buf, "%sthe result does not record %s", before,
		    figures ? "whether the server received the configured load"
		    : load  ? "how far the client changed the metrics"
			    : "how far the client changed the metrics, or whether the "
			      "server received the configured load");
	return true;
}

/* Explains why there is no verdict, although requests finished. */
static void add_missing(struct pl_buf *buf, const struct ruling *ruling)
{
	if (is_offline(ruling->result))
		pl_buf_add_text(buf, "an offline benchmark has no load generator to check");
	else if (json_array_size(json_object_get(ruling->quality, "checks")) == 0)
		pl_buf_add_text(buf, "the result has no quality checks");
	else if (!add_unrecorded(buf, ruling->quality, ""))
		pl_buf_add_text(buf, "the result has quality checks, but records no verdict");
}

/* A verdict that the checks of its file do not lead to. */
static void add_contradiction(struct pl_buf *buf, const struct ruling *ruling)
{
	size_t count = json_array_size(json_object_get(ruling->quality, "checks"));

	if (ruling->reason != NULL) {
		size_t severity = severity_of_check(ruling->reason);
		pl_buf_addf(
			buf,
			severity_of(ruling->verdict) > severity
				? "the recorded verdict '%s' applies, although the checks in the "
				  "file support only '%s': "
				: "the file records the verdict '%s', but its checks give the "
				  "worse verdict '%s', which applies: ",
			ruling->verdict, verdicts[severity]);
		add_finding(buf, ruling, ruling->reason);
		return;
	}
	pl_buf_addf(buf, "the file records the verdict '%s', but ", ruling->verdict);
	if (count == 0)
		pl_buf_add_text(buf, "has no checks");
	else
		pl_buf_add_text(buf, "none of its checks gives this verdict");
}

static void add_why(struct pl_buf *buf, const struct ruling *ruling)
{
	if (!ruling->has_metrics || !ruling->is_complete)
		add_failure(buf, ruling);
	else if (ruling->verdict == NULL)
		add_missing(buf, ruling);
	else if (!ruling->is_explained)
		add_contradiction(buf, ruling);
	else if (ruling->reason != NULL) {
		enum about about = about_of(ruling->reason);
		add_finding(buf, ruling, ruling->reason);
		if (about != FIGURES && about != LOAD)
			add_unrecorded(buf, ruling->quality, "; ");
	} else if (!add_soundness(buf, ruling->quality))
		add_contradiction(buf, ruling);
}

/* Returns the option that sets how much an offline benchmark measures. */
static const struct option_row *amount_of(const struct vllm_bench_kind *kind)
{
	static const enum vllm_bench_id ids[] = { VLLM_BENCH_num_prompts, VLLM_BENCH_num_iters,
						  VLLM_BENCH_num_iters_cold };

	for (size_t i = 0; i < PL_ARRAY_SIZE(ids); i++) {
		const struct option_row *row = vllm_bench_kind_row(kind, ids[i]);
		if (row != NULL)
			return row;
	}
	return NULL;
}

/*
 * Adds an action with the options of an offline benchmark: "benchmark.num_iters (--num-iters)" for
 * "benchmark.num_prompts (--num-prompts)", and no flag that its command refuses.
 */
static void add_offline_action(struct pl_buf *buf, const struct vllm_bench_kind *kind,
			       const char *action)
{
	static const char section[] = "benchmark.";

	while (*action != '\0') {
		if (!pl_text_starts(action, section)) {
			pl_buf_add_char(buf, *action++);
			continue;
		}
		const char *key = action + strlen(section);
		size_t len = strspn(key, "abcdefghijklmnopqrstuvwxyz_");
		auto_free char *name = pl_strndup(key, len);
		enum vllm_bench_id id = vllm_bench_find(name);
		const struct option_row *row = id == VLLM_BENCH_num_prompts ? amount_of(kind)
					       : id != VLLM_BENCH_COUNT
						       ? vllm_bench_kind_row(kind, id)
						       : NULL;
		action = key + len;
		pl_buf_addf(buf, "%s%s", section, row != NULL ? row->name : name);
		if (!pl_text_starts(action, " (--"))
			continue;
		action = strchr(action, ')') + 1;
		if (row != NULL)
			pl_buf_addf(buf, " (%s)", row->flag);
	}
}

static void add_check_action(struct pl_buf *buf, const struct ruling *ruling, const json_t *check)
{
	const struct check_row *row = row_of(check);
	const struct vllm_bench_kind *kind = vllm_bench_kind_find(
		pl_json_path_text(ruling->result, "config.benchmark.kind"));

	if (row == NULL)
		pl_buf_add_text(buf, "look up this check in the documentation of the version that "
				     "wrote the file");
	else if (kind != NULL)
		add_offline_action(buf, kind, row->action);
	else
		pl_buf_add_text(buf, row->action);
}

/*
 * Adds "no action is needed", or how to replace a simulator with an engine; and the checks that
 * need attention.
 */
static void add_no_action(struct pl_buf *buf, const struct ruling *ruling)
{
	auto_buf ids = PL_BUF(SENTENCE_BYTES_MAX);
	size_t count = 0;

	pl_buf_add_text(buf,
			ruling->is_simulated ? find_row(SIMULATED)->action : "no action is needed");
	PL_JSON_EACH(check, json_object_get(ruling->quality, "checks")) {
		const char *id = pl_json_get_text(check, "id");
		if (is_note(ruling, check) && id != NULL)
			pl_buf_addf(&ids, "%s%s", count++ > 0 ? ", " : "", id);
	}
	if (count > 0)
		pl_buf_addf(buf, "; read the note%s on %s", count > 1 ? "s" : "",
			    pl_buf_text(&ids));
}

static void add_action(struct pl_buf *buf, const struct ruling *ruling)
{
	const char *hint = pl_json_path_text(ruling->result, "error.hint");

	if (hint != NULL && (!ruling->has_metrics || !ruling->is_complete))
		pl_buf_add_text(buf, hint);
	else if (!ruling->has_metrics || !ruling->is_complete)
		pl_buf_add_text(buf, "correct the errors, then repeat the run");
	else if (ruling->verdict == NULL && is_offline(ruling->result))
		pl_buf_add_text(buf, "repeat the run, and compare the results");
	else if (ruling->verdict == NULL)
		pl_buf_add_text(buf, "to get a verdict, measure with 'profllm run' or "
				     "'profllm bench'");
	else if (ruling->reason != NULL)
		add_check_action(buf, ruling, ruling->reason);
	else if (pl_text_equal(ruling->verdict, verdicts[0]))
		add_no_action(buf, ruling);
	else
		pl_buf_add_text(buf, "check which program wrote or changed the file; measure again "
				     "with 'profllm run'");
}

/* A fragment as a sentence: a capital unless the first word is a name, and a period. */
static void add_sentence(struct pl_buf *buf, const struct pl_buf *fragment)
{
	const char *text = pl_buf_text(fragment);
	size_t word = strspn(text, "abcdefghijklmnopqrstuvwxyz");
	bool is_name = !(text[word] == ' ' || text[word] == ',' || text[word] == '\0') ||
		       pl_text_starts(text, "profllm ");

	if (*text == '\0')
		return;
	pl_buf_add_char(buf, !is_name && word > 0 ? (char)(*text - 'a' + 'A') : *text);
	pl_buf_add_text(buf, text + 1);
	if (strchr(".!?", text[fragment->len - 1]) == NULL)
		pl_buf_add_char(buf, '.');
}

void res_report_sentences(const json_t *result, struct pl_buf *buf)
{
	static void (*const parts[])(struct pl_buf *,
				     const struct ruling *) = { add_belief, add_why, add_action };
	struct ruling ruling = ruling_of(result);

	for (size_t i = 0; i < PL_ARRAY_SIZE(parts); i++) {
		auto_buf fragment = PL_BUF(SENTENCE_BYTES_MAX);
		parts[i](&fragment, &ruling);
		if (i > 0)
			pl_buf_add_char(buf, '\n');
		add_sentence(buf, &fragment);
	}
}

/* ---- console ------------------------------------------------------------------------------- */

static const char *color_of(const char *effect)
{
	static const char *const codes[] = { "\033[32m", "\033[33m", "\033[31m" };
	size_t severity = severity_of(effect);

	return severity > 0 || pl_text_equal(effect, verdicts[0]) ? codes[severity] : "";
}

static void add_coloured(struct pl_buf *buf, const char *text, bool color)
{
	const char *start = color ? color_of(text) : "";

	pl_buf_addf(buf, "%s%s%s", start, text, *start != '\0' ? "\033[0m" : "");
}

/* Words from column `at`; further lines are indented below the first. */
static void add_wrapped(struct pl_buf *buf, const char *text, size_t at)
{
	while (*text != '\0') {
		/* Length of the next word with the blank before it. A unit stays with its number: " 0.2 %". */
		size_t blank = *text == ' ', len = blank + strcspn(text + blank, " \n");
		bool is_number = len > blank && text[len - 1] >= '0' && text[len - 1] <= '9';
		size_t word = is_number && text[len] == ' ' && text[len + 1] == '%'
				      ? len + 1 + strcspn(text + len + 1, " \n")
				      : len;
		size_t columns = pl_text_columns(text, word);
		if (*text == '\n') {
			pl_buf_add_text(buf, "\n  ");
			at = strlen("  ");
			text++;
			continue;
		}
		if (at + columns > TEXT_WIDTH && *text == ' ') {
			pl_buf_add_text(buf, "\n   ");
			at = strlen("   ");
		}
		pl_buf_add(buf, text, word);
		at += columns;
		text += word;
	}
}

void res_report_verdict(const json_t *result, bool color, struct pl_buf *buf)
{
	struct ruling ruling = ruling_of(result);
	auto_buf sentences = PL_BUF(SENTENCE_BYTES_MAX);
	bool has_verdict = ruling.verdict != NULL && ruling.has_metrics && ruling.is_complete;

	pl_buf_add_text(buf, "Verdict: ");
	/* "trusted" would be read as the verdict on the complete run */
	add_coloured(buf, has_verdict ? ruling.verdict : "none", color);
	pl_buf_add_text(buf, "\n  ");
	res_report_sentences(result, &sentences);
	add_wrapped(buf, pl_buf_text(&sentences), 2);
	pl_buf_add_char(buf, '\n');
	PL_JSON_EACH(check, json_object_get(ruling.quality, "checks")) {
		if (is_note(&ruling, check)) {
			/* "  note: FINDING (ID: …). ACTION." */
			auto_buf finding = PL_BUF(SENTENCE_BYTES_MAX),
				 action = PL_BUF(SENTENCE_BYTES_MAX);
			auto_buf text = PL_BUF(SENTENCE_BYTES_MAX);
			size_t severity = severity_of_check(check);
			const char *word = severity > 0 ? verdicts[severity] : "note";
			add_finding(&finding, &ruling, check);
			add_check_action(&action, &ruling, check);
			pl_buf_add_text(&text, ": ");
			add_sentence(&text, &finding);
			pl_buf_add_char(&text, ' ');
			add_sentence(&text, &action);
			pl_buf_add_text(buf, "  ");
			add_coloured(buf, word, color);
			add_wrapped(buf, pl_buf_text(&text), 2 + strlen(word));
			pl_buf_add_char(buf, '\n');
		}
	}
}
