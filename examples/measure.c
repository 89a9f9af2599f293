/*
 * Measures one experiment with libprofllm: checks it, runs it, prints its progress and three metrics.
 *
 *	cc measure.c $(pkg-config --cflags --libs profllm) -o measure
 *	./measure EXPERIMENT RESULT [SECONDS]
 *
 * EXPERIMENT is a file; the simulator runs in place of vLLM. After SECONDS of the run, it is canceled. The exit status
 * is 0, or that of `profllm run`.
 */
#include <profllm.h>
#include <stdio.h>
#include <stdlib.h>

/* Shared by the callbacks. */
struct view {
	profllm_run *run;
	double seconds_max; /* 0: no limit */
	bool is_canceled;
};

static void show_phase(void *data, const char *phase)
{
	(void)data;
	printf("phase: %s\n", phase);
}

static void show_progress(void *data, const struct profllm_progress *progress)
{
	struct view *view = data;

	printf("%6.1f s: %.0f of %.0f requests\n", progress->elapsed_s, progress->request_done,
	       progress->request_total);
	if (view->seconds_max <= 0 || view->is_canceled || progress->elapsed_s < view->seconds_max)
		return;
	view->is_canceled = true;
	profllm_run_cancel(view->run);
}

static void show_log(void *data, const char *source, const char *level, const char *text)
{
	(void)data;
	if (level != NULL && level[0] == 'e')
		fprintf(stderr, "%s: %s\n", source, text);
}

/* Returns the code of a failed call. */
static int fail(const char *what, const struct profllm_error *error)
{
	fprintf(stderr, "%s: %s (%s)\n", what, error->message, profllm_code_name(error->code));
	return error->code;
}

/* Prints all problems; returns 0 if none is an error. */
static int check(const profllm_program *program, const profllm_experiment *experiment)
{
	profllm_findings *findings;
	struct profllm_error error;

	if (profllm_validate(program, experiment, NULL, &findings, &error) != PROFLLM_OK)
		return fail("could not check the experiment", &error);
	for (size_t i = 0; i < profllm_findings_count(findings); i++) {
		const struct profllm_finding *one = profllm_findings_get(findings, i);
		fprintf(stderr, "%s: line %d: %s: found %s\n", one->severity, one->line,
			one->key != NULL ? one->key : "",
			one->found != NULL ? one->found : "nothing");
	}
	int code = profllm_findings_ok(findings) ? PROFLLM_OK : PROFLLM_INVALID;
	profllm_findings_free(findings);
	return code;
}

static void print_result(const profllm_result *result)
{
	static const char *const paths[] = { "results.output_throughput", "results.median_ttft_ms",
					     "/results/p99_tpot_ms" };
	const char *verdict = profllm_result_text(result, "quality.verdict");
	double number;

	printf("status: %s, verdict: %s\n", profllm_result_text(result, "status"),
	       verdict != NULL ? verdict : "none");
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		if (profllm_result_number(result, paths[i], &number, NULL) == PROFLLM_OK)
			printf("%s: %.2f\n", paths[i], number);
	}
}

static int run(const profllm_program *program, const profllm_experiment *experiment,
	       const char *output, double seconds_max)
{
	struct view view = { NULL, seconds_max, false };
	profllm_result *result = NULL;
	struct profllm_error error;

	if (profllm_run_new(program, experiment, output, &view.run, &error) != PROFLLM_OK)
		return fail("could not prepare the run", &error);
	profllm_run_set_flags(view.run, PROFLLM_RUN_SIMULATOR | PROFLLM_RUN_OVERWRITE);
	profllm_run_on_phase(view.run, show_phase, &view);
	profllm_run_on_progress(view.run, show_progress, &view);
	profllm_run_on_log(view.run, show_log, &view);
	int code = profllm_run_start(view.run, &error);
	if (code == PROFLLM_OK)
		code = profllm_run_wait(view.run, &error);
	if (code == PROFLLM_OK)
		code = profllm_run_result(view.run, &result, &error);
	if (code != PROFLLM_OK)
		fail("no result", &error);
	else
		print_result(result);
	int status = profllm_run_exit_status(view.run);
	profllm_result_free(result);
	profllm_run_free(view.run);
	return code == PROFLLM_OK ? status : code;
}

int main(int argc, char **argv)
{
	profllm_program *program = NULL;
	profllm_experiment *experiment = NULL;
	struct profllm_error error;

	if (argc < 3) {
		fprintf(stderr, "usage: measure EXPERIMENT RESULT [SECONDS]\n");
		return PROFLLM_INVALID;
	}
	int code = profllm_program_open(NULL, &program, &error);
	if (code == PROFLLM_OK)
		code = profllm_experiment_from_file(argv[1], &experiment, &error);
	if (code != PROFLLM_OK)
		fail("could not begin", &error);
	else if ((code = check(program, experiment)) == PROFLLM_OK)
		code = run(program, experiment, argv[2], argc > 3 ? strtod(argv[3], NULL) : 0);
	profllm_experiment_free(experiment);
	profllm_program_close(program);
	return code;
}
