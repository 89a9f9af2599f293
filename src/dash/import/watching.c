#include "dash/import/watching.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/log.h"
#include "base/thread.h"
#include "dash/import/watch.h"
#include "dash/observe/counters.h"

struct dash_watching {
	struct dash_watch *watch;
	pthread_t thread;
	struct dash_counters *counters; /* or NULL */
	int stop;
	bool verbose;
};

static void report_result(void *context, const struct dash_imported *imported)
{
	const struct dash_watching *watching = context;

	dash_counters_document(watching->counters,
			       imported->document != NULL ? (int)imported->document->form : -1,
			       imported->outcome);
	switch (imported->outcome) {
	case STORE_REJECTED:
		pl_log(PL_LOG_WARNING, "%s", imported->message);
		break;
	case STORE_CONFLICT:
		pl_log(PL_LOG_WARNING,
		       "'%s' not stored: conflict with result %lld, which has the same run_id",
		       imported->path, (long long)imported->id);
		break;
	case STORE_STORED:
		if (watching->verbose)
			pl_log(PL_LOG_INFO, "'%s' is stored: result %lld", imported->path,
			       (long long)imported->id);
		break;
	default: /* it existed before */
		break;
	}
}

static void on_artifact(void *context, const struct dash_imported *imported,
			const struct dash_imported_artifact *artifact)
{
	(void)context;
	(void)imported;
	if (strcmp(artifact->state, "failed") == 0)
		pl_log(PL_LOG_WARNING, "'%s' not stored: %s", artifact->path, artifact->message);
}

static void on_sweep(void *context, const struct dash_imported_sweep *sweep)
{
	(void)context;
	if (sweep->message != NULL)
		pl_log(PL_LOG_WARNING, "%s", sweep->message);
}

static void *watch(void *data)
{
	struct dash_watching *watching = data;

	dash_watch_run(watching->watch, watching->stop);
	return NULL;
}

static int start(struct dash_watching *watching, const struct dash_watch_options *options,
		 struct pl_err *err)
{
	watching->stop = eventfd(0, EFD_CLOEXEC);
	if (watching->stop < 0)
		return pl_err_errno(err, "could not watch directories");
	return dash_watch_new(options, &watching->watch, err) < 0
		       ? -1
		       : pl_thread_start(&watching->thread, watch, watching, err);
}

static void release(struct dash_watching *watching)
{
	dash_watch_free(watching->watch);
	pl_fd_close(&watching->stop);
	free(watching);
}

int dash_watching_start(const struct pl_opt_list *folders, struct store *store,
			const struct store_reader *reader, struct dash_counters *counters,
			bool verbose, struct dash_watching **ret, struct pl_err *err)
{
	struct dash_watching *watching = pl_alloc(sizeof(*watching));
	const struct dash_watch_options options = { .folders = folders,
						    .store = store,
						    .reader = reader,
						    .on_result = report_result,
						    .artifact = on_artifact,
						    .sweep = on_sweep,
						    .context = watching };

	*watching = (struct dash_watching){ .counters = counters, .stop = -1, .verbose = verbose };
	if (start(watching, &options, err) < 0) {
		release(watching);
		return -1;
	}
	*ret = watching;
	return 0;
}

void dash_watching_stop(struct dash_watching *watching)
{
	if (watching == NULL)
		return;
	(void)eventfd_write(watching->stop, 1);
	pthread_join(watching->thread, NULL);
	release(watching);
}
