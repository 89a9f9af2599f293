/*
 * GPUs and port, all or nothing: two runs that each held a part of what the other needs would wait forever. So both are
 * tried together inside the lock directory, and if one is missing, all are released before leaving it.
 *
 *	try ── all ──> locks go to the guard with the server
 *	 │ no
 *	 └─ --wait ─> ticket ─> [a lock is released, or a second is over] ─> try again, in tickets' order
 */
#include "run/resources/resources.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "experiment/offline.h"
#include "host/lock/queue.h"
#include "run/resources/resources_priv.h"
#include "run/stop.h"
#include "vllm/version.h"

/* Interval of polling for resources without locks: other programs on GPUs and ports. */
#define POLL_NS              PL_NS_PER_S
#define BY_UUID_SINCE        "0.32.0"
#define NAME_BYTES_MAX       256
#define VISIBLE_MAX          4096
#define OWNER_TEXT_BYTES_MAX 2048

/* The state of taking the resources of one run. */
struct taking {
	const struct exp_config *experiment;
	const struct run_taking *how;
	struct run_gpu_request request;
	struct run_gpu_taking gpus;
	struct host_lock_owner who;
	char name[NAME_BYTES_MAX];
	bool needs_port;
	json_t *warnings;
	struct host_ticket *ticket;
	char printed[OWNER_TEXT_BYTES_MAX]; /* the owner that we wait for, as last reported */
	struct run_resources *into;
};

void run_resources_init(struct run_resources *resources)
{
	*resources = (struct run_resources){ .port = HOST_PORT_NONE, .gpus = json_array() };
}

static void set_owner(const struct exp_config *experiment, const char *run_id, char *name,
		      size_t room, struct host_lock_owner *ret)
{
	bool both = experiment->suite != NULL && experiment->name != NULL;

	snprintf(name, room, "%s%s%s", experiment->suite != NULL ? experiment->suite : "",
		 both ? "/" : "", experiment->name != NULL ? experiment->name : "");
	*ret = (struct host_lock_owner){ .run_id = run_id, .name = name[0] != '\0' ? name : NULL };
}

static void warn(const struct taking *t, const char *text)
{
	json_array_append_new(t->warnings, json_string(text));
}

/* Without a lock directory, ports are only checked with bind(), and no GPU is taken. */
static int open_locks(struct taking *t, struct pl_err *err)
{
	if (host_locks_open(&t->into->locks, err) == 0) {
		if (host_locks_warning(t->into->locks) != NULL)
			warn(t, host_locks_warning(t->into->locks));
		return 0;
	}
	if (err->code != PL_ERR_NOT_FOUND || t->request.kind != RUN_GPUS_NONE)
		return -1;
	warn(t, err->text);
	return 0;
}

static void note_host(struct taking *t)
{
	const struct host_gpus *host = t->gpus.host;

	if (t->gpus.count == 0)
		return;
	t->into->host_gpus = json_array();
	for (size_t i = 0; i < t->gpus.count; i++) {
		const struct host_gpu_facts *facts = t->gpus.offers[i].facts;
		if (facts->mig_parent == NULL)
			json_array_append_new(
				t->into->host_gpus,
				json_string(facts->name != NULL ? facts->name : "GPU"));
	}
	t->into->driver = pl_strdup(host_gpus_driver(host));
	t->into->cuda = pl_strdup(host_gpus_cuda(host));
}

static json_t *gpu_to_json(const struct host_gpu_facts *facts)
{
	bool known = facts->memory_bytes > 0;

	return json_pack("{s:o, s:o, s:o, s:o, s:b}", "index",
			 pl_json_i64(facts->index, facts->index >= 0 && facts->mig_parent == NULL),
			 "uuid", pl_json_text(facts->uuid), "name", pl_json_text(facts->name),
			 "memory_bytes", pl_json_i64((int64_t)facts->memory_bytes, known),
			 "simulated", facts->simulated);
}

/* Returns whether the release is known and accepts uuids. Older ones crash on them. */
static bool takes_uuids(const struct run_release *release)
{
	struct vllm_version version, since;

	return release != NULL && !release->assumed &&
	       vllm_version_parse(release->version, &version, PL_ERR_IGNORED) == 0 &&
	       vllm_version_parse(BY_UUID_SINCE, &since, PL_ERR_IGNORED) == 0 &&
	       vllm_version_compare(&version, &since) >= 0;
}

static void set_visible(struct taking *t, const size_t *picked, size_t count)
{
	bool known = takes_uuids(t->how->release), instance = false, by_uuid = known;
	auto_buf visible = PL_BUF(VISIBLE_MAX);

	for (size_t i = 0; i < count; i++) {
		const struct host_gpu_facts *facts = t->gpus.offers[picked[i]].facts;
		instance = instance || facts->mig_parent != NULL;
		by_uuid = by_uuid || facts->mig_parent != NULL || facts->index < 0;
	}
	if (instance && !known)
		warn(t, "MIG instances have only UUIDs, and vLLM before " BY_UUID_SINCE
			" does not accept a UUID");
	for (size_t i = 0; i < count; i++) {
		const struct host_gpu_facts *facts = t->gpus.offers[picked[i]].facts;
		pl_buf_add_text(&visible, i > 0 ? "," : "");
		if (by_uuid && facts->uuid != NULL)
			pl_buf_add_text(&visible, facts->uuid);
		else
			pl_buf_addf(&visible, "%d", facts->index);
	}
	if (!t->request.reported)
		t->into->visible = pl_buf_take(&visible);
}

static void move_fd(struct run_resources *into, int *fd)
{
	if (*fd >= 0)
		into->lock_fds[into->lock_count++] = *fd;
	*fd = -1;
}

static void keep_gpus(struct taking *t, const size_t *picked, size_t count, bool mixed)
{
	struct run_resources *into = t->into;

	into->lock_fds = pl_alloc_array(2 * count, sizeof(*into->lock_fds));
	for (size_t i = 0; i < count; i++) {
		json_array_append_new(into->gpus, gpu_to_json(t->gpus.offers[picked[i]].facts));
		host_lock_write_owner(t->gpus.lock_fds[picked[i]], &t->who, NULL);
		move_fd(into, &t->gpus.lock_fds[picked[i]]);
		move_fd(into, &t->gpus.parent_fds[picked[i]]);
	}
	if (mixed)
		warn(t, "the GPUs are of different models; name the ones to use in launch.gpus");
	set_visible(t, picked, count);
	/* Binds the server to the NUMA node of its GPUs, if they have the same, unless vLLM does that. */
	int node = t->gpus.offers[picked[0]].facts->numa_node;
	for (size_t i = 1; i < count; i++) {
		if (t->gpus.offers[picked[i]].facts->numa_node != node)
			return;
	}
	if (!pl_json_get_true(t->experiment->server, "numa_bind"))
		t->into->has_numa = host_numa_find(HOST_NUMA_FOLDER, node, &t->into->numa);
}

/* Returns whether an earlier run waits for the same fixed port. */
static int port_is_waited_for(const struct taking *t, const json_t *before, struct pl_err *err)
{
	int64_t port = t->experiment->launch.port;

	PL_JSON_EACH(cancel_token, before) {
		const json_t *claimed = pl_json_get_path(cancel_token, "claim.port");
		if (port == OPTION_NO_I64 || json_integer_value(claimed) != port)
			continue;
		auto_free char *who = host_lock_holder_text(cancel_token);
		return pl_err_set(err, PL_ERR_BUSY,
				  "launch.port: port '%lld' is reserved for the waiting %s",
				  (long long)port, who);
	}
	return 0;
}

static int take_port(const struct exp_config *experiment, const struct host_lock_owner *who,
		     struct run_resources *into, struct pl_err *err)
{
	int64_t fixed = experiment->launch.port;

	if (host_port_take(into->locks, experiment->launch.host,
			   fixed == OPTION_NO_I64 ? 0 : (uint16_t)fixed, who, &into->port, err) < 0)
		return pl_err_wrap(err, "launch.port");
	return 0;
}

/* Returns 1: all taken; 0: not possible now, with the reason in err; -1. Inside host_locks_enter(). */
static int try_inside(struct taking *t, const json_t *before, struct pl_err *err)
{
	auto_free size_t *picked = pl_alloc_array(t->gpus.count, sizeof(*picked));
	size_t count = 0;
	bool mixed = false, wants_gpus = t->request.kind != RUN_GPUS_NONE;
	int done = 1;

	if (t->needs_port && port_is_waited_for(t, before, err) < 0)
		return 0;
	if (wants_gpus)
		done = run_gpu_taking_try(&t->gpus, t->into->locks, before, picked, &count, &mixed,
					  err);
	if (done <= 0)
		return done;
	if (t->needs_port && take_port(t->experiment, &t->who, t->into, err) < 0) {
		run_gpu_taking_let_go(&t->gpus);
		return err->code == PL_ERR_BUSY ? 0 : -1;
	}
	if (wants_gpus)
		keep_gpus(t, picked, count, mixed);
	return 1;
}

static int try_once(struct taking *t, struct pl_err *err)
{
	auto_json json_t *before = NULL;

	/* queries the driver, which can be slow: before other runs are locked out */
	run_gpu_taking_look(&t->gpus);
	if (t->into->locks == NULL)
		return try_inside(t, NULL, err);
	if (host_locks_enter(t->into->locks, err) < 0)
		return -1;
	before = host_queue_before(t->into->locks, t->ticket);
	int done = try_inside(t, before, err);
	host_locks_leave(t->into->locks);
	return done;
}

static int join_queue(struct taking *t, struct pl_err *err)
{
	auto_json json_t *claim = run_gpu_taking_claim(&t->gpus);

	if (t->needs_port && t->experiment->launch.port != OPTION_NO_I64)
		json_object_set_new(claim, "port", json_integer(t->experiment->launch.port));
	if (host_locks_enter(t->into->locks, err) < 0)
		return -1;
	int done = host_ticket_take(t->into->locks, &t->who, claim, &t->ticket, err);
	host_locks_leave(t->into->locks);
	return done;
}

static void report(struct taking *t, const struct pl_err *why)
{
	if (t->how->quiet || strcmp(t->printed, why->text) == 0)
		return;
	snprintf(t->printed, sizeof(t->printed), "%s", why->text);
	pl_log(PL_LOG_INFO, "waiting: %s", t->printed);
}

static int stopped(const struct run_stop *stop, struct pl_err *err)
{
	int number = run_stop_signal(stop);

	return pl_err_set(err, PL_ERR_INTERRUPTED, "ended by signal %d (%s) while waiting", number,
			  strsignal(number));
}

/* err names the owner. Returns 0 if everything was taken meanwhile. */
static int wait_for_slot(struct taking *t, struct pl_err *err)
{
	int64_t from_ns = pl_clock_now_ns();

	if (t->into->locks == NULL)
		return -1;
	struct pl_err why = *err;
	/* a ticket first, then the next attempt, so that later runs see that we wait */
	if (join_queue(t, err) < 0)
		return run_stop_signal(t->how->stop) != 0 ? stopped(t->how->stop, err) : -1;
	for (;;) {
		int64_t left_ns = t->how->wait_ns - (pl_clock_now_ns() - from_ns);
		report(t, &why);
		if (run_stop_signal(t->how->stop) != 0)
			return stopped(t->how->stop, err);
		if (left_ns <= 0) {
			*err = why;
			return pl_err_wrap(err, "the wait timed out");
		}
		host_locks_wait(t->into->locks, left_ns < POLL_NS ? left_ns : POLL_NS);
		int done = try_once(t, &why);
		if (done > 0)
			break;
		if (done < 0 && run_stop_signal(t->how->stop) == 0) {
			*err = why;
			return -1;
		}
	}
	t->into->waited_ns = pl_clock_now_ns() - from_ns;
	return 0;
}

static int take(struct taking *t, struct pl_err *err)
{
	run_gpu_request_read(t->experiment, &t->request);
	if (t->request.kind != RUN_GPUS_NONE &&
	    run_gpu_taking_open(&t->request, t->warnings, &t->gpus, err) < 0)
		return -1;
	note_host(t);
	if (!t->needs_port && t->request.kind == RUN_GPUS_NONE)
		return 0;
	if (open_locks(t, err) < 0)
		return -1;
	int done = try_once(t, err);
	if (done > 0)
		return 0;
	if (done < 0)
		return run_stop_signal(t->how->stop) != 0 ? stopped(t->how->stop, err) : -1;
	if (t->how->look_only && t->request.kind != RUN_GPUS_NONE) {
		/* the final choice is unknown; the port may be free */
		warn(t, err->text);
		t->request.kind = RUN_GPUS_NONE;
		return try_once(t, err) > 0 ? 0 : -1;
	}
	if (t->how->wait_ns > 0)
		return wait_for_slot(t, err);
	struct pl_err why = *err;
	return pl_err_set(err, PL_ERR_BUSY, "%s; use --wait to wait for it", why.text);
}

/* Releases everything; may be repeated. The collected facts remain readable. */
static void release(struct run_resources *resources)
{
	host_port_unbind(&resources->port);
	for (size_t i = 0; i < resources->lock_count; i++) {
		/* close() leaves the lock with the guard's descriptor; unlocking would take it from those processes */
		if (resources->still_used)
			close(resources->lock_fds[i]);
		else
			host_lock_release(resources->lock_fds[i]);
	}
	resources->lock_count = 0;
	if (resources->still_used && resources->port.lock_fd >= 0) {
		close(resources->port.lock_fd);
		resources->port.lock_fd = -1;
	}
	host_port_release(&resources->port);
}

int run_resources_take(const struct exp_config *experiment, const struct run_taking *how,
		       json_t *warnings, struct run_resources *ret, struct pl_err *err)
{
	struct taking t = {
		.experiment = experiment,
		.how = how,
		.needs_port = json_object_get(experiment->server, "uds") == NULL &&
			      !exp_is_in_process(experiment),
		.warnings = warnings,
		.into = ret,
	};

	set_owner(experiment, how->run_id, t.name, sizeof(t.name), &t.who);
	int done = take(&t, err);
	host_ticket_leave(t.ticket);
	run_gpu_taking_close(&t.gpus);
	run_gpu_request_done(&t.request);
	/* a dry run keeps only the number, to show it */
	if (done < 0 || how->look_only) {
		uint16_t port = ret->port.number;
		release(ret);
		ret->port.number = port;
	}
	return done;
}

int run_resources_new_port(const struct exp_config *experiment, const char *run_id,
			   struct run_resources *resources, struct pl_err *err)
{
	char name[NAME_BYTES_MAX];
	struct host_lock_owner who;
	struct host_port before = resources->port;

	set_owner(experiment, run_id, name, sizeof(name), &who);
	/* the old one stays locked meanwhile, so it is not drawn again */
	resources->port = HOST_PORT_NONE;
	int done = take_port(experiment, &who, resources, err);
	host_port_release(&before);
	return done;
}

void run_resources_done(struct run_resources *resources)
{
	release(resources);
	host_locks_free(resources->locks);
	json_decref(resources->gpus);
	json_decref(resources->host_gpus);
	free(resources->visible);
	free(resources->lock_fds);
	free(resources->driver);
	free(resources->cuda);
	*resources = (struct run_resources){ .port = HOST_PORT_NONE };
}
