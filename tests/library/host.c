/*
 * A host of libprofllm for tests/scenario/programs/test_library.py: `library_host ACT [WORDS…]` plays one act and
 * prints a JSON object per line. It uses include/profllm.h alone.
 */
#include <profllm.h>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RUNS 2

static profllm_program *program;

static void must(int code, const struct profllm_error *error, const char *what)
{
	if (code == PROFLLM_OK)
		return;
	printf("{\"failed\": \"%s\", \"code\": \"%s\", \"message\": \"%s\"}\n", what,
	       profllm_code_name(code), error->message);
	fflush(stdout);
	exit(3);
}

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/* ---- one run --------------------------------------------------------------------------------- */

struct play {
	const char *config;
	char output[4096];
	int number;
	profllm_run *run;
	atomic_int progress_count, phase_count, log_count, server_count;
	atomic_bool is_measuring;
	double done;
	char phases[256];
	int code, status;
	struct profllm_error error;
	char *text; /* of the result */
};

static void on_phase(void *data, const char *phase)
{
	struct play *play = data;
	size_t used = strlen(play->phases);

	atomic_fetch_add(&play->phase_count, 1);
	if (strcmp(phase, "measuring") == 0)
		atomic_store(&play->is_measuring, true);
	snprintf(play->phases + used, sizeof(play->phases) - used, "%s%s", used > 0 ? " " : "",
		 phase);
}

static void on_progress(void *data, const struct profllm_progress *progress)
{
	struct play *play = data;

	atomic_fetch_add(&play->progress_count, 1);
	if (progress->request_done > play->done)
		play->done = progress->request_done;
}

static void on_log(void *data, const char *source, const char *level, const char *text)
{
	struct play *play = data;

	(void)level;
	(void)text;
	atomic_fetch_add(strcmp(source, "server") == 0 ? &play->server_count : &play->log_count, 1);
}

static void prepare(struct play *play, unsigned flags)
{
	profllm_experiment *experiment;

	must(profllm_experiment_from_file(play->config, &experiment, &play->error), &play->error,
	     "experiment");
	must(profllm_experiment_set(experiment, "name",
				    play->number > 0 ? "\"second\"" : "\"first\"", &play->error),
	     &play->error, "set");
	must(profllm_run_new(program, experiment, play->output, &play->run, &play->error),
	     &play->error, "new");
	profllm_experiment_free(experiment);
	profllm_run_set_flags(play->run, flags);
	profllm_run_on_phase(play->run, on_phase, play);
	profllm_run_on_progress(play->run, on_progress, play);
	profllm_run_on_log(play->run, on_log, play);
}

static void take_result(struct play *play)
{
	profllm_result *result;

	play->status = profllm_run_exit_status(play->run);
	play->code = profllm_run_result(play->run, &result, &play->error);
	if (play->code != PROFLLM_OK)
		return;
	must(profllm_result_json(result, "", &play->text, &play->error), &play->error, "json");
	profllm_result_free(result);
}

static void *play_main(void *data)
{
	struct play *play = data;

	must(profllm_run_start(play->run, &play->error), &play->error, "start");
	must(profllm_run_wait(play->run, &play->error), &play->error, "wait");
	take_result(play);
	return NULL;
}

static void print_play(struct play *play)
{
	printf("{\"output\": \"%s\", \"code\": \"%s\", \"message\": \"%s\", \"exit_status\": %d, "
	       "\"phases\": \"%s\", \"progress\": %d, "
	       "\"server_lines\": %d, \"done\": %g, \"result_bytes\": %zu}\n",
	       play->output, profllm_code_name(play->code),
	       play->code != PROFLLM_OK ? play->error.message : "", play->status, play->phases,
	       atomic_load(&play->progress_count), atomic_load(&play->server_count), play->done,
	       play->text != NULL ? strlen(play->text) : 0);
	profllm_free(play->text);
	profllm_run_free(play->run);
}

static void play_init(struct play *play, const char *config, const char *output, int number,
		      unsigned flags)
{
	memset(play, 0, sizeof(*play));
	play->config = config;
	play->number = number;
	snprintf(play->output, sizeof(play->output), "%s", output);
	prepare(play, flags);
}

/* ---- acts ------------------------------------------------------------------------------------ */

static atomic_bool is_over;

/* Children and memory of the host, while the library runs. */
static void *work_main(void *data)
{
	int *children = data;

	while (!atomic_load(&is_over)) {
		pid_t child = fork();
		if (child == 0)
			_exit(7);
		int status = 0;
		if (waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7)
			++*children;
		free(malloc(4096));
		pause_ms(20);
	}
	return NULL;
}

static int descriptors(void)
{
	int count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* threads CONFIG OUTPUT OUTPUT: two runs at once, with a thread that has children of its own. */
static void act_threads(char **words)
{
	struct play plays[RUNS];
	pthread_t threads[RUNS], worker;
	int children = 0, before = descriptors();
	mode_t mask = umask(0);

	umask(mask);
	pthread_create(&worker, NULL, work_main, &children);
	for (int i = 0; i < RUNS; i++) {
		play_init(&plays[i], words[0], words[i + 1], i, PROFLLM_RUN_SIMULATOR);
		pthread_create(&threads[i], NULL, play_main, &plays[i]);
	}
	for (int i = 0; i < RUNS; i++)
		pthread_join(threads[i], NULL);
	atomic_store(&is_over, true);
	pthread_join(worker, NULL);
	for (int i = 0; i < RUNS; i++)
		print_play(&plays[i]);
	mode_t after = umask(mask);
	struct sigaction action;
	sigaction(SIGCHLD, NULL, &action);
	printf("{\"children\": %d, \"leaked\": %d, \"umask_kept\": %d, \"sigchld_default\": %d, "
	       "\"zombies\": %d}\n",
	       children, descriptors() - before, after == mask, action.sa_handler == SIG_DFL,
	       waitpid(-1, NULL, WNOHANG) != -1);
}

static void *cancel_main(void *data)
{
	struct play *play = data;

	while (!atomic_load(&play->is_measuring))
		pause_ms(5);
	profllm_run_cancel(play->run);
	return NULL;
}

/* cancel CONFIG OUTPUT: another thread cancels the run once it is measuring. */
static void act_cancel(char **words)
{
	struct play play;
	pthread_t thread;

	play_init(&play, words[0], words[1], 0, PROFLLM_RUN_SIMULATOR);
	pthread_create(&thread, NULL, cancel_main, &play);
	play_main(&play);
	pthread_join(thread, NULL);
	print_play(&play);
}

/* early CONFIG OUTPUT: a run that is canceled before its start, and one right after it. */
static void act_early(char **words)
{
	struct play play;

	play_init(&play, words[0], words[1], 0, PROFLLM_RUN_SIMULATOR);
	profllm_run_cancel(play.run);
	play.code = profllm_run_start(play.run, &play.error);
	play.status = profllm_run_exit_status(play.run);
	print_play(&play);
	play_init(&play, words[0], words[1], 0, PROFLLM_RUN_SIMULATOR);
	must(profllm_run_start(play.run, &play.error), &play.error, "start");
	profllm_run_cancel(play.run);
	profllm_run_cancel(play.run);
	must(profllm_run_wait(play.run, &play.error), &play.error, "wait");
	take_result(&play);
	print_play(&play);
}

/* free CONFIG OUTPUT: frees a run that is measuring. */
static void act_free(char **words)
{
	struct play play;
	bool is_running = true;
	int before = descriptors();

	play_init(&play, words[0], words[1], 0, PROFLLM_RUN_SIMULATOR);
	must(profllm_run_start(play.run, &play.error), &play.error, "start");
	while (is_running && !atomic_load(&play.is_measuring))
		must(profllm_run_dispatch(play.run, 1000, &is_running, &play.error), &play.error,
		     "dispatch");
	profllm_run_free(play.run);
	printf("{\"was_running\": %d, \"leaked\": %d}\n", is_running, descriptors() - before);
}

/* loop CONFIG OUTPUT: a host with a loop of its own, which ignores SIGCHLD, so that the kernel reaps its children. */
static void act_loop(char **words)
{
	struct play play;
	bool is_running = true;
	int turns = 0;

	signal(SIGCHLD, SIG_IGN);
	play_init(&play, words[0], words[1], 0, PROFLLM_RUN_SIMULATOR);
	must(profllm_run_start(play.run, &play.error), &play.error, "start");
	while (is_running) {
		struct pollfd ready = { .fd = profllm_run_descriptor(play.run), .events = POLLIN };
		if (poll(&ready, 1, 60000) <= 0)
			break;
		must(profllm_run_dispatch(play.run, 0, &is_running, &play.error), &play.error,
		     "dispatch");
		turns++;
	}
	take_result(&play);
	printf("{\"turns\": %d, \"descriptor\": %d}\n", turns, profllm_run_descriptor(play.run));
	print_play(&play);
}

/* die CONFIG OUTPUT: prints a line once the run is measuring, and is then killed. */
static void act_die(char **words)
{
	struct play play;
	bool is_running = true;

	play_init(&play, words[0], words[1], 0, PROFLLM_RUN_SIMULATOR);
	must(profllm_run_start(play.run, &play.error), &play.error, "start");
	while (is_running && !atomic_load(&play.is_measuring))
		must(profllm_run_dispatch(play.run, 1000, &is_running, &play.error), &play.error,
		     "dispatch");
	printf("{\"was_running\": %d}\n", is_running);
	fflush(stdout);
	pause();
}

/* run CONFIG OUTPUT: plays a run without flags, to whatever end. */
static void act_run(char **words)
{
	struct play play;
	profllm_findings *findings;

	play_init(&play, words[0], words[1], 0, 0);
	play_main(&play);
	must(profllm_run_findings(play.run, &findings, &play.error), &play.error, "findings");
	printf("{\"findings\": %zu}\n", profllm_findings_count(findings));
	profllm_findings_free(findings);
	print_play(&play);
}

static void print_findings(const profllm_findings *findings)
{
	for (size_t i = 0; i < profllm_findings_count(findings); i++) {
		const struct profllm_finding *one = profllm_findings_get(findings, i);
		printf("{\"severity\": \"%s\", \"key\": \"%s\", \"line\": %d, \"column\": %d}\n",
		       one->severity, one->key, one->line, one->column);
	}
	printf("{\"ok\": %d, \"beyond\": %d}\n", profllm_findings_ok(findings),
	       profllm_findings_get(findings, profllm_findings_count(findings)) != NULL);
}

/* validate TEXT [HARDWARE] */
static void act_validate(char **words)
{
	profllm_experiment *experiment;
	profllm_findings *findings;
	struct profllm_error error;

	must(profllm_experiment_from_text(words[0], strlen(words[0]), &experiment, &error), &error,
	     "experiment");
	must(profllm_validate(program, experiment, words[1], &findings, &error), &error,
	     "validate");
	print_findings(findings);
	fprintf(stderr, "%s\n", profllm_findings_json(findings));
	profllm_findings_free(findings);
	profllm_experiment_free(experiment);
}

/* result FILE COPY: reads, checks and writes it. */
static void act_result(char **words)
{
	profllm_result *result;
	profllm_findings *findings;
	struct profllm_error error;
	double number = -1;

	must(profllm_result_read(words[0], &result, &error), &error, "read");
	must(profllm_result_check(result, &findings, &error), &error, "check");
	print_findings(findings);
	profllm_findings_free(findings);
	must(profllm_result_number(result, "/results/p99.9_ttft_ms", &number, &error), &error,
	     "number");
	printf("{\"p99.9\": %.17g, \"artifact\": \"%s\", \"missing\": \"%s\", \"text\": \"%s\"}\n",
	       number, profllm_result_text(result, "/artifacts/0/name"),
	       profllm_code_name(profllm_result_number(result, "results.no_such", &number, NULL)),
	       profllm_code_name(profllm_result_number(result, "status", &number, NULL)));
	must(profllm_result_write(result, words[1], false, &error), &error, "write");
	printf("{\"again\": \"%s\"}\n",
	       profllm_code_name(profllm_result_write(result, words[1], false, &error)));
	profllm_result_free(result);
}

struct small {
	char **words;
	const profllm_result *result;
	int written, refused;
};

static void *small_main(void *data)
{
	char text[] = "server: {model: sim/x}", hardware[] = "h100x8";
	struct small *small = data;
	struct play play;

	act_validate((char *[]){ text, hardware });
	play_init(&play, small->words[0], small->words[1], 0, PROFLLM_RUN_SIMULATOR);
	play_main(&play);
	print_play(&play);
	return NULL;
}

/* small CONFIG OUTPUT: a check and a run in a thread with a stack of 64 KiB. */
static void act_small(char **words)
{
	struct small small = { .words = words };
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	pthread_create(&thread, &attributes, small_main, &small);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attributes);
}

static void *write_main(void *data)
{
	struct small *small = data;
	struct profllm_error error;

	for (int i = 0; i < 20; i++)
		must(profllm_result_write(small->result, small->words[1], true, &error), &error,
		     "write");
	for (int i = 0; i < 20; i++) {
		char path[4096];
		snprintf(path, sizeof(path), "%s.%d", small->words[1], i);
		int code = profllm_result_write(small->result, path, false, &error);
		small->written += code == PROFLLM_OK;
		small->refused += code == PROFLLM_INVALID;
	}
	return NULL;
}

/* write FILE COPY: two threads write the same files at the same time. */
static void act_write(char **words)
{
	struct small small[RUNS];
	struct profllm_error error;
	profllm_result *results[RUNS];
	pthread_t threads[RUNS];

	for (int i = 0; i < RUNS; i++) {
		must(profllm_result_read(words[0], &results[i], &error), &error, "read");
		small[i] = (struct small){ .words = words, .result = results[i] };
	}
	for (int i = 0; i < RUNS; i++)
		pthread_create(&threads[i], NULL, write_main, &small[i]);
	for (int i = 0; i < RUNS; i++) {
		pthread_join(threads[i], NULL);
		profllm_result_free(results[i]);
	}
	printf("{\"written\": %d, \"refused\": %d}\n", small[0].written + small[1].written,
	       small[0].refused + small[1].refused);
}

/* refused CONFIG OUTPUT: inputs that a run or a check cannot have. */
static void act_refused(char **words)
{
	struct play play;
	profllm_experiment *experiment;
	profllm_findings *findings;
	struct profllm_error error;

	play_init(&play, words[0], words[1], 0, 1u << 20);
	play.code = profllm_run_start(play.run, &play.error);
	print_play(&play);
	must(profllm_experiment_from_file("\xff.yaml", &experiment, &error), &error, "experiment");
	int code = profllm_validate(program, experiment, NULL, &findings, &error);
	printf("{\"code\": \"%s\", \"message\": \"%s\"}\n", profllm_code_name(code), error.message);
	profllm_experiment_free(experiment);
}

/* version */
static void act_version(char **words)
{
	struct profllm_error error;
	char *version;

	(void)words;
	if (chdir("/") < 0)
		return;
	must(profllm_program_version(program, &version, &error), &error, "version");
	printf("{\"library\": \"%s\", \"program\": \"%s\", \"path\": \"%s\"}\n", profllm_version(),
	       version, profllm_program_path(program));
	profllm_free(version);
}

static const struct {
	const char *name;
	int words;
	void (*play)(char **words);
} acts[] = {
	{ "threads", 3, act_threads }, { "cancel", 2, act_cancel },     { "early", 2, act_early },
	{ "free", 2, act_free },       { "loop", 2, act_loop },         { "die", 2, act_die },
	{ "run", 2, act_run },         { "validate", 1, act_validate }, { "result", 2, act_result },
	{ "version", 0, act_version }, { "small", 2, act_small },       { "write", 2, act_write },
	{ "refused", 2, act_refused },
};

int main(int argc, char **argv)
{
	struct profllm_error error;

	for (size_t i = 0; argc > 1 && i < sizeof(acts) / sizeof(acts[0]); i++) {
		if (strcmp(argv[1], acts[i].name) != 0 || argc < 2 + acts[i].words)
			continue;
		must(profllm_program_open(getenv("LIBRARY_PROGRAM"), &program, &error), &error,
		     "open");
		acts[i].play(argv + 2);
		profllm_program_close(program);
		return 0;
	}
	fprintf(stderr, "usage: library_host ACT [WORDS]\n");
	return 2;
}
