/* vLLM's files of offline benchmarks, one row per key. */
#include "result/flat/offline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/redact.h"
#include "base/stats.h"
#include "base/text.h"
#include "result/document.h"
#include "result/flat/agreement.h"
#include "result/flat/console.h"
#include "result/flat/document.h"
#include "result/flat/offline_keys.h"
#include "result/producer.h"
#include "result/quality.h"

#define TEXT_BYTES_MAX (64u << 20)

static const struct {
	double percent;
	const char *name;
} percentiles[] = { { 10, "10" }, { 25, "25" }, { 50, "50" },
		    { 75, "75" }, { 90, "90" }, { 99, "99" } };

/* ---- in ---- */

static bool is_number(const json_t *value)
{
	return json_is_number(value) && json_number_value(value) >= 0;
}

/* Returns whether lists and maps contain numbers, possibly nested: stages of statistics, pairs. */
static bool is_nested(const json_t *value, int depth)
{
	bool fits = is_number(value) || (depth > 0 && json_is_object(value)) ||
		    (depth > 0 && json_is_array(value));

	PL_JSON_EACH(item, value)
		fits = fits && is_nested(item, depth - 1);
	PL_JSON_EACH_MEMBER(name, member, value)
		fits = fits && is_nested(member, depth - 1);
	return fits;
}

static bool fits(const json_t *value, enum res_offline_form form)
{
	switch (form) {
	case RES_OFFLINE_NUMBER:
		return is_number(value);
	case RES_OFFLINE_COUNT:
		return json_is_integer(value) && json_integer_value(value) >= 0;
	case RES_OFFLINE_LIST:
		return json_is_array(value) && is_nested(value, 2);
	default:
		return json_is_object(value) && is_nested(value, 2);
	}
}

int res_offline_figures(const char *kind, const json_t *json, json_t **ret, struct pl_err *err)
{
	static const char *const expected[] = { "a number of at least 0", "an integer",
						"a list of numbers", "an object of numbers" };
	auto_json json_t *figures = json_object();
	/* the console lacks lists and counts */
	bool is_printed = res_offline_kind_of_console(json) != NULL;

	for (size_t i = 0; i < res_offline_key_count; i++) {
		json_t *value = json_object_get(json, res_offline_keys[i].name);
		bool must = res_offline_keys[i].must && !is_printed;
		if (strcmp(res_offline_keys[i].kind, kind) != 0 || (value == NULL && !must))
			continue;
		if (value == NULL)
			return pl_err_invalid(err, "'%s' is missing", res_offline_keys[i].name);
		if (!fits(value, res_offline_keys[i].form))
			return res_refuse_value(value, expected[res_offline_keys[i].form], err,
						"/%s", res_offline_keys[i].name);
		json_object_set(figures, res_offline_keys[i].name, value);
	}
	/* [[99, 12.5]] as p99_e2el_ms too: the name that all other results have. */
	PL_JSON_EACH(pair, json_object_get(figures, "percentiles_e2el_ms")) {
		char number[PL_F64_TEXT_BYTES];
		if (json_array_size(pair) != 2)
			continue;
		pl_text_from_f64(json_number_value(json_array_get(pair, 0)), number);
		if (pl_text_ends(number, ".0"))
			number[strlen(number) - 2] = '\0';
		auto_free char *key = pl_asprintf("p%s_e2el_ms", number);
		json_object_set(figures, key, json_array_get(pair, 1));
	}
	*ret = pl_take(figures);
	return 0;
}

static bool is_profllm_key(const char *kind, const char *name)
{
	for (size_t i = 0; i < res_offline_key_count; i++) {
		if (strcmp(res_offline_keys[i].kind, kind) == 0 &&
		    strcmp(res_offline_keys[i].name, name) == 0)
			return true;
	}
	return PL_TEXT_IS_ONE_OF(name, ((const char *const[]){ "model_id", "config" }));
}

json_t *res_offline_document(const struct res_fields *fields, const json_t *json)
{
	const char *kind = res_offline_kind_of(json);
	const char *model = pl_json_get_text(json, "model_id");
	json_t *requests = json_object_get(json, "num_requests");
	json_t *figures = NULL;
	struct res_quality_facts facts;

	if (kind == NULL || res_offline_figures(kind, json, &figures, PL_ERR_IGNORED) < 0)
		return NULL;
	res_quality_init(&facts);
	if (model == NULL)
		model = pl_json_path_text(json, "config.model");
	json_t *benchmark = json_pack("{s:s, s:s}", "kind", kind, "mode", "in_process");
	json_t *config = json_pack("{s:o}", "benchmark", benchmark);
	json_t *tags = json_object();
	if (model != NULL)
		json_object_set_new(benchmark, "model", json_string(model));
	if (requests != NULL && strcmp(kind, "throughput") == 0)
		json_object_set(benchmark, "num_prompts", requests);
	PL_JSON_EACH_MEMBER(option, given, json_object_get(json, RES_CONSOLE_OPTIONS)) {
		if (res_offline_kind_of_console(json) != NULL)
			res_flat_take_metadata(fields, option, given, config);
	}
	PL_JSON_EACH_MEMBER(key, value, json) {
		if (!is_profllm_key(kind, key) &&
		    !res_flat_take_metadata(fields, key, value, config) && json_is_string(value))
			json_object_set(tags, key, value);
	}
	json_t *document = json_pack("{s:o, s:o, s:o}", "tags", tags, "config", config, "results",
				     figures);
	res_offline_facts(kind, json, &facts);
	json_object_set_new(document, "quality", res_quality_evaluate_known(&facts));
	return document;
}

static bool is_file(const struct res_producer *self, const json_t *json)
{
	return pl_text_equal(res_offline_kind_of(json), self->kind);
}

static bool is_document(const struct res_producer *self, const json_t *document)
{
	return pl_text_equal(pl_json_path_text(document, "config.benchmark.kind"), self->kind);
}

static int read(const struct res_producer *self, const struct res_fields *fields, json_t *json,
		const char *source, json_t **ret, struct pl_err *err)
{
	auto_json json_t *figures = NULL;

	(void)source;
	if (res_offline_figures(self->kind, json, &figures, err) < 0)
		return -1;
	*ret = res_offline_document(fields, json);
	return 0;
}

#define OFFLINE(id_, kind_)                                                                   \
	const struct res_producer res_producer_##id_ = {                                      \
		.kind = (kind_), .is_file = is_file, .is_document = is_document, .read = read \
	};
OFFLINE(latency, "latency")
OFFLINE(throughput, "throughput")
OFFLINE(startup, "startup")
OFFLINE(mm_processor, "mm-processor")

/* ---- out ---- */

json_t *res_offline_flat(const char *kind, const char *model, const json_t *results)
{
	json_t *flat = json_object();

	/* mm-processor has none */
	if (strcmp(kind, "latency") == 0 || strcmp(kind, "throughput") == 0)
		json_object_set_new(flat, "model_id", pl_json_text(model));
	for (size_t i = 0; i < res_offline_key_count; i++) {
		json_t *value = json_object_get(results, res_offline_keys[i].name);
		if (strcmp(res_offline_keys[i].kind, kind) == 0 && value != NULL &&
		    (res_offline_keys[i].must || !json_is_null(value)))
			json_object_set(flat, res_offline_keys[i].name, value);
	}
	return flat;
}

/* Indents by four blanks per level instead of two, except for mm-processor. */
int res_offline_write(const json_t *flat, const char *kind, const char *path, struct pl_err *err)
{
	bool wide = strcmp(kind, "mm-processor") != 0;
	auto_json json_t *redacted = pl_redact_json(flat, PL_REDACT_OURS);
	auto_free char *text = pl_json_to_text(redacted, PL_JSON_INDENT);
	auto_buf out = PL_BUF(TEXT_BYTES_MAX);

	for (char *line = text, *end; *line != '\0'; line = end) {
		end = line + strcspn(line, "\n");
		end += *end == '\n';
		if (wide)
			pl_buf_add(&out, line, strspn(line, " "));
		pl_buf_add(&out, line, (size_t)(end - line));
	}
	if (out.full)
		return pl_err_invalid(err, "the result is larger than %u bytes", TEXT_BYTES_MAX);
	return pl_file_write(path, out.data, out.len, err);
}

json_t *res_offline_percentiles(const double *samples, size_t count)
{
	auto_free double *sorted = pl_alloc_array(count, sizeof(*sorted));
	json_t *json = json_object();

	if (count > 0)
		memcpy(sorted, samples, count * sizeof(*sorted));
	pl_stats_sort(sorted, count);
	for (size_t i = 0; i < PL_ARRAY_SIZE(percentiles); i++)
		json_object_set_new(
			json, percentiles[i].name,
			pl_json_number(count > 0 ? pl_stats_percentile_sorted(
							   sorted, count, percentiles[i].percent)
						 : NAN));
	return json;
}

/* ---- on the terminal ---- */

static double figure(const json_t *results, const char *key)
{
	const json_t *value = json_object_get(results, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static void add_text(struct pl_buf *buf, const char *label, const json_t *value)
{
	auto_free char *text = json_is_number(value) ? pl_json_to_plain(value) : pl_strdup("n/a");

	pl_buf_addf(buf, "%s: %s seconds\n", label, text);
}

static void report_latency(const json_t *results, struct pl_buf *buf)
{
	const json_t *shares = json_object_get(results, "percentiles");

	add_text(buf, "Avg latency", json_object_get(results, "avg_latency"));
	for (size_t i = 0; i < PL_ARRAY_SIZE(percentiles); i++) {
		auto_free char *label = pl_asprintf("%s%% percentile latency", percentiles[i].name);
		add_text(buf, label, json_object_get(shares, percentiles[i].name));
	}
}

/* In process, vLLM prints the token sums only to the terminal. */
static void report_throughput(const json_t *results, struct pl_buf *buf)
{
	double in = figure(results, "total_input_tokens");
	double out = figure(results, "total_output_tokens");
	double elapsed_s = figure(results, "elapsed_time");

	pl_buf_addf(buf, "Throughput: %.2f requests/s, %.2f total tokens/s",
		    figure(results, "requests_per_second"), figure(results, "tokens_per_second"));
	if (!isnan(out))
		pl_buf_addf(buf, ", %.2f output tokens/s", out / elapsed_s);
	pl_buf_add_char(buf, '\n');
	if (isnan(in) || isnan(out))
		return;
	pl_buf_addf(buf, "Total num prompt tokens:  %.0f\n", in);
	pl_buf_addf(buf, "Total num output tokens:  %.0f\n", out);
}

static void add_bar(struct pl_buf *buf)
{
	for (int i = 0; i < 60; i++)
		pl_buf_add_char(buf, '=');
	pl_buf_add_char(buf, '\n');
}

static void report_start(const json_t *results, const char *phase, bool encoder, struct pl_buf *buf)
{
	static const struct {
		const char *key, *name;
	} parts[] = { { "startup", "Startup" },
		      { "compilation", "Compilation" },
		      { "encoder_compilation", "Encoder compilation" } };
	size_t count = PL_ARRAY_SIZE(parts) - !encoder;

	for (size_t i = 0; i < count; i++) {
		auto_free char *key = pl_asprintf("avg_%s_%s_time", phase, parts[i].key);
		pl_buf_addf(buf, "Avg %c%s time: ", parts[i].name[0] | 0x20, parts[i].name + 1);
		if (isnan(figure(results, key)))
			pl_buf_add_text(buf, "n/a\n");
		else
			pl_buf_addf(buf, "%.2f seconds\n", figure(results, key));
	}
	for (size_t i = 0; i < count; i++) {
		auto_free char *key = pl_asprintf("%s_%s_percentiles", phase, parts[i].key);
		const json_t *shares = json_object_get(results, key);
		if (isnan(figure(shares, "50")))
			continue;
		pl_buf_addf(buf, "%s percentiles:\n", parts[i].name);
		for (size_t k = 0; k < PL_ARRAY_SIZE(percentiles); k++)
			pl_buf_addf(buf, "  %s%%: %.2f seconds\n", percentiles[k].name,
				    figure(shares, percentiles[k].name));
	}
}

static void report_startup(const json_t *results, struct pl_buf *buf)
{
	static const char *const phases[] = { "cold", "warm" };
	bool encoder = figure(results, "avg_cold_encoder_compilation_time") > 0 ||
		       figure(results, "avg_warm_encoder_compilation_time") > 0;

	add_bar(buf);
	pl_buf_add_text(buf, "STARTUP TIME BENCHMARK RESULTS\n");
	add_bar(buf);
	for (size_t i = 0; i < PL_ARRAY_SIZE(phases); i++) {
		pl_buf_addf(buf, "\n%s STARTUP:\n", i == 0 ? "COLD" : "WARM");
		report_start(results, phases[i], encoder, buf);
	}
	add_bar(buf);
}

static void report_mm_processor(const json_t *results, struct pl_buf *buf)
{
	const json_t *summary = json_object_get(results, "encoder_summary");

	pl_buf_addf(buf, "%30s %12s %12s %12s %12s\n", "Stage", "Mean", "Median", "Std", "P99.0");
	PL_JSON_EACH_MEMBER(stage, values, json_object_get(results, "mm_processor_stats"))
		pl_buf_addf(buf, "%30s %12.2f %12.2f %12.2f %12.2f\n", stage,
			    figure(values, "mean"), figure(values, "median"), figure(values, "std"),
			    figure(values, "p99.0"));
	pl_buf_addf(buf, "%30s %12s\n", "Metric", "Value (ms)");
	pl_buf_addf(buf, "%30s %12.2f\n", "Mean E2EL", figure(results, "mean_e2el_ms"));
	pl_buf_addf(buf, "%30s %12.2f\n", "Median E2EL", figure(results, "median_e2el_ms"));
	pl_buf_addf(buf, "Summary: %lld total encoder calls across %lld requests.\n",
		    (long long)pl_json_get_i64(summary, "total_encoder_calls"),
		    (long long)pl_json_get_i64(summary, "num_requests_with_encoder_calls"));
}

void res_offline_report(const char *kind, const json_t *results, struct pl_buf *buf)
{
	static const struct {
		const char *kind;
		void (*report)(const json_t *results, struct pl_buf *buf);
	} reports[] = { { "latency", report_latency },
			{ "throughput", report_throughput },
			{ "startup", report_startup },
			{ "mm-processor", report_mm_processor } };

	for (size_t i = 0; i < PL_ARRAY_SIZE(reports); i++) {
		if (strcmp(reports[i].kind, kind) == 0)
			reports[i].report(results, buf);
	}
}
