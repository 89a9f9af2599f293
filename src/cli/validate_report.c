/*
 * The problems of an input, as lines or as JSON. Errors come before warnings, each in the order in which they were
 * found. For a command line, a problem shows the words that it concerns.
 */
#include "cli/validate_report.h"

#define PROBLEM_BYTES_MAX (1u << 20)
#define RED               "\033[31m"
#define YELLOW            "\033[33m"
#define PLAIN             "\033[0m"

static void add_problem(const struct cli_input *input, const struct option_problem *problem,
			bool coloured, struct pl_buf *buf)
{
	bool is_error = problem->severity == OPTION_ERROR;
	auto_buf text = PL_BUF(PROBLEM_BYTES_MAX);

	if (input->command != NULL) {
		vllm_command_problem_text(input->command, problem, &text);
	} else {
		option_problem_text(problem, OPTION_AS_FILE, &text);
		pl_buf_add_char(&text, '\n');
	}
	if (coloured)
		pl_buf_add_text(buf, is_error ? RED : YELLOW);
	if (!is_error)
		pl_buf_add_text(buf, "warning: ");
	pl_buf_add(buf, pl_buf_text(&text), text.len);
	if (coloured)
		pl_buf_add_text(buf, PLAIN);
}

static void add_problems(const struct cli_input *input, enum option_severity severity,
			 bool coloured, struct pl_buf *buf)
{
	for (size_t i = 0; i < input->problems.count; i++) {
		if (input->problems.items[i].severity == severity)
			add_problem(input, &input->problems.items[i], coloured, buf);
	}
}

void cli_report_text(const struct cli_input *input, bool coloured, struct pl_buf *buf)
{
	add_problems(input, OPTION_ERROR, coloured, buf);
	add_problems(input, OPTION_WARNING, coloured, buf);
}

void cli_report_memory(const struct cli_input *input, struct pl_buf *buf)
{
	if (!input->is_checked)
		return;
	pl_buf_addf(buf, "%s: for vLLM %s%s\n", input->name, input->check.release.version,
		    input->check.release.assumed ? " (assumed)" : "");
	ckpt_memory_text(&input->check.checked.memory, buf);
}

static json_t *problems_to_json(const struct cli_input *input)
{
	json_t *list = json_array();

	for (size_t i = 0; i < input->problems.count; i++) {
		const struct option_problem *problem = &input->problems.items[i];
		json_array_append_new(
			list, input->command != NULL
				      ? vllm_command_problem_to_json(input->command, problem)
				      : option_problem_to_json(problem));
	}
	return list;
}

static json_t *target_to_json(const struct cli_input *input)
{
	if (!input->is_checked)
		return json_null();
	return json_pack("{s:s, s:b}", "version", input->check.release.version, "assumed",
			 input->check.release.assumed);
}

static json_t *memory_to_json(const struct cli_input *input, bool explained)
{
	if (!input->is_checked)
		return json_null();
	json_t *memory = ckpt_memory_to_json(&input->check.checked.memory);
	/* "terms" break down the memory: long, so only with --explain */
	if (!explained)
		json_object_del(memory, "terms");
	return memory;
}

json_t *cli_report_json(const struct cli_input *input, bool explained)
{
	json_t *report = json_pack("{s:o, s:b, s:o, s:o, s:o}", "file", pl_json_text(input->name),
				   "ok", input->problems.errors == 0, "target",
				   target_to_json(input), "problems", problems_to_json(input),
				   "memory", memory_to_json(input, explained));

	if (input->container != NULL)
		json_object_set_new(report, "container", json_string(input->container));
	return report;
}

void cli_tally_add(struct cli_tally *tally, const struct cli_input *input)
{
	tally->files++;
	tally->errors += input->problems.errors;
	tally->warnings += input->problems.count - input->problems.errors;
}

static void add_count(struct pl_buf *buf, size_t count, const char *noun)
{
	pl_buf_addf(buf, "%s%zu %s%s", buf->len > 0 ? ", " : "", count, noun,
		    count == 1 ? "" : "s");
}

void cli_report_head(const struct cli_input *input, struct pl_buf *buf)
{
	if (input->container == NULL)
		return;
	pl_buf_addf(buf, "%s:%d: container '%s'", input->name, input->line, input->container);
	if (input->command != NULL && input->command->image != NULL)
		pl_buf_addf(buf, ", image %s", input->command->image);
	if (input->is_checked)
		pl_buf_addf(buf, ", for vLLM %s", input->check.release.version);
	auto_buf counts = PL_BUF(256);
	add_count(&counts, input->problems.errors, "error");
	add_count(&counts, input->problems.count - input->problems.errors, "warning");
	pl_buf_addf(buf, ": %s\n", pl_buf_text(&counts));
}

void cli_tally_text(const struct cli_tally *tally, struct pl_buf *buf)
{
	auto_buf line = PL_BUF(256);

	add_count(&line, tally->files, "file");
	add_count(&line, tally->errors, "error");
	add_count(&line, tally->warnings, "warning");
	pl_buf_addf(buf, "%s\n", pl_buf_text(&line));
}
