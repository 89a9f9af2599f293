/*
 * One GPU's memory as a sum of terms, each with its formula in words and its source:
 *
 *   gpu memory x gpu_memory_utilization = budget
 *   budget - weights - LoRA slots - activations (- graphs) = KV cache
 *   KV cache / a block's bytes = blocks; blocks / a request's blocks = concurrent requests
 *
 * An unknown term is NAN, and so are the terms derived from it: a term that could not be computed
 * never counts as 0.
 */
#include "checkpoint/memory/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "checkpoint/known.h"
#include "checkpoint/memory/memory_priv.h"

#define GIB ((double)(1 << 30))
/* Doubles are exact counts up to here. */
#define WHOLE_MAX 9e15

/* In output order. */
static const struct {
	const char *name;
	const char *title;
	const char *unit;
} rows[] = {
	[CKPT_MEMORY_GPU_BYTES] = { "gpu_memory_bytes", "GPU memory", "bytes" },
	[CKPT_MEMORY_BUDGET_BYTES] = { "budget_bytes", "for vLLM", "bytes" },
	[CKPT_MEMORY_WEIGHTS_BYTES] = { "weights_bytes", "weights", "bytes" },
	[CKPT_MEMORY_LORA_BYTES] = { "lora_bytes", "LoRA slots", "bytes" },
	[CKPT_MEMORY_ACTIVATION_BYTES] = { "activation_bytes", "activations", "bytes" },
	[CKPT_MEMORY_GRAPH_BYTES] = { "graph_bytes", "CUDA graphs", "bytes" },
	[CKPT_MEMORY_KV_CACHE_BYTES] = { "kv_cache_bytes", "KV cache", "bytes" },
	[CKPT_MEMORY_KV_BYTES_PER_TOKEN] = { "kv_bytes_per_token", "KV cache per token", "bytes" },
	[CKPT_MEMORY_MAX_MODEL_LEN] = { "max_model_len", "longest sequence", "tokens" },
	[CKPT_MEMORY_KV_BYTES_PER_REQUEST] = { "kv_bytes_per_request", "KV cache per request",
					       "bytes" },
	[CKPT_MEMORY_KV_TOKENS] = { "kv_tokens", "KV cache in tokens", "tokens" },
	[CKPT_MEMORY_MAX_CONCURRENCY] = { "max_concurrency", "concurrent requests", "requests" },
};

/* An unknown value is not an estimate. */
void ckpt_memory_set(struct ckpt_memory *memory, enum ckpt_memory_id id, double value,
		     bool estimated, const char *source, const char *format, ...)
{
	struct ckpt_memory_term *term = &memory->terms[id];
	va_list args;

	va_start(args, format);
	free(term->formula);
	term->formula = pl_vasprintf(format, args);
	va_end(args);
	term->value = value;
	term->estimated = estimated && !isnan(value);
	term->source = source;
}

void ckpt_memory_note(struct ckpt_memory *memory, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	auto_free char *line = pl_vasprintf(format, args);
	va_end(args);
	json_array_append_new(memory->notes, json_string(line));
}

void ckpt_memory_done(struct ckpt_memory *memory)
{
	for (int i = 0; i < CKPT_MEMORY_TERMS; i++)
		free(memory->terms[i].formula);
	free(memory->not_modelled);
	free(memory->facts);
	json_decref(memory->notes);
	*memory = (struct ckpt_memory){ 0 };
}

static double value_of(const struct ckpt_memory *memory, enum ckpt_memory_id id)
{
	return memory->terms[id].value;
}

static void set_budget(const struct ckpt_case *server, struct ckpt_memory *memory)
{
	static const char source[] = "docs/reference/hardware.md, or the host";
	double share = ckpt_case_number(server, "gpu_memory_utilization",
					ckpt_case_default(server, "gpu_memory_utilization"));

	if (ckpt_case_is_cpu(server) || server->hardware == NULL ||
	    server->hardware->gpu.memory_bytes <= 0) {
		const char *why = ckpt_case_is_cpu(server) ? "no GPU"
							   : "the GPU is unknown (--hardware)";
		ckpt_memory_set(memory, CKPT_MEMORY_GPU_BYTES, NAN, false, source, "%s", why);
		ckpt_memory_set(memory, CKPT_MEMORY_BUDGET_BYTES, NAN, false, source, "%s", why);
		return;
	}
	/* values out of bounds are rejected elsewhere */
	share = share < 0 ? 0 : share > 1 ? 1 : share;
	double bytes = (double)server->hardware->gpu.memory_bytes;
	ckpt_memory_set(memory, CKPT_MEMORY_GPU_BYTES, bytes, false, source, "%s",
			server->hardware->gpu.name);
	ckpt_memory_set(memory, CKPT_MEMORY_BUDGET_BYTES, floor(bytes * share), false,
			"vLLM, gpu_memory_utilization", "%.0f bytes x gpu_memory_utilization %g",
			bytes, share);
}

/*
 * Sets the KV cache's size if it is given explicitly; returns true if so. In order of certainty: a
 * measured size, the argument, the CPU's variable.
 */
static bool set_given_cache(const struct ckpt_case *server, struct ckpt_memory *memory)
{
	const char *space = ckpt_case_env(server, "VLLM_CPU_KVCACHE_SPACE");
	double bytes = ckpt_case_number(server, "kv_cache_memory_bytes", NAN);
	double gib;

	if (server->available_bytes >= 0) {
		ckpt_memory_set(memory, CKPT_MEMORY_KV_CACHE_BYTES, server->available_bytes, false,
				"--available-memory", "as given");
		return true;
	}
	if (bytes > 0) {
		ckpt_memory_set(memory, CKPT_MEMORY_KV_CACHE_BYTES, bytes, false, "the argument",
				"kv_cache_memory_bytes");
		return true;
	}
	if (ckpt_case_is_cpu(server) && space != NULL && pl_text_to_f64(space, &gib) && gib > 0 &&
	    gib < 1e9) {
		ckpt_memory_set(memory, CKPT_MEMORY_KV_CACHE_BYTES, gib * GIB, false,
				"the environment", "VLLM_CPU_KVCACHE_SPACE %g x 2^30", gib);
		return true;
	}
	return false;
}

/* Graphs are taken off only where vLLM itself counts them (parts.c). */
static void set_cache(const struct ckpt_case *server, struct ckpt_memory *memory)
{
	static const char source[] = "memory that vLLM leaves for the KV cache";
	double budget = value_of(memory, CKPT_MEMORY_BUDGET_BYTES);
	double graphs = value_of(memory, CKPT_MEMORY_GRAPH_BYTES);
	double rest = budget - value_of(memory, CKPT_MEMORY_WEIGHTS_BYTES) -
		      value_of(memory, CKPT_MEMORY_LORA_BYTES) -
		      value_of(memory, CKPT_MEMORY_ACTIVATION_BYTES) -
		      (memory->outside_budget ? 0 : graphs);

	if (server->facts != NULL && ckpt_has_trait(server->facts, CKPT_TRAIT_ENCODER)) {
		ckpt_memory_set(memory, CKPT_MEMORY_KV_CACHE_BYTES, 0, false, source,
				"none: an encoder keeps no keys and values");
		return;
	}
	memory->cache_given = set_given_cache(server, memory);
	if (memory->cache_given)
		return;
	if (isnan(rest)) {
		ckpt_memory_set(memory, CKPT_MEMORY_KV_CACHE_BYTES, NAN, false, source,
				ckpt_case_is_cpu(server) ? "VLLM_CPU_KVCACHE_SPACE is not set"
							 : "a term above is unknown");
		return;
	}
	ckpt_memory_set(memory, CKPT_MEMORY_KV_CACHE_BYTES, rest > 0 ? rest : 0, true, source,
			"%.0f bytes for vLLM - weights - LoRA slots - activations%s%s", budget,
			memory->outside_budget ? "" : " - graphs",
			rest > 0 ? "" : ": no memory remains");
}

/* A given number of blocks determines the cache, whatever would fit. */
static void set_concurrency(const struct ckpt_case *server, struct ckpt_memory *memory)
{
	static const char source[] = "vLLM, v1/core/kv_cache_utils.py";
	struct ckpt_kv_layout *layout = &memory->layout;
	int64_t override = ckpt_case_int(server, "num_gpu_blocks_override", 0);
	double cache = value_of(memory, CKPT_MEMORY_KV_CACHE_BYTES);
	double len = value_of(memory, CKPT_MEMORY_MAX_MODEL_LEN);
	bool estimated = memory->terms[CKPT_MEMORY_KV_CACHE_BYTES].estimated;

	if (layout->known && override > 0) {
		layout->blocks = (double) override;
		memory->cache_given = true;
		estimated = false;
		ckpt_memory_set(memory, CKPT_MEMORY_KV_CACHE_BYTES,
				layout->blocks * layout->block_bytes, false, "the argument",
				"num_gpu_blocks_override %" PRId64 " x %.0f bytes", override,
				layout->block_bytes);
	} else if (layout->known && !isnan(cache)) {
		layout->blocks = floor(cache / layout->block_bytes);
	}
	if (isnan(layout->blocks) || isnan(len)) {
		const char *why = memory->not_modelled != NULL
					  ? memory->not_modelled
					  : "the size of the KV cache or max_model_len is unknown";
		ckpt_memory_set(memory, CKPT_MEMORY_MAX_CONCURRENCY, NAN, false, source, "%s", why);
		ckpt_memory_set(memory, CKPT_MEMORY_KV_TOKENS, NAN, false, source, "%s", why);
		return;
	}
	double blocks = ckpt_memory_request_blocks(layout, (int64_t)len);
	double requests = blocks > 0 ? layout->blocks / blocks : 0;
	ckpt_memory_set(memory, CKPT_MEMORY_MAX_CONCURRENCY, requests, estimated, source,
			"%.0f blocks of %" PRId64 " tokens / %.0f blocks per request",
			layout->blocks, layout->block_tokens, blocks);
	ckpt_memory_set(memory, CKPT_MEMORY_KV_TOKENS, floor(requests * len + 0.5), estimated,
			source, "max_concurrency x max_model_len");
}

static void set_facts(const struct ckpt_facts *facts, struct ckpt_memory *memory)
{
	if (facts == NULL || facts->state != CKPT_MODEL_READ)
		return;
	memory->facts_source = facts->known != NULL ? "known_by_name" : "file";
	if (facts->known == NULL) {
		memory->facts = pl_asprintf("config.json of '%s'", facts->model);
		return;
	}
	memory->facts_confidence = ckpt_known_confidence(facts->known);
	memory->facts = pl_asprintf("built-in model '%s' (%s)", facts->known->name,
				    facts->known->derived
					    ? "assembled by hand, not a copy of its config.json"
					    : "from a copy of its config.json");
	if (facts->doubt != NULL)
		ckpt_memory_note(memory, "the built-in properties may not apply: %s", facts->doubt);
	if (facts->dtype == CKPT_DTYPE_UNKNOWN)
		ckpt_memory_note(memory,
				 "the dtype of the checkpoint is unknown; assuming 2 bytes per "
				 "parameter, as vLLM serves float32, float16 and bfloat16");
}

void ckpt_memory_explain(const struct ckpt_case *server, struct ckpt_memory *ret)
{
	*ret = (struct ckpt_memory){ .notes = json_array() };
	set_facts(server->facts, ret);
	set_budget(server, ret);
	ckpt_memory_weights(server, ret);
	ckpt_memory_lora(server, ret);
	ckpt_memory_activations(server, ret);
	ckpt_memory_graphs(server, ret);
	ckpt_memory_layout(server, ret);
	set_cache(server, ret);
	set_concurrency(server, ret);
	if (ret->not_modelled != NULL)
		ckpt_memory_note(ret, "the KV cache is unknown: %s", ret->not_modelled);
	if (server->facts != NULL && server->facts->weights_problem != NULL)
		ckpt_memory_note(ret, "weight files: %s", server->facts->weights_problem);
	if (server->facts != NULL && server->facts->weights.missing > 0)
		ckpt_memory_note(ret, "%" PRId64 " weight files of the index are missing",
				 server->facts->weights.missing);
}

/* Bytes and tokens are integers; unknown values are null. */
static json_t *number(enum ckpt_memory_id id, double value)
{
	if (isnan(value) || isinf(value))
		return json_null();
	if (id == CKPT_MEMORY_MAX_CONCURRENCY || value >= WHOLE_MAX)
		return json_real(value);
	return json_integer((json_int_t)value);
}

json_t *ckpt_memory_to_json(const struct ckpt_memory *memory)
{
	json_t *json = json_object();
	json_t *terms = json_array();

	for (int i = 0; i < CKPT_MEMORY_TERMS; i++) {
		const struct ckpt_memory_term *term = &memory->terms[i];
		json_object_set_new(json, rows[i].name, number(i, term->value));
		json_array_append_new(terms,
				      json_pack("{s:s, s:o, s:s, s:b, s:o, s:o}", "name",
						rows[i].name, "value", number(i, term->value),
						"unit", rows[i].unit, "estimated", term->estimated,
						"formula", pl_json_text(term->formula), "source",
						pl_json_text(term->source)));
	}
	json_object_set_new(json, "not_modelled", pl_json_text(memory->not_modelled));
	json_object_set_new(json, "facts_source", pl_json_text(memory->facts_source));
	json_object_set_new(json, "facts_confidence", pl_json_text(memory->facts_confidence));
	json_object_set(json, "notes", memory->notes);
	json_object_set_new(json, "terms", terms);
	return json;
}

static void value_text(enum ckpt_memory_id id, const struct ckpt_memory_term *term, char *text,
		       size_t room)
{
	const char *about = term->estimated ? "~" : "";

	if (isnan(term->value))
		snprintf(text, room, "not known");
	else if (id == CKPT_MEMORY_MAX_CONCURRENCY)
		snprintf(text, room, "%s%.2f", about, term->value);
	else if (strcmp(rows[id].unit, "tokens") == 0 || term->value < 10 * (1 << 20))
		snprintf(text, room, "%s%.0f", about, term->value);
	else
		snprintf(text, room, "%s%.2f GiB", about, term->value / GIB);
}

void ckpt_memory_text(const struct ckpt_memory *memory, struct pl_buf *buf)
{
	if (memory->facts != NULL)
		pl_buf_addf(buf, "facts: %s\n", memory->facts);
	pl_buf_add_text(buf, "memory of one GPU (~: estimated)\n");
	for (size_t i = 0; i < CKPT_MEMORY_TERMS; i++) {
		const struct ckpt_memory_term *term = &memory->terms[i];
		char value[64];
		value_text((enum ckpt_memory_id)i, term, value, sizeof(value));
		pl_buf_addf(buf, "  %-19s %14s  %s", rows[i].title, value, term->formula);
		if (term->source != NULL && !isnan(term->value))
			pl_buf_addf(buf, "  [%s]", term->source);
		pl_buf_add_char(buf, '\n');
	}
	PL_JSON_EACH(note, memory->notes)
		pl_buf_addf(buf, "  note: %s\n", json_string_value(note));
}
