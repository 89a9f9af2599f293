/*
 * The document may come from anybody. exp_config_read_json() replaces ${NAME} by variables of this process and reads
 * the file that server.config names, so both are taken out before: "${" becomes U+E000 and "{", and returns in the
 * finished command.
 */
#include "result/commands.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "experiment/command.h"
#include "experiment/config.h"
#include "experiment/offline.h"
#include "option/secret.h"
#include "result/experiment.h"
#include "vllm/bench_options.h"
#include "vllm/catalog.h"

#define TEXT_BYTES_MAX (16u << 20)
#define SECRETS_MAX    100
#define MARK           "\xee\x80\x80" /* U+E000, of the private use area */

/* ---- variables ----------------------------------------------------------------------------- */

/* Returns a copy in which no text names a variable. New reference. */
static json_t *without_variables(const json_t *value)
{
	if (json_is_string(value)) {
		auto_free char *text = pl_text_replace(json_string_value(value), "${", MARK "{");
		return json_string(text);
	}
	if (json_is_object(value)) {
		json_t *object = json_object();
		PL_JSON_EACH_MEMBER(name, item, value)
			json_object_set_new(object, name, without_variables(item));
		return object;
	}
	if (json_is_array(value)) {
		json_t *array = json_array();
		PL_JSON_EACH(item, value)
			json_array_append_new(array, without_variables(item));
		return array;
	}
	return json_incref((json_t *)value);
}

/* Returns the length of "{NAME}", or 0 if it is none that a shell only replaces. */
static size_t variable_len(const char *text)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
	size_t len = strspn(text + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
				      "0123456789");

	return len > 0 && strchr(letters, text[1]) != NULL && text[1 + len] == '}' ? len + 2 : 0;
}

/* Appends a command with its variables: outside of single quotes, in which a shell does not replace them. */
static void add_with_variables(const char *command, struct pl_buf *buf)
{
	bool is_quoted = false;
	size_t opened_at = 0; /* where the quoted part begins */

	for (const char *at = command; *at != '\0';) {
		if (strncmp(at, MARK "{", strlen(MARK) + 1) != 0) {
			/* outside of quotes, a backslash quotes the next byte */
			if (*at == '\\' && !is_quoted && at[1] != '\0') {
				pl_buf_add_char(buf, *at++);
			} else if (*at == '\'') {
				is_quoted = !is_quoted;
				opened_at = buf->len + 1;
			}
			pl_buf_add_char(buf, *at++);
			continue;
		}
		at += strlen(MARK);
		size_t len = variable_len(at);
		if (len == 0) {
			pl_buf_add_text(buf, is_quoted ? "$" : "\\$");
			continue;
		}
		/* ends the quoted part; an empty one is removed */
		if (is_quoted && buf->len == opened_at)
			buf->len--;
		else if (is_quoted)
			pl_buf_add_char(buf, '\'');
		pl_buf_addf(buf, "\"$%.*s\"", (int)len, at);
		at += len;
		if (is_quoted && *at == '\'') {
			is_quoted = false;
			at++;
		} else if (is_quoted) {
			pl_buf_add_char(buf, '\'');
			opened_at = buf->len;
		}
	}
}

/* ---- what is missing ----------------------------------------------------------------------- */

static void add_missing(json_t *missing, const char *key, const char *text)
{
	json_array_append_new(missing,
			      json_pack("{s:s, s:o}", "key", key, "text", pl_json_text(text)));
}

/* Adds the keys of texts that contain "***". */
static void add_secrets(const json_t *value, const char *key, json_t *secrets)
{
	const char *text = json_string_value(value);

	if (json_array_size(secrets) == SECRETS_MAX)
		return;
	if (text != NULL && strstr(text, OPTION_SECRET_SHOWN) != NULL)
		json_array_append_new(secrets, pl_json_text(key));
	PL_JSON_EACH_MEMBER(name, member, value) {
		auto_free char *path = pl_asprintf("%s%s%s", key, key[0] != '\0' ? "." : "", name);
		add_secrets(member, path, secrets);
	}
	for (size_t i = 0; i < json_array_size(value); i++) {
		auto_free char *path = pl_asprintf("%s[%zu]", key, i);
		add_secrets(json_array_get(value, i), path, secrets);
	}
}

/* ---- commands ------------------------------------------------------------------------------ */

struct command {
	const char *id;
	const char *language;
	const char *file;   /* NULL: none */
	const char *text;   /* NULL: unknown */
	const char *reason; /* if the text is unknown */
	bool is_partial;
	json_t *notes; /* NULL: none */
};

static void add_command(json_t *commands, const struct command *command)
{
	json_array_append_new(
		commands,
		json_pack("{s:s, s:s, s:o, s:o, s:b, s:o, s:o}", "id", command->id, "language",
			  command->language, "file", pl_json_text(command->file), "text",
			  pl_json_text(command->text), "complete",
			  command->text != NULL && !command->is_partial, "reason",
			  command->text == NULL ? pl_json_text(command->reason) : json_null(),
			  "notes",
			  command->notes != NULL ? json_incref(command->notes) : json_array()));
}

/* An option that is not recorded is one more that is missing, if the caller lists these; other errors end it. */
static int check_problem(const struct option_problem *problem, const json_t *sections,
			 json_t *missing, struct pl_err *err)
{
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	if (problem->severity != OPTION_ERROR)
		return 0;
	option_problem_text(
		&(struct option_problem){ .key = problem->key,
					  .rule = problem->rule,
					  .found = problem->found,
					  .expected = problem->expected,
					  .nearest = problem->nearest,
					  .expected_is_reason = problem->expected_is_reason },
		OPTION_AS_FILE, &text);
	if (missing == NULL || pl_json_get_path(sections, problem->key) != NULL)
		return pl_err_invalid(err, "%s", pl_buf_text(&text));
	add_missing(missing, problem->key, problem->expected + strspn(problem->expected, "; "));
	return 0;
}

/*
 * Reads the sections without looking at this host. missing: lists options that are not recorded and that the others
 * require; NULL: these are errors. Returns -1 with the reason in err.
 */
static int read_inert(const json_t *sections, const json_t *pins, json_t *missing,
		      struct exp_config **ret, struct pl_err *err)
{
	auto_json json_t *inert = without_variables(sections);
	auto_json json_t *inert_pins = without_variables(pins);
	json_t *server = json_object_get(inert, "server");
	auto_experiment struct exp_config *experiment = NULL;
	auto_problems problems = { 0 };
	char *sets[RES_EXPERIMENT_PINS_MAX];
	size_t count = 0;

	if (json_is_object(server))
		json_object_del(server, "config");
	PL_JSON_EACH_MEMBER(key, value, inert_pins) {
		auto_free char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
		if (count < RES_EXPERIMENT_PINS_MAX && !json_is_object(value) &&
		    !json_is_array(value))
			sets[count++] = pl_asprintf("%s=%s", key, text);
	}
	int rc = exp_config_read_json(vllm_catalog_reference(), inert, "result",
				      (const char *const *)sets, count, &experiment, &problems,
				      err);
	while (count > 0)
		free(sets[--count]);
	for (size_t i = 0; rc == 0 && i < problems.count; i++)
		rc = check_problem(&problems.items[i], sections, missing, err);
	if (rc < 0) {
		auto_free char *text = pl_text_replace(err->text, MARK, "$");
		return pl_err_invalid(err, "%s", text);
	}
	*ret = pl_take(experiment);
	return 0;
}

/* Adds the command of a writer. text: what it wrote. */
static void add_written(json_t *commands, struct command *command, int rc,
			const struct pl_buf *text, const struct pl_err *err)
{
	auto_buf shown = PL_BUF(2 * TEXT_BYTES_MAX);
	auto_free char *reason = pl_text_replace(err->text, MARK, "$");

	command->reason = text->full ? "the command is too long" : reason;
	if (rc == 0 && !text->full) {
		add_with_variables(pl_buf_text(text), &shown);
		command->text = pl_buf_text(&shown);
	}
	add_command(commands, command);
}

static void add_server(const struct exp_config *experiment, bool is_partial, json_t *missing,
		       json_t *commands)
{
	struct command command = { .id = "server", .language = "sh", .is_partial = is_partial };
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);
	auto_free char *url = exp_server_url(experiment);
	struct pl_err err = PL_ERR_INIT;

	if (exp_is_in_process(experiment)) {
		command.reason = "the benchmark starts its own engine, and no server";
		add_command(commands, &command);
		return;
	}
	if (url != NULL) {
		command.reason = "the run used a running server, whose command is not recorded";
		add_missing(missing, "launch.url",
			    "command, arguments and environment of the "
			    "server that was running already");
		add_command(commands, &command);
		return;
	}
	int rc = exp_command_server(experiment, false, &text, &err);
	add_written(commands, &command, rc, &text, &err);
}

static void add_load(const struct exp_config *experiment, bool is_partial, json_t *commands)
{
	auto_json json_t *omitted = json_array();
	struct command command = { .id = "load", .language = "sh", .notes = omitted };
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);
	struct pl_err err = PL_ERR_INIT;

	int rc = exp_is_in_process(experiment)
			 ? exp_command_offline(experiment, false, &text, &err)
			 : exp_command_load(experiment, false, &text, omitted, &err);
	command.is_partial = is_partial || json_array_size(omitted) > 0;
	add_written(commands, &command, rc, &text, &err);
}

/* Adds commands without a text for all of these ids. */
static void add_unknown(json_t *commands, const char *const *ids, const char *reason)
{
	for (; *ids != NULL; ids++) {
		const struct command command = {
			.id = *ids,
			.language = strcmp(*ids, "experiment") == 0 ? "yaml" : "sh",
			.reason = reason,
		};
		add_command(commands, &command);
	}
}

/* ---- results of profllm -------------------------------------------------------------------- */

/* Returns the name of a file for this run, without its suffix. free() */
static char *file_name_of(const json_t *document)
{
	static const char safe[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
	const char *run_id = pl_json_get_text(document, "run_id");
	bool fits = run_id != NULL && run_id[0] != '\0' && run_id[0] != '-' &&
		    strlen(run_id) <= 100 && strspn(run_id, safe) == strlen(run_id);

	return pl_strdup(fits ? run_id : "result");
}

/* Adds the files that a repetition needs and the result does not contain. */
static void add_needs(const json_t *document, json_t *missing)
{
	const json_t *experiment = pl_json_get_path(document, "config.experiment");
	const char *config = pl_json_path_text(experiment, "server.config");
	const char *dataset = pl_json_path_text(experiment, "benchmark.dataset_path");
	const char *sha256 = pl_json_path_text(document, "config.benchmark.dataset_sha256");

	if (config != NULL) {
		auto_free char *text = pl_asprintf("content of the file '%s'", config);
		add_missing(missing, "server.config", text);
	}
	if (dataset != NULL) {
		auto_free char *text = pl_asprintf("content of the dataset '%s'%s%s", dataset,
						   sha256 != NULL ? "; SHA-256 of the prompts: "
								  : "",
						   sha256 != NULL ? sha256 : "");
		add_missing(missing, "benchmark.dataset_path", text);
	}
}

static void add_own(const json_t *document, json_t *commands, json_t *missing)
{
	static const char *const ids[] = { "server", "load", NULL };
	auto_free char *name = file_name_of(document);
	auto_free char *result_file = pl_asprintf("%s.json", name);
	auto_free char *experiment_file = pl_asprintf("%s.yaml", name);
	auto_free char *repeat = pl_asprintf("profllm run --config %s --output repeat.json\n",
					     result_file);
	auto_json json_t *pins = res_experiment_pins(document);
	auto_experiment struct exp_config *experiment = NULL;
	auto_buf yaml = PL_BUF(TEXT_BYTES_MAX);
	struct pl_err err = PL_ERR_INIT;

	add_command(commands, &(struct command){ .id = "repeat",
						 .language = "sh",
						 .file = result_file,
						 .text = repeat });
	res_experiment_write(document, result_file, &yaml);
	add_command(commands, &(struct command){ .id = "experiment",
						 .language = "yaml",
						 .file = experiment_file,
						 .text = yaml.full ? NULL : pl_buf_text(&yaml),
						 .reason = "the experiment file is too long" });
	add_needs(document, missing);
	if (read_inert(pl_json_get_path(document, "config.experiment"), pins, NULL, &experiment,
		       &err) < 0) {
		add_unknown(commands, ids, err.text);
		return;
	}
	/* the arguments in that file are not recorded as those of the file */
	bool has_file = pl_json_path_text(document, "config.experiment.server.config") != NULL;
	add_server(experiment, has_file, missing, commands);
	add_load(experiment, false, commands);
}

/* ---- results that others wrote ------------------------------------------------------------- */

/* Returns the options of the section that the document records and vLLM has. New reference. */
static json_t *recorded_load(const json_t *document)
{
	json_t *load = json_object();

	PL_JSON_EACH_MEMBER(name, value, pl_json_get_path(document, "config.benchmark")) {
		enum vllm_bench_id id = vllm_bench_find(name);
		if (id == VLLM_BENCH_COUNT || json_is_null(value))
			continue;
		const struct option_row *row = vllm_bench_row(id);
		if (!row->ours && !row->gone)
			json_object_set(load, name, (json_t *)value);
	}
	return load;
}

/* Returns the arguments that the document records: those that were set, if it says so, else all. New reference. */
static json_t *recorded_server(const json_t *document, bool *ret_has_source)
{
	const json_t *sources = pl_json_get_path(document, "config.server_source");
	json_t *server = json_object();

	*ret_has_source = json_is_object(sources);
	PL_JSON_EACH_MEMBER(name, value, pl_json_get_path(document, "config.server")) {
		bool is_set = !*ret_has_source ||
			      pl_text_equal(pl_json_get_text(sources, name), "explicit");
		if (is_set && !json_is_null(value) &&
		    vllm_arg_find(vllm_catalog_reference(), name) != NULL)
			json_object_set(server, name, (json_t *)value);
	}
	return server;
}

/* Adds the load as far as it is recorded. */
static void add_recorded_load(const json_t *document, json_t *commands, json_t *missing)
{
	/* what no file of vLLM's client contains, unless its user added it as metadata */
	static const struct {
		const char *key;
		const char *text;
	} rows[] = {
		{ "dataset_name", "dataset and its options, such as lengths of prompts" },
		{ "seed", "seed of the prompts" },
		{ "num_warmups", "number of warm-up requests" },
		{ "base_url", "address of the server" },
		{ "extra_body", "sampling parameters and other members of the requests" },
	};
	static const char *const ids[] = { "load", NULL };
	auto_json json_t *load = recorded_load(document);
	auto_json json_t *sections = json_pack("{s:O}", "benchmark", load);
	auto_experiment struct exp_config *experiment = NULL;
	struct pl_err err = PL_ERR_INIT;

	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_free char *key = pl_asprintf("benchmark.%s", rows[i].key);
		if (json_object_get(load, rows[i].key) == NULL)
			add_missing(missing, key, rows[i].text);
	}
	if (json_object_size(load) == 0)
		add_unknown(commands, ids, "the file records no load option");
	else if (read_inert(sections, NULL, missing, &experiment, &err) < 0)
		add_unknown(commands, ids, err.text);
	else
		add_load(experiment, true, commands);
}

static void add_recorded_server(const json_t *document, json_t *commands, json_t *missing)
{
	static const char *const ids[] = { "server", NULL };
	bool has_source;
	auto_json json_t *server = recorded_server(document, &has_source);
	auto_json json_t *sections = json_pack("{s:O}", "server", server);
	auto_experiment struct exp_config *experiment = NULL;
	struct pl_err err = PL_ERR_INIT;

	add_missing(missing, "launch", "command, environment and release of the server");
	if (json_object_get(server, "model") == NULL) {
		add_missing(missing, "server", "arguments of the server");
		add_unknown(commands, ids, "the file does not record the server's arguments");
		return;
	}
	if (!has_source)
		add_missing(missing, "config.server_source",
			    "which arguments were set and which are defaults");
	if (read_inert(sections, NULL, missing, &experiment, &err) < 0)
		add_unknown(commands, ids, err.text);
	else
		add_server(experiment, true, missing, commands);
}

static void add_foreign(const json_t *document, bool is_vllm, const char *reason, json_t *commands,
			json_t *missing)
{
	static const char *const whole[] = { "repeat", "experiment", NULL };
	static const char *const load[] = { "load", NULL };
	const char *kind = pl_json_path_text(document, "config.benchmark.kind");
	bool is_offline = is_vllm && kind != NULL && strcmp(kind, "serve") != 0;

	add_missing(missing, "config.experiment", "the experiment file");
	add_unknown(commands, whole, reason);
	add_recorded_server(document, commands, missing);
	if (is_offline) {
		auto_free char *text = pl_asprintf("'vllm bench %s' does not record its arguments",
						   kind);
		add_missing(missing, "benchmark", "arguments of the benchmark");
		add_unknown(commands, load, text);
	} else {
		add_recorded_load(document, commands, missing);
	}
}

json_t *res_commands(const json_t *document, bool is_vllm)
{
	json_t *commands = json_array(), *missing = json_array(), *secrets = json_array();
	struct pl_err err = PL_ERR_INIT;

	if (is_vllm)
		add_foreign(document, true, "vLLM's file does not record an experiment", commands,
			    missing);
	else if (!json_is_object(pl_json_get_path(document, "config.experiment")))
		add_foreign(document, false,
			    "the result does not contain its experiment (config.experiment)",
			    commands, missing);
	else if (res_experiment_check(document, "result", &err) < 0)
		add_foreign(document, false, err.text + strlen("'result': "), commands, missing);
	else
		add_own(document, commands, missing);
	add_secrets(pl_json_get_path(document, "config.experiment"), "", secrets);
	return json_pack("{s:o, s:o, s:o}", "commands", commands, "not_recorded", missing,
			 "secrets", secrets);
}
