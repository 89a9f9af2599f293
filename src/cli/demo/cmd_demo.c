/*
 * `profllm demo`: runs a small sweep on the simulator, stores its results in a dashboard that it starts, and shows their
 * frontier until it is interrupted. All processes and the temporary directory end with this command, however it ends
 * (cli/demo/supervise.h).
 */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/demo/experiment.h"
#include "cli/demo/supervise.h"
#include "experiment/config.h"
#include "host/proc/process.h"
#include "host/proc/program.h"

#define DASHBOARD         "profllm-dashboard"
#define BROWSER           "xdg-open"
#define HOST              "127.0.0.1"
#define PORT_USUAL        8421
#define PORT_MAX          65535
#define PORT_NOT_GIVEN    INT64_MIN
#define LISTENING         "listening on "
#define LOG_BYTES_MAX     (1u << 20)
#define POLL_NS           (20 * PL_NS_PER_MS)
#define START_NS          (60 * PL_NS_PER_S)
#define STOP_NS           (10 * PL_NS_PER_S)
#define SWEEP_STOP_NS     (30 * PL_NS_PER_S)
#define SHELL_SIGNAL_BASE 128
#define RUNS              12 /* of the experiment */

/*
 * The web UI's page with the frontier of each configuration. Closed-loop loads that differ by a factor have clearly
 * different latencies, so that most points are on it. Without other verdicts a busy machine would leave few points.
 */
#define PAGE                                                                             \
	"/pareto?metrics=results.median_e2el_ms,results.output_throughput&group=server." \
	"quantization&"                                                                  \
	"simulated=1&untrusted=1"

struct demo_options {
	int64_t port;
	const char *keep;
	bool no_browser;
	bool no_serve;
	bool json;
};

#define AT(field) offsetof(struct demo_options, field)

static const struct pl_opt demo_rows[] = {
	PL_OPT(INT, 'p', "port", port, "PORT",
	       "listen on this port; 0 takes a free one (default: 8421, or a free one if it is in "
	       "use)"),
	PL_OPT(TEXT, 0, "keep", keep, "DIR",
	       "write the results and their database to the new directory DIR and keep them "
	       "(default: a temporary one, removed at exit)"),
	PL_OPT(FLAG, 0, "no-browser", no_browser, NULL, "open no browser; only print the address"),
	PL_OPT(FLAG, 0, "no-serve", no_serve, NULL, "with --keep: end when all results are stored"),
	PL_OPT(FLAG, 0, "json", json, NULL,
	       "print one JSON object with the address, the database and the results, once all are "
	       "stored"),
	{ .name = NULL },
};

const struct pl_opt_command cli_demo_command = {
	.name = "profllm demo",
	.usage = "[--port PORT] [--keep DIR [--no-serve]] [--no-browser] [--json]",
	.summary = "Measure a simulated server and show its results in the browser.",
	.details =
		"The demo needs no file, no GPU and no vLLM. It runs a sweep of 12 short runs on "
		"the simulator profllm-sim (two server configurations under six loads, about 15 "
		"s), stores the results in a dashboard that it starts, and prints the address of "
		"their frontier. On a desktop it opens the browser. ^C ends all processes and "
		"removes the results.\n\n"
		"Every result is marked as simulated: no model ran. Each has a verdict, as every "
		"result of ProfLLM.\n\n"
		"Examples:\n"
		"  profllm demo\n"
		"  profllm demo --keep first --port 0\n\n"
		"Exit status: 0 ended by ^C while it serves, or completed (--no-serve), 1 runs "
		"failed, 2 invalid usage, a program is missing, or DIR is not empty, 5 port in "
		"use, 128 + N interrupted by signal N before the results were stored.",
	.options = demo_rows,
};

/* One demo. The work process uses it; its files are in the folder. */
struct demo {
	const struct demo_options *options;
	const char *folder;
	char *self; /* paths of the programs */
	char *dashboard;
	char *url;                   /* of the dashboard */
	struct host_process *server; /* the dashboard; NULL: not started */
	sigset_t signals;
	int stop_signal; /* 0: none yet */
	bool is_stored;  /* all runs have finished, and their results are in the database */
};

/* ---- waiting ---- */

/* Waits for a signal or the end of a child, at most for the time. Returns whether a signal ends the demo. */
static bool is_stopped_within(struct demo *demo, int64_t timeout_ns)
{
	const struct timespec wait = pl_clock_timespec(timeout_ns);
	int number = sigtimedwait(&demo->signals, NULL, &wait);

	if (number > 0 && number != SIGCHLD)
		demo->stop_signal = number;
	return demo->stop_signal != 0;
}

/* ---- other programs ---- */

/*
 * Starts a program in a session of its own. death_signal: sent to it when this process dies, 0: it lives on. is_silent:
 * standard error goes nowhere, like standard output. Returns -1 with errno on failure.
 */
static pid_t spawn(const char *const *argv, int death_signal, bool is_silent)
{
	pid_t parent = getpid();
	pid_t child = fork();

	if (child != 0)
		return child;
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	pl_program_restore_limits();
	setsid();
	prctl(PR_SET_PDEATHSIG, death_signal);
	/* the parent may have died before the line above */
	if (death_signal != 0 && getppid() != parent)
		_exit(127);
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null_fd >= 0 && dup2(null_fd, STDIN_FILENO) >= 0 && dup2(null_fd, STDOUT_FILENO) >= 0 &&
	    (!is_silent || dup2(null_fd, STDERR_FILENO) >= 0))
		execv(argv[0], (char *const *)argv);
	_exit(127);
}

static void demo_done(struct demo *demo)
{
	free(demo->self);
	free(demo->dashboard);
}
#define auto_demo __attribute__((cleanup(demo_done), unused)) struct demo

static int find_programs(struct demo *demo, struct pl_err *err)
{
	auto_free char *simulator = NULL;

	/* an interrupted installation is reported before a process is started */
	if (host_program_find_sibling("profllm", &demo->self, err) < 0 ||
	    host_program_find_sibling(DASHBOARD, &demo->dashboard, err) < 0 ||
	    host_program_find_sibling(EXP_SIMULATOR, &simulator, err) < 0)
		return -1;
	return 0;
}

/* ---- the dashboard ---- */

/* Returns the last line of the log without the name of its program; free(). */
static char *last_line(const char *log)
{
	auto_free char *text = pl_file_text(log, LOG_BYTES_MAX, NULL);
	const char *line = text != NULL ? text : "";

	for (char *at = text; at != NULL && *at != '\0'; at++) {
		if (at[0] == '\n' && at[1] == '\0')
			*at = '\0';
		else if (at[0] == '\n')
			line = at + 1;
	}
	const char *error = strstr(line, ": error: ");
	return pl_strdup(error != NULL ? error + strlen(": error: ") : line);
}

static enum pl_err_code code_of_status(int status)
{
	for (int code = PL_ERR_NONE + 1; code < PL_ERR_COUNT; code++) {
		if (pl_err_exit_status((enum pl_err_code)code) == status)
			return (enum pl_err_code)code;
	}
	return PL_ERR_FAILED;
}

static int fail_with_log(struct demo *demo, const char *log, struct pl_err *err)
{
	char end[64];

	(void)host_process_wait(demo->server, STOP_NS);
	host_process_end_text(demo->server, end, sizeof(end));
	auto_free char *line = last_line(log);
	return pl_err_set(err, code_of_status(host_process_status(demo->server)),
			  "the dashboard ended (%s): %s", end,
			  line[0] != '\0' ? line : "no message");
}

/* Sets the URL from the line that the dashboard prints when it listens. */
static bool read_url(struct demo *demo, const char *log)
{
	auto_free char *text = pl_file_text(log, LOG_BYTES_MAX, NULL);
	const char *at = text != NULL ? strstr(text, LISTENING) : NULL;
	const char *end = at != NULL ? strchr(at, '\n') : NULL;

	if (end == NULL)
		return false;
	at += strlen(LISTENING);
	demo->url = pl_strndup(at, (size_t)(end - at));
	return true;
}

/* Returns after the dashboard listens, has ended, or a signal has arrived. */
static int start_on_port(struct demo *demo, int64_t port, const char *log, struct pl_err *err)
{
	auto_free char *db = pl_asprintf("%s/results.db", demo->folder);
	char port_text[24];

	snprintf(port_text, sizeof(port_text), "%lld", (long long)port);
	const char *argv[] = { demo->dashboard, "serve",   "--db", db, "--host", HOST,
			       "--port",        port_text, NULL };
	if (host_process_start(&(struct host_process_spec){ .argv = argv, .log_path = log },
			       &demo->server, err) < 0)
		return -1;
	for (int64_t due_ns = pl_clock_now_ns() + START_NS; !read_url(demo, log);) {
		if (host_process_has_ended(demo->server) || is_stopped_within(demo, POLL_NS))
			return 0;
		if (pl_clock_now_ns() > due_ns)
			return pl_err_set(err, PL_ERR_TIMEOUT,
					  "the dashboard did not listen within %lld s",
					  START_NS / PL_NS_PER_S);
	}
	return 0;
}

/* Returns whether the dashboard has ended because its port is in use. */
static bool is_port_taken(struct demo *demo)
{
	return demo->url == NULL && host_process_has_ended(demo->server) &&
	       host_process_wait(demo->server, STOP_NS) &&
	       host_process_status(demo->server) == pl_err_exit_status(PL_ERR_BUSY);
}

/* Returns after the dashboard listens, or a signal has arrived. */
static int start_dashboard(struct demo *demo, struct pl_err *err)
{
	auto_free char *log = pl_asprintf("%s/dashboard.log", demo->folder);
	bool is_given = demo->options->port != PORT_NOT_GIVEN;

	if (start_on_port(demo, is_given ? demo->options->port : PORT_USUAL, log, err) < 0)
		return -1;
	/* trying the port before would leave it to another demo meanwhile */
	if (!is_given && is_port_taken(demo)) {
		host_process_free(pl_take(demo->server));
		if (start_on_port(demo, 0, log, err) < 0)
			return -1;
	}
	if (demo->url == NULL && demo->stop_signal == 0)
		return fail_with_log(demo, log, err);
	return 0;
}

/* ---- the sweep ---- */

/* Waits for the child until the end of a stopped demo. Returns its status as waitpid() does. */
static int await_sweep(struct demo *demo, pid_t child)
{
	int64_t due_ns = INT64_MAX;
	int status = 0;

	while (waitpid(child, &status, WNOHANG) == 0) {
		int passed = demo->stop_signal;
		demo->stop_signal = 0;
		/* each signal is passed on: the second one makes a sweep hurry */
		if (is_stopped_within(demo, POLL_NS)) {
			kill(child, SIGTERM);
			if (due_ns == INT64_MAX)
				due_ns = pl_clock_now_ns() + SWEEP_STOP_NS;
		} else {
			demo->stop_signal = passed;
		}
		if (pl_clock_now_ns() > due_ns)
			kill(child, SIGKILL);
	}
	return status;
}

/* Prints one line per run to standard error; the results go to the dashboard as they are written. */
static int run_sweep(struct demo *demo, struct pl_err *err)
{
	auto_free char *file = pl_asprintf("%s/experiment.yaml", demo->folder);
	auto_free char *results = pl_asprintf("%s/sweep", demo->folder);
	const char *argv[] = { demo->self, "sweep", "run", "--output-dir", results, "--upload",
			       demo->url,  file,    NULL };

	if (pl_file_write(file, cli_demo_experiment, strlen(cli_demo_experiment), err) < 0)
		return -1;
	pid_t child = spawn(argv, SIGTERM, false);
	if (child < 0)
		return pl_err_errno(err, "could not run '%s'", demo->self);
	int status = await_sweep(demo, child);
	if (demo->stop_signal != 0)
		return 0;
	if (WIFSIGNALED(status))
		return pl_err_set(err, PL_ERR_FAILED, "the sweep was ended by signal %d (%s)",
				  WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status) != 0)
		return pl_err_set(err, code_of_status(WEXITSTATUS(status)),
				  "the sweep ended with exit status %d", WEXITSTATUS(status));
	return 0;
}

/* ---- showing the results ---- */

static bool is_desktop(void)
{
	const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");

	return isatty(STDOUT_FILENO) == 1 &&
	       ((x11 != NULL && x11[0] != '\0') || (wayland != NULL && wayland[0] != '\0'));
}

/* The browser may outlive the demo, so it gets no death signal. */
static void open_browser(const char *address)
{
	auto_free char *program = NULL;

	if (!is_desktop() || host_program_find(BROWSER, &program, PL_ERR_IGNORED) < 0)
		return;
	const char *argv[] = { program, address, NULL };
	(void)spawn(argv, 0, true);
}

/* Prints one JSON object; `page` NULL: the dashboard ends with this command. */
static int print_json(const struct demo *demo, const char *page)
{
	auto_free char *database = pl_asprintf("%s/results.db", demo->folder);
	auto_free char *results = pl_asprintf("%s/sweep", demo->folder);
	auto_json json_t *answer = json_pack(
		"{s:o, s:o, s:o, s:o, s:i, s:b, s:b}", "address", pl_json_text(page), "dashboard",
		pl_json_text(page != NULL ? demo->url : NULL), "database", pl_json_text(database),
		"results", pl_json_text(results), "results_count", RUNS, "simulated", 1, "kept",
		(int)(demo->options->keep != NULL));

	return cli_print_json(answer);
}

/* Returns after a signal, or after the dashboard has ended. */
static int serve(struct demo *demo, struct pl_err *err)
{
	auto_free char *address = pl_asprintf("%s" PAGE, demo->url);
	auto_free char *log = pl_asprintf("%s/dashboard.log", demo->folder);
	auto_free char *end =
		demo->options->keep != NULL
			? pl_asprintf("^C ends the demo. To show its results again: " DASHBOARD
				      " --db %s/results.db",
				      demo->folder)
			: pl_strdup("^C ends the demo and removes its results.");
	auto_free char *text = pl_asprintf(
		"\nThe frontier of the 12 simulated results:\n%s\n\n%s\n", address, end);

	if ((demo->options->json ? print_json(demo, address) : cli_print(text)) != 0)
		return pl_err_errno(err, "standard output");
	if (!demo->options->no_browser)
		open_browser(address);
	while (!is_stopped_within(demo, PL_NS_PER_S)) {
		if (host_process_has_ended(demo->server))
			return fail_with_log(demo, log, err);
	}
	return 0;
}

static int play(struct demo *demo, struct pl_err *err)
{
	if (start_dashboard(demo, err) < 0)
		return -1;
	if (demo->stop_signal != 0)
		return 0;
	if (!demo->options->json &&
	    cli_print("SIMULATED: profllm-sim answers in place of vLLM, so no model runs and no "
		      "GPU is "
		      "used.\n12 runs: weights in bfloat16 and in FP8, under six loads each, about "
		      "15 "
		      "s.\n\n") != 0)
		return pl_err_errno(err, "standard output");
	if (run_sweep(demo, err) < 0)
		return -1;
	if (demo->stop_signal != 0)
		return 0;
	demo->is_stored = true;
	if (!demo->options->no_serve)
		return serve(demo, err);
	auto_free char *text = pl_asprintf("\n12 simulated results. To show them: " DASHBOARD
					   " --db %s/results.db\n",
					   demo->folder);
	int printed = demo->options->json ? print_json(demo, NULL) : cli_print(text);
	return printed != 0 ? pl_err_errno(err, "standard output") : 0;
}

/* Removes what a dashboard that never listened has left in the new directory, so that the demo can be tried again. */
static void empty_kept(const struct demo *demo)
{
	static const char *const names[] = { "dashboard.log", "results.db", "results.db-jobs",
					     "results.db-shm", "results.db-wal" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		auto_free char *path = pl_asprintf("%s/%s", demo->folder, names[i]);
		pl_file_remove_tree(path);
	}
}

/* Runs in the work process. */
static int work(void *data)
{
	struct demo *demo = data;
	struct pl_err err = PL_ERR_INIT;

	cli_supervise_signals(&demo->signals);
	int rc = play(demo, &err);
	if (demo->server != NULL) {
		(void)host_process_stop(demo->server, STOP_NS, NULL);
		host_process_free(pl_take(demo->server));
	}
	if (demo->options->keep == NULL)
		pl_file_remove_tree(demo->folder);
	else if (demo->url == NULL)
		empty_kept(demo);
	if (rc < 0)
		return cli_fail(&err);
	return demo->is_stored ? 0 : SHELL_SIGNAL_BASE + demo->stop_signal;
}

/* ---- the command ---- */

static int check_options(const struct demo_options *options, struct pl_err *err)
{
	if (options->port != PORT_NOT_GIVEN && (options->port < 0 || options->port > PORT_MAX))
		return pl_err_invalid(err, "--port: found %lld, expected 0 to %d",
				      (long long)options->port, PORT_MAX);
	if (options->no_serve && options->keep == NULL)
		return pl_err_invalid(err, "--no-serve works only with --keep; add --keep DIR");
	return 0;
}

static bool is_empty(const char *folder)
{
	auto_dir dir = opendir(folder);

	return pl_dir_next(dir) == NULL;
}

static int make_kept(const char *folder, struct pl_err *err)
{
	auto_free char *db = pl_asprintf("%s/results.db", folder);

	if (pl_file_make_folders(folder, err) < 0)
		return -1;
	if (is_empty(folder))
		return 0;
	if (pl_file_exists(db))
		return pl_err_invalid(
			err,
			"--keep: '%s' is not empty; to show its results, run '" DASHBOARD
			" --db %s'",
			folder, db);
	return pl_err_invalid(err, "--keep: '%s' is not empty; name a new directory", folder);
}

static int make_folder(const struct demo_options *options, char **ret, struct pl_err *err)
{
	const char *above = getenv("TMPDIR");

	if (options->keep != NULL) {
		*ret = pl_strdup(options->keep);
		return make_kept(options->keep, err);
	}
	*ret = pl_asprintf("%s/profllm-demo-XXXXXX",
			   above != NULL && above[0] != '\0' ? above : "/tmp");
	if (mkdtemp(*ret) == NULL)
		return pl_err_errno(err, "could not create directory '%s'", *ret);
	return 0;
}

int cmd_demo(int argc, char **argv)
{
	struct demo_options options = { .port = PORT_NOT_GIVEN };
	auto_demo demo = { .options = &options };
	struct pl_words words;
	struct pl_err err = PL_ERR_INIT;
	auto_free char *folder = NULL;
	int status;

	if (!pl_command_read(&cli_demo_command, argc, argv, &options, &words, &status))
		return status;
	if (check_options(&options, &err) < 0 || find_programs(&demo, &err) < 0 ||
	    make_folder(&options, &folder, &err) < 0)
		return cli_fail(&err);
	demo.folder = folder;
	if (cli_supervise(work, &demo, options.keep == NULL ? folder : NULL, &status, &err) < 0)
		return cli_fail(&err);
	return status;
}
