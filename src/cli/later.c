/*
 * Commands of `vllm bench` that this version lacks get a message with an alternative, instead of "unknown command".
 */
#include "cli/cli.h"

#include <string.h>

#include "base/text.h"

#define NAMES_BYTES_MAX 4096

static const struct later {
	const char *name;
	const char *what;
	const char *today;
} laters[] = {
#define BENCH_COMMAND(name, what, today) { name, what, today },
#include "tbl/bench_commands.h"
};

static int report_later(const char *shown, const struct later *later)
{
	return cli_refuse("this version does not support '%s' (it %s); %s", shown, later->what,
			  later->today);
}

char *cli_later_names(const struct pl_commands *commands)
{
	auto_buf names = PL_BUF(NAMES_BYTES_MAX);

	for (size_t i = 0; i < PL_ARRAY_SIZE(laters); i++) {
		/* vLLM has one with the same name */
		if (pl_command_find(commands, laters[i].name) == NULL)
			pl_buf_addf(&names, "%s%s", names.len > 0 ? ", " : "", laters[i].name);
	}
	return pl_buf_take(&names);
}

int cli_unknown_bench(const char *name)
{
	const struct later *later = PL_ROW_FIND(laters, name, name);
	auto_free char *shown = pl_asprintf("bench %s", name);

	if (later != NULL)
		return report_later(shown, later);
	if (name[0] == '\0')
		return cli_refuse(
			"bench: found nothing, expected serve, latency, throughput, startup "
			"or mm-processor; see profllm bench --help");
	return cli_refuse("bench: found '%s', expected serve, latency, throughput, startup or "
			  "mm-processor",
			  name);
}

int cli_unknown_in(const struct pl_commands *commands, const char *name)
{
	const struct later *later = PL_ROW_FIND(laters, name, name);

	return later != NULL ? report_later(name, later) : pl_command_refuse(commands, name);
}
