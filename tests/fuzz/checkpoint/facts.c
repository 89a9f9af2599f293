/*
 * A config.json, server values and the head of a weight file, all of any bytes and parted by lines
 * "%%": facts, checks and the memory sum answer, never crash, and print no number that is none.
 */
#include "checkpoint/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checkpoint/checks.h"
#include "checkpoint/memory/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Returns the length up to the next mark, and sets *at to the byte after it. */
static size_t next_part(const uint8_t *data, size_t len, size_t *at)
{
	static const char mark[] = "\n%%\n";
	const uint8_t *found = memmem(data + *at, len - *at, mark, strlen(mark));
	size_t part = found != NULL ? (size_t)(found - data) - *at : len - *at;

	*at += part + (found != NULL ? strlen(mark) : 0);
	return part;
}

static void check_sum(const struct ckpt_case *server)
{
	auto_memory memory;
	auto_problems problems = { 0 };
	auto_buf text = { 0 };

	pl_buf_init(&text, 1 << 20);
	ckpt_memory_explain(server, &memory);
	ckpt_memory_check(server, &memory, &problems);
	ckpt_checks(server, &problems);
	ckpt_memory_text(&memory, &text);
	for (size_t i = 0; i < problems.count; i++)
		option_problem_text(&problems.items[i], OPTION_AS_FILE, &text);
	for (int i = 0; i < CKPT_MEMORY_TERMS; i++) {
		if (memory.terms[i].formula == NULL || memory.terms[i].value < 0)
			abort();
	}
	auto_json json_t *json = ckpt_memory_to_json(&memory);
	auto_free char *line = pl_json_to_text(json, PL_JSON_COMPACT);
	if (line == NULL || text.len == 0)
		abort();
}

static void check_head(const uint8_t *data, size_t len, struct ckpt_weights *weights)
{
	auto_free char *copy = pl_memdup(data, len);
	struct pl_err err = PL_ERR_INIT;
	struct ckpt_weights before = *weights;
	int rc = ckpt_weights_head_parse(copy, len, (int64_t)len + 64, 4, weights, &err);

	if (rc < 0 && (err.text[0] == '\0' || memcmp(&before, weights, sizeof(before)) != 0))
		abort();
	if (rc == 0 && !(weights->float_numbers >= 0 && weights->other_bytes >= 0))
		abort();
	weights->heads_read = rc == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const uint8_t nothing[1];
	size_t at = 0;
	const uint8_t *bytes = data != NULL ? data : nothing;
	size_t config = next_part(bytes, len, &at);
	size_t begin = at;
	size_t values_len = next_part(bytes, len, &at);
	auto_json json_t *values = NULL;
	struct ckpt_hardware hardware;
	struct pl_err err = PL_ERR_INIT;

	if (pl_json_parse((const char *)bytes + begin, values_len, "values", &values, &err) < 0 ||
	    !json_is_object(values)) {
		json_decref(values);
		values = json_object();
	}
	auto_model_facts struct ckpt_facts *facts = ckpt_facts_parse(
		(const char *)bytes, config, json_object_get(values, "hf_overrides"));
	if ((facts->state == CKPT_MODEL_READ) == (facts->problem != NULL))
		abort();
	check_head(bytes + at, len - at, &facts->weights);
	if (ckpt_hardware_find("l4x8", &hardware, &err) < 0)
		abort();
	/* no path of the input is looked up */
	json_object_del(values, "lora_modules");
	check_sum(&CKPT_MODEL_CASE(.values = values, .facts = facts, .hardware = &hardware));
	check_sum(&CKPT_MODEL_CASE(.values = values, .facts = facts, .platform = "cpu"));
	return 0;
}
