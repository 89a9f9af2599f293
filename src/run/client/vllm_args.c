/*
 * The command line of vLLM's client: the options of the experiment without those that have the default of its release,
 * with some replaced by values of the run. The API key is passed in the environment, because every user can read an
 * argument array.
 */
#include "run/client/vllm_args.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/strv.h"
#include "base/text.h"
#include "experiment/values.h"
#include "host/proc/mark.h"
#include "run/client/client.h"
#include "run/context.h"
#include "run/launch.h"
#include "run/route.h"
#include "run/steps/identity.h"
#include "vllm/bench/write.h"

#define BEARER "Bearer "

/* Options that are not passed on: the run knows the server's address and model, and we write the result. */
static const enum vllm_bench_id held_back[] = {
	VLLM_BENCH_base_url,
	VLLM_BENCH_host,
	VLLM_BENCH_port,
	VLLM_BENCH_endpoint,
	VLLM_BENCH_backend,
	VLLM_BENCH_model,
	VLLM_BENCH_served_model_name,
	VLLM_BENCH_header,
	VLLM_BENCH_label,
	VLLM_BENCH_metadata,
	VLLM_BENCH_save_result,
	VLLM_BENCH_save_detailed,
	VLLM_BENCH_append_result,
	VLLM_BENCH_result_dir,
	VLLM_BENCH_result_filename,
	VLLM_BENCH_percentile_metrics,
	VLLM_BENCH_metric_percentiles,
};

static bool is_among(enum vllm_bench_id id, const enum vllm_bench_id *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (list[i] == id)
			return true;
	}
	return false;
}

static bool is_authorization(const char *header)
{
	return strcspn(header, "=") == strlen("Authorization") &&
	       strncasecmp(header, "Authorization", strlen("Authorization")) == 0;
}

/* ---- the command line ---- */

static void add(json_t *argv, const char *word)
{
	json_array_append_new(argv, json_string(word));
}

/* vLLM's client also uses the model as the tokenizer's name, and the served name in requests. */
static void add_model(json_t *argv, const struct exp_config *experiment,
		      const struct run_identity *identity)
{
	const struct vllm_bench *bench = &experiment->bench;
	const char *tokenizer = pl_json_get_text(experiment->server, "tokenizer");
	const char *given = pl_json_get_text(experiment->server, "model");
	const char *model = bench->model;

	if (model == NULL)
		model = run_identity_root(identity);
	if (model == NULL)
		model = given != NULL ? given : identity->model;
	vllm_bench_pair_add(argv, "--model", model);
	if (!pl_text_equal(model, identity->model))
		vllm_bench_pair_add(argv, "--served-model-name", identity->model);
	if (bench->tokenizer == NULL && tokenizer != NULL)
		vllm_bench_pair_add(argv, "--tokenizer", tokenizer);
}

/* All percentiles in results, so that a result without lists has the same content. */
static void add_percentiles(json_t *argv, const struct vllm_bench *bench)
{
	static const double always[] = { 1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9 };
	auto_free double *requested = NULL;
	size_t count = 0;
	auto_buf text = PL_BUF(4096);

	pl_buf_add_text(&text, "1,5,10,25,50,75,90,95,99,99.9");
	/* checked before the start */
	if (exp_percentiles_parse(bench->metric_percentiles, &requested, &count, PL_ERR_IGNORED) <
	    0)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		char number[PL_F64_TEXT_BYTES];
		bool known = false;
		for (size_t k = 0; k < PL_ARRAY_SIZE(always); k++)
			known = known || !(fabs(requested[i] - always[k]) > 0);
		pl_text_from_f64(requested[i], number);
		if (pl_text_ends(number, ".0"))
			number[strlen(number) - 2] = '\0';
		if (!known)
			pl_buf_addf(&text, ",%s", number);
	}
	vllm_bench_pair_add(argv, "--percentile-metrics",
			    "ttft,tpot,itl,e2el,client_queue_time,e2el_including_client_queue");
	vllm_bench_pair_add(argv, "--metric-percentiles", pl_buf_text(&text));
}

json_t *run_vllm_argv(const struct run_client_input *in, const char *program, const char *folder)
{
	const struct exp_config *experiment = in->run->experiment;
	const struct vllm_bench *bench = &experiment->bench;
	const struct run_target *target = &in->route->target;
	auto_free char *base = pl_asprintf("%s://%s%s", target->https ? "https" : "http",
					   target->host, target->prefix);
	json_t *argv = json_pack("[sss]", program, "bench", "serve");

	vllm_bench_pair_add(argv, "--backend", bench->backend);
	vllm_bench_pair_add(argv, "--base-url", base);
	/* the base URL contains the prefix */
	vllm_bench_pair_add(argv, "--endpoint", in->route->endpoint + strlen(target->prefix));
	add_model(argv, experiment, in->identity);
	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++) {
		enum vllm_bench_id id = (enum vllm_bench_id)i;
		if (experiment->bench_set[i] && !vllm_bench_row(id)->ours &&
		    !is_among(id, held_back, PL_ARRAY_SIZE(held_back)))
			(void)vllm_bench_words_add(bench, id, argv);
	}
	/* our own server's certificate may be for another name than its address */
	if (target->https && in->launch->url == NULL && !bench->insecure)
		add(argv, "--insecure");
	size_t used = 0;
	PL_JSON_EACH(item, bench->header) {
		if (is_authorization(json_string_value(item)))
			continue;
		if (used++ == 0)
			add(argv, "--header");
		json_array_append(argv, item);
	}
	add_percentiles(argv, bench);
	/* includes the lists of all requests, which the records are made from */
	add(argv, "--save-result");
	add(argv, "--save-detailed");
	vllm_bench_pair_add(argv, "--result-dir", folder);
	vllm_bench_pair_add(argv, "--result-filename", RUN_VLLM_RESULT);
	return argv;
}

/* ---- the environment ---- */

/* Returns the API key of requests; NULL: as in our own environment. */
static const char *key_of(const struct run_client_input *in)
{
	PL_JSON_EACH(item, in->run->experiment->bench.header) {
		const char *text = json_string_value(item);
		if (is_authorization(text))
			return text + strlen("Authorization=") + strlen(BEARER);
	}
	return in->launch->bearer;
}

void run_vllm_env(const struct run_client_input *in, struct pl_strv *ret)
{
	auto_json json_t *env = json_copy(in->run->experiment->launch.env);
	const char *key = key_of(in);

	if (env == NULL)
		env = json_object();
	json_object_update(env, in->launch->env);
	/* only for the server */
	json_object_del(env, "VLLM_API_KEY");
	if (key != NULL)
		json_object_set_new(env, "OPENAI_API_KEY", json_string(key));
	/* Python's clients use proxies even for loopback. Downloads of model files may need the proxy. */
	static const char *const names[] = { "no_proxy", "NO_PROXY" };
	const char *host = in->route->target.host + (in->route->target.host[0] == '[');
	size_t len = in->route->target.host[0] == '[' ? strcspn(host, "]") : strcspn(host, ":");
	const char *known = NULL;
	/* Python prefers lowercase names */
	for (size_t i = 0; i < PL_ARRAY_SIZE(names) && known == NULL; i++) {
		known = pl_json_get_text(env, names[i]);
		if (known == NULL)
			known = getenv(names[i]);
	}
	auto_free char *all = known != NULL && known[0] != '\0'
				      ? pl_asprintf("%s,%.*s", known, (int)len, host)
				      : pl_strndup(host, len);
	bool none = pl_text_equal(known, "*");
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++)
		json_object_set_new(env, names[i], json_string(none ? "*" : all));
	/* its output shows its progress */
	json_object_set_new(env, "PYTHONUNBUFFERED", json_string("1"));
	json_object_set_new(env, HOST_MARK_NAME, json_string(in->run->mark));
	json_object_set_new(env, HOST_MARK_APART_NAME, json_string("client"));
	pl_strv_add_env(ret, env);
}
