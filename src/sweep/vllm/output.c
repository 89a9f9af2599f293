/* The output of a sweep: lines on the terminal, a directory for each load, and summary.csv. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "sweep/vllm/command.h"
#include "sweep/vllm/vsweep_priv.h"
#include "vllm/python_text.h"

void sweep_vllm_print(const struct sweep_vllm *sweep, const char *format, ...)
{
	va_list args;

	if (sweep->settings->quiet)
		return;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

void sweep_vllm_mark(const struct sweep_vllm *sweep, const char *mark, const json_t *parameters)
{
	auto_free char *text = vllm_python_text(parameters);

	sweep_vllm_print(sweep, "%s", mark);
	if (parameters != NULL)
		sweep_vllm_print(sweep, "Overrides: %s", text);
}

char *sweep_vllm_bench_folder(const struct sweep_vllm_settings *settings, const json_t *serve,
			      const json_t *bench, const char *more_head, const char *more_name)
{
	auto_free char *serve_name = sweep_vllm_name(serve);
	auto_free char *bench_name = sweep_vllm_name(bench);
	const struct sweep_vllm_part parts[] = {
		{ "SERVE-", serve_name },
		{ settings->kind == SWEEP_VLLM_STARTUP ? "STARTUP-" : "BENCH-", bench_name },
		{ more_head, more_name },
	};

	return sweep_vllm_folder(settings->folder, parts, more_head != NULL ? 3 : 2);
}

int sweep_vllm_add_rows(struct sweep_vllm *sweep, const json_t *runs, struct pl_err *err)
{
	auto_free char *path = pl_asprintf("%s/summary.csv", sweep->settings->folder);

	if (runs == NULL)
		return 0;
	json_array_extend(sweep->rows, (json_t *)runs);
	return sweep_vllm_write_csv(sweep->rows, path, err);
}
