#include "upload/live.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/thread.h"
#include "run/target.h"
#include "upload/upload_priv.h"

/* A dashboard that takes longer gets the next snapshot instead. */
#define SEND_NS (5 * PL_NS_PER_S)
/* Between two attempts while the dashboard does not answer: doubles up to the second one. */
#define PAUSE_NS       PL_NS_PER_S
#define PAUSE_NS_MAX   (4 * PL_NS_PER_S)
#define PATH_BYTES_MAX 4096

struct upload_live {
	const struct run_target *target;
	char *path;
	void (*warn)(void *data, const char *why);
	void *data;
	pthread_t thread;
	atomic_int stop_signal; /* aborts a request */
	bool has_warned;        /* the thread's own, as the next ones */
	bool has_arrived;       /* a snapshot */
	int64_t pause_ns;

	pthread_mutex_t lock; /* protects the fields below */
	pthread_cond_t changed;
	char *next; /* NULL: nothing to send */
	bool is_sending;
	bool is_useless; /* no further attempts */
	bool is_ending;
};

static void warn(struct upload_live *live, const char *why)
{
	if (!live->has_warned && live->warn != NULL)
		live->warn(live->data, why);
	live->has_warned = true;
}

/* Returns whether another snapshot may be accepted later. */
static bool may_pass(int status)
{
	return upload_is_passing(status) || status == 500 || status == 408;
}

/*
 * Returns true if the dashboard has the snapshot. *ret_useless: no other one will be accepted either. After one that was
 * accepted, that is never so: while a dashboard restarts, its proxy may answer 404.
 */
static bool send_one(struct upload_live *live, const char *snapshot, bool *ret_useless)
{
	const struct io_fetch fetch = {
		.addr = &live->target->addr,
		.host = live->target->host,
		.method = "POST",
		.path = live->path,
		.headers = live->target->headers,
		.body = snapshot,
		.body_len = strlen(snapshot),
		.timeout_ns = SEND_NS,
		.reply_bytes_max = 65536,
		.stop_signal = &live->stop_signal,
	};
	auto_reply reply = { 0 };
	struct pl_err err = PL_ERR_INIT;

	*ret_useless = false;
	if (io_fetch(&fetch, &reply, &err) < 0) {
		if (atomic_load(&live->stop_signal) == 0)
			warn(live, err.text);
		return false;
	}
	if (reply.status >= 200 && reply.status < 300) {
		live->has_arrived = true;
		return true;
	}
	auto_free char *words = upload_words_of(&reply);
	warn(live, words);
	*ret_useless = !live->has_arrived && !may_pass(reply.status);
	return false;
}

/* Waits with the lock until there is a snapshot. Returns false at the end. */
static bool await_next(struct upload_live *live)
{
	while (live->next == NULL && !live->is_ending)
		pthread_cond_wait(&live->changed, &live->lock);
	return live->next != NULL;
}

/* Waits with the lock; the end cuts it short. */
static void rest(struct upload_live *live)
{
	struct timespec due = pl_clock_timespec(pl_clock_now_ns() + live->pause_ns);

	while (!live->is_ending) {
		if (pthread_cond_timedwait(&live->changed, &live->lock, &due) == ETIMEDOUT)
			break;
	}
	live->pause_ns = live->pause_ns < PAUSE_NS_MAX ? 2 * live->pause_ns : PAUSE_NS_MAX;
}

static void *live_main(void *data)
{
	struct upload_live *live = data;

	pthread_mutex_lock(&live->lock);
	while (!live->is_useless && await_next(live)) {
		auto_free char *snapshot = pl_take(live->next);
		bool is_useless;
		live->is_sending = true;
		pthread_mutex_unlock(&live->lock);
		bool is_sent = send_one(live, snapshot, &is_useless);
		pthread_mutex_lock(&live->lock);
		live->is_sending = false;
		live->is_useless = is_useless;
		/* the last one gets a single attempt */
		if (is_sent)
			live->pause_ns = PAUSE_NS;
		else if (!is_useless)
			rest(live);
		pthread_cond_broadcast(&live->changed);
	}
	live->is_useless = true;
	pthread_cond_broadcast(&live->changed);
	pthread_mutex_unlock(&live->lock);
	return NULL;
}

static void live_free(struct upload_live *live)
{
	pthread_cond_destroy(&live->changed);
	pthread_mutex_destroy(&live->lock);
	free(live->next);
	free(live->path);
	free(live);
}

int upload_live_start(const struct upload_live_options *options, struct upload_live **ret,
		      struct pl_err *err)
{
	struct upload_live *live = pl_alloc(sizeof(*live));
	auto_buf path = PL_BUF(PATH_BYTES_MAX);
	pthread_condattr_t monotonic;

	pl_buf_addf(&path, "%s/api/live/", options->target->prefix);
	upload_add_word(&path, options->run_id, "-._~");
	live->path = pl_buf_take(&path);
	live->target = options->target;
	live->warn = options->warn;
	live->data = options->data;
	live->pause_ns = PAUSE_NS;
	pthread_mutex_init(&live->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&live->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	if (pl_thread_start(&live->thread, live_main, live, err) == 0) {
		*ret = live;
		return 0;
	}
	live_free(live);
	return -1;
}

void upload_live_put(struct upload_live *live, char *snapshot)
{
	pthread_mutex_lock(&live->lock);
	char *older = live->next;
	live->next = snapshot;
	pthread_cond_broadcast(&live->changed);
	pthread_mutex_unlock(&live->lock);
	free(older);
}

void upload_live_stop(struct upload_live *live, int64_t wait_ns)
{
	struct timespec due = pl_clock_timespec(pl_clock_now_ns() + wait_ns);

	pthread_mutex_lock(&live->lock);
	live->is_ending = true;
	pthread_cond_broadcast(&live->changed);
	while (!live->is_useless && (live->next != NULL || live->is_sending)) {
		if (pthread_cond_timedwait(&live->changed, &live->lock, &due) == ETIMEDOUT)
			break;
	}
	free(pl_take(live->next));
	pthread_mutex_unlock(&live->lock);
	atomic_store(&live->stop_signal, 1);
	pthread_join(live->thread, NULL);
	live_free(live);
}
