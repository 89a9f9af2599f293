/*
 * Any bytes as the body of a request, to each API: it is taken with what it must have, or refused
 * with a status and words.
 */
#include "sim/request.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check(const struct sim_request *request, uint32_t longest)
{
	uint32_t sum = 0;

	must(request->prompt_count >= 1 && request->n >= 1);
	must(request->prompt_count * request->n <= SIM_CHOICES_MAX);
	must(request->max_tokens >= 1);
	must(!request->pooled || request->n == 1);
	must(!request->pooled || request->documents != NULL || request->dimensions >= 1);
	for (size_t i = 0; i < request->prompt_count; i++) {
		must(request->prompts[i].count >= 1);
		must(request->prompts[i].count + (request->pooled ? 0 : request->max_tokens) <=
		     longest);
		sum += (uint32_t)request->prompts[i].count;
	}
	must(sum == request->prompt_tokens);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "tiny", "other" };
	struct sim_limits limits = { .names = names,
				     .name_count = 2,
				     .max_model_len = 4096,
				     .max_logprobs = 20,
				     .dimensions = 16 };
	auto_json json_t *body = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (pl_json_parse((const char *)data, size, "body", &body, &err) < 0)
		return 0;
	for (int api = SIM_COMPLETIONS; api < SIM_APIS; api++) {
		struct sim_request request;
		auto_refusal refusal = SIM_REFUSAL_INIT;

		limits.embeds = size % 2 == 0;
		if (sim_request_parse(body, (enum sim_api)api, &limits, &request, &refusal) == 0) {
			check(&request, limits.max_model_len);
		} else {
			must(refusal.status >= 400 && refusal.status < 500);
			must(refusal.message.len > 0);
		}
		sim_request_done(&request);
	}
	return 0;
}
