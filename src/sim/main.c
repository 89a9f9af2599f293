/* profllm-sim: implements vLLM's HTTP API with a model of its engine. */
#include <signal.h>
#include <stdio.h>

#include "sim/options.h"
#include "sim/server.h"

static int serve(const struct sim_options *options)
{
	struct pl_err err = PL_ERR_INIT;

	/* Blocked before any thread or worker starts, and read from a descriptor in the loop: no handler ever runs. */
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	int status = sim_server_run(options, &err);

	if (status >= 0)
		return status;
	/* In Python's words, in which profllm recognizes that the port was in use (tbl/log_lines.h). */
	if (err.code == PL_ERR_BUSY)
		fprintf(stderr, "OSError: [Errno 98] Address already in use\n");
	else
		fprintf(stderr, "profllm-sim: error: %s\n", err.text);
	return 1;
}

int main(int argc, char **argv)
{
	struct sim_options options;
	struct pl_err err = PL_ERR_INIT;
	enum sim_action action;
	auto_buf help = PL_BUF(65536);
	int status = 0;

	if (sim_options_parse(argc, argv, &options, &action, &err) < 0) {
		fprintf(stderr,
			"usage: profllm-sim serve MODEL [options]\nprofllm-sim: error: %s\n",
			err.text);
		status = 2;
	} else if (action == SIM_HELP) {
		sim_options_help(&help);
		fputs(pl_buf_text(&help), stdout);
	} else if (action == SIM_MAN) {
		sim_options_man(&help);
		fputs(pl_buf_text(&help), stdout);
	} else if (action == SIM_VERSION) {
		puts("profllm-sim " PROFLLM_VERSION);
	} else {
		status = serve(&options);
	}
	sim_options_done(&options);
	return status;
}
