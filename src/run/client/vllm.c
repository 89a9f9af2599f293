#include "run/client/vllm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "run/client/vllm_priv.h"
#include "run/run_priv.h"
#include "host/proc/program.h"
#include "result/quality.h"
#include "vllm/version.h"

#define NAME     "vllm bench serve"
#define PROGRAM  "vllm"
#define VARIABLE "PROFLLM_VLLM"
/* From here on a chat's first chunk, which only names the speaker, is no event to it. */
#define ROLE_RELEASE "0.33.0"
/* Figures of one summary agree to this share with what its lists give. */
#define AGREES 1e-6

/* ---- the program ---- */

/* `vllm` itself, or the one beside the interpreter that starts the server. */
static char *find_beside_server(const struct run_launch *launch)
{
	auto_free char *folder = launch->program != NULL ? pl_file_dir(launch->program) : NULL;
	auto_free char *path = folder != NULL ? pl_asprintf("%s/" PROGRAM, folder) : NULL;
	struct pl_err ignored = PL_ERR_INIT;
	char *found = NULL;

	if (path == NULL || host_program_find(path, &found, &ignored) < 0)
		return NULL;
	return found;
}

/* "0.32.0+cpu" of "/…/vllm-0.32.0+cpu.dist-info". The caller's (free()). */
static char *version_beside(const char *program)
{
	auto_json json_t *words = json_pack("[s]", program);
	auto_free char *folder = run_release_installed(words);
	auto_free char *name = folder != NULL ? pl_file_name(folder) : NULL;
	const size_t head = strlen("vllm-"), tail = strlen(".dist-info");

	if (name == NULL || strlen(name) <= head + tail)
		return NULL;
	return pl_strndup(name + head, strlen(name) - head - tail);
}

int run_client_prepare(struct run_state *run, struct pl_err *err)
{
	struct run_client *client = &run->client;
	const char *named = getenv(VARIABLE);

	client->cpu_share = client->difference = NAN;
	if (!run_client_is_vllm(run->experiment))
		return 0;
	client->plots = json_array();
	if (named != NULL && named[0] != '\0') {
		if (host_program_find(named, &client->program, err) < 0)
			return pl_err_wrap(err, "benchmark.client: " VARIABLE);
	} else {
		client->program = find_beside_server(run->launch);
	}
	if (client->program == NULL && host_program_find(PROGRAM, &client->program, err) < 0)
		return pl_err_set(err, PL_ERR_NOT_FOUND,
				  "benchmark.client: no program '" PROGRAM
				  "' beside launch.command's or in PATH; " VARIABLE
				  " in the environment may name it");
	client->version = version_beside(client->program);
	return 0;
}

void run_client_done(struct run_client *client)
{
	free(client->program);
	free(client->version);
	json_decref(client->argv);
	json_decref(client->plots);
	json_decref(client->log_tail);
	res_flat_free(client->flat);
	*client = (struct run_client){ 0 };
}

/* ---- its result ---- */

/* A release that is not known is taken for the newest that does so. */
static bool counts_roles(const struct run_state *run)
{
	struct vllm_version mine, since;
	struct pl_err ignored = PL_ERR_INIT;

	if (!pl_text_equal(run->experiment->bench.backend, "openai-chat"))
		return false;
	return run->client.version == NULL ||
	       vllm_version_parse(run->client.version, &mine, &ignored) < 0 ||
	       vllm_version_parse(ROLE_RELEASE, &since, &ignored) < 0 ||
	       vllm_version_compare(&mine, &since) < 0;
}

/*
 * CPython's perf_counter is CLOCK_MONOTONIC. Where the starts are not within the child's life they
 * are of another clock, and the first of them is laid where its log said that it begins.
 */
static int64_t shift_ns(const struct run_state *run)
{
	const struct res_flat *flat = run->client.flat;
	double first_s = INFINITY;

	for (size_t i = 0; i < flat->count; i++)
		first_s = fmin(first_s, flat->requests[i].start_s);
	if (!isfinite(first_s))
		return 0;
	int64_t first_ns = llround(first_s * 1e9);
	return first_ns >= run->started_ns && first_ns <= run->window.end_ns
		       ? 0
		       : run->window.start_ns - first_ns;
}

static int by_time(const void *a, const void *b)
{
	const struct res_inflight *x = a, *y = b;

	/* an end before a start at the same time */
	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return x->in_flight - y->in_flight;
}

/* As our own load notes it, from the records: the changes' running sum. */
static void count_inflight(struct res_outcome *outcome)
{
	size_t used = 0;
	int32_t open = 0;

	outcome->inflight = pl_alloc_array(2 * outcome->count, sizeof(*outcome->inflight));
	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		if (record->acted_ns == RES_NO_TIME || record->end_ns == RES_NO_TIME)
			continue;
		outcome->inflight[used++] = (struct res_inflight){ record->acted_ns, 1 };
		outcome->inflight[used++] = (struct res_inflight){ record->end_ns, -1 };
	}
	qsort(outcome->inflight, used, sizeof(*outcome->inflight), by_time);
	for (size_t i = 0; i < used; i++) {
		open += outcome->inflight[i].in_flight;
		outcome->inflight[i].in_flight = open;
		if (open > outcome->inflight_peak)
			outcome->inflight_peak = open;
	}
	outcome->inflight_count = used;
}

/* vLLM's duration, laid so that it ends with the last answer. */
static void set_span(const struct run_state *run, struct res_outcome *outcome)
{
	int64_t duration_ns = llround(run->client.flat->duration_s * 1e9);
	int64_t end_ns = RES_NO_TIME;

	outcome->last_send_ns = RES_NO_TIME;
	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		if (record->end_ns != RES_NO_TIME && record->end_ns > end_ns)
			end_ns = record->end_ns;
		if (record->acted_ns != RES_NO_TIME && record->acted_ns > outcome->last_send_ns)
			outcome->last_send_ns = record->acted_ns;
	}
	outcome->end_ns = end_ns != RES_NO_TIME ? end_ns : run->window.end_ns;
	outcome->start_ns = outcome->end_ns - duration_ns;
}

void run_client_take(struct run_state *run)
{
	struct run_client *client = &run->client;
	const struct res_flat *flat = client->flat;
	struct res_outcome *outcome = pl_alloc(sizeof(*outcome));

	client->difference = res_flat_difference(flat, &client->difference_key);
	outcome->end = RES_END_ALL;
	outcome->worker_cpu_share_max = NAN;
	outcome->inflight_peak = OPTION_NO_I64;
	if (flat->has_starts) {
		struct res_flat_how how = {
			.shift_ns = shift_ns(run),
			.role_first = counts_roles(run),
			.keeps_text = run->experiment->bench.save_detailed,
		};
		outcome->count = flat->count;
		outcome->records = pl_alloc_array(flat->count, sizeof(*outcome->records));
		res_flat_records(flat, &how, outcome->records);
		outcome->inflight_peak = 0;
		count_inflight(outcome);
	}
	set_span(run, outcome);
	run->outcome = outcome;
}

/* ---- parts of the document ---- */

static bool is_number(const char *key)
{
	static const char *const others[] = { "errors", "repeats", "steady" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(others); i++) {
		if (strcmp(key, others[i]) == 0)
			return false;
	}
	return true;
}

/* Of no records: nothing is known but what the summary says. */
static void forget_figures(const struct res_flat *flat, json_t *results)
{
	const char *key;
	json_t *value;

	json_object_foreach(results, key, value)
	{
		if (is_number(key))
			json_object_set_new(results, key, json_null());
	}
	json_object_set_new(results, "duration", pl_json_number(flat->duration_s));
	json_object_set_new(results, "completed_requests", json_integer(flat->completed));
	json_object_set_new(results, "failed_requests", json_integer(flat->failed));
	json_object_set_new(results, "completed", json_integer(flat->completed));
	json_object_set_new(results, "failed", json_integer(flat->failed));
	json_object_set_new(results, "request_goodput", pl_json_number(flat->request_goodput));
	if (flat->duration_s > 0)
		json_object_set_new(results, "input_throughput",
				    pl_json_number(res_flat_number(flat, "total_input_tokens") /
						   flat->duration_s));
}

void run_client_results(const struct run_state *run, json_t *results)
{
	const struct res_flat *flat = run->client.flat;
	const char *key;
	json_t *value;

	if (flat == NULL)
		return;
	if (!flat->has_starts)
		forget_figures(flat, results);
	/* one of vLLM's clients tries again and does not say so */
	json_object_set_new(results, "retries", json_null());
	json_object_set_new(results, "retried_requests", json_null());
	json_object_foreach(results, key, value)
	{
		json_t *told = json_object_get(flat->json, key);
		/* without audio vLLM says 0 */
		bool none = strcmp(key, "rtfx") == 0 && !(json_number_value(told) > 0);
		if (json_is_null(value) && json_is_number(told) && is_number(key) && !none)
			json_object_set(results, key, told);
	}
}

void run_client_facts(const struct run_state *run, struct res_quality_facts *ret)
{
	const struct run_client *client = &run->client;

	if (client->program == NULL)
		return;
	/* it reads no kernel stamps that a step of the clock could move */
	ret->clock_step_ms = NAN;
	/* it says how long each waited, not for what */
	ret->cap_held_share = NAN;
	ret->worker_cpu_share_max = client->cpu_share;
	ret->record_identity_us = client->flat != NULL ? res_flat_identity_us(client->flat) : NAN;
	/* its probes count at the server too */
	if (run->experiment->bench.probe_request_rate > 0)
		ret->foreign_load = NAN;
}

void run_client_verdict(const struct run_state *run, json_t *quality)
{
	const struct res_flat *flat = run->client.flat;
	const char *verdict = json_string_value(json_object_get(quality, "verdict"));

	if (flat != NULL && !flat->has_starts && pl_text_equal(verdict, "trusted"))
		json_object_set_new(quality, "verdict", json_null());
}

json_t *run_client_environment(const struct run_state *run)
{
	const struct run_client *client = &run->client;
	json_t *json;

	if (client->program == NULL)
		return json_null();
	json = res_document_empty("load_client");
	json_object_set_new(json, "name", json_string(NAME));
	json_object_set_new(json, "version", pl_json_text(client->version));
	json_object_set_new(json, "program", pl_json_text(client->program));
	if (client->argv != NULL)
		json_object_set_new(json, "argv", run_client_argv_shown(client->argv));
	if (client->flat == NULL)
		return json;
	json_object_set_new(json, "cpu_share", pl_json_number(client->cpu_share));
	json_object_set_new(json, "per_request", json_boolean(client->flat->has_starts));
	json_object_set_new(json, "summary_difference", pl_json_number(client->difference));
	if (client->difference > AGREES)
		json_object_set_new(json, "summary_worst", json_string(client->difference_key));
	return json;
}
