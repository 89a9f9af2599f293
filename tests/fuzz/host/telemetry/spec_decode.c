/*
 * Any bytes as two /metrics pages, divided by a line "%%": the counters stay within their range, and what
 * changed between the pages is finite, or nothing is reported.
 */
#include "host/telemetry/spec_decode.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* A copy of exactly these bytes: the sanitizer notices a read past the end. */
static void parse(const char *text, size_t len, struct host_spec_decode *ret)
{
	auto_free char *copy = pl_memdup(text, len);

	host_spec_decode_parse(copy, len, ret);
}

static void check_between(const struct host_spec_decode *before,
			  const struct host_spec_decode *after)
{
	static const char *const counts[] = { "num_drafts", "draft_tokens", "accepted_tokens" };
	auto_json json_t *json = host_spec_decode_between(before, after);
	const json_t *rates = json_object_get(json, "per_position_acceptance_rates");

	if (json == NULL)
		return;
	must(json_object_size(json) == 6 && json_array_size(rates) <= HOST_SPEC_POSITIONS);
	for (size_t i = 0; i < PL_ARRAY_SIZE(counts); i++)
		must(json_integer_value(json_object_get(json, counts[i])) >= 0);
	must(json_real_value(json_object_get(json, "acceptance_rate")) >= 0);
	must(json_real_value(json_object_get(json, "acceptance_length")) >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char mark[] = "\n%%\n";
	const char *bytes = size > 0 ? (const char *)data : "";
	const char *found = memmem(bytes, size, mark, strlen(mark));
	size_t first = found != NULL ? (size_t)(found - bytes) : size;
	size_t second = found != NULL ? first + strlen(mark) : size;
	struct host_spec_decode before, after, none;

	parse(bytes, first, &before);
	parse(bytes + second, size - second, &after);
	parse("", 0, &none);
	must(!none.known);
	check_between(&before, &after);
	check_between(&after, &before);
	must(host_spec_decode_between(&before, &before) == NULL);
	must(host_spec_decode_between(&none, &after) == NULL);
	return 0;
}
