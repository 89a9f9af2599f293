#include "dash/observe/monitor.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/thread.h"
#include "dash/request.h"
#include "mirror/mirror.h"
#include "store/analysis/watch.h"

#define TICK_NS PL_NS_PER_S
#define SLOW_NS (5 * PL_NS_PER_S) /* interval of disks and watches */
/* Counting deleted results takes at most 1/DELETED_SHARE of the time, if it is due after less than DELETED_NS. */
#define DELETED_SHARE 1000
#define DELETED_NS    (30 * PL_NS_PER_S)
#define TRIM_NS       (30 * PL_NS_PER_S) /* interval of giving free memory back */
/* A query of the database that takes longer is a failure. */
#define LOST_NS       (5 * PL_NS_PER_S)
#define BEHIND_NS_MAX (10 * PL_NS_PER_S)
#define DISK_FREE_MIN ((uint64_t)64 << 20)

static const struct {
	const char *name, *text;
} reasons[] = {
#define UNREADY(NAME, name, text) { name, text },
#include "tbl/unready_reasons.h"
};

struct dash_monitor {
	const struct dash_context *context;
	_Atomic(const struct dash_observed *) observed;
	atomic_bool is_draining;
	bool has_begun;
	pthread_t thread;
	struct pl_pause pause;
	int64_t slow_ns;    /* of the thread: time of the last slow look */
	int64_t deleted_ns; /* of the thread: time from which deleted results may be counted again */
	int64_t trimmed_ns;      /* of the thread: time of the last trim */
	int64_t deleted_version; /* of the thread: version at the last count; -1: none */

	pthread_mutex_t lock; /* protects the fields below */
	struct dash_state state;
	int64_t succeeded_ns;  /* end of the last successful query; 0: none */
	int64_t began_ns;      /* begin of the current query; 0: none */
	int64_t ended_ns;      /* end of the last query, successful or not */
	int64_t caught_up_ns;  /* when the memory last had all changes */
	int64_t oldest_job_us; /* Unix time; 0: none */
	bool has_failed;
	json_t *watches;
};

const char *dash_unready_name(enum dash_unready reason)
{
	return reasons[reason].name;
}

const char *dash_unready_text(enum dash_unready reason)
{
	return reasons[reason].text;
}

/* ---- thread ---------------------------------------------------------------------------------- */

/* Brings the memory up to date, too, so that it follows other processes without requests. */
static int query_database(struct dash_monitor *monitor, struct store_status *ret,
			  struct pl_err *err)
{
	auto_snapshot struct mirror_snapshot *snapshot = NULL;

	if (store_status_read(monitor->context->store, ret, err) < 0)
		return -1;
	return store_snapshot_get(monitor->context->store, &snapshot, err);
}

static void begin_query(struct dash_monitor *monitor)
{
	pthread_mutex_lock(&monitor->lock);
	monitor->began_ns = pl_clock_now_ns();
	pthread_mutex_unlock(&monitor->lock);
}

static void end_query(struct dash_monitor *monitor, const struct store_status *status,
		      const struct pl_err *err)
{
	struct store_memory_state memory = store_memory_state(monitor->context->store);
	int64_t now_ns = pl_clock_now_ns();
	struct dash_state *state = &monitor->state;

	pthread_mutex_lock(&monitor->lock);
	state->query_ns = now_ns - monitor->began_ns;
	monitor->began_ns = 0;
	monitor->ended_ns = now_ns;
	monitor->has_failed = err != NULL;
	snprintf(state->message, sizeof(state->message), "%.*s", (int)sizeof(state->message) - 1,
		 err != NULL ? err->text : "");
	if (err == NULL) {
		monitor->succeeded_ns = now_ns;
		state->job_count = status->job_count;
		monitor->oldest_job_us = status->oldest_us;
	}
	if (status->data_version > 0)
		state->behind = status->data_version > memory.data_version
					? status->data_version - memory.data_version
					: 0;
	if (err == NULL && state->behind == 0)
		monitor->caught_up_ns = now_ns;
	pthread_mutex_unlock(&monitor->lock);
}

static void look_at_database(struct dash_monitor *monitor)
{
	struct store_status status = { 0 };
	struct pl_err err = PL_ERR_INIT;

	begin_query(monitor);
	bool failed = query_database(monitor, &status, &err) < 0;
	end_query(monitor, &status, failed ? &err : NULL);
}

/* Counts deleted results if the data have changed. */
static void count_deleted(struct dash_monitor *monitor)
{
	struct store *store = monitor->context->store;
	int64_t version = store_memory_state(store).data_version, deleted = 0;
	int64_t begin_ns = pl_clock_now_ns();

	if (version == monitor->deleted_version || begin_ns < monitor->deleted_ns ||
	    store_deleted_count(store, &deleted, PL_ERR_IGNORED) < 0)
		return;
	int64_t end_ns = pl_clock_now_ns();
	monitor->deleted_version = version;
	int64_t rest_ns = DELETED_SHARE * (end_ns - begin_ns);
	monitor->deleted_ns = end_ns + (rest_ns < DELETED_NS ? rest_ns : DELETED_NS);
	pthread_mutex_lock(&monitor->lock);
	monitor->state.deleted = deleted;
	pthread_mutex_unlock(&monitor->lock);
}

static void look_slowly(struct dash_monitor *monitor)
{
	struct store *store = monitor->context->store;
	struct store_disk disks[STORE_DISKS_MAX];
	json_t *watches = NULL;

	if (monitor->slow_ns != 0 && pl_clock_now_ns() - monitor->slow_ns < SLOW_NS)
		return;
	monitor->slow_ns = pl_clock_now_ns();
	size_t count = store_disks(store, disks);
	size_t bytes = store_memory_bytes(store);
	bool has_watches = store_watch_list(store, false, &watches, PL_ERR_IGNORED) == 0;
	pthread_mutex_lock(&monitor->lock);
	memcpy(monitor->state.disks, disks, count * sizeof(*disks));
	monitor->state.disk_count = count;
	monitor->state.memory_bytes = bytes;
	if (has_watches) {
		json_decref(monitor->watches);
		monitor->watches = watches;
	}
	pthread_mutex_unlock(&monitor->lock);
	count_deleted(monitor);
}

/* Threads free large responses and uploads, but the C library keeps their pages, in as many arenas as threads. */
static void trim_memory(struct dash_monitor *monitor)
{
	int64_t now_ns = pl_clock_now_ns();

	if (now_ns - monitor->trimmed_ns < TRIM_NS)
		return;
	monitor->trimmed_ns = now_ns;
	malloc_trim(0);
}

static void *run(void *data)
{
	struct dash_monitor *monitor = data;

	while (pl_pause_until(&monitor->pause, pl_clock_now_ns() + TICK_NS)) {
		look_at_database(monitor);
		look_slowly(monitor);
		trim_memory(monitor);
	}
	return NULL;
}

/* ---- start and stop -------------------------------------------------------------------------- */

struct dash_monitor *dash_monitor_new(const struct dash_context *context)
{
	struct dash_monitor *monitor = pl_alloc(sizeof(*monitor));

	monitor->context = context;
	monitor->deleted_version = -1;
	monitor->state.deleted = -1;
	monitor->state.started_real_ns = pl_clock_real_ns();
	pl_pause_init(&monitor->pause);
	pthread_mutex_init(&monitor->lock, NULL);
	return monitor;
}

void dash_monitor_free(struct dash_monitor *monitor)
{
	if (monitor == NULL)
		return;
	json_decref(monitor->watches);
	pl_pause_done(&monitor->pause);
	pthread_mutex_destroy(&monitor->lock);
	free(monitor);
}

int dash_monitor_begin(struct dash_monitor *monitor, struct pl_err *err)
{
	monitor->caught_up_ns = pl_clock_now_ns();
	look_at_database(monitor);
	look_slowly(monitor);
	if (pl_thread_start(&monitor->thread, run, monitor, err) < 0)
		return -1;
	monitor->has_begun = true;
	return 0;
}

void dash_monitor_stop(struct dash_monitor *monitor)
{
	if (!monitor->has_begun)
		return;
	pl_pause_end(&monitor->pause);
	pthread_join(monitor->thread, NULL);
	monitor->has_begun = false;
}

void dash_monitor_drain(struct dash_monitor *monitor)
{
	atomic_store(&monitor->is_draining, true);
}

bool dash_monitor_is_draining(const struct dash_monitor *monitor)
{
	return atomic_load(&monitor->is_draining);
}

void dash_monitor_attach(struct dash_monitor *monitor, const struct dash_observed *observed)
{
	atomic_store(&monitor->observed, observed);
}

void dash_monitor_count(struct dash_monitor *monitor, struct dash_server_counts *ret)
{
	const struct dash_observed *observed = atomic_load(&monitor->observed);

	observed->count(observed->server, ret);
}

/* ---- state ----------------------------------------------------------------------------------- */

static bool lacks_space(const struct dash_state *state)
{
	for (size_t i = 0; i < state->disk_count; i++) {
		if (state->disks[i].free_bytes < DISK_FREE_MIN)
			return true;
	}
	return false;
}

static void find_reasons(const struct dash_monitor *monitor, struct dash_state *state)
{
	state->unready[DASH_UNREADY_STOPPING] = dash_monitor_is_draining(monitor);
	state->unready[DASH_UNREADY_DATABASE] = state->is_lost;
	state->unready[DASH_UNREADY_LAG] = state->behind_ns > BEHIND_NS_MAX;
	state->unready[DASH_UNREADY_DISK] = lacks_space(state);
	state->is_ready = true;
	for (size_t i = 0; i < DASH_UNREADY_COUNT; i++)
		state->is_ready &= !state->unready[i];
}

void dash_monitor_get(struct dash_monitor *monitor, struct dash_state *ret)
{
	struct store_memory_state memory = store_memory_state(monitor->context->store);
	int64_t now_ns = pl_clock_now_ns();

	pthread_mutex_lock(&monitor->lock);
	*ret = monitor->state;
	bool is_late = monitor->began_ns != 0 && now_ns - monitor->began_ns > LOST_NS;
	ret->is_lost = monitor->has_failed || is_late;
	if (is_late)
		snprintf(ret->message, sizeof(ret->message),
			 "the database has not responded for %.0f s",
			 (double)(now_ns - monitor->began_ns) / PL_NS_PER_S);
	ret->age_ns = monitor->succeeded_ns != 0 ? now_ns - monitor->succeeded_ns : -1;
	ret->behind_ns = ret->behind > 0 ? now_ns - monitor->caught_up_ns : 0;
	if (monitor->oldest_job_us != 0) {
		int64_t age_ns = pl_clock_real_ns() - monitor->oldest_job_us * PL_NS_PER_US;
		ret->oldest_job_ns = age_ns > 0 ? age_ns : 0;
	}
	pthread_mutex_unlock(&monitor->lock);
	ret->data_version = memory.data_version;
	ret->live = memory.live;
	find_reasons(monitor, ret);
}

json_t *dash_monitor_watches(struct dash_monitor *monitor)
{
	pthread_mutex_lock(&monitor->lock);
	json_t *copy = monitor->watches != NULL ? json_deep_copy(monitor->watches) : json_array();
	pthread_mutex_unlock(&monitor->lock);
	return copy;
}

bool dash_monitor_works(struct dash_monitor *monitor, int64_t max_ns)
{
	const struct dash_observed *observed = atomic_load(&monitor->observed);
	int64_t now_ns = pl_clock_now_ns();

	pthread_mutex_lock(&monitor->lock);
	bool is_alive = now_ns - monitor->ended_ns < max_ns;
	pthread_mutex_unlock(&monitor->lock);
	return is_alive && (observed == NULL || observed->works(observed->server, max_ns));
}

/* ---- log ------------------------------------------------------------------------------------- */

/* One per process, because the log is, too. */
static struct {
	pthread_mutex_t lock;
	struct {
		int64_t real_ns;
		enum pl_log_level level;
		char *message;
	} lines[DASH_LOG_LINES_MAX]; /* a ring */
	uint64_t count;              /* of all lines so far */
	uint64_t counts[PL_LOG_WARNING + 1];
} recent = { .lock = PTHREAD_MUTEX_INITIALIZER };

void dash_log_observe(enum pl_log_level level, const char *message)
{
	char *copy = pl_strdup(message);

	pthread_mutex_lock(&recent.lock);
	size_t at = recent.count++ % DASH_LOG_LINES_MAX;
	char *former = recent.lines[at].message;
	recent.lines[at].real_ns = pl_clock_real_ns();
	recent.lines[at].level = level;
	recent.lines[at].message = copy;
	recent.counts[level]++;
	pthread_mutex_unlock(&recent.lock);
	free(former);
}

uint64_t dash_log_count(enum pl_log_level level)
{
	pthread_mutex_lock(&recent.lock);
	uint64_t count = recent.counts[level];
	pthread_mutex_unlock(&recent.lock);
	return count;
}

json_t *dash_log_recent(void)
{
	json_t *lines = json_array();
	char time[32];

	pthread_mutex_lock(&recent.lock);
	for (uint64_t i = recent.count; i > 0 && recent.count - i < DASH_LOG_LINES_MAX; i--) {
		size_t at = (i - 1) % DASH_LOG_LINES_MAX;
		pl_clock_rfc3339(recent.lines[at].real_ns, time);
		json_array_append_new(lines,
				      json_pack("{s:s, s:s, s:o}", "at", time, "level",
						pl_log_level_name(recent.lines[at].level),
						"message", pl_json_text(recent.lines[at].message)));
	}
	pthread_mutex_unlock(&recent.lock);
	return lines;
}
