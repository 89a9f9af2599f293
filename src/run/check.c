#include "run/check.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "bench/adapters/adapter.h"
#include "bench/load/source.h"
#include "run/host_hardware.h"
#include "checkpoint/checks.h"
#include "vllm/rules.h"
#include "vllm/secret.h"
#include "vllm/catalog.h"
#include "vllm/version.h"

/* One experiment being checked. */
struct checking {
	const struct exp_config *experiment;
	const struct run_check_options *options;
	struct vllm_target target;
	struct vllm_rule_env env;
	json_t *refused; /* object: arguments whose values the reader did not take */
	struct option_problems *problems;
};

void run_check_done(struct run_check *check)
{
	run_release_done(&check->release);
	ckpt_facts_free(check->facts);
	ckpt_memory_done(&check->memory);
}

/* "tensor_parallel_size" of "server.tensor-parallel-size", "--tensor-parallel-size=x", … */
static const struct option_row *arg_of_key(const struct vllm_catalog *catalog, const char *key)
{
	if (key == NULL)
		return NULL;
	if (pl_text_starts(key, "server."))
		key += strlen("server.");
	key += strspn(key, "-");
	auto_free char *name = pl_strndup(key, strcspn(key, ".[="));
	const struct option_row *arg = vllm_arg_find(catalog, name);
	return arg != NULL ? arg : vllm_arg_find_negative(catalog, name);
}

/* Arguments that an error is about, and those that a misspelt name was likely meant for. */
static json_t *refused_args(const struct vllm_catalog *catalog,
			    const struct option_problems *problems)
{
	json_t *refused = json_object();

	for (size_t i = 0; i < problems->count; i++) {
		const struct option_problem *problem = &problems->items[i];
		const struct option_row *arg = arg_of_key(catalog, problem->key);
		if (problem->severity != OPTION_ERROR)
			continue;
		if (arg == NULL && problem->nearest != NULL)
			arg = arg_of_key(catalog, problem->nearest);
		if (arg != NULL)
			json_object_set_new(refused, arg->name, json_true());
	}
	return refused;
}

static void find_place(void *user, const char *arg, struct vllm_rule_place *ret)
{
	const struct checking *c = user;
	auto_free char *key = pl_asprintf("server.%s", arg != NULL ? arg : "");
	const struct option_place *place = option_places_find(&c->experiment->places,
							      arg != NULL ? key : "server");

	*ret = (struct vllm_rule_place){ .source = c->experiment->source };
	if (place == NULL)
		return;
	ret->source = place->source;
	ret->line = place->line;
	ret->column = place->column;
}

static void tell_at(struct checking *c, enum option_severity severity, const char *key,
		    const char *found, const char *expected)
{
	const struct option_place *place = option_places_find(&c->experiment->places, key);

	option_problems_add(c->problems,
			    &(struct option_problem){
				    .severity = severity,
				    .source = place != NULL ? place->source : c->experiment->source,
				    .line = place != NULL ? place->line : 0,
				    .column = place != NULL ? place->column : 0,
				    .key = key,
				    .found = found,
				    .expected = expected,
			    });
}

static void add_at(struct checking *c, const char *key, const char *found, const char *expected)
{
	tell_at(c, OPTION_ERROR, key, found, expected);
}

static void warn_at(struct checking *c, const char *key, const char *found, const char *expected)
{
	tell_at(c, OPTION_WARNING, key, found, expected);
}

/* A release that cannot be read is none: the reference is assumed. */
static void check_release(struct checking *c, struct run_release *release)
{
	struct vllm_version version;
	struct pl_err err = PL_ERR_INIT;

	if (vllm_version_parse(release->version, &version, &err) == 0)
		return;
	auto_free char *found = pl_asprintf("text '%s'", release->version);
	if (release->found_in == NULL)
		add_at(c, "launch.vllm_version", found,
		       "a release such as " VLLM_REFERENCE_RELEASE);
	run_release_done(release);
	release->version = pl_strdup(VLLM_REFERENCE_RELEASE);
	release->assumed = true;
}

/* Without an API nothing can be measured, unless another node has it. */
static void check_headless(struct checking *c)
{
	static const char *const of_nodes[] = { "nnodes", "data_parallel_size_local",
						"data_parallel_start_rank",
						"data_parallel_address" };
	const json_t *server = c->experiment->server;

	if (c->options->headless || !json_is_true(json_object_get(server, "headless")))
		return;
	for (size_t i = 0; i < PL_ARRAY_SIZE(of_nodes); i++) {
		if (json_object_get(server, of_nodes[i]) != NULL)
			return;
	}
	add_at(c, "server.headless", "true", "false: a server without an API cannot be measured");
}

/* Processes that answer requests: one, unless asked for more or one each data parallel rank. */
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

/* "***" was written where a secret was left out: profllm config from-command. */
static void check_placeholders(struct checking *c)
{
	static const char expected[] = "the secret that *** stands for";
	const char *name;
	json_t *value;

	json_object_foreach(c->experiment->server, name, value)
	{
		auto_free char *key = pl_asprintf("server.%s", name);
		const struct option_row *arg = vllm_arg_find(c->experiment->catalog, name);
		if (arg != NULL && arg->secret && is_placeholder(value))
			warn_at(c, key, "'***'", expected);
	}
	json_object_foreach(c->experiment->launch.env, name, value)
	{
		auto_free char *key = pl_asprintf("launch.env.%s", name);
		if (option_secret_is_name(name) && is_placeholder(value))
			warn_at(c, key, "'***'", expected);
	}
}

static void check_name(struct checking *c)
{
	const json_t *model = json_object_get(c->experiment->server, "model");

	if (pl_text_equal(json_string_value(model), ""))
		add_at(c, "server.model", "an empty text", "a model");
}

/* The path that requests go to is the back end's. */
static void check_endpoint(struct checking *c)
{
	const struct vllm_bench *bench = &c->experiment->bench;
	const struct bench_adapter *adapter = bench_adapter_find(bench->backend);
	const char *path = bench->endpoint;

	if (path == NULL || adapter == NULL || adapter->path_suffix == NULL ||
	    (path[0] == '/' && pl_text_ends(path, adapter->path_suffix)))
		return;
	auto_free char *found = pl_asprintf("text '%s'", path);
	auto_free char *expected = pl_asprintf("a path that begins with '/' and ends with '%s' for "
					       "backend '%s'",
					       adapter->path_suffix, bench->backend);
	add_at(c, "benchmark.endpoint", found, expected);
}

static void check_sources(struct checking *c)
{
	size_t i;
	json_t *item;

	json_array_foreach(c->experiment->bench.source_addresses, i, item)
	{
		const char *text = json_string_value(item);
		if (text != NULL && bench_source_is_address(text))
			continue;
		auto_free char *found = pl_asprintf("text '%s'", text != NULL ? text : "");
		add_at(c, "benchmark.source_addresses", found,
		       "IPv4 or IPv6 addresses of this host");
	}
}

/* An empty file is a slip, not a wish for the defaults. */
static void check_not_empty(struct checking *c)
{
	const struct exp_config *experiment = c->experiment;

	if (experiment->places.count > 0 || c->problems->count > 0 ||
	    experiment->launch.command != NULL || experiment->launch.container != NULL)
		return;
	option_problems_add(c->problems,
			    &(struct option_problem){
				    .severity = OPTION_ERROR,
				    .source = experiment->source,
				    .line = 1,
				    .column = 1,
				    .found = "nothing to run",
				    .expected = "an experiment: server.model, or launch.url",
			    });
}

/* What is known of the host: nothing where the server is another's or has no GPUs. */
static struct vllm_rule_env env_of(const struct exp_config *experiment,
				   const struct ckpt_hardware *hardware)
{
	const struct exp_launch *launch = &experiment->launch;
	struct vllm_rule_env env = VLLM_RULE_ENV_UNKNOWN;
	bool has_gpus = launch->url == NULL &&
			!(json_is_array(launch->gpus) && json_array_size(launch->gpus) == 0);

	if (!pl_text_equal(launch->platform, "auto"))
		env.platform = launch->platform;
	else if (hardware != NULL && has_gpus)
		env.platform = hardware->gpu.platform;
	env.api_servers = api_servers(experiment->server);
	if (has_gpus && json_is_array(launch->gpus))
		env.gpus = (double)json_array_size(launch->gpus);
	else if (has_gpus && hardware != NULL)
		env.gpus = (double)hardware->count;
	return env;
}

static void note_refused(void *user, const struct vllm_expr *name)
{
	struct checking *c = ((void **)user)[0];
	bool *found = ((void **)user)[1];

	if (name->op != VLLM_EXPR_ENV && json_object_get(c->refused, name->text) != NULL)
		*found = true;
}

/* Does a rule ask for a value that was refused? What it says then is nobody's fault. */
static bool asks_refused(struct checking *c, const char *id)
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

static void check_rules(struct checking *c)
{
	auto_problems broken = { 0 };

	vllm_rules_check(c->experiment->server, &c->target, &c->env, find_place, c, &broken);
	for (size_t i = 0; i < broken.count; i++) {
		if (json_object_size(c->refused) == 0 || !asks_refused(c, broken.items[i].rule))
			option_problems_add(c->problems, &broken.items[i]);
	}
}

/* The simulator serves any name; of a server that runs elsewhere nothing here is the model. */
static bool needs_model(const struct exp_config *experiment)
{
	const char *program = json_string_value(json_array_get(experiment->launch.command, 0));

	return experiment->launch.url == NULL && !experiment->simulate &&
	       (program == NULL || strstr(program, "profllm-sim") == NULL);
}

static void check_model(struct checking *c, struct run_check *ret)
{
	const struct exp_config *experiment = c->experiment;
	const char *platform = experiment->launch.platform;
	struct ckpt_case server =
		CKPT_MODEL_CASE(.values = experiment->server, .env = experiment->launch.env,
				.facts = ret->facts, .hardware = c->options->hardware,
				.platform = pl_text_equal(platform, "auto") ? NULL : platform,
				.target = &c->target, .place = find_place, .user = c);

	if (c->options->available_bytes > 0)
		server.available_bytes = (double)c->options->available_bytes;
	ckpt_memory_explain(&server, &ret->memory);
	if (!needs_model(experiment))
		return;
	ckpt_checks(&server, c->problems);
	ckpt_memory_check(&server, &ret->memory, c->problems);
}

/* Behind another one of the same file? What has no place comes last. */
static bool is_behind(const struct option_problem *a, const struct option_problem *b)
{
	if (!pl_text_equal(a->source, b->source) || b->line == 0)
		return false;
	if (a->line == b->line)
		return a->column > b->column;
	return a->line == 0 || a->line > b->line;
}

static void sort_by_place(struct option_problems *problems)
{
	for (size_t i = 1; i < problems->count; i++) {
		struct option_problem problem = problems->items[i];
		size_t at = i;
		for (; at > 0 && is_behind(&problems->items[at - 1], &problem); at--)
			problems->items[at] = problems->items[at - 1];
		problems->items[at] = problem;
	}
}

static void make_strict(struct option_problems *problems)
{
	for (size_t i = 0; i < problems->count; i++)
		problems->items[i].severity = OPTION_ERROR;
	problems->errors = problems->count;
}

/* Reads with one --set more: launch.vllm_version. */
static int read_for(const struct vllm_catalog *catalog, const char *path, const char *const *sets,
		    size_t set_count, const char *version, struct exp_config **ret,
		    struct option_problems *problems, struct pl_err *err)
{
	auto_free const char **all = pl_alloc_array(set_count + 1, sizeof(*all));
	auto_free char *set = pl_asprintf("launch.vllm_version=%s", version);

	for (size_t i = 0; i < set_count; i++)
		all[i] = sets[i];
	all[set_count] = set;
	return exp_config_read(catalog, path, all, set_count + 1, ret, problems, err);
}

int run_check_read(const struct vllm_catalog *catalog, const char *path, const char *const *sets,
		   size_t set_count, struct exp_config **ret, struct option_problems *problems,
		   struct pl_err *err)
{
	auto_experiment struct exp_config *experiment = NULL;
	auto_problems found = { 0 };
	auto_release release = { 0 };

	if (exp_config_read(catalog, path, sets, set_count, &experiment, &found, err) < 0)
		return -1;
	if (found.errors > 0)
		run_release_find(experiment, NULL, &release);
	if (release.found_in != NULL)
		return read_for(catalog, path, sets, set_count, release.version, ret, problems,
				err);
	for (size_t i = 0; i < found.count; i++)
		option_problems_add(problems, &found.items[i]);
	*ret = pl_take(experiment);
	return 0;
}

void run_check_server(const struct exp_config *experiment, const struct run_check_options *options,
		      struct run_check *ret, struct option_problems *problems)
{
	auto_json json_t *refused = refused_args(experiment->catalog, problems);
	struct run_check_options with_host = *options;
	struct ckpt_hardware host;

	if (options->hardware == NULL && run_host_hardware(experiment, &host))
		with_host.hardware = &host;
	struct checking c = {
		.experiment = experiment,
		.options = &with_host,
		.env = env_of(experiment, with_host.hardware),
		.refused = refused,
		.problems = problems,
	};

	struct ckpt_source source = ckpt_source_of(experiment->server, experiment->launch.env);

	check_not_empty(&c);
	run_release_find(experiment, options->version, &ret->release);
	check_release(&c, &ret->release);
	c.target = (struct vllm_target){ ret->release.version, ret->release.assumed,
					 experiment->catalog };
	vllm_target_check_args(experiment->server, &c.target, options->allow_gone, find_place, &c,
			       problems);
	vllm_required_keys_check(experiment->server, &c.target, find_place, &c, problems);
	ret->facts = ckpt_facts_load(&source);
	if (ret->facts->state == CKPT_MODEL_READ)
		c.env.model_is_multimodal = ret->facts->multimodal;
	check_headless(&c);
	check_name(&c);
	check_placeholders(&c);
	check_endpoint(&c);
	check_sources(&c);
	check_rules(&c);
	check_model(&c, ret);
	sort_by_place(problems);
	if (options->strict)
		make_strict(problems);
}
