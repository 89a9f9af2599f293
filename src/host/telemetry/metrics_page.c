#include "host/telemetry/metrics_page.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"

#define VALUE_BYTES_MAX 64

enum combine { COMBINE_SUM, COMBINE_MAX };

/*
 * The names of a value, in order of preference: a release whose page has both an older and a newer
 * name counts the same events twice. The text format adds _total; older releases omit it.
 */
static const struct wanted {
	const char *name;
	size_t offset;
	enum combine combine;
} wanted[] = {
#define WANTED(name, field, combine)                                \
	{                                                           \
		name, offsetof(struct host_metrics, field), combine \
	}
	WANTED("vllm:num_requests_running", running, COMBINE_SUM),
	WANTED("vllm:num_requests_waiting", waiting, COMBINE_SUM),
	WANTED("vllm:num_requests_swapped", swapped, COMBINE_SUM),
	WANTED("vllm:kv_cache_usage_perc", kv_cache_usage, COMBINE_MAX),
	WANTED("vllm:gpu_cache_usage_perc", kv_cache_usage, COMBINE_MAX),
	WANTED("vllm:num_preemptions_total", preemptions, COMBINE_SUM),
	WANTED("vllm:num_preemptions", preemptions, COMBINE_SUM),
	WANTED("vllm:prefix_cache_queries_total", prefix_queries, COMBINE_SUM),
	WANTED("vllm:gpu_prefix_cache_queries_total", prefix_queries, COMBINE_SUM),
	WANTED("vllm:gpu_prefix_cache_queries", prefix_queries, COMBINE_SUM),
	WANTED("vllm:prefix_cache_hits_total", prefix_hits, COMBINE_SUM),
	WANTED("vllm:gpu_prefix_cache_hits_total", prefix_hits, COMBINE_SUM),
	WANTED("vllm:gpu_prefix_cache_hits", prefix_hits, COMBINE_SUM),
	WANTED("vllm:prompt_tokens_total", prompt_tokens, COMBINE_SUM),
	WANTED("vllm:prompt_tokens", prompt_tokens, COMBINE_SUM),
	WANTED("vllm:generation_tokens_total", generation_tokens, COMBINE_SUM),
	WANTED("vllm:generation_tokens", generation_tokens, COMBINE_SUM),
	WANTED("vllm:spec_decode_num_draft_tokens_total", draft_tokens, COMBINE_SUM),
	WANTED("vllm:spec_decode_num_draft_tokens", draft_tokens, COMBINE_SUM),
	WANTED("vllm:spec_decode_num_accepted_tokens_total", accepted_tokens, COMBINE_SUM),
	WANTED("vllm:spec_decode_num_accepted_tokens", accepted_tokens, COMBINE_SUM),
	WANTED("vllm:request_success_total", request_success, COMBINE_SUM),
	WANTED("vllm:request_success", request_success, COMBINE_SUM),
	WANTED("process_start_time_seconds", start_time_s, COMBINE_MAX),
#undef WANTED
};

static const char *const field_names[] = {
#define PAGE(name, unit, kind, text) #name,
#include "tbl/telemetry.h"
};

static const size_t field_offsets[] = {
#define PAGE(name, unit, kind, text) offsetof(struct host_metrics, name),
#include "tbl/telemetry.h"
};

static_assert(PL_ARRAY_SIZE(field_names) <= HOST_METRICS_VALUES_MAX, "too many values");

/* The values of a page so far, separate for each name. */
struct collected {
	struct host_metrics *metrics;
	double values[PL_ARRAY_SIZE(wanted)];
};

static bool is_name_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == ':';
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* Names of metrics may have colons, names of labels may not: the text format's own grammar. */
static const char *name_end(const char *at, const char *end, bool colons)
{
	if (at == end || isdigit((unsigned char)*at))
		return at;
	while (at < end && is_name_byte(*at) && (colons || *at != ':'))
		at++;
	return at;
}

/*
 * Returns the position after the closing quote of a label's text; NULL: it does not end, or has an
 * unknown escape.
 */
static const char *text_end(const char *at, const char *end)
{
	for (; at < end && *at != '"'; at++) {
		if (*at != '\\')
			continue;
		at++;
		if (at == end || strchr("\\\"n", *at) == NULL || *at == '\0')
			return NULL;
	}
	return at < end ? at + 1 : NULL;
}

/* Parses name="text" with surrounding blanks; NULL: malformed. */
static const char *label_end(const char *at, const char *end)
{
	const char *name = at;

	at = name_end(at, end, false);
	if (at == name)
		return NULL;
	at = skip_blanks(at, end);
	if (at == end || *at != '=')
		return NULL;
	at = skip_blanks(at + 1, end);
	if (at == end || *at != '"')
		return NULL;
	at = text_end(at + 1, end);
	return at != NULL ? skip_blanks(at, end) : NULL;
}

/*
 * Returns the '}' for the position after '{'; NULL: malformed labels. A trailing comma is allowed.
 */
static const char *labels_end(const char *at, const char *end)
{
	for (at = skip_blanks(at, end); at < end && *at != '}';) {
		at = label_end(at, end);
		if (at == NULL || at == end || (*at != ',' && *at != '}'))
			return NULL;
		if (*at == ',')
			at = skip_blanks(at + 1, end);
	}
	return at < end ? at : NULL;
}

static bool read_value(const char **at, const char *end, double *ret)
{
	char text[VALUE_BYTES_MAX];
	size_t len = 0;

	while (*at < end && **at != ' ' && **at != '\t') {
		if (len + 1 == sizeof(text))
			return false;
		text[len++] = *(*at)++;
	}
	text[len] = '\0';
	return pl_text_to_f64(text, ret);
}

static bool is_word(const char *at, const char *end, const char *word)
{
	return (size_t)(end - at) == strlen(word) && memcmp(at, word, strlen(word)) == 0;
}

/* "# TYPE name kind"; any other comment is free text. */
static bool comment_is_sound(const char *at, const char *end)
{
	static const char *const kinds[] = { "counter", "gauge", "histogram", "summary", "untyped",
					     /* of OpenMetrics */
					     "unknown", "info", "stateset", "gaugehistogram" };

	at = skip_blanks(at, end);
	if (end - at < 5 || memcmp(at, "TYPE", 4) != 0 || (at[4] != ' ' && at[4] != '\t'))
		return true;
	const char *name = skip_blanks(at + 4, end);
	at = name_end(name, end, true);
	if (at == name)
		return false;
	at = skip_blanks(at, end);
	while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	for (size_t i = 0; i < PL_ARRAY_SIZE(kinds); i++) {
		if (is_word(at, end, kinds[i]))
			return true;
	}
	return false;
}

/* Passes a timestamp, if there is one: milliseconds in Prometheus text, seconds in OpenMetrics. */
static bool pass_stamp(const char **at, const char *end)
{
	double stamp;

	*at = skip_blanks(*at, end);
	if (*at == end || **at == '#')
		return true;
	if (!read_value(at, end, &stamp) || !isfinite(stamp))
		return false;
	*at = skip_blanks(*at, end);
	return true;
}

/* OpenMetrics: "# {trace_id="a"} 0.5 1.7", one of the counted requests. */
static bool exemplar_is_sound(const char *at, const char *end)
{
	double value;

	at = skip_blanks(at + 1, end);
	if (at == end || *at != '{' || (at = labels_end(at + 1, end)) == NULL)
		return false;
	at = skip_blanks(at + 1, end);
	return at < end && read_value(&at, end, &value) && pass_stamp(&at, end) && at == end;
}

/* NULL: it is sound. *ret_sample: there is one on it. */
static const char *read_line(const char *at, const char *end, struct host_sample *ret,
			     bool *ret_sample)
{
	*ret_sample = false;
	if (end > at && end[-1] == '\r')
		end--;
	at = skip_blanks(at, end);
	if (at == end)
		return NULL;
	if (*at == '#')
		return comment_is_sound(at + 1, end) ? NULL : "has an unknown metric type";
	*ret = (struct host_sample){ .name = at };
	at = name_end(at, end, true);
	ret->name_len = (size_t)(at - ret->name);
	if (ret->name_len == 0)
		return "is not Prometheus text";
	at = skip_blanks(at, end);
	/* Labels are validated but not parsed: only three values of a page need them. */
	if (at < end && *at == '{') {
		ret->labels = at + 1;
		at = labels_end(at + 1, end);
		if (at == NULL)
			return "has malformed labels";
		ret->labels_len = (size_t)(at - ret->labels);
		at = skip_blanks(at + 1, end);
	}
	if (at == end || !read_value(&at, end, &ret->value))
		return "has no value";
	if (!pass_stamp(&at, end))
		return "has text after its value that is not a timestamp";
	if (at < end && *at != '#')
		return "has text after its timestamp";
	if (at < end && !exemplar_is_sound(at, end))
		return "has a malformed exemplar";
	*ret_sample = true;
	return NULL;
}

int host_metrics_walk(const char *text, size_t len,
		      void (*fn)(void *data, const struct host_sample *sample), void *data,
		      struct pl_err *err)
{
	const char *end = text + len;
	size_t number = 0;

	/*
	 * Strict: a page that breaks the format in one line may have been cut, and its sums would
	 * be too small without a sign.
	 */
	while (text < end) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));
		struct host_sample sample;
		if (line_end == NULL)
			line_end = end;
		number++;
		bool there;
		const char *wrong = read_line(text, line_end, &sample, &there);
		if (wrong != NULL)
			return pl_err_invalid(err, "metrics page: line %zu %s", number, wrong);
		if (there)
			fn(data, &sample);
		text = line_end < end ? line_end + 1 : end;
	}
	return 0;
}

/* Returns a number in a label: name="123"; NaN if it is missing or None. */
static double label_number(const struct host_sample *sample, const char *name)
{
	auto_free char *labels = pl_strndup(sample->labels, sample->labels_len);
	auto_free char *head = pl_asprintf("%s=\"", name);
	char *at = labels;
	double value;

	while (at != NULL && (at = strstr(at, head)) != NULL) {
		/* a whole name, not the end of a longer one */
		if (at == labels || at[-1] == ',' || at[-1] == ' ')
			break;
		at++;
	}
	if (at == NULL)
		return NAN;
	at += strlen(head);
	at[strcspn(at, "\"")] = '\0';
	return pl_text_to_f64(at, &value) ? value : NAN;
}

static void take_cache_config(struct host_metrics *metrics, const struct host_sample *sample)
{
	static const char name[] = "vllm:cache_config_info";

	if (sample->name_len != sizeof(name) - 1 ||
	    memcmp(sample->name, name, sizeof(name) - 1) != 0 || sample->labels == NULL)
		return;
	metrics->kv_blocks = label_number(sample, "num_gpu_blocks");
	metrics->block_size = label_number(sample, "block_size");
}

static void take_sample(void *data, const struct host_sample *sample)
{
	struct collected *collected = data;

	take_cache_config(collected->metrics, sample);
	for (size_t i = 0; i < PL_ARRAY_SIZE(wanted); i++) {
		const struct wanted *want = &wanted[i];
		double *value = &collected->values[i];
		if (strlen(want->name) != sample->name_len ||
		    memcmp(want->name, sample->name, sample->name_len) != 0)
			continue;
		/* One series an engine: counters add up, of a share the fullest engine counts. */
		if (isnan(*value))
			*value = sample->value;
		else if (want->combine == COMBINE_SUM)
			*value += sample->value;
		else
			*value = fmax(*value, sample->value);
	}
}

static double *field_at(struct host_metrics *metrics, size_t offset)
{
	return (double *)((char *)metrics + offset);
}

int host_metrics_parse(const char *text, size_t len, struct host_metrics *ret, struct pl_err *err)
{
	struct host_metrics metrics;
	struct collected collected = { .metrics = &metrics };

	for (size_t i = 0; i < PL_ARRAY_SIZE(field_offsets); i++)
		*field_at(&metrics, field_offsets[i]) = NAN;
	for (size_t i = 0; i < PL_ARRAY_SIZE(wanted); i++)
		collected.values[i] = NAN;
	if (host_metrics_walk(text, len, take_sample, &collected, err) < 0)
		return -1;
	for (size_t i = 0; i < PL_ARRAY_SIZE(wanted); i++) {
		double *field = field_at(&metrics, wanted[i].offset);
		/* The first name that the page has wins. */
		if (isnan(*field))
			*field = collected.values[i];
	}
	*ret = metrics;
	return 0;
}

size_t host_metrics_values(const struct host_metrics *metrics, const char *const **ret_names,
			   double values[HOST_METRICS_VALUES_MAX])
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(field_offsets); i++)
		values[i] = *(const double *)((const char *)metrics + field_offsets[i]);
	*ret_names = field_names;
	return PL_ARRAY_SIZE(field_names);
}
