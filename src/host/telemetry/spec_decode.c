#include "host/telemetry/spec_decode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "host/telemetry/metrics_page.h"

#define PREFIX    "vllm:spec_decode_"
#define COUNT_MAX 9007199254740992.0 /* up to here a double has every whole number */

/* k of {…position="k"…}; -1: none. */
static long position_of(const struct host_sample *sample)
{
	static const char key[] = "position=\"";
	const char *at = sample->labels;
	const char *end = at != NULL ? at + sample->labels_len : NULL;

	/* The labels are not NUL-ended: nothing is read beyond their end. */
	for (; at != NULL && at + sizeof(key) - 1 < end; at++) {
		if (strncmp(at, key, sizeof(key) - 1) != 0)
			continue;
		char *stop;
		long position = strtol(at + sizeof(key) - 1, &stop, 10);
		bool fine = stop < end && *stop == '"' && position >= 0 &&
			    position < HOST_SPEC_POSITIONS;
		return fine ? position : -1;
	}
	return -1;
}

/* Sums over all engines: each has a separate series per position. */
static void add_at(struct host_spec_decode *into, const struct host_sample *sample)
{
	long position = position_of(sample);

	if (position < 0)
		return;
	if (isnan(into->accepted_at[position]))
		into->accepted_at[position] = 0;
	into->accepted_at[position] += sample->value;
}

/* vLLM tells the families by a part of their name, in this order. */
static void take_sample(void *data, const struct host_sample *sample)
{
	struct host_spec_decode *into = data;

	if (sample->name_len <= strlen(PREFIX) ||
	    strncmp(sample->name, PREFIX, strlen(PREFIX)) != 0)
		return;
	auto_free char *name = pl_strndup(sample->name, sample->name_len);
	if (!pl_text_ends(name, "_total"))
		return;
	into->known = true;
	if (strstr(name, "num_drafts") != NULL)
		into->drafts += sample->value;
	else if (strstr(name, "num_draft_tokens") != NULL)
		into->draft_tokens += sample->value;
	else if (strstr(name, "num_accepted_tokens_per_pos") != NULL)
		add_at(into, sample);
	else if (strstr(name, "num_accepted_tokens") != NULL)
		into->accepted_tokens += sample->value;
}

void host_spec_decode_parse(const char *text, size_t len, struct host_spec_decode *ret)
{
	*ret = (struct host_spec_decode){ .known = false };
	for (size_t i = 0; i < HOST_SPEC_POSITIONS; i++)
		ret->accepted_at[i] = NAN;
	if (host_metrics_walk(text, len, take_sample, ret, PL_ERR_IGNORED) < 0)
		ret->known = false;
}

static bool fell(const struct host_spec_decode *before, const struct host_spec_decode *after)
{
	return after->drafts < before->drafts || after->draft_tokens < before->draft_tokens ||
	       after->accepted_tokens < before->accepted_tokens;
}

/* Returns false for a page's infinities and NaN, too. */
static bool is_count(double value)
{
	return value >= 0 && value <= COUNT_MAX && value == floor(value);
}

/* By position, over those on either page; one that disappeared counts as 0. */
static json_t *rates_by_position(const struct host_spec_decode *before,
				 const struct host_spec_decode *after, double drafts)
{
	json_t *rates = json_array();

	for (size_t i = 0; drafts > 0 && i < HOST_SPEC_POSITIONS; i++) {
		double from = before->accepted_at[i], to = after->accepted_at[i];
		if (isnan(from) && isnan(to))
			continue;
		double more = isnan(to) ? 0 : to - (isnan(from) ? 0 : from);
		json_array_append_new(rates, json_real(isfinite(more) ? more / drafts : 0));
	}
	return rates;
}

json_t *host_spec_decode_between(const struct host_spec_decode *before,
				 const struct host_spec_decode *after)
{
	double drafts = after->drafts - before->drafts;
	double tokens = after->draft_tokens - before->draft_tokens;
	double accepted = after->accepted_tokens - before->accepted_tokens;

	if (!before->known || !after->known || fell(before, after) || !is_count(drafts) ||
	    !is_count(tokens) || !is_count(accepted) || tokens <= 0)
		return NULL;
	/*
	 * In the form of vLLM's benchmark: the rate in percent, the length including the token that
	 * needs no draft.
	 */
	return json_pack("{s:f, s:f, s:I, s:I, s:I, s:o}", "acceptance_rate",
			 100 * accepted / tokens, "acceptance_length",
			 drafts > 0 ? 1 + accepted / drafts : 0.0, "num_drafts", (json_int_t)drafts,
			 "draft_tokens", (json_int_t)tokens, "accepted_tokens",
			 (json_int_t)accepted, "per_position_acceptance_rates",
			 rates_by_position(before, after, drafts));
}
