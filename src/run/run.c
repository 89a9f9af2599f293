/*
 * The order of a run, and what happens at every kind of end.
 *
 *	prepare   paths, journal, GPUs and port, route, client, telemetry   on failure: nothing remains
 *	steps     server, identity, test request, plan, warm-up, load,
 *	          profile                                                   on failure: the others are skipped
 *	          (if the port was lost meanwhile: again with another one)
 *	end       stop the server, idle power, stop telemetry, read the rest of the log
 *	finish    artifacts, document, final names, remove the journal      on failure: the journal stays
 *
 * If several runs share the server (run/shared_server.h), the first one does all of this except stopping it. The others
 * begin after its start, with emptied caches.
 *
 * The journal records a step's stage before the step begins, so that a killed run shows its stage. After the first
 * recorded stage, every end leaves a result, or the journal to make one.
 */
#include "run/run.h"
#include "run/container.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "experiment/offline.h"
#include "result/existing.h"
#include "run/document/document.h"
#include "run/document/flat_result.h"
#include "run/document/offline.h"
#include "run/journal/journal.h"
#include "run/live.h"
#include "run/plots.h"
#include "run/redact.h"
#include "run/repeat.h"
#include "run/replace.h"
#include "run/run_priv.h"
#include "run/shared_server.h"
#include "run/steps/ready.h"
#include "run/watch/watch.h"
#include "vllm/rules.h"

/* The number of ports to try if the server finds its own in use. */
#define PORT_TRIES 3

/* Per cache of the server. */
#define EMPTY_TIMEOUT_NS (10 * PL_NS_PER_S)

/* ---- before the start ---- */

/* Input files must not be overwritten: a typing error must not destroy a file. */
static int check_inputs_kept(const struct exp_config *experiment, const char *output,
			     struct pl_err *err)
{
	const char *config = pl_json_get_text(experiment->server, "config");
	const char *inputs[] = { experiment->source, experiment->bench.dataset_path, config };

	for (size_t i = 0; i < PL_ARRAY_SIZE(inputs); i++) {
		if (inputs[i] != NULL && pl_file_same(inputs[i], output))
			return pl_err_invalid(err,
					      "this run would overwrite '%s', which it reads; use "
					      "another --output",
					      output);
	}
	return 0;
}

static int check_output(const struct exp_config *experiment, const char *path, struct pl_err *err)
{
	if (check_inputs_kept(experiment, path, err) < 0)
		return -1;
	return pl_file_check_writable(path, err);
}

static int check_paths(const struct run_state *run, struct pl_err *err)
{
	const struct exp_config *experiment = run->context.experiment;
	const struct run_paths *paths = &run->paths;

	if (check_output(experiment, paths->result, err) < 0 ||
	    check_output(experiment, paths->requests, err) < 0 ||
	    check_output(experiment, paths->series, err) < 0 ||
	    check_output(experiment, paths->server_log, err) < 0 ||
	    check_output(experiment, paths->client_log, err) < 0 ||
	    /* removed if this run draws none */
	    check_inputs_kept(experiment, paths->timeline, err) < 0 ||
	    check_inputs_kept(experiment, paths->dataset_stats, err) < 0 ||
	    run_flat_check_apart(&experiment->bench, paths, run->settings->names_of_vllm, err) < 0)
		return -1;
	return run_plots_check_paths(run, err);
}

/* What --overwrite replaces, now or at the end. */
static int check_replaced(const struct run_state *run, struct pl_err *err)
{
	if (!run->settings->overwrite)
		return 0;
	if (res_existing_check_replaced(run->settings->output, "--output", true, err) < 0)
		return -1;
	return run_flat_check_existing(run, err);
}

/*
 * The journal comes first, because a live or killed run needs another message, but --overwrite discards it: nothing may
 * refuse the run after that.
 */
static int prepare_paths(struct run_state *run, struct pl_err *err)
{
	const struct run_settings *settings = run->settings;
	const char *output = settings->output;

	run_paths_make(output, NULL, &run->paths);
	if (check_paths(run, err) < 0 || check_replaced(run, err) < 0 ||
	    run_journal_open(output, settings->overwrite, &run->context.journal, err) < 0)
		return -1;
	if (!settings->overwrite &&
	    (res_existing_check(output, "--output", err) < 0 ||
	     run_flat_check_existing(run, err) < 0 || run_paths_check_free(&run->paths, err) < 0 ||
	     run_paths_set_aside(&run->paths, err) < 0))
		return -1;
	if (res_existing_worth(output) == RES_WORTH_NOTHING)
		return 0;
	run_paths_done(&run->paths);
	run_paths_make(output, run->context.run_id, &run->paths);
	return check_paths(run, err);
}

static int prepare_launch(struct run_state *run, struct pl_err *err)
{
	struct run_taking taking = {
		.run_id = run->context.run_id,
		.release = &run->release,
		.stop = run->context.stop,
		.wait_ns = run->settings->wait_ns,
		.quiet = run->settings->quiet,
	};

	if (run->context.joins) {
		run->launch = pl_take(run->shared_server->launch);
		run->server = run->shared_server->server;
		run->server.stays_up = false;
		json_decref(run->launch->headers);
		run->launch->headers = json_incref(run->context.experiment->bench.header);
		run_redact_know(run->launch);
		return 0;
	}
	if (run_launch_plan(run->context.experiment, &taking, &run->launch, err) < 0)
		return -1;
	run->server.url = run->launch->url;
	/* the run does not include waiting for others */
	run->context.started_ns += run->launch->resources.waited_ns;
	return 0;
}

static int prepare_client(struct run_state *run, struct pl_err *err)
{
	/* an engine in another process has no address */
	if (!exp_is_in_process(run->context.experiment) &&
	    run_route_open(&run->context, run->launch, &run->route, err) < 0)
		return -1;
	return run->client->open != NULL ? run->client->open(run->launch, &run->measured, err) : 0;
}

static int prepare(struct run_state *run, struct pl_err *err)
{
	if (prepare_paths(run, err) < 0 || prepare_launch(run, err) < 0 ||
	    prepare_client(run, err) < 0)
		return -1;
	run->server.log_path = run->shared_server != NULL ? run->shared_server->log_path
							  : run->paths.server_log;
	run_document_fix(run, &run->fixed);
	if (run_telemetry_start(&run->context, run->launch, &run->route.target, run->paths.series,
				&run->telemetry, err) < 0)
		return -1;
	return run_watch_start(&run->context, run->launch, run->telemetry.host, run->settings->sink,
			       &run->context.watch, err);
}

/* ---- the steps, in order ---- */

static int start_server(struct run_state *run)
{
	return run_server_start(&run->context, run->launch, &run->server);
}

static int wait_for_server(struct run_state *run)
{
	if (run_ready_wait(&run->context, &run->route.target, &run->server) < 0)
		return -1;
	if (run->launch->container == NULL)
		return 0;
	run_container_learn(run->launch);
	/* the mark of another user's process cannot be read */
	if (run->launch->container->pid > 0)
		host_telemetry_take_in(run->telemetry.host, run->launch->container->pid);
	return 0;
}

/* Reports differences from the repeated run as soon as they are known. */
static void report_differences(struct run_state *run)
{
	if (run->context.experiment->repeats == NULL)
		return;
	auto_json json_t *known = run_document_so_far(run);
	run->differences_reported = run_repeat_warn(
		pl_json_get_path(known, "environment.repeat_of"), run->differences_reported);
}

static int learn_identity(struct run_state *run)
{
	if (run_identity_learn(&run->context, &run->route.target, &run->server,
			       run->client->follows_redirects, &run->identity) < 0)
		return -1;
	run_route_learn_metrics(&run->context, run_document_release(run), &run->route);
	run_watch_identity(run->context.watch, run->identity.model, run->identity.engine_version);
	/* The check before the start reported this for the target release; this is the release that the server reports. */
	auto_free char *known = vllm_newer_note(run->release.version);
	auto_free char *note = vllm_newer_note(run_document_release(run));
	if (known == NULL && note != NULL)
		run_log(&run->context, "note: %s", note);
	report_differences(run);
	return 0;
}

static int send_test_request(struct run_state *run)
{
	return run_ready_request(&run->context, &run->identity, &run->route, &run->server);
}

static int call_client(struct run_state *run,
		       int (*step)(const struct run_client_input *input, struct run_measured *ret))
{
	const struct run_client_input input = {
		.run = &run->context,
		.launch = run->launch,
		.paths = &run->paths,
		.route = &run->route,
		.server = &run->server,
		.identity = &run->identity,
		.telemetry = &run->telemetry,
	};

	return step != NULL ? step(&input, &run->measured) : run_check_stop(&run->context);
}

static int prepare_load(struct run_state *run)
{
	if (call_client(run, run->client->prepare) < 0)
		return -1;
	report_differences(run);
	return 0;
}

static int warm_up(struct run_state *run)
{
	return call_client(run, run->client->warmup);
}

static int measure(struct run_state *run)
{
	return call_client(run, run->client->measure);
}

static int take_profile(struct run_state *run)
{
	const struct run_client_input input = {
		.run = &run->context,
		.launch = run->launch,
		.paths = &run->paths,
		.route = &run->route,
		.server = &run->server,
		.identity = &run->identity,
		.telemetry = &run->telemetry,
	};

	return run_profile_take(&input, &run->measured, &run->profile);
}

/* Detects {"success": false}: blocks are in use. */
static bool says_no(const struct io_reply *reply)
{
	auto_json json_t *answer = NULL;

	return reply->body_len > 0 &&
	       pl_json_parse(reply->body, reply->body_len, "answer", &answer, PL_ERR_IGNORED) ==
		       0 &&
	       json_is_false(json_object_get(answer, "success"));
}

/* Entries from an earlier run would make this one faster. */
static int empty_caches(struct run_state *run)
{
	static const char *const paths[] = { "/reset_prefix_cache", "/reset_mm_cache",
					     "/reset_encoder_cache" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(paths); i++) {
		auto_reply reply = { 0 };
		if (run_target_post(&run->route.target, paths[i], EMPTY_TIMEOUT_NS,
				    &run->context.stop->reason, &reply, PL_ERR_IGNORED) == 0 &&
		    reply.status == 200 && !says_no(&reply))
			continue;
		/* every engine has the first */
		if (i == 0 && !run->shared_server->caches_stay)
			pl_log(PL_LOG_WARNING,
			       "the server did not empty its caches (POST %s returned status %d): "
			       "they may contain prompts of earlier runs",
			       paths[i], reply.status);
		run->shared_server->caches_stay = run->shared_server->caches_stay || i == 0;
	}
	return run_check_stop(&run->context);
}

/* SERVING: only with a server that the client does not start itself. STARTING: at its start. JOINING: later. */
enum when { ALWAYS, SERVING, STARTING, JOINING };

/* The stage of each step, and the step. */
static const struct {
	enum when when;
	enum res_stage stage;
	int (*run)(struct run_state *run);
} steps[] = {
	{ STARTING, RES_STAGE_LAUNCH, start_server },
	{ STARTING, RES_STAGE_LAUNCH, wait_for_server },
	{ SERVING, RES_STAGE_LAUNCH, learn_identity },
	{ STARTING, RES_STAGE_LAUNCH, send_test_request },
	{ JOINING, RES_STAGE_PREPARE, empty_caches },
	{ ALWAYS, RES_STAGE_PREPARE, prepare_load },
	{ ALWAYS, RES_STAGE_WARMUP, warm_up },
	{ ALWAYS, RES_STAGE_MEASURE, measure },
	{ SERVING, RES_STAGE_MEASURE, take_profile },
};

static bool is_left_out(const struct run_state *run, size_t step)
{
	enum when when = steps[step].when;

	if (when != ALWAYS && run->client->starts_servers)
		return true;
	return run->context.joins ? when == STARTING : when == JOINING;
}

/*
 * Only after a successful run, because requests that it gave up may still be computed. A client that starts the server
 * itself cannot share it.
 */
static bool stays_up(const struct run_state *run)
{
	enum res_status status = run->ending.status;

	return run->shared_server != NULL && run->shared_server->goes_on &&
	       run->server.process != NULL && !run->client->starts_servers && !run->server.died &&
	       run_stop_signal(run->context.stop) == 0 &&
	       (status == RES_STATUS_COMPLETED || status == RES_STATUS_PARTIAL) &&
	       !run_server_ended(&run->server, 0);
}

/* A stop request after the measurement still ends the run. */
static void check_stopped_late(struct run_state *run)
{
	if (run_stop_signal(run->context.stop) == 0 || run->ending.status != RES_STATUS_COMPLETED)
		return;
	run->ending.stage = RES_STAGE_STOP;
	run_fail_interrupted(&run->context);
}

/* If the port was free when it was tried and is in use now, starts again with another one, unless it is fixed. */
static bool restart(struct run_state *run)
{
	const struct exp_config *experiment = run->context.experiment;
	struct run_launch *launch = run->launch;
	struct run_ending *ending = &run->ending;
	struct pl_err err = PL_ERR_INIT;

	if (ending->cause != RES_CAUSE_PORT_IN_USE || ending->status != RES_STATUS_LAUNCH_FAILED ||
	    experiment->launch.port != OPTION_NO_I64 || launch->port_tries == 0 ||
	    launch->port_tries >= PORT_TRIES)
		return false;
	uint16_t taken = launch->resources.port.number;
	run_server_stop(&run->context, &run->server);
	run_server_reset(&run->server);
	run_identity_done(&run->identity);
	run_target_done(&run->route.target);
	int moved = run_launch_new_port(launch, experiment, run->context.run_id, &err);
	run_document_fix(run, &run->fixed);
	if (moved < 0 || run_launch_target(launch, experiment, run->context.stop,
					   &run->route.target, &err) < 0) {
		run_fail_err(&run->context, RES_STATUS_LAUNCH_FAILED, RES_CAUSE_PORT_IN_USE, &err);
		return false;
	}
	run_log(&run->context, "port %u is in use; trying port %u", taken,
		launch->resources.port.number);
	ending->status = RES_STATUS_FAILED;
	ending->cause = RES_CAUSE_COUNT;
	ending->why = (struct pl_err)PL_ERR_INIT;
	return true;
}

/* After the first of these calls, every end of the run leaves a result or a journal. */
static void note_stage(struct run_state *run, enum res_stage stage)
{
	run_watch_server(run->context.watch, &run->server);
	run_watch_stage(run->context.watch, stage);
	run_journal_stage(run->context.journal, stage, run_document_so_far(run));
}

/* Idle power is only needed for metrics, and only correct when no process remains. */
static bool is_power_requested(const struct run_state *run)
{
	return (run->measured.outcome != NULL || run->measured.figures != NULL) &&
	       run->launch->url == NULL && run->server.left == 0 && !run->server.stays_up;
}

static void run_steps(struct run_state *run)
{
	const struct run_context *context = &run->context;

	run_stop_next(context->stop);
	run_journal_ends(context->journal, context->stop);
	run_journal_head(context->journal, context->run_id, run->paths.is_alternative,
			 context->started_real_ns, context->started_ns);
	note_stage(run, RES_STAGE_PREPARE);
	for (size_t i = 0; i < PL_ARRAY_SIZE(steps);) {
		if (is_left_out(run, i)) {
			i++;
			continue;
		}
		run->ending.stage = steps[i].stage;
		note_stage(run, steps[i].stage);
		if (run_stop_is_disk_full(context->stop) && run_check_stop(context) < 0)
			break;
		if (steps[i].run(run) == 0)
			i++;
		else if (restart(run))
			i = 0;
		else
			break;
	}
	note_stage(run, RES_STAGE_STOP);
	run->server.stays_up = stays_up(run);
	if (run->server.stays_up)
		run_server_follow_log(&run->server);
	else
		run_server_stop(context, &run->server);
	run_profile_collect(run->paths.output, context->run_id, run->launch->url != NULL,
			    &run->profile);
	if (!run->server.stays_up && run->launch->url == NULL)
		run_profile_remove_dir(run->launch->trace_dir, context->mark);
	check_stopped_late(run);
	/* everything is measured: a signal from here on only shortens this */
	if (is_power_requested(run))
		run_telemetry_rest(context, &run->telemetry);
	run_telemetry_stop(&run->telemetry);
	/* reads the output until now; an unreadable log gives no more */
	if (!run->server.stays_up)
		run_server_end_log(&run->server);
	if (run->server.left > 0)
		pl_log(PL_LOG_WARNING, "could not end %zu processes of run '%s'", run->server.left,
		       context->run_id);
}

/* ---- the end ---- */

/* vLLM's file may have the name of an earlier run's: it is replaced together with its result. */
static int write_flat_last(struct run_state *run, const json_t *document, struct pl_err *err)
{
	if (run_flat_result(run, document, &run->flat_path, err) == 0)
		return 0;
	return pl_err_wrap(err, "could not write vLLM's flat result; the complete result is '%s'",
			   run->paths.result);
}

/* Writes the artifacts and vLLM's files, followed by the result, which names them. */
static int write_files(struct run_state *run, bool flat_last, json_t **ret, struct pl_err *err)
{
	if (run_document(run, ret, err) < 0)
		return -1;
	run_failure_lines(run);
	if (run_offline_write(run, *ret, err) < 0 ||
	    (!flat_last && run_flat_result(run, *ret, &run->flat_path, err) < 0))
		return -1;
	json_t *document = *ret;
	if (run_replace(&run->paths, document, err) < 0)
		return -1;
	if (run->settings->written != NULL)
		*run->settings->written = pl_strdup(run->paths.result);
	return 0;
}

/* If the result cannot be written, the journal remains to make it later. */
static int finish(struct run_state *run, json_t **ret, struct pl_err *err)
{
	bool flat_last = run->paths.is_alternative;

	if (write_files(run, flat_last, ret, err) < 0) {
		if (!run_journal_recovers(run->context.journal))
			return pl_err_wrap(err, "the result could not be written");
		return pl_err_wrap(err,
				   "could not write the result (%s'profllm recover %s' writes it "
				   "from the journal)",
				   err->code == PL_ERR_FULL ? "once the disk has room, " : "",
				   run->settings->output);
	}
	int done = flat_last ? write_flat_last(run, *ret, err) : 0;
	run_journal_remove(run->context.journal);
	return done;
}

/* The guard and the locks continue with the server. */
static void keep_server(struct run_state *run)
{
	struct run_shared_server *shared_server = run->shared_server;

	shared_server->launch = pl_take(run->launch);
	shared_server->server = run->server;
	memmove(shared_server->mark, run->context.mark, sizeof(shared_server->mark));
}

/* Releases the locks last, when everything they protect has ended with the guard. */
static void end_server(struct run_state *run, struct run_slot *slot)
{
	run_server_done(&run->server);
	run_slot_close(slot);
	if (run->shared_server != NULL && run->launch != NULL)
		run_shared_server_close_log(run->shared_server);
	run_launch_free(run->launch);
}

int run_slot_open(const struct exp_config *experiment, struct run_stop *stop, struct run_slot *ret,
		  struct pl_err *err)
{
	*ret = (struct run_slot){
		.started_ns = pl_clock_now_ns(),
		.started_real_ns = pl_clock_real_ns(),
		.stop = stop,
	};
	res_run_id_make(ret->started_real_ns, ret->run_id);
	if (experiment->launch.url != NULL)
		return 0;
	return host_guard_start(ret->run_id, &ret->guard, err);
}

void run_slot_next(struct run_slot *slot)
{
	slot->started_ns = pl_clock_now_ns();
	slot->started_real_ns = pl_clock_real_ns();
	res_run_id_make(slot->started_real_ns, slot->run_id);
}

void run_slot_close(struct run_slot *slot)
{
	host_guard_free(pl_take(slot->guard));
}

int run_experiment(const struct exp_config *experiment, const struct run_settings *settings,
		   struct run_slot *slot, json_t **ret_result, struct pl_err *err)
{
	bool joins = slot->shared_server != NULL && slot->shared_server->launch != NULL;
	struct run_state run = {
		.context = {
			.experiment = experiment,
			.run_id = slot->run_id,
			.mark = joins ? slot->shared_server->mark : slot->run_id,
			.joins = joins,
			.started_ns = slot->started_ns,
			.started_real_ns = slot->started_real_ns,
			.quiet = settings->quiet,
			.stop = slot->stop,
			.live = slot->live,
			.ending = &run.ending,
		},
		.ending = {
			.stage = RES_STAGE_PREPARE,
			.status = RES_STATUS_FAILED,
			.cause = RES_CAUSE_COUNT,
		},
		.settings = settings,
		.shared_server = slot->shared_server,
		.server = { .guard = slot->guard },
		.client = run_client_of(experiment),
	};
	auto_json json_t *result = NULL;

	if (slot->live != NULL)
		run_live_begin(slot->live);
	run_server_reset(&run.server);
	run_release_find(experiment, NULL, &run.release);
	int done = prepare(&run, err);
	if (done == 0) {
		run_steps(&run);
		done = finish(&run, &result, err);
	}
	if (done < 0)
		exp_words(experiment, err);
	run_watch_stop(run.context.watch);
	run_journal_free(run.context.journal);
	run_telemetry_done(&run.telemetry);
	run_profile_done(&run.profile);
	run_measured_done(run.client, &run.measured);
	if (run.server.stays_up)
		keep_server(&run);
	else if (run.launch != NULL || !run.context.joins)
		end_server(&run, slot);
	run_route_done(&run.route);
	run_release_done(&run.release);
	run_identity_done(&run.identity);
	run_fixed_done(&run.fixed);
	free(run.flat_path);
	run_paths_done(&run.paths);
	*ret_result = pl_take(result);
	return done;
}
