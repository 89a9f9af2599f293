/*
 * Expands sweeps: one JSON object per line on standard input, one JSON value per line in return.
 *   {yaml: TEXT, only: [SET, …]}               {cells: [{set, label, point}, …], left_out, merged},
 *                                              or {problems: [TEXT, …]}
 *   {sample: METHOD, count, dimensions, seed}  the points, one array for each
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "experiment/sweep/sample.h"
#include "experiment/sweep/sweep.h"

#define LINE_BYTES_MAX 65536

static json_t *answer_problems(const struct option_problems *problems)
{
	json_t *list = json_array();

	for (size_t i = 0; i < problems->count; i++) {
		auto_buf line = PL_BUF(LINE_BYTES_MAX);
		option_problem_text(&problems->items[i], OPTION_AS_FILE, &line);
		json_array_append_new(list, json_string(pl_buf_text(&line)));
	}
	return json_pack("{s:o}", "problems", list);
}

static json_t *answer_sweep(const json_t *requested)
{
	const char *text = pl_json_get_text(requested, "yaml");
	auto_sweep struct exp_sweep *sweep = NULL;
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;
	const char *only[16];
	size_t only_count = 0;

	PL_JSON_EACH(name, json_object_get(requested, "only"))
		only[only_count++] = json_string_value(name);
	if (exp_sweep_read(vllm_catalog_reference(), text, strlen(text), "s.yaml", only, only_count,
			   &sweep, &problems, &err) < 0)
		return json_pack("{s:[s]}", "problems", err.text);
	if (sweep == NULL)
		return answer_problems(&problems);
	json_t *cells = json_array();
	for (size_t i = 0; i < sweep->count; i++)
		json_array_append_new(cells, json_pack("{s:o, s:s, s:O}", "set",
						       pl_json_text(sweep->cells[i].set), "label",
						       sweep->cells[i].label, "parameters",
						       sweep->cells[i].point));
	return json_pack("{s:o, s:I, s:I}", "combinations", cells, "excluded",
			 (json_int_t)sweep->left_out, "merged", (json_int_t)sweep->merged);
}

static json_t *answer_sample(const json_t *requested)
{
	size_t count = (size_t)pl_json_get_i64(requested, "count");
	size_t dimensions = (size_t)pl_json_get_i64(requested, "dimensions");
	unsigned method = 0;

	while (strcmp(exp_sample_name((enum exp_sample_method)method),
		      pl_json_get_text(requested, "sample")) != 0)
		method++;
	auto_free double *points = exp_sample_points((enum exp_sample_method)method, count,
						     dimensions,
						     (uint64_t)pl_json_get_i64(requested, "seed"));
	json_t *list = json_array();
	for (size_t i = 0; i < count; i++) {
		json_t *point = json_array();
		for (size_t d = 0; d < dimensions; d++)
			json_array_append_new(point, json_real(points[i * dimensions + d]));
		json_array_append_new(list, point);
	}
	return list;
}

int main(void)
{
	char *line = NULL;
	size_t room = 0;

	for (ssize_t len; (len = getline(&line, &room, stdin)) > 0;) {
		auto_json json_t *requested = NULL;
		struct pl_err err = PL_ERR_INIT;
		if (pl_json_parse(line, (size_t)len, "line", &requested, &err) < 0)
			return 1;
		auto_json json_t *answer = json_object_get(requested, "yaml") != NULL
						   ? answer_sweep(requested)
						   : answer_sample(requested);
		auto_free char *text = pl_json_to_text(answer, PL_JSON_COMPACT);
		printf("%s\n", text);
		fflush(stdout);
	}
	free(line);
	return 0;
}
