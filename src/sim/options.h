/*
 * The command line: `serve MODEL`, vLLM's arguments (those that the engine model supports are used, the others
 * accepted), and --sim-….
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "option/argv.h"
#include "sim/faults.h"
#include "sim/profile.h"

#include <stdbool.h>
#include <stdint.h>

#define SIM_NAMES_MAX 16
#define SIM_LORAS_MAX 64

struct sim_lora {
	char *name;
	char *path;
};

struct sim_options {
	struct option_argv argv; /* the words, from which all texts here are borrowed */
	const char *model;
	const char *names[SIM_NAMES_MAX +
			  SIM_LORAS_MAX]; /* of the model, followed by those of the adapters */
	size_t name_count;                /* at least 1 after parsing */
	struct sim_lora loras[SIM_LORAS_MAX];
	size_t lora_count;
	const char *host;
	const char *uds;
	const char *api_key; /* NULL: none */
	const char *ssl_keyfile;
	const char *ssl_certfile; /* NULL, as is the key: plain HTTP */
	int64_t port;
	int64_t max_model_len; /* 0: not given */
	int64_t max_num_seqs;
	int64_t max_num_batched_tokens; /* 0: not given */
	int64_t block_size;
	int64_t block_count;     /* --num-gpu-blocks-override; 0: by the profile */
	int64_t tensor_parallel; /* 0: by the profile */
	int64_t pipeline_parallel;
	int64_t max_logprobs;
	int64_t stream_interval; /* tokens per event after the first */
	int64_t seed;
	int64_t draft_tokens; /* speculative decoding; 0: none */
	const char *
		profiler; /* its configuration as JSON, or the directory of its traces; NULL: none */
	int64_t trace_delay_ns; /* until the second half of its files is written */
	double memory_utilisation;
	bool lora;
	bool prefix_caching;
	bool chunked_prefill;
	bool reserve_full;
	bool access_log;
	bool stats_log;
	bool request_metrics; /* times of the request in its response */
	bool prompt_details;  /* cached tokens in its usage */
	bool no_chat_template;
	bool media;          /* a multimodal model */
	int64_t encoder_ns;  /* per token of media, in the step that admits a sequence */
	const char *runner;  /* NULL: not given */
	const char *convert; /* NULL: not given */
	bool pools;          /* it serves a pooling model: nothing generates */
	bool embeds;         /* an embedding model, not a cross-encoder */

	const struct sim_profile *profile; /* a row of tbl/sim_profiles.h, or `precision` */
	struct sim_profile precision;      /* the profile with the given number formats */
	const char *quantization;          /* NULL: not given */
	const char *kv_cache_dtype;        /* NULL: not given */
	const char *log_path;
	const char *capture_path;
	int64_t step_ns; /* 0: by the profile */
	int64_t startup_ns;
	int64_t frontend_delay_ns; /* between the arrival of a request and its queue */
	bool late_arrival; /* time to first token and E2E latency count from after that delay */
	int64_t processes; /* additional worker processes */
	double speed;
	double drift; /* added per request, as a share of a step */
	const char *drift_path;
	double eos_rate;
	const char *start_with; /* the last one; each is in `argv` */
	struct sim_faults faults;

	json_t *given; /* {port: 8000, …}: vLLM's arguments that were set, for the log */
};

/* The kind of model that a route is for: tbl/sim_routes.h. */
enum sim_route_model { SIM_ROUTE_ANY, SIM_ROUTE_GENERATES, SIM_ROUTE_POOLS };

enum sim_action { SIM_SERVE, SIM_HELP, SIM_VERSION, SIM_MAN };

int sim_options_parse(int argc, char **argv, struct sim_options *ret, enum sim_action *ret_action,
		      struct pl_err *err) PL_MUST_CHECK;
/* Returns whether a server with these options has the routes for this kind of model. */
bool sim_options_have_route(const struct sim_options *options, enum sim_route_model model);
void sim_options_done(struct sim_options *options);

struct sim_option_text {
	const char *flag; /* "--port" */
	const char *arg;  /* NULL: an argument of vLLM; "": takes no value */
	const char *help; /* NULL: an argument of vLLM */
};

/* Gets the texts of the option at index `at`. Returns false after the last one. */
bool sim_options_at(size_t at, struct sim_option_text *ret);
void sim_options_help(struct pl_buf *buf);
/* Appends the manual page, as `profllm-sim help --man` prints it. */
void sim_options_man(struct pl_buf *buf);
