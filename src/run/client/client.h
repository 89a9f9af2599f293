/*
 * Who sends the load, as a small struct of functions in one file each: our own load generator
 * (native.c), or a program whose result is taken in (vllm.c). benchmark.client names it; what holds
 * for one of them only is known in its file.
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

/* What a client works with. Everything is borrowed. */
struct run_client_input {
	const struct run_context *run;
	struct run_launch *launch;
	const struct run_paths *paths;
	struct run_route *route;
	struct run_server *server;
	struct run_identity *identity;
	const struct run_telemetry *telemetry;
};

/* What came of it: filled as the client gets on. */
struct run_measured {
	struct run_plan *plan;       /* NULL: none, or the client made its own */
	struct res_outcome *outcome; /* NULL: nothing was measured */
	struct run_window window;
	struct run_extras extras;
	json_t *figures;  /* of an offline benchmark: its own keys of `results`; NULL: none */
	json_t *plots;    /* array of paths: pictures that the client drew; NULL: none */
	json_t *log_tail; /* of a client that failed; NULL: it did not */
	bool has_log; /* the client is a program that was started, and paths.client_log is its own */
	void *own;    /* the client's */
};

struct run_client {
	const char *name; /* of benchmark.client */
	bool is_program; /* another process sends: what ours takes of a processor is not the load's */
	bool follows_redirects;
	bool starts_servers; /* `measure` starts what it measures: there is no server before it */
	bool draws_pictures; /* its own, so that none is drawn of its records */

	/* Before anything is started: finds what it needs of the host. NULL: nothing. */
	int (*open)(const struct run_launch *launch, struct run_measured *ret, struct pl_err *err);

	/* Steps of a run (run/context.h). NULL: nothing to do. */
	int (*prepare)(const struct run_client_input *input, struct run_measured *ret);
	int (*warmup)(const struct run_client_input *input, struct run_measured *ret);
	int (*measure)(const struct run_client_input *input, struct run_measured *ret);

	/* What records do not give, into `results`. */
	void (*results)(const struct run_measured *measured, json_t *results);
	/* What only this client knows, and what is not known of it. NULL: nothing. */
	void (*facts)(const struct exp_config *experiment, const struct run_measured *measured,
		      struct res_quality_facts *ret);
	/* environment.client of the result; NULL: our own load. New reference. */
	json_t *(*environment)(const struct run_measured *measured);
	/* Frees measured->own. NULL: nothing. */
	void (*close)(struct run_measured *measured);
};

extern const struct run_client run_client_native;
extern const struct run_client run_client_vllm;
/* Offline benchmarks: vLLM's own, as a child; those of a server. */
extern const struct run_client run_client_in_process;
extern const struct run_client run_client_latency;
extern const struct run_client run_client_startup;

/* Of an experiment: by its kind of benchmark, then by benchmark.client. */
const struct run_client *run_client_of(const struct exp_config *experiment);
/* Of benchmark.client. */
const struct run_client *run_client_find(const char *name);
void run_measured_done(const struct run_client *client, struct run_measured *measured);
