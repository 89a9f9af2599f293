/* `profllm-sim --help` and its manual page, from the rows of the options. */
#include "sim/options.h"

#include <assert.h>
#include <string.h>

#include "base/man.h"

#define MAN_BYTES_MAX 65536
#define USAGE         "serve MODEL [vLLM's arguments] [--sim-...]"
#define DESCRIPTION                                                         \
	"Simulates a vLLM server: the same HTTP API, no GPU, no weights.\n" \
	"Responses are simulated and marked as such.\n"
#define OF_VLLM      "Arguments of vLLM that have an effect"
#define OF_SIMULATOR "Options of the simulator"

/* vLLM's arguments and those of the simulator */
#define ROWS_MAX 256

static void add_words(struct pl_buf *buf, const char *option, const char *const *words)
{
	pl_buf_addf(buf, "\nNames for %s:", option);
	for (size_t i = 1; words[i] != NULL; i++)
		pl_buf_addf(buf, " %s", words[i]);
}

static void add_names(struct pl_buf *buf)
{
	pl_buf_add_text(buf, "Profiles:");
	for (size_t i = 0; sim_profile_at(i) != NULL; i++)
		pl_buf_addf(buf, " %s", sim_profile_at(i)->name);
	add_words(buf, "--sim-fail-start", sim_failure_words);
	add_words(buf, "--sim-metrics-fault", sim_metrics_words);
	add_words(buf, "--sim-event-form", sim_form_words);
	pl_buf_add_text(buf,
			"\nA DURATION is a number and a unit, such as 250us, 30ms, 1.5s or 2m.\n");
}

void sim_options_help(struct pl_buf *buf)
{
	struct sim_option_text option;

	pl_buf_add_text(buf, "usage: profllm-sim " USAGE "\n\n" DESCRIPTION "\n" OF_VLLM
			     " (all others are accepted and ignored):\n ");
	for (size_t i = 0; sim_options_at(i, &option); i++) {
		if (option.arg == NULL)
			pl_buf_addf(buf, " %s\n ", option.flag);
	}
	pl_buf_add_text(buf, "\n" OF_SIMULATOR ":\n");
	for (size_t i = 0; sim_options_at(i, &option); i++) {
		if (option.arg != NULL)
			pl_buf_addf(buf, "  %s%s%s\n        %s\n", option.flag,
				    option.arg[0] != '\0' ? " " : "", option.arg, option.help);
	}
	pl_buf_add_text(buf, "  --help\n  --version\n\n");
	add_names(buf);
}

/* Appends the rows of vLLM, or of the simulator, as a group. Returns their number. */
static size_t add_rows(bool of_simulator, struct pl_opt *rows, size_t room)
{
	struct sim_option_text option;
	size_t count = 0;

	for (size_t i = 0; sim_options_at(i, &option); i++) {
		if ((option.arg != NULL) != of_simulator)
			continue;
		assert(count < room);
		rows[count++] = (struct pl_opt){
			.name = option.flag + strlen("--"),
			.arg = of_simulator && option.arg[0] != '\0' ? option.arg : NULL,
			.help = of_simulator ? option.help : "as in vllm serve",
		};
	}
	rows[0].group = of_simulator ? OF_SIMULATOR : OF_VLLM;
	return count;
}

void sim_options_man(struct pl_buf *buf)
{
	struct pl_opt rows[ROWS_MAX + 1] = { 0 }; /* the last one ends them */
	auto_buf details = PL_BUF(MAN_BYTES_MAX);
	size_t count = add_rows(false, rows, ROWS_MAX);

	add_rows(true, rows + count, ROWS_MAX - count);
	pl_buf_add_text(&details, DESCRIPTION "Other arguments of vLLM are accepted and "
					      "ignored.\n\n");
	add_names(&details);
	const struct pl_opt_command command = {
		.name = "profllm-sim",
		.usage = USAGE,
		.summary = "simulates a vLLM server without a GPU",
		.details = pl_buf_text(&details),
		.options = rows,
	};
	pl_man_add_command(buf, "profllm", "sim", &command);
}
