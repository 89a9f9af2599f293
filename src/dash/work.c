/*
 *	dash_work_add ──> queue ──> a thread: make() for the first asker ──> share ──> done() for each
 *	                    ^ identical requests join the job, also while it is being made
 */
#include "dash/work.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/thread.h"
#include "dash/cache.h"
#include "dash/problem.h"
#include "mirror/cancel_token.h"

#define THREADS_MAX 16
/* Checking whether clients are connected costs a system call each. */
#define LOOK_NS (5 * PL_NS_PER_MS)

/*
 * One response to make. Everything in it is under the lock, except the first asker's response while it is being made.
 */
struct job {
	int64_t version;
	char *question; /* NULL: not shared */
	struct dash_asker *askers;
	struct dash_asker **end;
	struct job *next; /* in the list of waiting or of current jobs */
	int64_t added_ns;

	/* of the thread that makes it */
	struct dash_work *work;
	struct mirror_cancel_token cancel_token;
	int64_t look_ns; /* time of the next check */
	enum dash_work_end outcome;
};

struct jobs {
	struct job *first;
	struct job **end;
	size_t count;
};

struct dash_work {
	struct dash_work_options options;
	pthread_t threads[THREADS_MAX];
	unsigned started;
	pthread_mutex_t lock; /* protects the fields below */
	pthread_cond_t wake;
	bool is_over;
	struct jobs waiting;
	struct jobs making;
	struct dash_cache *cache;
	uint64_t refused;
	uint64_t hits;
	uint64_t misses;
};

/* ---- lists ----------------------------------------------------------------------------------- */

static void jobs_init(struct jobs *jobs)
{
	*jobs = (struct jobs){ .end = &jobs->first };
}

static void jobs_add(struct jobs *jobs, struct job *job)
{
	job->next = NULL;
	*jobs->end = job;
	jobs->end = &job->next;
	jobs->count++;
}

static void jobs_remove(struct jobs *jobs, struct job *job)
{
	struct job **at = &jobs->first;

	while (*at != job)
		at = &(*at)->next;
	*at = job->next;
	if (jobs->end == &job->next)
		jobs->end = at;
	jobs->count--;
}

static bool asks(const struct job *job, int64_t version, const char *question)
{
	return job->version == version && job->question != NULL &&
	       strcmp(job->question, question) == 0;
}

static struct job *jobs_find(const struct jobs *jobs, int64_t version, const char *question)
{
	struct job *job = jobs->first;

	while (job != NULL && !asks(job, version, question))
		job = job->next;
	return job;
}

/* ---- one job --------------------------------------------------------------------------------- */

/* Call it after removing the job from its list, so that no request can join. */
static void finish(struct dash_work *work, struct job *job)
{
	struct dash_asker *asker = job->askers;
	struct dash_answer *made = asker->answer;
	struct dash_asker *next;

	if (job->question != NULL) {
		dash_answer_make_shared(made);
		for (next = asker->next; next != NULL; next = next->next)
			dash_answer_share(made, next->answer);
	}
	if (job->question != NULL && made->status == 200 && !made->is_partial) {
		pthread_mutex_lock(&work->lock);
		dash_cache_add(work->cache, job->version, job->question, made);
		pthread_mutex_unlock(&work->lock);
	}
	for (; asker != NULL; asker = next) {
		/* its owner may be freed after this */
		next = asker->next;
		asker->end = job->outcome;
		work->options.done(asker);
	}
	free(job->question);
	free(job);
}

static void refuse(struct dash_work *work, struct job *job, const char *why)
{
	job->outcome = DASH_WORK_DROPPED;
	job->askers->answer->retry_s = 1;
	dash_refuse(job->askers->answer, 503, "%s", why);
	finish(work, job);
}

/* Returns whether all its clients have left. */
static bool is_left(const struct dash_work *work, const struct job *job)
{
	if (work->options.is_gone == NULL)
		return false;
	for (const struct dash_asker *asker = job->askers; asker != NULL; asker = asker->next) {
		if (!work->options.is_gone(asker))
			return false;
	}
	return true;
}

/* Once it returns true, no request can join. */
static bool has_left(struct mirror_cancel_token *cancel_token)
{
	struct job *job = PL_CONTAINER_OF(cancel_token, struct job, cancel_token);
	struct dash_work *work = job->work;
	int64_t now_ns = pl_clock_now_ns();

	if (job->outcome == DASH_WORK_GIVEN_UP)
		return true;
	if (now_ns < job->look_ns)
		return false;
	job->look_ns = now_ns + LOOK_NS;
	pthread_mutex_lock(&work->lock);
	if (is_left(work, job)) {
		job->outcome = DASH_WORK_GIVEN_UP;
		jobs_remove(&work->making, job);
	}
	pthread_mutex_unlock(&work->lock);
	return job->outcome == DASH_WORK_GIVEN_UP;
}

static void make(struct dash_work *work, struct job *job)
{
	jobs_add(&work->making, job);
	pthread_mutex_unlock(&work->lock);
	job->look_ns = pl_clock_now_ns() + LOOK_NS;
	work->options.make(job->askers, &job->cancel_token);
	pthread_mutex_lock(&work->lock);
	if (job->outcome != DASH_WORK_GIVEN_UP)
		jobs_remove(&work->making, job);
	pthread_mutex_unlock(&work->lock);
	finish(work, job);
}

static void refuse_left(struct dash_work *work, struct job *job)
{
	refuse(work, job, "the client disconnected before the request began");
}

static void *work_on(void *data)
{
	struct dash_work *work = data;

	if (work->options.nice > 0)
		pl_thread_lower(work->options.nice);
	pthread_mutex_lock(&work->lock);
	for (;;) {
		while (work->waiting.first == NULL && !work->is_over)
			pthread_cond_wait(&work->wake, &work->lock);
		if (work->is_over)
			break;
		struct job *job = work->waiting.first;
		jobs_remove(&work->waiting, job);
		if (is_left(work, job)) {
			pthread_mutex_unlock(&work->lock);
			refuse_left(work, job);
		} else {
			make(work, job);
		}
		pthread_mutex_lock(&work->lock);
	}
	pthread_mutex_unlock(&work->lock);
	return NULL;
}

/* ---- start and stop -------------------------------------------------------------------------- */

int dash_work_start(const struct dash_work_options *options, struct dash_work **ret,
		    struct pl_err *err)
{
	struct dash_work *work = pl_alloc(sizeof(*work));

	work->options = *options;
	pthread_mutex_init(&work->lock, NULL);
	pthread_cond_init(&work->wake, NULL);
	jobs_init(&work->waiting);
	jobs_init(&work->making);
	work->cache = dash_cache_new(options->cache_bytes);
	for (; work->started < options->threads && work->started < THREADS_MAX; work->started++) {
		if (pl_thread_start(&work->threads[work->started], work_on, work, err) < 0) {
			dash_work_stop(work);
			dash_work_free(work);
			return -1;
		}
	}
	*ret = work;
	return 0;
}

void dash_work_stop(struct dash_work *work)
{
	pthread_mutex_lock(&work->lock);
	work->is_over = true;
	pthread_cond_broadcast(&work->wake);
	pthread_mutex_unlock(&work->lock);
	for (unsigned i = 0; i < work->started; i++)
		pthread_join(work->threads[i], NULL);
	work->started = 0;
	for (;;) {
		pthread_mutex_lock(&work->lock);
		struct job *job = work->waiting.first;
		if (job != NULL)
			jobs_remove(&work->waiting, job);
		pthread_mutex_unlock(&work->lock);
		if (job == NULL)
			return;
		refuse(work, job, "the server is shutting down");
	}
}

void dash_work_free(struct dash_work *work)
{
	dash_cache_free(work->cache);
	pthread_cond_destroy(&work->wake);
	pthread_mutex_destroy(&work->lock);
	free(work);
}

/* ---- interface ------------------------------------------------------------------------------- */

bool dash_work_find(struct dash_work *work, int64_t version, const char *question,
		    struct dash_answer *answer)
{
	pthread_mutex_lock(&work->lock);
	bool is_there = dash_cache_find(work->cache, version, question, answer);
	work->hits += is_there;
	work->misses += !is_there;
	pthread_mutex_unlock(&work->lock);
	return is_there;
}

/* Under the lock. */
static bool add(struct dash_work *work, int64_t version, const char *question,
		struct dash_asker *asker)
{
	struct job *job = NULL;

	if (work->is_over)
		return false;
	if (question != NULL) {
		job = jobs_find(&work->making, version, question);
		job = job != NULL ? job : jobs_find(&work->waiting, version, question);
	}
	if (job == NULL) {
		if (work->waiting.count >= work->options.room)
			return false;
		job = pl_alloc(sizeof(*job));
		*job = (struct job){ .version = version,
				     .question = pl_strdup(question),
				     .end = &job->askers,
				     .work = work,
				     .added_ns = pl_clock_now_ns(),
				     .cancel_token = { .has_left = has_left } };
		jobs_add(&work->waiting, job);
		pthread_cond_signal(&work->wake);
	}
	asker->next = NULL;
	*job->end = asker;
	job->end = &asker->next;
	return true;
}

/* Takes the queued jobs whose clients have left. Under the lock. */
static void take_left(struct dash_work *work, struct jobs *ret)
{
	struct job *next;

	for (struct job *job = work->waiting.first; job != NULL; job = next) {
		next = job->next;
		if (!is_left(work, job))
			continue;
		jobs_remove(&work->waiting, job);
		jobs_add(ret, job);
	}
}

bool dash_work_add(struct dash_work *work, int64_t version, const char *question,
		   struct dash_asker *asker)
{
	struct jobs left;
	struct job *next;

	jobs_init(&left);
	pthread_mutex_lock(&work->lock);
	if (work->waiting.count >= work->options.room)
		take_left(work, &left);
	bool is_added = add(work, version, question, asker);
	work->refused += !is_added && !work->is_over;
	pthread_mutex_unlock(&work->lock);
	for (struct job *job = left.first; job != NULL; job = next) {
		next = job->next;
		refuse_left(work, job);
	}
	return is_added;
}

void dash_work_count(struct dash_work *work, struct dash_work_counts *ret)
{
	pthread_mutex_lock(&work->lock);
	*ret = (struct dash_work_counts){ .waiting = work->waiting.count,
					  .running = work->making.count,
					  .refused = work->refused,
					  .hits = work->hits,
					  .misses = work->misses,
					  .cache_bytes = dash_cache_bytes(work->cache) };
	if (work->waiting.first != NULL)
		ret->oldest_ns = pl_clock_now_ns() - work->waiting.first->added_ns;
	pthread_mutex_unlock(&work->lock);
}
