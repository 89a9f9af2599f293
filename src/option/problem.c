#include "option/problem.h"

#include <stdlib.h>

#include "base/mem.h"

static void problem_done(struct option_problem *problem)
{
	free((void *)problem->source);
	free((void *)problem->key);
	free((void *)problem->rule);
	free((void *)problem->found);
	free((void *)problem->expected);
	free((void *)problem->nearest);
}

void option_problems_done(struct option_problems *problems)
{
	for (size_t i = 0; i < problems->count; i++)
		problem_done(&problems->items[i]);
	free(problems->items);
	*problems = (struct option_problems){ 0 };
}

void option_problems_add(struct option_problems *problems, const struct option_problem *problem)
{
	pl_grow((void **)&problems->items, &problems->room, problems->count + 1,
		sizeof(problems->items[0]));
	problems->items[problems->count++] = (struct option_problem){
		.severity = problem->severity,
		.source = pl_strdup(problem->source),
		.line = problem->line,
		.column = problem->column,
		.key = pl_strdup(problem->key),
		.rule = pl_strdup(problem->rule),
		.found = pl_strdup(problem->found),
		.expected = pl_strdup(problem->expected),
		.expected_is_reason = problem->expected_is_reason,
		.nearest = pl_strdup(problem->nearest),
	};
	problems->errors += problem->severity == OPTION_ERROR;
}

/* One line whatever was quoted: control characters become '?'. */
static void add_line(struct pl_buf *buf, const char *text)
{
	for (; *text != '\0'; text++)
		pl_buf_add_char(buf, (unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text);
}

void option_problem_text(const struct option_problem *problem, struct pl_buf *buf)
{
	if (problem->source != NULL) {
		add_line(buf, problem->source);
		if (problem->line > 0)
			pl_buf_addf(buf, ":%d:%d", problem->line, problem->column);
		pl_buf_add_text(buf, ": ");
	}
	if (problem->key != NULL && problem->key[0] != '\0') {
		add_line(buf, problem->key);
		pl_buf_add_text(buf, ": ");
	}
	pl_buf_add_text(buf, "found ");
	add_line(buf, problem->found != NULL ? problem->found : "nothing");
	if (problem->expected != NULL) {
		pl_buf_add_text(buf, problem->expected_is_reason ? ": " : ", expected ");
		add_line(buf, problem->expected);
	}
	if (problem->nearest != NULL) {
		pl_buf_add_text(buf, " (did you mean '");
		add_line(buf, problem->nearest);
		pl_buf_add_text(buf, "'?)");
	}
	if (problem->rule != NULL)
		pl_buf_addf(buf, " [%s]", problem->rule);
}

json_t *option_problem_to_json(const struct option_problem *problem)
{
	json_t *json = json_object();
	bool placed = problem->line > 0;

	json_object_set_new(json, "severity",
			    json_string(problem->severity == OPTION_ERROR ? "error" : "warning"));
	json_object_set_new(json, "source", pl_json_text(problem->source));
	json_object_set_new(json, "line", placed ? json_integer(problem->line) : json_null());
	json_object_set_new(json, "col", placed ? json_integer(problem->column) : json_null());
	json_object_set_new(json, "key", pl_json_text(problem->key));
	json_object_set_new(json, "rule", pl_json_text(problem->rule));
	json_object_set_new(json, "found", pl_json_text(problem->found));
	json_object_set_new(json, "expected", pl_json_text(problem->expected));
	json_object_set_new(json, "nearest", pl_json_text(problem->nearest));
	return json;
}
