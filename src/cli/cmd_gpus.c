/*
 * `profllm gpus`: shows the GPUs of this host, their state and their users, once or repeatedly. On a terminal, each
 * refresh redraws the table. A pipe or a file gets one line per GPU and refresh, or one object per refresh, so that
 * readers never meet an escape sequence.
 */
#include "cli/cmd_gpus_priv.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/cli.h"
#include "host/telemetry/ticks.h"

#define TEXT_BYTES_MAX   (16u << 20)
#define INTERVAL_NS      (2 * PL_NS_PER_S)
#define INTERVAL_MIN_NS  (50 * PL_NS_PER_MS)
#define INTERVAL_DEFAULT INT64_MAX
#define NOT_GIVEN        (-1)

struct gpus_options {
	bool json;
	int64_t watch_ns;
	const char *from;
};

#define AT(field) offsetof(struct gpus_options, field)

static const struct pl_opt gpus_rows[] = {
	PL_OPT(FLAG, 0, "json", json, NULL,
	       "print one JSON array of objects; with --watch, one object per line"),
	PL_OPT(DURATION, 'w', "watch", watch_ns, "[TIME]",
	       "refresh every TIME until interrupted; print one line per GPU if not on a "
	       "terminal (default 2s)",
	       .optional = true),
	PL_OPT(TEXT, 'f', "from", from, "FILE",
	       "read the output of 'nvidia-smi -q -x' from FILE, or from standard input with "
	       "'-'"),
	{ .name = NULL },
};

const struct pl_opt_command cli_gpus_command = {
	.name = "profllm gpus",
	.usage = "[options]",
	.summary = "Show the GPUs of this host and who uses them.",
	.details = "The values come from NVML, the library of the driver, or from nvidia-smi if "
		   "NVML is missing. The command changes nothing on a GPU. A value that the "
		   "driver does not report is '-', in JSON null. A GPU of the fake NVML is marked "
		   "'(simulated)'.\n\n"
		   "'throttled' shows why a GPU runs slower than it could: power (its power "
		   "limit), thermal (heat), brake (the hardware's emergency brake), other.\n\n"
		   "Examples:\n"
		   "  profllm gpus\n"
		   "  profllm gpus --json\n"
		   "  profllm gpus --watch 500ms\n"
		   "  nvidia-smi -q -x >host.xml; profllm gpus --from host.xml\n\n"
		   "Exit status: 0 done, also without a GPU, 2 FILE cannot be read or "
		   "PROFLLM_NVML_LIB is not an NVML library.",
	.options = gpus_rows,
};

/* ---- one refresh --------------------------------------------------------- */

static size_t terminal_columns(void)
{
	struct winsize size = { 0 };

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* Prints one line with the sources that were tried. */
static void add_none(const struct host_gpus *gpus, struct pl_buf *text)
{
	pl_buf_addf(text, "No GPU found: %s.\n", host_gpus_why(gpus));
}

static void add_table(struct host_gpus *gpus, const json_t *look, bool retry, struct pl_buf *text)
{
	bool terminal = isatty(STDOUT_FILENO) == 1;

	if (json_array_size(look) == 0) {
		add_none(gpus, text);
		return;
	}
	cli_gpus_table(look,
		       &(struct cli_gpus_form){
			       .terminal = terminal,
			       .color = pl_log_has_color(STDOUT_FILENO),
			       .columns = terminal ? terminal_columns() : 0,
			       .cut = retry,
		       },
		       text);
}

static int show(struct host_gpus *gpus, const struct gpus_options *options)
{
	auto_json json_t *look = cli_gpus_look(gpus, options->from == NULL);
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	if (options->json)
		return cli_print_json(look);
	add_table(gpus, look, false, &text);
	return cli_print(pl_buf_text(&text));
}

/* ---- repeatedly ---------------------------------------------------------- */

enum watch_form { WATCH_REDRAWN, WATCH_LINES, WATCH_JSON };

static void add_json_line(const json_t *look, const char *time, struct pl_buf *text)
{
	auto_json json_t *line = json_object();

	json_object_set_new(line, "time", json_string(time));
	json_object_set(line, "gpus", (json_t *)look);
	pl_json_write(line, PL_JSON_COMPACT, text);
	pl_buf_add_char(text, '\n');
}

/* Redraws line by line, so that nothing flickers. */
static void add_redraw(const char *table, struct pl_buf *text)
{
	pl_buf_add_text(text, "\033[H");
	for (; *table != '\0'; table++) {
		if (*table == '\n')
			pl_buf_add_text(text, "\033[K");
		pl_buf_add_char(text, *table);
	}
	pl_buf_add_text(text, "\033[J");
}

static void add_lines(struct host_gpus *gpus, const json_t *look, const char *time, bool first,
		      struct pl_buf *text)
{
	if (json_array_size(look) > 0) {
		cli_gpus_lines(look, time, first, text);
		return;
	}
	pl_buf_addf(text, "%s  ", time);
	add_none(gpus, text);
}

/* Returns true if ^C or another end signal arrived before the time had passed. */
static bool wait_or_end(const sigset_t *ends, int64_t due_ns)
{
	int64_t left_ns = due_ns - pl_clock_now_ns();
	struct timespec wait = { 0 };

	if (left_ns > 0)
		wait = (struct timespec){ .tv_sec = left_ns / PL_NS_PER_S,
					  .tv_nsec = left_ns % PL_NS_PER_S };
	return sigtimedwait(ends, NULL, &wait) > 0;
}

static int watch(struct host_gpus *gpus, const struct gpus_options *options)
{
	enum watch_form form = options->json                ? WATCH_JSON
			       : isatty(STDOUT_FILENO) == 1 ? WATCH_REDRAWN
							    : WATCH_LINES;
	int64_t interval_ns = options->watch_ns == INTERVAL_DEFAULT ? INTERVAL_NS
								    : options->watch_ns;
	int64_t due_ns = pl_clock_now_ns();
	int64_t missed;
	sigset_t ends;
	int status = 0;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	/* blocked and waited for: there is no handler, and no refresh is interrupted */
	sigprocmask(SIG_BLOCK, &ends, NULL);
	if (form == WATCH_REDRAWN)
		status = cli_print("\033[2J");
	for (bool first = true; status == 0; first = false) {
		auto_json json_t *look = cli_gpus_look(gpus, true);
		auto_buf table = PL_BUF(TEXT_BYTES_MAX);
		auto_buf text = PL_BUF(TEXT_BYTES_MAX);
		char time[32];
		pl_clock_rfc3339(pl_clock_real_ns(), time);
		if (form == WATCH_JSON) {
			add_json_line(look, time, &text);
		} else if (form == WATCH_LINES) {
			add_lines(gpus, look, time, first, &text);
		} else {
			add_table(gpus, look, true, &table);
			add_redraw(pl_buf_text(&table), &text);
		}
		status = cli_print(pl_buf_text(&text));
		/* a slow refresh skips ticks without shifting later ones */
		due_ns = host_tick_next(due_ns, interval_ns, pl_clock_now_ns(), &missed);
		if (status == 0 && wait_or_end(&ends, due_ns))
			break;
	}
	return status;
}

/* ---- the command --------------------------------------------------------- */

static int open_gpus(const struct gpus_options *options, struct host_gpus **ret, struct pl_err *err)
{
	auto_free char *text = NULL;
	size_t len;

	if (options->from == NULL)
		return host_gpus_open(ret, err);
	bool is_input = strcmp(options->from, "-") == 0;
	const char *path = is_input ? "/dev/stdin" : options->from;
	if (pl_file_read(path, HOST_GPU_TEXT_BYTES_MAX, &text, &len, err) < 0)
		return -1;
	return host_gpus_from_text(text, len, is_input ? "standard input" : path, ret, err);
}

static int check_usage(const struct gpus_options *options, struct pl_err *err)
{
	if (options->watch_ns == NOT_GIVEN)
		return 0;
	if (options->from != NULL)
		return pl_err_invalid(err, "--watch and --from exclude each other");
	if (options->watch_ns < INTERVAL_MIN_NS)
		return pl_err_invalid(err,
				      "--watch: found a time below 50ms, expected at least 50ms");
	return 0;
}

int cmd_gpus(int argc, char **argv)
{
	struct gpus_options options = { .watch_ns = NOT_GIVEN };
	auto_gpus struct host_gpus *gpus = NULL;
	struct pl_err err = PL_ERR_INIT;
	struct pl_words words;
	int status;

	if (!pl_command_read(&cli_gpus_command, argc, argv, &options, &words, &status))
		return status;
	if (check_usage(&options, &err) < 0 || open_gpus(&options, &gpus, &err) < 0)
		return cli_fail(&err);
	return options.watch_ns == NOT_GIVEN ? show(gpus, &options) : watch(gpus, &options);
}
