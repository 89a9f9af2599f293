#include "host/metrics_page.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"

#define VALUE_BYTES_MAX 64

enum combine { COMBINE_SUM, COMBINE_MAX };

/* Names with and without _total: the text format adds it, older releases did not have it. */
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
	WANTED("vllm:kv_cache_usage_perc", kv_cache_usage, COMBINE_MAX),
	WANTED("vllm:gpu_cache_usage_perc", kv_cache_usage, COMBINE_MAX),
	WANTED("vllm:num_preemptions_total", preemptions, COMBINE_SUM),
	WANTED("vllm:num_preemptions", preemptions, COMBINE_SUM),
	WANTED("vllm:prefix_cache_queries_total", prefix_queries, COMBINE_SUM),
	WANTED("vllm:gpu_prefix_cache_queries_total", prefix_queries, COMBINE_SUM),
	WANTED("vllm:prefix_cache_hits_total", prefix_hits, COMBINE_SUM),
	WANTED("vllm:gpu_prefix_cache_hits_total", prefix_hits, COMBINE_SUM),
	WANTED("vllm:prompt_tokens_total", prompt_tokens, COMBINE_SUM),
	WANTED("vllm:generation_tokens_total", generation_tokens, COMBINE_SUM),
	WANTED("vllm:request_success_total", request_success, COMBINE_SUM),
	WANTED("vllm:request_success", request_success, COMBINE_SUM),
	WANTED("process_start_time_seconds", start_time_s, COMBINE_MAX),
#undef WANTED
};

static const struct {
	const char *name;
	size_t offset;
} fields[] = {
#define FIELD(name)                                        \
	{                                                  \
#name, offsetof(struct host_metrics, name) \
	}
	FIELD(running),       FIELD(waiting),           FIELD(kv_cache_usage),
	FIELD(preemptions),   FIELD(prefix_queries),    FIELD(prefix_hits),
	FIELD(prompt_tokens), FIELD(generation_tokens), FIELD(request_success),
	FIELD(start_time_s),  FIELD(kv_blocks),         FIELD(block_size),
#undef FIELD
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

/* From behind '{' to its '}', over quoted texts with escapes; NULL: it does not end. */
static const char *labels_end(const char *at, const char *end)
{
	bool quoted = false;

	for (; at < end; at++) {
		if (quoted && *at == '\\')
			at++;
		else if (*at == '"')
			quoted = !quoted;
		else if (*at == '}' && !quoted)
			return at;
	}
	return NULL;
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
	/* "+Inf" of the format */
	return pl_text_to_f64(text[0] == '+' ? text + 1 : text, ret);
}

/* 1: a sample, 0: nothing on this line, -1: broken. */
static int read_line(const char *at, const char *end, struct host_sample *ret)
{
	double stamp;

	if (end > at && end[-1] == '\r')
		end--;
	at = skip_blanks(at, end);
	if (at == end || *at == '#')
		return 0;
	*ret = (struct host_sample){ .name = at };
	while (at < end && is_name_byte(*at))
		at++;
	ret->name_len = (size_t)(at - ret->name);
	if (ret->name_len == 0 || isdigit((unsigned char)ret->name[0]))
		return -1;
	at = skip_blanks(at, end);
	if (at < end && *at == '{') {
		ret->labels = at + 1;
		at = labels_end(at + 1, end);
		if (at == NULL)
			return -1;
		ret->labels_len = (size_t)(at - ret->labels);
		at = skip_blanks(at + 1, end);
	}
	if (at == end || !read_value(&at, end, &ret->value))
		return -1;
	at = skip_blanks(at, end);
	/* a time stamp may follow */
	if (at < end && (!read_value(&at, end, &stamp) || skip_blanks(at, end) != end))
		return -1;
	return 1;
}

int host_metrics_walk(const char *text, size_t len,
		      void (*fn)(void *data, const struct host_sample *sample), void *data,
		      struct pl_err *err)
{
	const char *end = text + len;
	size_t number = 0;

	while (text < end) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));
		struct host_sample sample;
		if (line_end == NULL)
			line_end = end;
		number++;
		int kind = read_line(text, line_end, &sample);
		if (kind < 0)
			return pl_err_set(err, PL_ERR_INVALID,
					  "metrics page: line %zu is no Prometheus text", number);
		if (kind > 0)
			fn(data, &sample);
		text = line_end < end ? line_end + 1 : end;
	}
	return 0;
}

/* A number in a label: name="123"; NaN where it is not there or says None. */
static double label_number(const struct host_sample *sample, const char *name)
{
	auto_free char *labels = pl_strndup(sample->labels, sample->labels_len);
	auto_free char *head = pl_asprintf("%s=\"", name);
	char *at = labels;
	double value;

	while (at != NULL && (at = strstr(at, head)) != NULL) {
		/* a whole name: nothing of a longer one in front */
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
	take_cache_config(data, sample);
	for (size_t i = 0; i < PL_ARRAY_SIZE(wanted); i++) {
		const struct wanted *want = &wanted[i];
		if (strlen(want->name) != sample->name_len ||
		    memcmp(want->name, sample->name, sample->name_len) != 0)
			continue;
		double *field = (double *)((char *)data + want->offset);
		if (isnan(*field))
			*field = sample->value;
		else if (want->combine == COMBINE_SUM)
			*field += sample->value;
		else
			*field = fmax(*field, sample->value);
	}
}

int host_metrics_parse(const char *text, size_t len, struct host_metrics *ret, struct pl_err *err)
{
	struct host_metrics metrics;

	for (size_t i = 0; i < PL_ARRAY_SIZE(fields); i++)
		*(double *)((char *)&metrics + fields[i].offset) = NAN;
	if (host_metrics_walk(text, len, take_sample, &metrics, err) < 0)
		return -1;
	*ret = metrics;
	return 0;
}

json_t *host_metrics_to_json(const struct host_metrics *metrics)
{
	json_t *json = json_object();

	for (size_t i = 0; i < PL_ARRAY_SIZE(fields); i++) {
		const double *field = (const double *)((const char *)metrics + fields[i].offset);
		json_object_set_new(json, fields[i].name, pl_json_number(*field));
	}
	return json;
}
