/* The parameters of a request, read from its body and checked. */
#pragma once

#include "base/json.h"
#include "sim/prompt.h"
#include "sim/refusal.h"

#include <stdbool.h>
#include <stdint.h>

#define SIM_CHOICES_MAX 4096

/* The pooled ones are last: their requests generate no tokens and are not streamed. */
enum sim_api {
	SIM_COMPLETIONS,
	SIM_CHAT,
	SIM_RESPONSES,
	SIM_TRANSCRIBE,
	SIM_TRANSLATE,
	SIM_EMBEDDINGS,
	SIM_INFINITY, /* /embeddings, as from an Infinity server */
	SIM_POOLING,
	SIM_RERANK,
	SIM_SCORE,
	SIM_APIS
};

static inline bool sim_api_is_audio(enum sim_api api)
{
	return api == SIM_TRANSCRIBE || api == SIM_TRANSLATE;
}

/* The form of the numbers in a pooled response. */
enum sim_encoding {
	SIM_ENCODING_FLOAT,
	SIM_ENCODING_BASE64,
	SIM_ENCODING_BYTES,      /* binary; the usage is in a header */
	SIM_ENCODING_BYTES_ONLY, /* binary, without that header */
};

struct sim_limits {
	const char *const *names; /* of the model */
	size_t name_count;
	uint32_t max_model_len;
	int64_t max_logprobs;  /* -1: no limit */
	bool no_chat_template; /* messages are refused */
	bool media;            /* messages may hold images, videos and audio */
	bool embeds; /* --convert embed: a pair is compared by the embeddings of its texts */
	uint32_t dimensions; /* of an embedding */
};

struct sim_request {
	enum sim_api api;
	bool chat; /* api is SIM_CHAT */
	bool stream;
	bool include_usage;
	bool continuous_usage;
	bool ignore_eos;
	bool return_token_ids;
	uint32_t n;
	uint32_t max_tokens; /* resolved: at least 1 */
	uint32_t min_tokens;
	int32_t logprobs; /* -1: none; else the number of alternatives */
	uint64_t seed;
	const char *model; /* borrowed from the limits */
	struct sim_prompt *prompts;
	size_t prompt_count;
	uint32_t prompt_tokens; /* of all prompts */
	uint32_t media_tokens;  /* of these, for media */
	/* pooled requests only */
	bool pooled;
	enum sim_encoding encoding;
	uint32_t dimensions; /* numbers per embedding */
	json_t *documents;   /* rerank and score: the second texts; the others: NULL */
	uint32_t
		query_count; /* with `embeds`: the number of first texts; 0: the prompts are pairs */
	uint32_t top_n;      /* rerank: results to return; 0: all */
};

/* Returns -1 if it is refused. The request must be freed in both cases. */
int sim_request_parse(const json_t *body, enum sim_api api, const struct sim_limits *limits,
		      struct sim_request *ret, struct sim_refusal *refusal) PL_MUST_CHECK;
void sim_request_done(struct sim_request *request);

/* Appends the prompts of a text, ids, a list of texts or a list of lists of ids. */
int sim_request_read_prompts(const json_t *value, const char *field, struct sim_request *ret,
			     struct sim_refusal *refusal) PL_MUST_CHECK;
/* Null and absent leave *field unchanged. */
int sim_request_read_whole(const json_t *body, const char *name, int64_t *field,
			   struct sim_refusal *refusal) PL_MUST_CHECK;

/* Shared with /tokenize. */
int sim_request_find_model(const json_t *body, const struct sim_limits *limits, const char **ret,
			   struct sim_refusal *refusal) PL_MUST_CHECK;
bool sim_request_flag(const json_t *body, const char *name, bool otherwise);
