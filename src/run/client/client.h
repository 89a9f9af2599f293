/*
 * The client sends the load. Each kind is a small struct of functions in a file of its own: our own load generator
 * (native.c), or a program whose result is imported (vllm.c). benchmark.client selects it; only its file knows what is
 * specific to it.
 *
 *	open ─> (the server starts) ─> prepare ─> warmup ─> measure ─> results, facts, …
 */
#pragma once

#include "result/outcome.h"
#include "run/client/extras.h"
#include "run/steps/window.h"

struct exp_config;
struct res_quality_facts;
struct run_context;
struct run_identity;
struct run_launch;
struct run_paths;
struct run_plan;
struct run_route;
struct run_server;
struct run_telemetry;

/* The input of a client. Everything is borrowed. */
struct run_client_input {
	const struct run_context *run;
	struct run_launch *launch;
	const struct run_paths *paths;
	struct run_route *route;
	struct run_server *server;
	struct run_identity *identity;
	const struct run_telemetry *telemetry;
};

/* The output, filled by the steps of the client. */
struct run_measured {
	struct run_plan *plan;       /* NULL: none, or the client made its own */
	struct res_outcome *outcome; /* NULL: no measurements */
	struct run_window window;
	struct run_extras extras;
	json_t *figures;  /* metrics of an offline benchmark for `results`; NULL: none */
	json_t *plots;    /* array of paths: charts that the client drew; NULL: none */
	json_t *log_tail; /* of a failed client; else NULL */
	bool has_log;     /* the client is a program that was started and writes paths.client_log */
	void *state;      /* private data of the client */
};

struct run_client {
	const char *name; /* as in benchmark.client */
	bool is_program;  /* another process sends: our CPU time is not that of the load */
	bool follows_redirects;
	bool starts_servers; /* `measure` starts the server itself */
	bool draws_pictures; /* it draws its own, so none are drawn from its records */

	/* Before anything is started: finds its requirements on the host. NULL: none. */
	int (*open)(const struct run_launch *launch, struct run_measured *ret, struct pl_err *err);

	/* Steps of a run (run/context.h). NULL: nothing to do. */
	int (*prepare)(const struct run_client_input *input, struct run_measured *ret);
	int (*warmup)(const struct run_client_input *input, struct run_measured *ret);
	int (*measure)(const struct run_client_input *input, struct run_measured *ret);

	/* Adds metrics that do not come from records to `results`. */
	void (*results)(const struct run_measured *measured, json_t *results);
	/* Sets facts that only this client knows, and those that are unknown. NULL: none. */
	void (*facts)(const struct exp_config *experiment, const struct run_measured *measured,
		      struct res_quality_facts *ret);
	/* environment.client of the result; NULL: our own load generator. New reference. */
	json_t *(*environment)(const struct run_measured *measured);
	/* Frees measured->own. NULL: nothing. */
	void (*close)(struct run_measured *measured);
};

extern const struct run_client run_client_native;
extern const struct run_client run_client_vllm;
/* Offline benchmarks: vLLM's own, as a child process; those of a server. */
extern const struct run_client run_client_in_process;
extern const struct run_client run_client_latency;
extern const struct run_client run_client_startup;

/* Returns the client of an experiment: by its kind of benchmark, then by benchmark.client. */
const struct run_client *run_client_of(const struct exp_config *experiment);
/* Returns a client by its name in benchmark.client. */
const struct run_client *run_client_find(const char *name);
void run_measured_done(const struct run_client *client, struct run_measured *measured);
