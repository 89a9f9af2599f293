#include "cli/problems.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/redact.h"
#include "base/text.h"

#define LINE_BYTES_MAX 65536

/* As an object for each problem, if messages are objects. */
static void write_objects(const struct option_problems *problems)
{
	for (size_t i = 0; i < problems->count; i++) {
		const struct option_problem *problem = &problems->items[i];
		auto_buf line = PL_BUF(LINE_BYTES_MAX);
		option_problem_text(problem, OPTION_AS_FILE, &line);
		auto_free char *text = pl_buf_take(&line);
		pl_text_to_line(text);
		pl_log_object(problem->severity == OPTION_WARNING ? PL_LOG_WARNING : PL_LOG_ERROR,
			      text, json_pack("{s:o}", "problem", option_problem_to_json(problem)));
	}
}

void cli_print_problems(const struct option_problems *problems)
{
	if (pl_log_format() == PL_LOG_JSON) {
		write_objects(problems);
		return;
	}
	for (size_t i = 0; i < problems->count; i++) {
		auto_buf line = PL_BUF(LINE_BYTES_MAX);
		option_problem_text(&problems->items[i], OPTION_AS_FILE, &line);
		auto_free char *text = pl_buf_take(&line);
		pl_text_to_line(text);
		pl_redact_text(text, PL_REDACT_OURS);
		fprintf(stderr, "%s%s\n",
			problems->items[i].severity == OPTION_WARNING ? "warning: " : "", text);
	}
}
