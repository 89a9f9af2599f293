#include "run/steps/beside.h"

#include "base/clock.h"
#include "run/run_priv.h"

#define PAGE_TIMEOUT_NS (10 * PL_NS_PER_S)
/* A profiler writes its traces before it answers: minutes for a large model. */
#define FLUSH_TIMEOUT_NS (600 * PL_NS_PER_S)

static void read_counters(const struct run_state *run, struct host_spec_decode *ret)
{
	auto_reply reply = { 0 };
	struct pl_err ignored = PL_ERR_INIT;

	*ret = (struct host_spec_decode){ .known = false };
	if (run_target_fetch(&run->target, "/metrics", NULL, PAGE_TIMEOUT_NS, &reply, &ignored) ==
		    0 &&
	    reply.status == 200)
		host_spec_decode_parse(reply.body, reply.body_len, ret);
}

/* POST with an empty body, as vLLM's client does. */
static bool tell_profiler(const struct run_state *run, const char *path, int64_t timeout_ns)
{
	auto_reply reply = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (run_target_fetch(&run->target, path, "", timeout_ns, &reply, &err) < 0)
		run_say(run, "note: '%s': %s", path, err.text);
	else if (reply.status != 200)
		run_say(run,
			"note: '%s' answers %d: the server has to be started with a "
			"profiler_config",
			path, reply.status);
	else
		return true;
	return false;
}

int run_beside_start(struct run_state *run, struct pl_err *err)
{
	const struct vllm_bench *bench = &run->experiment->bench;
	struct run_beside *beside = &run->beside;

	read_counters(run, &beside->before);
	if (bench->profile) {
		beside->profiling = tell_profiler(run, "/start_profile", PAGE_TIMEOUT_NS);
		if (beside->profiling)
			run_say(run, "the server's profiler runs");
	}
	if (bench->probe_request_rate > 0)
		return run_probe_start(run, bench->probe_request_rate, &beside->probe, err);
	return 0;
}

void run_beside_stop(struct run_state *run)
{
	struct run_beside *beside = &run->beside;

	run_probe_stop(beside->probe);
	if (!beside->profiling)
		return;
	run_say(run, "the server writes its profile");
	tell_profiler(run, "/stop_profile", FLUSH_TIMEOUT_NS);
	beside->profiling = false;
}

void run_beside_count(struct run_state *run)
{
	if (run->beside.before.known)
		read_counters(run, &run->beside.after);
}

void run_beside_results(const struct run_state *run, json_t *results)
{
	const struct run_beside *beside = &run->beside;
	auto_json json_t *spec = host_spec_decode_between(&beside->before, &beside->after);
	const char *name;
	json_t *value;

	run_probe_results(beside->probe, results);
	json_object_foreach(spec, name, value)
	{
		auto_free char *key = pl_asprintf("spec_decode_%s", name);
		json_object_set(results, key, value);
	}
}

void run_beside_done(struct run_beside *beside)
{
	run_probe_free(beside->probe);
	beside->probe = NULL;
}
