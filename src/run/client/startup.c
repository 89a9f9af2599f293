/*
 * benchmark.kind: startup on a server: launch.command is started and stopped repeatedly, and each start is timed until
 * the server reports that it is healthy.
 *
 * A cold start has caches of its own, in a directory that is created for it and removed afterwards: the user's caches
 * are never touched. Warm starts use the caches of the user's server.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "result/flat/offline.h"
#include "run/client/client.h"
#include "run/context.h"
#include "run/document/document.h"
#include "run/journal/journal.h"
#include "run/launch.h"
#include "run/route.h"
#include "run/steps/identity.h"
#include "run/steps/ready.h"
#include "run/steps/server.h"

#define PREFIX    "vllm_startup_bench_cold_"
#define PATH_ROOM 4096

enum phase { COLD, WARMUP, WARM, PHASE_COUNT };

static const char *const phase_names[PHASE_COUNT] = { "cold", "warmup", "warm" };

/* The caches of vLLM and its dependencies; each has its own directory. */
static const struct {
	const char *variable, *folder;
} caches[] = {
	{ "VLLM_CACHE_ROOT", "vllm" },
	{ "TORCHINDUCTOR_CACHE_DIR", "inductor" },
	{ "TRITON_CACHE_DIR", "triton" },
};

/* Samples of one phase. */
struct samples {
	double *start_s, *compile_s;
	size_t count, compile_count;
};

struct starts {
	const struct run_client_input *in;
	struct samples samples[PHASE_COUNT];
	json_t *list; /* in `results` */
	size_t done;
	size_t total;
};

/* ---- caches of a cold start ---- */

/* Passes the variables to the server in addition to the user's, which *ret_before keeps. */
static int make_caches(json_t *env, char *folder, json_t **ret_used, json_t **ret_before,
		       struct pl_err *err)
{
	const char *above = getenv("TMPDIR");

	snprintf(folder, PATH_ROOM, "%s/" PREFIX "XXXXXX",
		 above != NULL && above[0] != '\0' ? above : "/tmp");
	if (mkdtemp(folder) == NULL)
		return pl_err_errno(err, "could not create directory '%s' for caches", folder);
	*ret_before = json_copy(env);
	*ret_used = json_object();
	for (size_t i = 0; i < PL_ARRAY_SIZE(caches); i++)
		json_object_set_new(*ret_used, caches[i].variable,
				    json_sprintf("%s/%s", folder, caches[i].folder));
	json_object_update(env, *ret_used);
	return 0;
}

static void drop_caches(json_t *env, const char *folder, const json_t *before)
{
	pl_file_remove_tree(folder);
	json_object_clear(env);
	json_object_update(env, (json_t *)before);
}

/* ---- one start ---- */

/* The identity is only queried once, because the same command starts the same server. */
static int be_ready(const struct starts *starts)
{
	const struct run_client_input *in = starts->in;

	if (run_ready_wait(in->run, &in->route->target, in->server) < 0)
		return -1;
	if (!in->identity->known && in->identity->model == NULL &&
	    run_identity_learn(in->run, &in->route->target, in->server, false, in->identity) < 0)
		return -1;
	run_server_set_ready(in->server);
	run_server_follow_log(in->server);
	return 0;
}

static void note(struct starts *starts, enum phase phase, const json_t *used)
{
	const struct run_server *server = starts->in->server;
	struct samples *samples = &starts->samples[phase];
	auto_json json_t *facts = host_server_log_facts(server->log);
	const json_t *compile_s = json_object_get(facts, "compile_s");
	double start_s = (double)(server->healthy_ns - server->spawned_ns) / 1e9;

	samples->start_s[samples->count++] = start_s;
	if (json_is_number(compile_s))
		samples->compile_s[samples->compile_count++] = json_number_value(compile_s);
	json_array_append_new(starts->list,
			      json_pack("{s:s, s:f, s:o, s:O?}", "phase", phase_names[phase],
					"startup_s", start_s, "phases", run_document_phases(server),
					"caches", used));
}

/* The run stops the last server, so that its log and facts are in the result. */
static int start_once(struct starts *starts, enum phase phase, const json_t *used)
{
	const struct run_client_input *in = starts->in;

	if (run_check_stop(in->run) < 0)
		return -1;
	run_log(in->run, "start %zu of %zu (%s)", starts->done + 1, starts->total,
		phase_names[phase]);
	run_journal_alive(in->run->journal);
	if (run_server_start(in->run, in->launch, in->server) < 0 || be_ready(starts) < 0)
		return -1;
	note(starts, phase, used);
	if (++starts->done == starts->total)
		return 0;
	run_server_stop(in->run, in->server);
	if (in->server->left > 0)
		return run_fail(in->run, RES_STATUS_FAILED, RES_CAUSE_INTERNAL, PL_ERR_FAILED,
				"could not end %zu processes of a server start", in->server->left);
	run_server_reset(in->server);
	return 0;
}

static int start_cold(struct starts *starts)
{
	json_t *env = starts->in->launch->env;
	auto_json json_t *used = NULL;
	auto_json json_t *before = NULL;
	struct pl_err err = PL_ERR_INIT;
	char folder[PATH_ROOM];

	if (make_caches(env, folder, &used, &before, &err) < 0)
		return run_fail_err(starts->in->run, RES_STATUS_FAILED, RES_CAUSE_INTERNAL, &err);
	int done = start_once(starts, COLD, used);
	/* do not stop the server after the last start */
	if (done == 0 && starts->done == starts->total)
		run_server_stop(starts->in->run, starts->in->server);
	drop_caches(env, folder, before);
	return done;
}

static int start_all(struct starts *starts, const size_t counts[PHASE_COUNT])
{
	for (size_t i = 0; i < counts[COLD]; i++) {
		if (start_cold(starts) < 0)
			return -1;
	}
	for (enum phase phase = WARMUP; phase < PHASE_COUNT; phase++) {
		for (size_t i = 0; i < counts[phase]; i++) {
			if (start_once(starts, phase, NULL) < 0)
				return -1;
		}
	}
	return 0;
}

/* ---- metrics ---- */

static void add_figures(json_t *figures, const char *phase, const char *what, const double *s,
			size_t count)
{
	auto_free char *average = pl_asprintf("avg_%s_%s_time", phase, what);
	auto_free char *times = pl_asprintf("%s_%s_times", phase, what);
	auto_free char *shares = pl_asprintf("%s_%s_percentiles", phase, what);
	json_t *list = json_array();
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		json_array_append_new(list, json_real(s[i]));
		sum += s[i];
	}
	json_object_set_new(figures, average,
			    pl_json_number(count > 0 ? sum / (double)count : NAN));
	json_object_set_new(figures, times, list);
	json_object_set_new(figures, shares, res_offline_percentiles(s, count));
}

static int measure(const struct run_client_input *in, struct run_measured *ret)
{
	const struct vllm_bench *bench = &in->run->experiment->bench;
	const size_t counts[PHASE_COUNT] = {
		[COLD] = (size_t)bench->num_iters_cold,
		/* the warm-up fills the caches for the warm starts */
		[WARMUP] = bench->num_iters_warm > 0 ? (size_t)bench->num_iters_warmup : 0,
		[WARM] = (size_t)bench->num_iters_warm,
	};
	struct starts starts = { .in = in, .list = json_array() };

	for (size_t i = 0; i < PHASE_COUNT; i++) {
		starts.total += counts[i];
		starts.samples[i].start_s = pl_alloc_array(counts[i], sizeof(double));
		starts.samples[i].compile_s = pl_alloc_array(counts[i], sizeof(double));
	}
	run_window_begin(&ret->window, in->telemetry);
	int done = start_all(&starts, counts);
	run_window_end(&ret->window, in->telemetry);
	if (done == 0) {
		static const enum phase reported[] = { COLD, WARM };
		json_t *figures = json_object();
		for (size_t i = 0; i < PL_ARRAY_SIZE(reported); i++) {
			const struct samples *samples = &starts.samples[reported[i]];
			const char *phase = phase_names[reported[i]];
			add_figures(figures, phase, "startup", samples->start_s, samples->count);
			add_figures(figures, phase, "compilation", samples->compile_s,
				    samples->compile_count);
		}
		json_object_set(figures, "starts", starts.list);
		ret->figures = figures;
		in->run->ending->status = RES_STATUS_COMPLETED;
	}
	for (size_t i = 0; i < PHASE_COUNT; i++) {
		free(starts.samples[i].start_s);
		free(starts.samples[i].compile_s);
	}
	json_decref(starts.list);
	return done;
}

static void results(const struct run_measured *measured, json_t *into)
{
	(void)measured;
	(void)into;
}

const struct run_client run_client_startup = {
	.name = "startup",
	.starts_servers = true,
	.measure = measure,
	.results = results,
};
