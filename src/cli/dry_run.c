/*
 * `run --dry-run`: the launch plan, with GPUs and port chosen and released again. Problems do not end it, because the
 * run may be on another host.
 */
#include "cli/dry_run.h"

#include "cli/cli.h"
#include "run/launch.h"
#include "vllm/shell/words.h"

#define DRY_RUN_BYTES_MAX (16u << 20)

/* The plan comes first, because the file with all its defaults fills several screens. */
static void add_people_form(const json_t *plan, const char *url, struct pl_buf *buf)
{
	auto_free char *config = pl_json_to_text(json_object_get(plan, "config"), PL_JSON_INDENT);
	auto_free char *port = pl_json_to_text(json_object_get(plan, "port"), PL_JSON_PYTHON);

	pl_buf_add_text(buf, "argv:  ");
	if (url != NULL)
		pl_buf_addf(buf, " none; the server at %s is running", url);
	PL_JSON_EACH(item, json_object_get(plan, "argv")) {
		pl_buf_add_char(buf, ' ');
		vllm_word_quote(json_string_value(item), buf);
	}
	pl_buf_add_text(buf, "\nenv:   ");
	if (json_object_size(json_object_get(plan, "env")) == 0)
		pl_buf_add_text(buf, " no additions to your environment");
	PL_JSON_EACH_MEMBER(name, item, json_object_get(plan, "env")) {
		pl_buf_addf(buf, " %s=", name);
		vllm_word_quote(json_string_value(item), buf);
	}
	pl_buf_add_text(buf, "\ngpus:   ");
	/* "0 (NVIDIA H100 80GB HBM3), 1 (…)"; parts of a GPU by uuid. */
	const json_t *gpus = json_object_get(plan, "gpus");
	if (json_array_size(gpus) == 0)
		pl_buf_add_text(buf, "none");
	PL_JSON_EACH(gpu, gpus) {
		const json_t *index = json_object_get(gpu, "index");
		const char *uuid = pl_json_get_text(gpu, "uuid");
		const char *name = pl_json_get_text(gpu, "name");
		pl_buf_add_text(buf, gpu_at > 0 ? ", " : "");
		if (json_is_integer(index))
			pl_buf_addf(buf, "%lld", (long long)json_integer_value(index));
		else
			pl_buf_add_text(buf, uuid != NULL ? uuid : "?");
		if (name != NULL)
			pl_buf_addf(buf, " (%s)", name);
	}
	pl_buf_addf(buf, "\nport:   %s\n",
		    json_is_null(json_object_get(plan, "port")) ? "none" : port);
	PL_JSON_EACH(item, json_object_get(plan, "warnings"))
		pl_buf_addf(buf, "warning: %s\n", json_string_value(item));
	pl_buf_addf(buf, "config: %s\n", config);
}

static json_t *problems_to_json(const struct option_problems *problems)
{
	json_t *list = json_array();

	for (size_t i = 0; i < problems->count; i++)
		json_array_append_new(list, option_problem_to_json(&problems->items[i]));
	return list;
}

int cli_dry_run_refused(const struct option_problems *problems)
{
	auto_json json_t *refused = json_pack("{s:o}", "problems", problems_to_json(problems));

	return cli_print_json(refused);
}

int cli_dry_run(const struct exp_config *experiment, const struct option_problems *problems,
		bool as_json)
{
	auto_launch struct run_launch *launch = NULL;
	struct pl_err err = PL_ERR_INIT;
	auto_release release = { 0 };
	struct run_taking taking = { .release = &release, .look_only = true };
	auto_buf text = PL_BUF(DRY_RUN_BYTES_MAX);

	run_release_find(experiment, NULL, &release);
	if (run_launch_plan(experiment, &taking, &launch, &err) < 0) {
		exp_words(experiment, &err);
		return cli_fail(&err);
	}
	auto_json json_t *plan = run_launch_to_json(launch, experiment);
	json_t *warnings = json_object_get(plan, "warnings");
	for (size_t i = 0; i < problems->count; i++) {
		auto_buf line = PL_BUF(DRY_RUN_BYTES_MAX);
		option_problem_text(&problems->items[i], OPTION_AS_FILE, &line);
		json_array_append_new(warnings, pl_json_text(pl_buf_text(&line)));
	}
	json_object_set_new(plan, "problems", problems_to_json(problems));
	if (as_json)
		return cli_print_json(plan);
	add_people_form(plan, launch->url, &text);
	return cli_print(pl_buf_text(&text));
}
