/*
 *	dash_work_add ──> queue ──> a thread: make() for the first who asks ──> share ──> done() for each
 *	                    ^ who asks the same joins the job, also while it is being made
 */
#include "dash/work.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/thread.h"
#include "dash/kept.h"
#include "dash/problem.h"

#define THREADS_MAX 16

/* One answer to be made. Everything in it is under the lock, but for the first asker's answer while it is
 * being made. */
struct job {
	int64_t version;
	char *question; /* NULL: nobody else has the same */
	struct dash_asker *askers;
	struct dash_asker **end;
	struct job *next; /* of those that wait, or of those that are being made */
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
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t wake;
	bool is_over;
	struct jobs waiting;
	struct jobs making;
	struct dash_kept *kept;
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

static struct job *jobs_find(const struct jobs *jobs, int64_t version, const char *question)
{
	struct job *job = jobs->first;

	while (job != NULL && (job->version != version || !pl_text_equal(job->question, question)))
		job = job->next;
	return job;
}

static void join(struct job *job, struct dash_asker *asker)
{
	asker->next = NULL;
	*job->end = asker;
	job->end = &asker->next;
}

/* ---- one job --------------------------------------------------------------------------------- */

/* It is in no list any more: nobody can join. */
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
		dash_kept_add(work->kept, job->version, job->question, made);
		pthread_mutex_unlock(&work->lock);
	}
	for (; asker != NULL; asker = next) {
		/* its owner may be gone behind this */
		next = asker->next;
		work->options.done(asker);
	}
	free(job->question);
	free(job);
}

static void refuse(struct dash_work *work, struct job *job, const char *why)
{
	job->askers->answer->retry_s = 1;
	dash_refuse(job->askers->answer, 503, "%s", why);
	finish(work, job);
}

/* Has everybody left whom it is for? */
static bool is_left(const struct dash_work *work, const struct job *job)
{
	for (const struct dash_asker *asker = job->askers; asker != NULL; asker = asker->next) {
		if (!work->options.is_gone(asker))
			return false;
	}
	return true;
}

static void make(struct dash_work *work, struct job *job)
{
	jobs_add(&work->making, job);
	pthread_mutex_unlock(&work->lock);
	work->options.make(job->askers);
	pthread_mutex_lock(&work->lock);
	jobs_remove(&work->making, job);
	pthread_mutex_unlock(&work->lock);
	finish(work, job);
}

static void *work_on(void *data)
{
	struct dash_work *work = data;

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
			refuse(work, job, "the client left before its turn came");
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
	work->kept = dash_kept_new(options->kept_bytes);
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
		refuse(work, job, "the server is going down");
	}
}

void dash_work_free(struct dash_work *work)
{
	dash_kept_free(work->kept);
	pthread_cond_destroy(&work->wake);
	pthread_mutex_destroy(&work->lock);
	free(work);
}

/* ---- asking ---------------------------------------------------------------------------------- */

bool dash_work_find(struct dash_work *work, int64_t version, const char *question,
		    struct dash_answer *answer)
{
	pthread_mutex_lock(&work->lock);
	bool is_there = dash_kept_find(work->kept, version, question, answer);
	pthread_mutex_unlock(&work->lock);
	return is_there;
}

static struct job *job_new(int64_t version, const char *question)
{
	struct job *job = pl_alloc(sizeof(*job));

	*job = (struct job){ .version = version,
			     .question = pl_strdup(question),
			     .end = &job->askers };
	return job;
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
		job = job_new(version, question);
		jobs_add(&work->waiting, job);
		pthread_cond_signal(&work->wake);
	}
	join(job, asker);
	return true;
}

bool dash_work_add(struct dash_work *work, int64_t version, const char *question,
		   struct dash_asker *asker)
{
	pthread_mutex_lock(&work->lock);
	bool is_added = add(work, version, question, asker);
	pthread_mutex_unlock(&work->lock);
	return is_added;
}
