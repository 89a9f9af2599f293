#include "sim/pooled_answer.h"

#include <endian.h>
#include <math.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sim/job.h"
#include "sim/server_priv.h"
#include "sim/tokenizer.h"

#define HEADER_BYTES_MAX (1u << 20)

/* The base64 text of `len` bytes. */
#define BASE64_BYTES(len) (((len) + 2) / 3 * 4)

static const uint64_t vector_salt = 0xe3bedd;
static const uint64_t score_salt = 0x5c03e;

/* 0 to below 1. */
static double share_of(uint64_t bits)
{
	return (double)(bits >> 11) * 0x1p-53;
}

/* A vector of length 1. The caller owns it. */
static float *vector_of(const struct sim_choice *choice, uint32_t dimensions)
{
	float *vector = pl_alloc_array(dimensions, sizeof(*vector));
	double squares = 0;

	for (uint32_t i = 0; i < dimensions; i++) {
		double x = 2 * share_of(sim_token_mix(choice->seed ^ vector_salt, i)) - 1;
		vector[i] = (float)x;
		squares += x * x;
	}
	for (uint32_t i = 0; i < dimensions; i++)
		vector[i] = squares > 0 ? (float)(vector[i] / sqrt(squares)) : 0;
	return vector;
}

static void add_bytes(struct pl_buf *out, const float *vector, uint32_t dimensions)
{
	for (uint32_t i = 0; i < dimensions; i++) {
		uint32_t bits;
		memcpy(&bits, &vector[i], sizeof(bits));
		bits = htole32(bits);
		pl_buf_add(out, (const char *)&bits, sizeof(bits));
	}
}

static void add_base64(struct pl_buf *out, const float *vector, uint32_t dimensions)
{
	size_t len = dimensions * sizeof(*vector);
	auto_buf bytes = PL_BUF(len + 1);
	auto_free unsigned char *text = pl_alloc(BASE64_BYTES(len) + 1);

	add_bytes(&bytes, vector, dimensions);
	int written = EVP_EncodeBlock(text, (const unsigned char *)pl_buf_text(&bytes), (int)len);
	pl_buf_add_char(out, '"');
	pl_buf_add(out, (const char *)text, (size_t)written);
	pl_buf_add_char(out, '"');
}

/* float32 numbers, written as Python writes them: as doubles. */
static void add_floats(struct pl_buf *out, const float *vector, uint32_t dimensions)
{
	pl_buf_add_char(out, '[');
	for (uint32_t i = 0; i < dimensions; i++) {
		char text[PL_F64_TEXT_BYTES];
		pl_text_from_f64((double)vector[i], text);
		if (i > 0)
			pl_buf_add_char(out, ',');
		pl_buf_add_text(out, text);
	}
	pl_buf_add_char(out, ']');
}

/* `all`: the members of vLLM's UsageInfo; the other servers and rerank have the first two. */
static void add_usage(struct pl_buf *out, const struct sim_job *job, bool all)
{
	uint32_t tokens = job->request.prompt_tokens;

	if (job->server->options->faults.no_usage) {
		pl_buf_add_text(out, "\"usage\":null");
		return;
	}
	pl_buf_addf(out, "\"usage\":{\"prompt_tokens\":%u,\"total_tokens\":%u", tokens, tokens);
	pl_buf_add_text(out,
			all ? ",\"completion_tokens\":0,\"prompt_tokens_details\":null}" : "}");
}

static void add_model(struct pl_buf *out, const struct sim_job *job)
{
	pl_buf_add_text(out, "\"model\":");
	pl_text_add_json(out, job->request.model, strlen(job->request.model), false);
	pl_buf_add_char(out, ',');
}

/* {"id":…,"object":"list","created":…,"model":…, */
static void begin_list(struct pl_buf *out, const struct sim_job *job)
{
	pl_buf_addf(out, "{\"id\":\"%s\",\"object\":\"list\",\"created\":%lld,", job->id,
		    (long long)job->created_s);
	add_model(out, job);
}

static void add_vector(struct pl_buf *out, const struct sim_job *job, uint32_t index)
{
	uint32_t dimensions = job->request.dimensions;
	auto_free float *vector = vector_of(&job->choices[index], dimensions);

	if (job->request.encoding == SIM_ENCODING_BASE64)
		add_base64(out, vector, dimensions);
	else
		add_floats(out, vector, dimensions);
}

static void add_vllm_vectors(struct pl_buf *out, const struct sim_job *job)
{
	bool pooling = job->request.api == SIM_POOLING;

	begin_list(out, job);
	pl_buf_add_text(out, "\"data\":[");
	for (uint32_t i = 0; i < job->choice_count; i++) {
		pl_buf_addf(out, "%s{\"index\":%u,\"object\":\"%s\",\"%s\":", i > 0 ? "," : "", i,
			    pooling ? "pooling" : "embedding", pooling ? "data" : "embedding");
		add_vector(out, job, i);
		pl_buf_add_char(out, '}');
	}
	pl_buf_add_text(out, "],");
	add_usage(out, job, true);
	pl_buf_add_char(out, '}');
}

static void add_infinity_vectors(struct pl_buf *out, const struct sim_job *job)
{
	pl_buf_add_text(out, "{\"object\":\"list\",\"data\":[");
	for (uint32_t i = 0; i < job->choice_count; i++) {
		pl_buf_addf(out, "%s{\"object\":\"embedding\",\"embedding\":", i > 0 ? "," : "");
		add_vector(out, job, i);
		pl_buf_addf(out, ",\"index\":%u}", i);
	}
	pl_buf_add_text(out, "],");
	add_model(out, job);
	add_usage(out, job, false);
	pl_buf_addf(out, ",\"id\":\"%s\",\"created\":%lld}", job->id, (long long)job->created_s);
}

/* The header `metadata`: the response without its numbers, whose bytes are the body. */
static char *metadata_of(const struct sim_job *job)
{
	size_t bytes = job->request.dimensions * sizeof(float);
	auto_buf out = PL_BUF(HEADER_BYTES_MAX);

	pl_buf_add_text(&out, "metadata: ");
	begin_list(&out, job);
	pl_buf_add_text(&out, "\"data\":[");
	for (uint32_t i = 0; i < job->choice_count; i++)
		pl_buf_addf(&out,
			    "%s{\"index\":%u,\"embed_dtype\":\"float32\",\"endianness\":\"little\","
			    "\"start\":%zu,\"end\":%zu,\"shape\":[%u]}",
			    i > 0 ? "," : "", i, i * bytes, (i + 1) * bytes,
			    job->request.dimensions);
	pl_buf_add_text(&out, "],");
	add_usage(&out, job, true);
	pl_buf_add_text(&out, "}\r\n");
	return pl_buf_take(&out);
}

static void add_binary_vectors(struct pl_buf *out, const struct sim_job *job)
{
	for (uint32_t i = 0; i < job->choice_count; i++) {
		auto_free float *vector = vector_of(&job->choices[i], job->request.dimensions);
		add_bytes(out, vector, job->request.dimensions);
	}
}

struct ranked {
	uint32_t index;
	double score;
};

/* The largest first; equal ones in the order of the request. */
static int by_score(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static double score_of(const struct sim_job *job, uint32_t i)
{
	uint32_t queries = job->request.query_count;

	if (queries == 0)
		return share_of(sim_token_mix(job->choices[i].seed, score_salt));
	uint64_t query = job->choices[queries == 1 ? 0 : i].seed;
	return share_of(sim_token_mix(query ^ score_salt, job->choices[queries + i].seed));
}

static void add_number(struct pl_buf *out, double value)
{
	char text[PL_F64_TEXT_BYTES];

	pl_text_from_f64((double)(float)value, text);
	pl_buf_add_text(out, text);
}

static void add_scores(struct pl_buf *out, const struct sim_job *job)
{
	size_t count = json_array_size(job->request.documents);

	begin_list(out, job);
	pl_buf_add_text(out, "\"data\":[");
	for (uint32_t i = 0; i < count; i++) {
		pl_buf_addf(out,
			    "%s{\"index\":%u,\"object\":\"score\",\"score\":", i > 0 ? "," : "", i);
		add_number(out, score_of(job, i));
		pl_buf_add_char(out, '}');
	}
	pl_buf_add_text(out, "],");
	add_usage(out, job, true);
	pl_buf_add_char(out, '}');
}

static void add_ranks(struct pl_buf *out, const struct sim_job *job)
{
	const json_t *documents = job->request.documents;
	size_t count = json_array_size(documents), shown = job->request.top_n;
	auto_free struct ranked *ranked = pl_alloc_array(count, sizeof(*ranked));

	for (uint32_t i = 0; i < count; i++)
		ranked[i] = (struct ranked){ i, score_of(job, i) };
	qsort(ranked, count, sizeof(*ranked), by_score);
	if (shown == 0 || shown > count)
		shown = count;
	pl_buf_addf(out, "{\"id\":\"%s\",", job->id);
	add_model(out, job);
	add_usage(out, job, false);
	pl_buf_add_text(out, ",\"results\":[");
	for (size_t i = 0; i < shown; i++) {
		const json_t *text = json_array_get(documents, ranked[i].index);
		pl_buf_addf(out, "%s{\"index\":%u,\"document\":{\"text\":", i > 0 ? "," : "",
			    ranked[i].index);
		pl_text_add_json(out, json_string_value(text), json_string_length(text), false);
		pl_buf_add_text(out, ",\"multi_modal\":null},\"relevance_score\":");
		add_number(out, ranked[i].score);
		pl_buf_add_char(out, '}');
	}
	pl_buf_add_text(out, "]}");
}

void sim_pooled_answer_write(const struct sim_job *job, struct pl_buf *out,
			     struct sim_pooled_form *ret_form)
{
	enum sim_encoding encoding = job->request.encoding;

	if (job->request.api == SIM_SCORE) {
		add_scores(out, job);
	} else if (job->request.api == SIM_RERANK) {
		add_ranks(out, job);
	} else if (encoding == SIM_ENCODING_BYTES || encoding == SIM_ENCODING_BYTES_ONLY) {
		ret_form->type = "application/octet-stream";
		if (encoding == SIM_ENCODING_BYTES)
			ret_form->headers = metadata_of(job);
		add_binary_vectors(out, job);
	} else if (job->request.api == SIM_INFINITY) {
		add_infinity_vectors(out, job);
	} else {
		add_vllm_vectors(out, job);
	}
}
