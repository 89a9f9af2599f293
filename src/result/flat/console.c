/*
 * The title marks a table, and a label marks one of its lines wherever it appears in the line. The text before a title, back
 * to the previous table, may hold its options. The lines of latency and throughput have no title and no end: their first line
 * marks them.
 */
#include "result/flat/console.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "result/flat/python_literal.h"

#define LINE_BYTES_MAX      4096 /* of a table; the options' may be longer */
#define NAMESPACE_BYTES_MAX (1u << 20)
#define TITLE               "Benchmark Result"
#define RULE_MIN            20 /* '=' of a closing line */

enum kind { COUNT, NUMBER, TEXT };

static const struct label {
	const char *label, *key;
	enum kind kind;
} labels[] = {
	{ "Successful requests:", "completed", COUNT },
	{ "Failed requests:", "failed", COUNT },
	{ "Maximum request concurrency:", "max_concurrency", COUNT },
	{ "Max request concurrency:", "max_concurrency", COUNT },
	{ "Request rate configured (RPS):", "request_rate", NUMBER },
	{ "Traffic request rate:", "request_rate", NUMBER },
	{ "Burstiness factor:", "burstiness", NUMBER },
	{ "Benchmark duration (s):", "duration", NUMBER },
	{ "Total input tokens:", "total_input_tokens", COUNT },
	{ "Total generated tokens:", "total_output_tokens", COUNT },
	{ "Request throughput (req/s):", "request_throughput", NUMBER },
	{ "Request goodput (req/s):", "request_goodput", NUMBER },
	{ "Input throughput (inputs/s):", "input_sequence_throughput", NUMBER },
	{ "Input token throughput (tok/s):", "input_throughput", NUMBER },
	{ "Output token throughput (tok/s):", "output_throughput", NUMBER },
	{ "Peak output token throughput (tok/s):", "max_output_tokens_per_s", NUMBER },
	{ "Peak concurrent requests:", "max_concurrent_requests", COUNT },
	{ "Peak requests in flight:", "peak_in_flight", COUNT },
	{ "RTFx (Inverse Real-Time Factor):", "rtfx", NUMBER },
	{ "Total token throughput (tok/s):", "total_token_throughput", NUMBER },
	{ "Total Token throughput (tok/s):", "total_token_throughput", NUMBER },
	{ "Probe requests completed:", "probe_completed", COUNT },
	{ "Probe requests failed:", "probe_failed", COUNT },
	{ "Median probe E2EL (ms):", "probe_median_e2el_ms", NUMBER },
	{ "P99 probe E2EL (ms):", "probe_p99_e2el_ms", NUMBER },
	{ "Max probe E2EL (ms):", "probe_max_e2el_ms", NUMBER },
	{ "Acceptance rate (%):", "spec_decode_acceptance_rate", NUMBER },
	{ "Acceptance length:", "spec_decode_acceptance_length", NUMBER },
	{ "Accept length:", "spec_decode_acceptance_length", NUMBER },
	{ "Drafts:", "spec_decode_num_drafts", COUNT },
	{ "Draft tokens:", "spec_decode_draft_tokens", COUNT },
	{ "Accepted tokens:", "spec_decode_accepted_tokens", COUNT },
	{ "Committed throughput (tok/s):", "diffusion_committed_throughput", NUMBER },
	{ "Denoising steps per canvas:", "diffusion_steps_per_canvas", NUMBER },
	{ "Committed per denoising step:", "diffusion_committed_per_step", NUMBER },
	{ "Committed tokens:", "diffusion_committed_tokens", COUNT },
	{ "Denoising steps:", "diffusion_denoising_steps", COUNT },
	{ "Canvas positions evaluated:", "diffusion_canvas_positions", COUNT },
	{ "Backend:", "backend", TEXT },
};

static const struct {
	const char *label, *ending;
} families[] = {
	{ "TTFT (ms):", "_ttft_ms" },
	{ "TPOT (ms):", "_tpot_ms" },
	{ "ITL (ms):", "_itl_ms" },
	{ "E2EL (ms):", "_e2el_ms" },
	{ "E2E Latency (ms):", "_e2el_ms" },
	{ "Client Queue Time (ms):", "_client_queue_time_ms" },
	{ "E2EL incl. Client Queue (ms):", "_e2el_including_client_queue_ms" },
};

/* ---- lines --------------------------------------------------------------------------------- */

/*
 * Removes terminal escape sequences, text overwritten by a carriage return, and a byte order mark.
 */
static void clean(const char *at, const char *end, char *line)
{
	size_t len = 0;

	while (end > at && isspace((unsigned char)end[-1]))
		end--;
	if (end - at >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	for (const char *back = end; back > at; back--) {
		if (back[-1] == '\r') {
			at = back;
			break;
		}
	}
	for (; at < end && len + 1 < LINE_BYTES_MAX; at++) {
		if (*at == '\033' && at + 1 < end && at[1] == '[') {
			for (at += 2; at < end && !isalpha((unsigned char)*at);)
				at++;
			continue;
		}
		line[len++] = *at != '\0' ? *at : ' ';
	}
	line[len] = '\0';
}

static const char *line_end(const char *at, const char *end)
{
	const char *stop = memchr(at, '\n', (size_t)(end - at));

	return stop != NULL ? stop : end;
}

/* "====== Serving Benchmark Result ======", and nothing after it. */
static bool is_title(const char *line)
{
	static const char *const names[] = { " Serving ", " Embedding/Pooling ", " Pooling " };
	const char *found = strstr(line, TITLE);

	if (found == NULL || found == line)
		return false;
	const char *after = found + strlen(TITLE);
	after += *after == ' ';
	size_t rule = strspn(after, "=");
	if (rule < 3 || after[rule] != '\0')
		return false;
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		size_t len = strlen(names[i]);
		if ((size_t)(found - line) > len && strncmp(found - len, names[i], len) == 0 &&
		    found[-(ptrdiff_t)len - 1] == '=')
			return true;
	}
	return false;
}

/* Returns where the whole label begins; NULL: it does not appear. */
static const char *find_label(const char *line, const char *label)
{
	for (const char *at = line; (at = strstr(at, label)) != NULL; at++) {
		if (at == line || at[-1] == ' ' || at[-1] == '\t' || at[-1] == '|' ||
		    at[-1] == ']' || at[-1] == ')' || at[-1] == ':')
			return at;
	}
	return NULL;
}

/* ---- values -------------------------------------------------------------------------------- */

/* Converts the first word to a number, including "inf"; other words give NULL. New reference. */
static json_t *value_of(const char *text, enum kind kind)
{
	char word[64];
	double number;

	text += strspn(text, " \t");
	size_t len = strcspn(text, " \t|");
	if (len == 0 || len >= sizeof(word))
		return NULL;
	memcpy(word, text, len);
	word[len] = '\0';
	if (kind == TEXT)
		return pl_json_text(word);
	if (strcmp(word, "inf") == 0)
		return json_string("inf");
	if (!pl_text_to_f64(word, &number) || !isfinite(number) || number < 0)
		return NULL;
	if (kind == COUNT)
		return number < 1e15 ? json_integer((json_int_t)llround(number)) : NULL;
	return json_real(number);
}

static bool take_label(const char *line, json_t *flat)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(labels); i++) {
		const char *at = find_label(line, labels[i].label);
		if (at == NULL)
			continue;
		json_t *value = value_of(at + strlen(labels[i].label), labels[i].kind);
		if (value != NULL)
			json_object_set_new(flat, labels[i].key, value);
		return true;
	}
	return false;
}

/* Names the statistic of a word: "Mean", "Median", "Std", "P99.9". False: the word is not one. */
static bool name_statistic(const char *word, size_t len, char name[32])
{
	static const char *const words[] = { "Mean", "Median", "Std" };
	double percent;

	if (len == 0 || len >= 32)
		return false;
	memcpy(name, word, len);
	name[len] = '\0';
	bool is_known = PL_TEXT_IS_ONE_OF(name, words) ||
			(name[0] == 'P' && pl_text_to_f64(name + 1, &percent) && percent >= 0 &&
			 percent <= 100);
	name[0] = (char)tolower((unsigned char)name[0]);
	return is_known;
}

static bool take_statistic(const char *line, json_t *flat)
{
	char name[32];

	for (size_t i = 0; i < PL_ARRAY_SIZE(families); i++) {
		const char *at = find_label(line, families[i].label);
		const char *begin = at;
		if (at == NULL || at - line < 2)
			continue;
		while (begin - 1 > line && begin[-2] != ' ' && begin[-2] != '\t' &&
		       begin[-2] != '|')
			begin--;
		begin = begin - 1 >= line && begin[-1] != ' ' ? begin - 1 : begin;
		if (!name_statistic(begin, (size_t)(at - begin) - 1, name))
			continue;
		json_t *value = value_of(at + strlen(families[i].label), NUMBER);
		auto_free char *key = pl_asprintf("%s%s", name, families[i].ending);
		if (json_is_real(value))
			json_object_set(flat, key, value);
		json_decref(value);
		return true;
	}
	return false;
}

/* "  Position 0:  80.00", in percent. */
static void take_position(const char *line, json_t *flat)
{
	static const char key[] = "spec_decode_per_position_acceptance_rates";
	const char *at = find_label(line, "Position");
	int position, used = 0;
	double percent;

	if (at == NULL || sscanf(at, "Position %9d: %lf%n", &position, &percent, &used) != 2 ||
	    at[used] != '\0' || !(percent >= 0 && percent <= 1e6))
		return;
	if (json_object_get(flat, key) == NULL)
		json_object_set_new(flat, key, json_array());
	json_array_append_new(json_object_get(flat, key), json_real(percent / 100));
}

/* ---- options ------------------------------------------------------------------------------- */

/* Those that the flat result has under the same names. */
static const char *const flat_options[] = { "backend",      "label",      "num_prompts",
					    "request_rate", "burstiness", "max_concurrency" };

/* "tp=4" of --metadata, as vLLM writes it. */
static void take_metadata(const json_t *list, json_t *flat)
{
	PL_JSON_EACH(item, list) {
		const char *text = json_string_value(item);
		const char *equals = text != NULL ? strchr(text, '=') : NULL;
		if (equals == NULL)
			continue;
		auto_free char *key = pl_strndup(text, (size_t)(equals - text));
		if (json_object_get(flat, pl_text_trim(key)) == NULL)
			json_object_set_new(flat, pl_text_trim(key), pl_json_text(equals + 1));
	}
}

/* Single values, and the limits of --goodput: lists of headers and bodies may hold secrets. */
static bool is_taken(const char *key, const json_t *value)
{
	bool is_single = json_is_string(value) || json_is_number(value) || json_is_boolean(value);
	bool has_user = json_is_string(value) && strstr(json_string_value(value), "://") != NULL &&
			strchr(json_string_value(value), '@') != NULL;

	return (is_single && !has_user) || strcmp(key, "goodput") == 0;
}

/* at: after "Namespace(". */
static void take_options(const char *at, const char *end, json_t *flat)
{
	json_t *options = json_object();

	while (at < end) {
		json_t *value = NULL;
		auto_free char *key = NULL;
		if (!res_python_next_argument(&at, end, &key, &value))
			break;
		if (strcmp(key, "metadata") == 0)
			take_metadata(value, flat);
		if (PL_TEXT_IS_ONE_OF(key, flat_options) && value != NULL)
			json_object_set(flat, key, value);
		else if (strcmp(key, "model") == 0 && json_is_string(value))
			json_object_set(flat, "model_id", value);
		else if (strcmp(key, "tokenizer") == 0 && json_is_string(value))
			json_object_set(flat, "tokenizer_id", value);
		else if (strcmp(key, "endpoint_type") == 0 && json_is_string(value) &&
			 json_object_get(flat, "backend") == NULL)
			json_object_set(flat, "backend", value);
		else if (is_taken(key, value))
			json_object_set(options, key, value);
		json_decref(value);
	}
	if (json_object_size(options) > 0)
		json_object_set(flat, RES_CONSOLE_OPTIONS, options);
	json_decref(options);
}

/* Reads the text before the title: the last options, and the lines that the client prints when it starts. */
static void read_before(const char *at, const char *title, json_t *flat)
{
	/*
	 * without the concurrency: the client in Rust prints the number of prompts if there is no
	 * limit
	 */
	static const char *const names[] = { "Traffic request rate:", "Burstiness factor:" };
	auto_free char *line = pl_alloc(LINE_BYTES_MAX);
	const char *options = NULL, *options_end = NULL;

	for (const char *end; at < title; at = end + 1) {
		end = line_end(at, title);
		const char *found = memmem(at, (size_t)(end - at), "Namespace(", 10);
		if (found != NULL && end - found <= NAMESPACE_BYTES_MAX) {
			/* of another run, which printed no table */
			json_object_clear(flat);
			options = found + 10;
			options_end = end;
		}
		clean(at, end, line);
		for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
			if (find_label(line, names[i]) != NULL)
				take_label(line, flat);
		}
	}
	if (options != NULL)
		take_options(options, options_end, flat);
}

/* ---- tables -------------------------------------------------------------------------------- */

/* The output of `vllm bench latency` and `throughput` is not a table: its first line marks it. */
enum output { SERVING, LATENCY, THROUGHPUT };

static const struct {
	const char *word; /* of its first line */
	const char *mark; /* value of RES_CONSOLE_KEY */
} outputs[] = {
	[SERVING] = { TITLE, RES_CONSOLE_MARK },
	[LATENCY] = { "Avg latency:", RES_CONSOLE_MARK_OF "latency" },
	[THROUGHPUT] = { "Throughput:", RES_CONSOLE_MARK_OF "throughput" },
};

/* "Avg latency: 1.25 seconds" with nothing after it: the number after the label. False: it is another line. */
static bool read_seconds(const char *line, const char *label, double *ret)
{
	const char *at = find_label(line, label);
	char word[64];
	int used = 0;

	return at != NULL && sscanf(at + strlen(label), " %63s seconds%n", word, &used) == 1 &&
	       used > 0 && at[strlen(label) + (size_t)used] == '\0' && pl_text_to_f64(word, ret) &&
	       isfinite(*ret) && *ret >= 0;
}

/*
 * Reads "7.13 requests/s": the number at *at, and moves *at past its unit. Returns false if another
 * word follows.
 */
static bool take_rate(const char **at, const char *unit, double *ret)
{
	char word[64];
	const char *from = *at + strspn(*at, " ");
	size_t len = strcspn(from, " "), unit_len = strlen(unit);

	if (len == 0 || len >= sizeof(word) || strncmp(from + len, unit, unit_len) != 0)
		return false;
	memcpy(word, from, len);
	word[len] = '\0';
	*at = from + len + unit_len;
	return pl_text_to_f64(word, ret) && isfinite(*ret) && *ret >= 0;
}

/* "Throughput: 7.13 requests/s, 1825.00 total tokens/s, 912.50 output tokens/s"; old releases print two of them. */
static bool read_rates(const char *line, double *ret_requests, double *ret_tokens)
{
	const char *at = find_label(line, outputs[THROUGHPUT].word);
	double output;

	if (at == NULL)
		return false;
	at += strlen(outputs[THROUGHPUT].word);
	if (!take_rate(&at, " requests/s,", ret_requests))
		return false;
	if (take_rate(&at, " total tokens/s,", ret_tokens))
		return take_rate(&at, " output tokens/s", &output) && *at == '\0';
	return take_rate(&at, " tokens/s", ret_tokens) && *at == '\0';
}

static bool is_start(const char *line, enum output output)
{
	double number, other;

	if (output == SERVING)
		return is_title(line);
	return output == LATENCY ? read_seconds(line, outputs[LATENCY].word, &number)
				 : read_rates(line, &number, &other);
}

/*
 * Finds the output that a line starts. A line may be long because of overwritten text: its end
 * counts.
 */
static bool find_output(const char *at, const char *stop, char *line, enum output *ret)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(outputs); i++) {
		const char *word = outputs[i].word;
		if (memmem(at, (size_t)(stop - at), word, strlen(word)) == NULL)
			continue;
		clean(stop - at >= LINE_BYTES_MAX ? stop - LINE_BYTES_MAX + 1 : at, stop, line);
		*ret = (enum output)i;
		if (is_start(line, *ret))
			return true;
	}
	return false;
}

/* The next line that starts an output, or NULL. */
static const char *find_start(const char *at, const char *end, enum output *ret)
{
	auto_free char *line = pl_alloc(LINE_BYTES_MAX);

	for (const char *stop; at < end; at = stop + 1) {
		stop = line_end(at, end);
		if (find_output(at, stop, line, ret))
			return at;
	}
	return NULL;
}

/* "10% percentile latency: 1.2 seconds" */
static bool take_percentile(const char *line, json_t *flat)
{
	static const char label[] = "% percentile latency:";
	const char *at = strstr(line, label);
	const char *begin = at;
	double percent, seconds;

	while (begin != NULL && begin > line &&
	       (isdigit((unsigned char)begin[-1]) || begin[-1] == '.'))
		begin--;
	if (at == NULL || begin == at || at - begin > 8)
		return false;
	auto_free char *key = pl_strndup(begin, (size_t)(at - begin));
	auto_free char *name = pl_asprintf("%s%s", key, label);
	if (!pl_text_to_f64(key, &percent) || percent > 100 || !read_seconds(line, name, &seconds))
		return false;
	if (json_object_get(flat, "percentiles") == NULL)
		json_object_set_new(flat, "percentiles", json_object());
	json_object_set_new(json_object_get(flat, "percentiles"), key, json_real(seconds));
	return true;
}

/* "Total num prompt tokens:  512": adds it to the total. */
static bool take_tokens(const char *line, json_int_t *total, int *lines)
{
	static const char *const names[] = { "Total num prompt tokens:",
					     "Total num output tokens:" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		const char *at = find_label(line, names[i]);
		auto_json json_t *count = at != NULL ? value_of(at + strlen(names[i]), COUNT)
						     : NULL;
		if (!json_is_integer(count))
			continue;
		*total += json_integer_value(count);
		*lines += 1;
		return true;
	}
	return false;
}

/*
 * Reads the lines of an offline benchmark from the first one until another output starts. Returns
 * the position after the last of them.
 */
static const char *read_offline(const char *at, const char *end, enum output output, json_t *flat)
{
	auto_free char *line = pl_alloc(LINE_BYTES_MAX);
	const char *stop = line_end(at, end);
	const char *after = stop < end ? stop + 1 : end;
	double first = 0, second = 0;
	json_int_t tokens = 0;
	int lines = 0;
	enum output other;

	clean(stop - at >= LINE_BYTES_MAX ? stop - LINE_BYTES_MAX + 1 : at, stop, line);
	if (output == LATENCY && read_seconds(line, outputs[output].word, &first)) {
		json_object_set_new(flat, "avg_latency", json_real(first));
	} else if (read_rates(line, &first, &second)) {
		json_object_set_new(flat, "requests_per_second", json_real(first));
		json_object_set_new(flat, "tokens_per_second", json_real(second));
	}
	for (at = after; at < end; at = stop + 1) {
		stop = line_end(at, end);
		if (find_output(at, stop, line, &other))
			break;
		clean(at, stop, line);
		if (output == LATENCY ? take_percentile(line, flat)
				      : take_tokens(line, &tokens, &lines))
			after = stop < end ? stop + 1 : end;
	}
	if (lines == 2)
		json_object_set_new(flat, "total_num_tokens", json_integer(tokens));
	return after;
}

/* Returns the position after the table. */
static const char *read_table(const char *at, const char *end, json_t *flat)
{
	auto_free char *line = pl_alloc(LINE_BYTES_MAX);

	while (at < end) {
		const char *stop = line_end(at, end);
		clean(at, stop, line);
		/* another table: this one was cut */
		if (is_title(line))
			return at;
		at = stop < end ? stop + 1 : end;
		/* A line that ends with a rule and has no label in it. */
		size_t len = strlen(line), rule = 0;
		while (rule < len && line[len - rule - 1] == '=')
			rule++;
		if (rule >= RULE_MIN)
			break;
		if (!take_statistic(line, flat) && !take_label(line, flat))
			take_position(line, flat);
	}
	return at;
}

/* If a release prints no count of failures, only the options hold the number of prompts. */
static void complete(json_t *flat)
{
	const json_t *failed = json_object_get(flat, "failed");
	json_int_t completed = json_integer_value(json_object_get(flat, "completed"));

	if (!json_is_integer(json_object_get(flat, "num_prompts")) && json_is_integer(failed))
		json_object_set_new(flat, "num_prompts",
				    json_integer(completed + json_integer_value(failed)));
	if (!json_is_integer(json_object_get(flat, "max_concurrency")))
		json_object_del(flat, "max_concurrency");
}

bool res_console_is(const char *text, size_t len)
{
	enum output output;

	return find_start(text, text + len, &output) != NULL;
}

/* The output that starts there, as a flat result; moves *at past it. NULL: a table without counts and a duration. */
static json_t *make_flat(const char *start, const char *end, enum output output, const char **at)
{
	auto_json json_t *flat = json_object();
	const char *stop = line_end(start, end);

	read_before(*at, start, flat);
	if (output != SERVING) {
		*at = read_offline(start, end, output, flat);
	} else {
		*at = read_table(stop < end ? stop + 1 : end, end, flat);
		complete(flat);
		if (!json_is_integer(json_object_get(flat, "completed")) ||
		    !json_is_real(json_object_get(flat, "duration")))
			return NULL;
	}
	json_t *made = json_pack("{s:s}", RES_CONSOLE_KEY, outputs[output].mark);
	json_object_update_missing(made, flat);
	return made;
}

json_t *res_console_next(const char *text, size_t len, size_t *at, const char **ret_title)
{
	const char *end = text + len, *from = text + *at;
	json_t *made = NULL;
	enum output output;

	for (const char *start; made == NULL && (start = find_start(from, end, &output)) != NULL;) {
		made = make_flat(start, end, output, &from);
		*at = (size_t)(from - text);
		*ret_title = start;
	}
	return made;
}

bool res_console_is_made(const json_t *flat)
{
	const char *mark = pl_json_get_text(flat, RES_CONSOLE_KEY);

	for (size_t i = 0; i < PL_ARRAY_SIZE(outputs); i++) {
		if (pl_text_equal(mark, outputs[i].mark))
			return true;
	}
	return false;
}
