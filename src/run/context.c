/*
 * How a step ends the run. One place decides which cause counts: a signal takes precedence over its consequences, so a
 * server that our own SIGTERM ended is not reported as one that died.
 */
#include "run/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "run/journal/journal.h"

int run_fail_err(const struct run_context *run, enum res_status status, enum res_cause cause,
		 const struct pl_err *why)
{
	struct run_ending *ending = run->ending;
	int number = run_stop_signal(run->stop);

	ending->status = status;
	ending->cause = cause;
	ending->why = *why;
	/* The full disk asked the run to stop. `why` is a consequence. */
	if (run_stop_is_disk_full(run->stop) && run_journal_full(run->journal) != NULL) {
		ending->status = RES_STATUS_FAILED;
		ending->cause = RES_CAUSE_DISK_FULL;
		ending->why = *run_journal_full(run->journal);
	}
	/* "{launch.url}" becomes the name that this user writes: a key of a file, or an option */
	exp_words(run->experiment, &ending->why);
	/* consequences of a signal are not the cause */
	if (number != 0 && status != RES_STATUS_PARTIAL) {
		ending->status = RES_STATUS_INTERRUPTED;
		ending->cause = RES_CAUSE_SIGNAL;
		pl_err_set(&ending->why, PL_ERR_INTERRUPTED, "ended by signal %d (%s)", number,
			   strsignal(number));
	}
	return -1;
}

int run_fail(const struct run_context *run, enum res_status status, enum res_cause cause,
	     enum pl_err_code code, const char *format, ...)
{
	struct pl_err why = PL_ERR_INIT;
	char text[sizeof(why.text)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	pl_err_set(&why, code, "%s", text);
	return run_fail_err(run, status, cause, &why);
}

int run_fail_interrupted(const struct run_context *run)
{
	return run_fail(run, RES_STATUS_INTERRUPTED, RES_CAUSE_SIGNAL, PL_ERR_INTERRUPTED,
			"interrupted");
}

int run_check_stop(const struct run_context *run)
{
	return atomic_load(&run->stop->reason) == 0 ? 0 : run_fail_interrupted(run);
}

void run_log(const struct run_context *run, const char *format, ...)
{
	char line[1024];
	va_list args;

	if (run->quiet)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	pl_log(PL_LOG_INFO, "%s", line);
}
