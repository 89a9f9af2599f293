/* The checks of the server's arguments. */
#include "experiment/check_priv.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "checkpoint/checks.h"
#include "checkpoint/rule_facts.h"
#include "vllm/parsers.h"
#include "vllm/secret.h"
#include "vllm/server_args.h"
#include "vllm/variables.h"
#include "vllm/version.h"

#define TEXT_BYTES_MAX 1024

/* The flag of an argument or a key in a command line; NULL: a file has none. */
static const char *flag_in(const struct exp_checker *c, const char *key)
{
	auto_free char *name = pl_strndup(key, key != NULL ? strcspn(key, ".") : 0);
	const struct option_row *arg = c->options->is_command && name != NULL
					       ? vllm_arg_find(c->experiment->catalog, name)
					       : NULL;

	return arg != NULL ? arg->flag : NULL;
}

/* A value of the file that server.config names has that file's place. */
static void find_location(void *user, const char *arg, struct vllm_rule_location *ret)
{
	const struct exp_checker *c = user;
	auto_free char *key = pl_asprintf("server.%s", arg != NULL ? arg : "");
	const struct option_location *location = option_locations_find(
		&c->experiment->locations, arg != NULL ? key : "server");

	*ret = (struct vllm_rule_location){ .source = c->experiment->source,
					    .flag = flag_in(c, arg) };
	if (location == NULL)
		return;
	ret->source = location->source;
	ret->line = location->line;
	ret->column = location->column;
}

/* An empty file is a slip, not a wish for the defaults. */
void exp_check_nothing_to_run(struct exp_checker *c)
{
	const struct exp_config *experiment = c->experiment;

	if (experiment->locations.count > 0 || c->problems->count > 0 ||
	    experiment->launch.command != NULL || experiment->launch.container != NULL)
		return;
	option_problem_report(c->problems, .severity = OPTION_ERROR, .source = experiment->source,
			      .line = 1, .column = 1, .found = "nothing to run",
			      .expected = "an experiment: server.model, or launch.url");
}

/* An invalid release counts as none: callers then assume the reference. */
void exp_check_release(struct exp_checker *c)
{
	const char *text = c->experiment->launch.vllm_version;
	struct vllm_version version;

	if (text != NULL && vllm_version_parse(text, &version, PL_ERR_IGNORED) < 0)
		exp_refuse_text(c, "launch.vllm_version", text,
				"a release such as " VLLM_REFERENCE_RELEASE);
}

/* Warns once: one line for the release, not one for each argument. */
void exp_check_newer_release(struct exp_checker *c)
{
	auto_free char *note = vllm_newer_note(c->options->target.version);

	if (note != NULL)
		exp_problem_report(c->experiment, NULL, c->problems, .severity = OPTION_WARNING,
				   .key = "launch.vllm_version", .expected = note,
				   .expected_is_reason = true);
}

/* With allow_removed they become warnings and the arguments are passed on. */
void exp_check_not_in_release(struct exp_checker *c)
{
	const json_t *server = c->experiment->server;
	const struct vllm_target *target = &c->options->target;

	vllm_target_check_args(server, target, c->options->allow_removed, find_location, c,
			       c->problems);
	vllm_required_keys_check(server, target, find_location, c, c->problems);
}

void exp_check_parser(struct exp_checker *c)
{
	vllm_parsers_check(c->experiment->server, c->experiment->launch.env, &c->options->target,
			   find_location, c, c->problems);
}

/* vLLM warns about such a name, and refuses it with fail_on_environ_validation. */
static void report_variable(struct exp_checker *c, const char *name,
			    const struct vllm_version *release, const char *version)
{
	const struct vllm_variable *row;
	enum vllm_variable_state state = vllm_variable_find(name, release, &row);
	bool is_refused = !c->options->target.assumed &&
			  pl_json_get_true(c->experiment->server, "fail_on_environ_validation");
	auto_free char *key = pl_asprintf("launch.env.%s", name);
	auto_buf found = PL_BUF(TEXT_BYTES_MAX);
	auto_buf expected = PL_BUF(TEXT_BYTES_MAX);

	if (state == VLLM_VARIABLE_PRESENT)
		return;
	pl_buf_addf(&found,
		    state == VLLM_VARIABLE_NOT_YET ? "a variable that vLLM %s does not have yet"
		    : state == VLLM_VARIABLE_GONE  ? "a variable that vLLM %s no longer has"
						   : "a variable that vLLM %s does not have",
		    version);
	if (state == VLLM_VARIABLE_NOT_YET)
		pl_buf_addf(&expected, "vLLM %s or newer", row->since);
	else if (state == VLLM_VARIABLE_GONE && row->by != NULL)
		pl_buf_addf(&expected, "'server.%s'", row->by);
	else
		pl_buf_add_text(&expected, state == VLLM_VARIABLE_GONE
						   ? "no variable"
						   : "a variable of this release");
	exp_problem_report(c->experiment, NULL, c->problems,
			   .severity = is_refused ? OPTION_ERROR : OPTION_WARNING, .key = key,
			   .found = pl_buf_text(&found), .expected = pl_buf_text(&expected),
			   .nearest = state == VLLM_VARIABLE_UNKNOWN
					      ? vllm_variable_nearest(name, release)
					      : NULL);
}

/* A server on another host has a different environment. */
void exp_check_variable(struct exp_checker *c)
{
	struct vllm_version release;
	const char *version = vllm_target_release(&c->options->target, &release);
	auto_free char *url = exp_server_url(c->experiment);

	if (url != NULL || !vllm_variables_are_known(&release))
		return;
	PL_JSON_EACH_MEMBER(name, value, c->experiment->launch.env) {
		if (pl_text_starts(name, "VLLM_"))
			report_variable(c, name, &release,
					version != NULL ? version : VLLM_REFERENCE_RELEASE);
	}
}

/* Each of these arguments means that other hosts take part. */
bool exp_is_one_of_nodes(const json_t *server)
{
	static const char *const of_nodes[] = { "nnodes", "data_parallel_size_local",
						"data_parallel_start_rank",
						"data_parallel_address" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(of_nodes); i++) {
		if (json_object_get(server, of_nodes[i]) != NULL)
			return true;
	}
	return false;
}

/* Without an API nothing can be measured, unless another node has it. */
void exp_check_headless(struct exp_checker *c)
{
	const json_t *server = c->experiment->server;

	if (c->options->is_command || !pl_json_get_true(server, "headless") ||
	    exp_is_one_of_nodes(server))
		return;
	exp_refuse(c, "server.headless", "true",
		   "false, because a server without an API cannot be measured");
}

/*
 * Returns the number of processes that handle requests: one, unless more are requested or there is
 * one per data-parallel rank. NAN: unknown, so that it decides no rule.
 */
static double api_servers(const json_t *server)
{
	const json_t *count = json_object_get(server, "api_server_count");

	if (json_is_integer(count))
		return (double)json_integer_value(count);
	return json_object_get(server, "data_parallel_size") == NULL ? 1 : NAN;
}

static bool is_placeholder(const json_t *value)
{
	const json_t *text = json_is_array(value) ? json_array_get(value, 0) : value;

	return pl_text_equal(json_string_value(text), OPTION_SECRET_SHOWN);
}

static void warn_of_placeholder(struct exp_checker *c, const char *key)
{
	exp_problem_report(c->experiment, NULL, c->problems, .severity = OPTION_WARNING, .key = key,
			   .found = "'***'", .expected = "the secret instead of ***");
}

/* "***" replaces an omitted secret: profllm config from-command. */
void exp_check_placeholder(struct exp_checker *c)
{
	PL_JSON_EACH(value, c->bench->header) {
		if (pl_text_ends(json_string_value(value), "=" OPTION_SECRET_SHOWN))
			warn_of_placeholder(c, "benchmark.header");
	}

	PL_JSON_EACH_MEMBER(name, value, c->experiment->server) {
		auto_free char *key = pl_asprintf("server.%s", name);
		const struct option_row *arg = vllm_arg_find(c->experiment->catalog, name);
		if (arg != NULL && arg->secret && is_placeholder(value))
			warn_of_placeholder(c, key);
	}
	PL_JSON_EACH_MEMBER(name, value, c->experiment->launch.env) {
		auto_free char *key = pl_asprintf("launch.env.%s", name);
		if (option_secret_is_name(name) && is_placeholder(value))
			warn_of_placeholder(c, key);
	}
}

void exp_check_model_name(struct exp_checker *c)
{
	const json_t *model = json_object_get(c->experiment->server, "model");

	if (pl_text_equal(json_string_value(model), ""))
		exp_refuse(c, "server.model", "an empty string", "a model");
}

/* Returns how many GPUs a list such as "0,1" names. An entry of -1 ends it, as in CUDA. NAN: not known. */
static double count_visible(const char *list)
{
	auto_free char *copy = pl_strdup(list);
	double count = 0;

	for (char *rest = copy; rest != NULL;) {
		const char *item = pl_text_trim(strsep(&rest, ","));
		if (item[0] == '-' && count > 0)
			break;
		if (item[0] == '\0' ||
		    (strspn(item, "0123456789") != strlen(item) && !pl_text_starts(item, "GPU-") &&
		     !pl_text_starts(item, "MIG-")))
			return NAN;
		count++;
	}
	return count;
}

/* Returns how many GPUs the experiment gives to the server, by the first of the places that name them. */
static double gpus_of(const struct exp_config *experiment, const struct ckpt_hardware *hardware)
{
	const struct exp_launch *launch = &experiment->launch;
	const json_t *const lists[] = {
		json_object_get(launch->env, "CUDA_VISIBLE_DEVICES"),
		json_object_get(launch->env, "HIP_VISIBLE_DEVICES"),
		json_object_get(experiment->server, "device_ids"),
	};

	if (json_is_array(launch->gpus))
		return (double)json_array_size(launch->gpus);
	for (size_t i = 0; i < PL_ARRAY_SIZE(lists); i++) {
		if (json_is_string(lists[i]))
			return count_visible(json_string_value(lists[i]));
	}
	return hardware != NULL ? (double)hardware->count : NAN;
}

/* Returns facts about the host: none if the server belongs to another host or uses no GPUs. */
static struct vllm_rule_env env_of(const struct exp_config *experiment,
				   const struct ckpt_hardware *hardware)
{
	static const char *const with_gpus[] = { "cuda", "rocm" };
	const struct exp_launch *launch = &experiment->launch;
	struct vllm_rule_env env = VLLM_RULE_ENV_UNKNOWN;
	auto_free char *url = exp_server_url(experiment);
	bool has_gpus = launch->hardware != NULL ||
			(url == NULL &&
			 !(json_is_array(launch->gpus) && json_array_size(launch->gpus) == 0));

	if (!pl_text_equal(launch->platform, "auto"))
		env.platform = launch->platform;
	else if (hardware != NULL && has_gpus)
		env.platform = hardware->gpu.platform;
	env.api_servers = api_servers(experiment->server);
	/* a server for processors may have a list in its environment */
	if (has_gpus && (env.platform == NULL || PL_TEXT_IS_ONE_OF(env.platform, with_gpus)))
		env.gpus = gpus_of(experiment, hardware);
	if (has_gpus && hardware != NULL && hardware->gpu.capability > 0)
		env.capability = hardware->gpu.capability;
	return env;
}

static void note_refused(void *user, const struct vllm_expr *name)
{
	struct exp_checker *c = ((void **)user)[0];
	bool *found = ((void **)user)[1];

	if (name->op != VLLM_EXPR_ENV && json_object_get(c->refused, name->text) != NULL)
		*found = true;
}

/* Returns whether a rule uses a rejected value: its result is then meaningless. */
static bool asks_refused(struct exp_checker *c, const char *id)
{
	const struct vllm_rule *rule = id != NULL ? vllm_rule_find(id) : NULL;
	bool found = false;
	void *user[] = { c, &found };

	if (rule == NULL)
		return false;
	vllm_expr_each_name(vllm_rule_when(rule), note_refused, user);
	vllm_expr_each_name(vllm_rule_require(rule), note_refused, user);
	return found;
}

void exp_check_rule(struct exp_checker *c)
{
	auto_problems broken = { 0 };

	c->env = env_of(c->experiment, c->options->hardware);
	if (c->checked->facts->state == CKPT_MODEL_READ)
		c->env.model_is_multimodal = c->checked->facts->multimodal;
	c->env.experts = ckpt_rule_experts(c->checked->facts);
	c->env.checkpoint_quantization = ckpt_rule_quantization(c->checked->facts);
	c->env.checkpoint_scheme = ckpt_rule_scheme(c->checked->facts);
	vllm_rules_check(c->experiment->server, &c->options->target, &c->env, find_location, c,
			 &broken);
	for (size_t i = 0; i < broken.count; i++) {
		if (json_object_size(c->refused) == 0 || !asks_refused(c, broken.items[i].rule))
			option_problems_add(c->problems, &broken.items[i]);
	}
}

/* The simulator serves any name; of a server that runs elsewhere nothing here is the model. */
static bool needs_model(const struct exp_config *experiment)
{
	const char *program = json_string_value(json_array_get(experiment->launch.command, 0));
	auto_free char *url = exp_server_url(experiment);

	return url == NULL && !experiment->simulate &&
	       (program == NULL || strstr(program, "profllm-sim") == NULL);
}

void exp_check_model(struct exp_checker *c)
{
	const struct exp_config *experiment = c->experiment;
	const char *platform = experiment->launch.platform;
	struct ckpt_case server =
		CKPT_MODEL_CASE(.values = experiment->server, .env = experiment->launch.env,
				.facts = c->checked->facts, .hardware = c->options->hardware,
				.platform = pl_text_equal(platform, "auto") ? NULL : platform,
				.target = &c->options->target, .location = find_location,
				.user = c);

	if (c->options->available_bytes > 0)
		server.available_bytes = (double)c->options->available_bytes;
	ckpt_memory_explain(&server, &c->checked->memory);
	if (!needs_model(experiment))
		return;
	ckpt_checks(&server, c->problems);
	ckpt_memory_check(&server, &c->checked->memory, c->problems);
}
