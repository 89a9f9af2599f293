#include "host/telemetry/latencies.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "host/telemetry/metrics_page.h"

/* In order of preference: releases before 0.8 have the queue under an older name, some under both. */
static const struct family {
	const char *name;
	enum host_latency id;
} families[] = {
	{ "vllm:time_to_first_token_seconds", HOST_LATENCY_TTFT },
	{ "vllm:e2e_request_latency_seconds", HOST_LATENCY_E2EL },
	{ "vllm:request_queue_time_seconds", HOST_LATENCY_QUEUE },
	{ "vllm:time_in_queue_requests", HOST_LATENCY_QUEUE },
	{ "vllm:request_prefill_time_seconds", HOST_LATENCY_PREFILL },
	{ "vllm:request_decode_time_seconds", HOST_LATENCY_DECODE },
	{ "vllm:request_inference_time_seconds", HOST_LATENCY_INFERENCE },
};

/* The page so far, separate for each name. */
struct collected {
	struct pl_buckets of[PL_ARRAY_SIZE(families)];
	bool known[PL_ARRAY_SIZE(families)];
};

/* Returns the bound in le="0.5"; NaN: none. */
static double bound_of(const struct host_sample *sample)
{
	static const char key[] = "le=\"";
	const char *at = sample->labels;
	const char *end = at != NULL ? at + sample->labels_len : NULL;
	double bound;

	/* the labels are not NUL-terminated: nothing is read beyond their end */
	for (; at != NULL && at + sizeof(key) - 1 < end; at++) {
		bool is_whole = at == sample->labels || at[-1] == ',' || at[-1] == ' ';
		if (!is_whole || strncmp(at, key, sizeof(key) - 1) != 0)
			continue;
		at += sizeof(key) - 1;
		const char *stop = memchr(at, '"', (size_t)(end - at));
		if (stop == NULL)
			return NAN;
		auto_free char *text = pl_strndup(at, (size_t)(stop - at));
		return pl_text_to_f64(text, &bound) ? bound : NAN;
	}
	return NAN;
}

static bool ends_with(const struct host_sample *sample, size_t begin, const char *end)
{
	return sample->name_len == begin + strlen(end) &&
	       memcmp(sample->name + begin, end, strlen(end)) == 0;
}

static void take_sample(void *data, const struct host_sample *sample)
{
	struct collected *collected = data;

	for (size_t i = 0; i < PL_ARRAY_SIZE(families); i++) {
		size_t len = strlen(families[i].name);
		struct pl_buckets *buckets = &collected->of[i];
		if (sample->name_len <= len || memcmp(sample->name, families[i].name, len) != 0)
			continue;
		if (ends_with(sample, len, "_sum")) {
			buckets->sum += sample->value;
		} else if (ends_with(sample, len, "_count")) {
			buckets->count += sample->value;
			collected->known[i] = true;
		} else if (ends_with(sample, len, "_bucket")) {
			double bound = bound_of(sample);
			/* the infinite bound is the count */
			if (isfinite(bound) && bound >= 0)
				pl_buckets_add(buckets, bound, sample->value);
		}
	}
}

void host_latencies_parse(const char *text, size_t len, struct host_latencies *ret)
{
	struct collected collected = { .known = { false } };

	*ret = (struct host_latencies){ .known = { false } };
	if (host_metrics_walk(text, len, take_sample, &collected, PL_ERR_IGNORED) < 0)
		return;
	for (size_t i = 0; i < PL_ARRAY_SIZE(families); i++) {
		enum host_latency id = families[i].id;
		if (!collected.known[i] || ret->known[id])
			continue;
		ret->of[id] = collected.of[i];
		ret->known[id] = true;
	}
}
