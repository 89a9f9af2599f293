#include "host/sampler.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "io/fetch.h"

#define FETCH_TIMEOUT_NS (2 * PL_NS_PER_S)
#define PAGE_BYTES_MAX   (16u << 20)

struct host_sampler {
	struct host_sampler_spec spec;
	pthread_t thread;
	bool running; /* the thread has to be joined */
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stop;                           /* under lock */
	struct host_metrics_sample *samples; /* the thread's until it is joined */
	size_t count;
	size_t room;
	int64_t cpu_ns;
};

int host_metrics_fetch(const struct host_sampler_spec *spec, struct host_metrics_sample *ret,
		       struct pl_err *err)
{
	struct io_fetch fetch = {
		.addr = spec->addr,
		.host = spec->host,
		.path = "/metrics",
		.headers = spec->headers,
		.timeout_ns = FETCH_TIMEOUT_NS,
		.reply_bytes_max = PAGE_BYTES_MAX,
	};
	auto_reply reply = { 0 };
	struct host_metrics_sample sample = { .asked_ns = pl_clock_now_ns() };

	if (io_fetch(&fetch, &reply, err) < 0)
		return -1;
	sample.answered_ns = pl_clock_now_ns();
	if (reply.status != 200)
		return pl_err_set(err, PL_ERR_NETWORK, "'/metrics' answered %d", reply.status);
	if (host_metrics_parse(reply.body, reply.body_len, &sample.metrics, err) < 0)
		return -1;
	sample.known = true;
	*ret = sample;
	return 0;
}

static void take_sample(struct host_sampler *sampler)
{
	struct pl_err err = PL_ERR_INIT;

	pl_grow((void **)&sampler->samples, &sampler->room, sampler->count + 1,
		sizeof(*sampler->samples));
	struct host_metrics_sample *sample = &sampler->samples[sampler->count++];
	*sample = (struct host_metrics_sample){ .asked_ns = pl_clock_now_ns() };
	if (host_metrics_fetch(&sampler->spec, sample, &err) < 0)
		sample->answered_ns = pl_clock_now_ns();
}

/* False: the run is over. */
static bool wait_until(struct host_sampler *sampler, int64_t due_ns)
{
	struct timespec due = { .tv_sec = due_ns / PL_NS_PER_S, .tv_nsec = due_ns % PL_NS_PER_S };

	pthread_mutex_lock(&sampler->lock);
	while (!sampler->stop) {
		if (pthread_cond_timedwait(&sampler->wake, &sampler->lock, &due) == ETIMEDOUT)
			break;
	}
	bool go_on = !sampler->stop;
	pthread_mutex_unlock(&sampler->lock);
	return go_on;
}

static void *sampler_main(void *data)
{
	struct host_sampler *sampler = data;
	int64_t due_ns = pl_clock_now_ns();

	do {
		take_sample(sampler);
		/* ticks that were missed are left out, not caught up */
		do {
			due_ns += sampler->spec.interval_ns;
		} while (due_ns <= pl_clock_now_ns());
	} while (wait_until(sampler, due_ns));
	take_sample(sampler);
	sampler->cpu_ns = pl_clock_cpu_thread_ns();
	return NULL;
}

int host_sampler_start(const struct host_sampler_spec *spec, struct host_sampler **ret,
		       struct pl_err *err)
{
	struct host_sampler *sampler = pl_alloc(sizeof(*sampler));
	pthread_condattr_t attr;
	sigset_t all, before;

	sampler->spec = *spec;
	pthread_mutex_init(&sampler->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&sampler->wake, &attr);
	pthread_condattr_destroy(&attr);
	/* signals are for the main thread */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int code = pthread_create(&sampler->thread, NULL, sampler_main, sampler);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (code != 0) {
		host_sampler_free(sampler);
		errno = code;
		return pl_err_errno(err, "cannot start a thread");
	}
	sampler->running = true;
	*ret = sampler;
	return 0;
}

void host_sampler_stop(struct host_sampler *sampler)
{
	if (sampler == NULL || !sampler->running)
		return;
	pthread_mutex_lock(&sampler->lock);
	sampler->stop = true;
	pthread_cond_signal(&sampler->wake);
	pthread_mutex_unlock(&sampler->lock);
	pthread_join(sampler->thread, NULL);
	sampler->running = false;
}

const struct host_metrics_sample *host_sampler_samples(const struct host_sampler *sampler,
						       size_t *ret_count)
{
	*ret_count = sampler->count;
	return sampler->samples;
}

int64_t host_sampler_cpu_ns(const struct host_sampler *sampler)
{
	return sampler->cpu_ns;
}

void host_sampler_free(struct host_sampler *sampler)
{
	if (sampler == NULL)
		return;
	host_sampler_stop(sampler);
	pthread_mutex_destroy(&sampler->lock);
	pthread_cond_destroy(&sampler->wake);
	free(sampler->samples);
	free(sampler);
}
