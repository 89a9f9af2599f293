/*
 * A Content-Type, a line feed and any bytes as the form of a recording: it is taken with a prompt of its tokens, or
 * refused with a status and words.
 */
#include "sim/transcription.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sim/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "tiny" };
	const struct sim_limits limits = {
		.names = names, .name_count = 1, .max_model_len = 4096, .media = true
	};
	const uint8_t *line_end = size > 0 ? memchr(data, '\n', size) : NULL;
	auto_refusal refusal = SIM_REFUSAL_INIT;
	auto_json json_t *body = NULL;
	struct sim_request request = { 0 };

	if (line_end == NULL)
		return 0;
	size_t len = size - (size_t)(line_end + 1 - data);
	auto_free char *type = pl_strndup((const char *)data, (size_t)(line_end - data));
	/* Exactly the bytes: what reads on is seen by the sanitizer. */
	auto_free char *bytes = pl_memdup(line_end + 1, len);

	if (sim_form_to_body(type, bytes, len, &body, &refusal) < 0 ||
	    sim_request_parse(body, SIM_TRANSCRIBE, &limits, &request, &refusal) < 0) {
		must(refusal.status >= 400 && refusal.status < 500 && refusal.message.len > 0);
	} else {
		must(request.prompt_count == 1 && request.media_tokens >= 1);
		must(request.prompts[0].count + request.max_tokens <= limits.max_model_len);
	}
	sim_request_done(&request);
	return 0;
}
