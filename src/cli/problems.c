#include "cli/problems.h"

#include <stdio.h>

#include "base/buf.h"

#define LINE_BYTES_MAX 65536

void cli_print_problems(const struct option_problems *problems)
{
	for (size_t i = 0; i < problems->count; i++) {
		auto_buf line = PL_BUF(LINE_BYTES_MAX);
		option_problem_text(&problems->items[i], OPTION_AS_FILE, &line);
		fprintf(stderr, "%s%s\n",
			problems->items[i].severity == OPTION_WARNING ? "warning: " : "",
			pl_buf_text(&line));
	}
}
