#include "bench/data/trace_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"
#include "bench/data/csv.h"

#define TOKENS_MAX      1e9
#define NAMES_BYTES_MAX 4096
#define NS_PER_S        1e9

static void add_row(struct bench_entries *into, int64_t input, int64_t output,
		    const struct bench_trace_row *at, const json_t *ids)
{
	struct bench_entry entry = { .input_tokens = input, .output_tokens = output };
	size_t count = json_array_size(ids);
	struct bench_trace_row *row = pl_alloc(sizeof(*row) + count * sizeof(row->blocks[0]));

	*row = *at;
	row->block_count = count;
	for (size_t i = 0; i < count; i++) {
		const json_t *id = json_array_get(ids, i);
		auto_free char *text = json_is_string(id) ? pl_strdup(json_string_value(id))
							  : pl_json_to_text(id, PL_JSON_COMPACT);
		row->blocks[i] = pl_hash_text(PL_HASH_NONE, text);
	}
	entry.row = row;
	bench_entries_add(into, &entry);
}

/* ---- JSON lines ---- */

/* The names of the object's fields, for an error. */
static char *names_of(const json_t *json)
{
	auto_buf names = PL_BUF(NAMES_BYTES_MAX);

	PL_JSON_EACH_MEMBER(name, value, json) {
		(void)value;
		pl_buf_addf(&names, "%s'%.60s'", names.len > 0 ? ", " : "", name);
	}
	return pl_strdup(names.len > 0 ? pl_buf_text(&names) : "none");
}

static int take_number(const struct vllm_bench *bench, const json_t *json, size_t line_no,
		       const char *name, double most, double *ret, struct pl_err *err)
{
	const json_t *value = json_object_get(json, name);
	double number = json_number_value(value);

	if (value == NULL) {
		auto_free char *names = names_of(json);
		return pl_err_invalid(err, "%s:%zu: '%s' is missing; the record has %s",
				      bench->dataset_path, line_no, name, names);
	}
	if (!json_is_number(value) || number < 0 || number > most)
		return pl_err_invalid(err, "%s:%zu: '%s': expected a number from 0 to %g",
				      bench->dataset_path, line_no, name, most);
	*ret = number;
	return 0;
}

static int take_line(const struct vllm_bench *bench, const json_t *json, size_t line_no,
		     struct bench_entries *into, struct pl_err *err)
{
	const json_t *ids = json_object_get(json, bench->timed_trace_label_hash_ids);
	struct bench_trace_row row = { .end_s = NAN };
	double input = 0, output = 0;

	if (!json_is_object(json))
		return pl_err_invalid(err, "%s:%zu: expected an object", bench->dataset_path,
				      line_no);
	if (take_number(bench, json, line_no, bench->timed_trace_label_timestamp, 1e300,
			&row.start_s, err) < 0 ||
	    take_number(bench, json, line_no, bench->timed_trace_label_input_length, TOKENS_MAX,
			&input, err) < 0 ||
	    take_number(bench, json, line_no, bench->timed_trace_label_output_length, TOKENS_MAX,
			&output, err) < 0)
		return -1;
	if (ids != NULL && !json_is_array(ids))
		return pl_err_invalid(err, "%s:%zu: '%s': expected an array", bench->dataset_path,
				      line_no, bench->timed_trace_label_hash_ids);
	if (output >= 1)
		add_row(into, (int64_t)input, (int64_t)output, &row, ids);
	return 0;
}

/* ---- comma-separated values ---- */

/* Indexes of columns; -1: missing. */
struct columns {
	int start;
	int input;
	int output;
	int session;
	int elapsed;
};

static int find_any(char *const *names, size_t count, const char *label, const char *const *known)
{
	int found = bench_csv_find(names, count, label);

	for (; found < 0 && *known != NULL; known++)
		found = bench_csv_find(names, count, *known);
	return found;
}

static int read_header(const struct vllm_bench *bench, char *line, struct columns *ret,
		       struct pl_err *err)
{
	static const char *const starts[] = { "TIMESTAMP", "Timestamp", "arrived_at", NULL };
	static const char *const inputs[] = { "ContextTokens", "Request tokens",
					      "num_prefill_tokens", NULL };
	static const char *const outputs[] = { "GeneratedTokens", "Response tokens",
					       "num_decode_tokens", NULL };
	auto_free char *whole = pl_strndup(line, 200);
	char *names[BENCH_CSV_COLUMNS_MAX];
	size_t count = bench_csv_split(line, names);

	*ret = (struct columns){
		.start = find_any(names, count, bench->timed_trace_label_timestamp, starts),
		.input = find_any(names, count, bench->timed_trace_label_input_length, inputs),
		.output = find_any(names, count, bench->timed_trace_label_output_length, outputs),
		.session = bench_csv_find(names, count, "Session ID"),
		.elapsed = bench_csv_find(names, count, "Elapsed time"),
	};
	if (ret->start >= 0 && ret->input >= 0 && ret->output >= 0)
		return 0;
	return pl_err_invalid(err,
			      "%s:1: found '%s', expected JSON lines, OTLP as JSON, or the columns "
			      "of a trace: a timestamp, request and response tokens (see "
			      "{benchmark.timed_trace_label_timestamp})",
			      bench->dataset_path, pl_text_trim(whole));
}

/* "12.5", or "2023-11-16 18:17:03.9799600", which is taken for UTC. */
static bool read_time(const char *text, double *ret)
{
	struct tm tm = { 0 };
	double seconds = 0;
	int end = 0;

	if (pl_text_to_f64(text, ret))
		return isfinite(*ret) && *ret >= 0;
	if (sscanf(text, "%4d-%2d-%2d%*1[ T]%2d:%2d:%lf%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
		   &tm.tm_hour, &tm.tm_min, &seconds, &end) != 6 ||
	    tm.tm_mon < 1 || tm.tm_mon > 12 || tm.tm_mday < 1 || tm.tm_mday > 31 ||
	    tm.tm_hour < 0 || tm.tm_hour > 23 || tm.tm_min < 0 || tm.tm_min > 59 ||
	    !(seconds >= 0 && seconds < 61))
		return false;
	if (text[end] != '\0' && strcmp(text + end, "Z") != 0 && strcmp(text + end, "+00:00") != 0)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	*ret = (double)timegm(&tm) + seconds;
	return true;
}

static bool read_tokens(const char *text, int64_t *ret)
{
	double value;

	if (!pl_text_to_f64(text, &value) || !(value >= 0 && value <= TOKENS_MAX))
		return false;
	*ret = (int64_t)value;
	return true;
}

static int read_row(const struct vllm_bench *bench, char *line, const struct columns *columns,
		    size_t line_no, struct bench_entries *into, struct pl_err *err)
{
	char *fields[BENCH_CSV_COLUMNS_MAX];
	int count = (int)bench_csv_split(line, fields);
	struct bench_trace_row row = { .end_s = NAN };
	int64_t input = 0, output = 0;
	double elapsed_s = 0;

	if (count <= columns->start || count <= columns->input || count <= columns->output)
		return pl_err_invalid(err, "%s:%zu: found %d columns, expected more",
				      bench->dataset_path, line_no, count);
	if (!read_time(fields[columns->start], &row.start_s))
		return pl_err_invalid(err,
				      "%s:%zu: found '%.60s', expected a number of seconds or a "
				      "date with a time",
				      bench->dataset_path, line_no, fields[columns->start]);
	if (!read_tokens(fields[columns->input], &input) ||
	    !read_tokens(fields[columns->output], &output))
		return pl_err_invalid(err, "%s:%zu: expected token counts as integers",
				      bench->dataset_path, line_no);
	if (columns->session >= 0 && columns->session < count &&
	    fields[columns->session][0] != '\0')
		row.session = pl_hash_text(PL_HASH_NONE, fields[columns->session]);
	if (columns->elapsed >= 0 && columns->elapsed < count &&
	    pl_text_to_f64(fields[columns->elapsed], &elapsed_s) && elapsed_s >= 0)
		row.end_s = row.start_s + elapsed_s;
	if (output >= 1)
		add_row(into, input, output, &row, NULL);
	return 0;
}

static int parse_csv(const struct vllm_bench *bench, char *text, size_t len,
		     struct bench_entries *into, struct pl_err *err)
{
	struct columns columns;
	size_t line_no = 0;

	if (bench_csv_check(bench->dataset_path, text, len, err) < 0)
		return -1;
	for (char *rest = text; rest != NULL;) {
		char *line = strsep(&rest, "\n");
		line_no++;
		if (line_no == 1) {
			if (read_header(bench, line, &columns, err) < 0)
				return -1;
		} else if (*pl_text_trim(line) != '\0' &&
			   read_row(bench, line, &columns, line_no, into, err) < 0) {
			return -1;
		}
	}
	return 0;
}

/* ---- OpenTelemetry ---- */

/* Returns the value of an attribute in OTLP's form; NULL: none. */
static const json_t *attribute(const json_t *span, const char *name)
{
	PL_JSON_EACH(item, json_object_get(span, "attributes")) {
		if (pl_text_equal(pl_json_get_text(item, "key"), name))
			return json_object_get(item, "value");
	}
	return NULL;
}

/* Reads an integer, which OTLP writes as a text; -1: another value. */
static int64_t integer_of(const json_t *value)
{
	int64_t number = -1;

	if (json_is_integer(value))
		return json_integer_value(value);
	if (json_is_real(value) && fabs(json_real_value(value)) < TOKENS_MAX)
		return (int64_t)json_real_value(value);
	return json_is_string(value) && pl_text_to_i64(json_string_value(value), &number) ? number
											  : -1;
}

static int64_t count_of(const json_t *span, const char *const *names)
{
	for (; *names != NULL; names++) {
		const json_t *value = attribute(span, *names);
		int64_t count = integer_of(json_object_get(value, "intValue"));
		if (count < 0)
			count = integer_of(json_object_get(value, "doubleValue"));
		if (count >= 0 && (double)count <= TOKENS_MAX)
			return count;
	}
	return -1;
}

static uint64_t session_of(const json_t *span)
{
	static const char *const names[] = { "gen_ai.conversation.id", "session.id" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		const char *text = pl_json_get_text(attribute(span, names[i]), "stringValue");
		if (text != NULL)
			return pl_hash_text(PL_HASH_NONE, text);
	}
	return 0;
}

static int take_span(const struct vllm_bench *bench, const json_t *span, size_t number,
		     struct bench_entries *into, struct pl_err *err)
{
	static const char *const inputs[] = { "gen_ai.usage.input_tokens",
					      "gen_ai.usage.prompt_tokens", NULL };
	static const char *const outputs[] = { "gen_ai.usage.output_tokens",
					       "gen_ai.usage.completion_tokens", NULL };
	int64_t input = count_of(span, inputs), output = count_of(span, outputs);
	int64_t start_ns = integer_of(json_object_get(span, "startTimeUnixNano"));
	int64_t end_ns = integer_of(json_object_get(span, "endTimeUnixNano"));

	if (input < 0 || output < 1)
		return 0;
	if (start_ns < 0)
		return pl_err_invalid(err,
				      "%s: span %zu: 'startTimeUnixNano': expected nanoseconds",
				      bench->dataset_path, number);
	const struct bench_trace_row row = {
		.start_s = (double)start_ns / NS_PER_S,
		.end_s = end_ns >= start_ns ? (double)end_ns / NS_PER_S : NAN,
		.session = session_of(span),
	};
	add_row(into, input, output, &row, NULL);
	return 0;
}

static int take_export(const struct vllm_bench *bench, const json_t *json, size_t *number,
		       struct bench_entries *into, struct pl_err *err)
{
	PL_JSON_EACH(resource, json_object_get(json, "resourceSpans")) {
		PL_JSON_EACH(scope, json_object_get(resource, "scopeSpans")) {
			PL_JSON_EACH(span, json_object_get(scope, "spans")) {
				if (take_span(bench, span, ++*number, into, err) < 0)
					return -1;
			}
		}
	}
	return 0;
}

/* One export, or many one after the other. */
static int parse_otlp(const struct vllm_bench *bench, const char *text, size_t len,
		      struct bench_entries *into, struct pl_err *err)
{
	const char *end = text + len, *at = text;
	size_t number = 0;

	for (;;) {
		json_error_t fault;
		at += strspn(at, " \t\r\n");
		if (at >= end)
			return 0;
		auto_json json_t *json = json_loadb(
			at, (size_t)(end - at), JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, &fault);
		if (json == NULL)
			return pl_err_invalid(
				err, "%s: byte %zu: not valid JSON: %s", bench->dataset_path,
				(size_t)(at - text) + (size_t)fault.position, fault.text);
		if (take_export(bench, json, &number, into, err) < 0)
			return -1;
		at += fault.position;
	}
}

int bench_trace_parse(const struct vllm_bench *bench, char *text, size_t len,
		      struct bench_entries *into, struct pl_err *err)
{
	char *start = bench_csv_start(text);
	size_t blank = strspn(start, " \t\r\n");

	len -= (size_t)(start - text);
	if (start[blank] != '{')
		return parse_csv(bench, start, len, into, err);
	if (strstr(start, "\"resourceSpans\"") != NULL)
		return parse_otlp(bench, start, len, into, err);
	return bench_json_lines(bench, start, len, 0, take_line, into, err);
}
