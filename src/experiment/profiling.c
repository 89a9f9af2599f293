#include "experiment/profiling.h"

#include <string.h>

#include "base/text.h"
#include "experiment/check_priv.h"
#include "experiment/offline.h"
#include "option/member.h"

static json_t *value_of(const struct exp_config *experiment, const char *key)
{
	json_t *given = json_object_get(experiment->profiling, key + strlen("profiling."));

	if (given != NULL)
		return json_incref(given);
	for (size_t i = 0; i < exp_key_count(); i++) {
		if (strcmp(exp_key_at(i)->name, key) == 0)
			return option_member_default(exp_key_at(i));
	}
	return NULL;
}

static int64_t number_of(const struct exp_config *experiment, const char *key)
{
	auto_json json_t *value = value_of(experiment, key);

	return json_integer_value(value);
}

void exp_profiling_read(const struct exp_config *experiment, struct exp_profiling *ret)
{
	const char *profiler = pl_json_get_text(experiment->profiling, "profiler");

	*ret = (struct exp_profiling){
		.enabled = pl_json_get_true(experiment->profiling, "enabled"),
		.is_cuda = pl_text_equal(profiler, "cuda"),
		.dir = pl_json_get_text(experiment->profiling, "dir"),
		.num_prompts = number_of(experiment, "profiling.num_prompts"),
		.flush_timeout_ns = number_of(experiment, "profiling.flush_timeout"),
	};
}

bool exp_profiling_has_argument(const struct exp_config *experiment)
{
	const struct option_row *row = vllm_arg_find(experiment->catalog, "profiler_config");

	return row != NULL && !row->absent;
}

/* ---- checks ---- */

static void check_config(struct exp_checker *c, const struct exp_profiling *profiling)
{
	const json_t *config = json_object_get(c->experiment->server, "profiler_config");
	const char *profiler = pl_json_get_text(config, "profiler");
	const char *dir = pl_json_get_text(config, "torch_profiler_dir");

	if (profiler != NULL && strcmp(profiler, profiling->is_cuda ? "cuda" : "torch") != 0)
		exp_refuse_text(c, "server.profiler_config.profiler", profiler,
				"the profiler of {profiling.profiler}");
	else if (dir != NULL && dir[0] != '\0' && profiling->dir != NULL)
		exp_refuse_for(c, "profiling.dir",
			       "{server.profiler_config} already names a directory; remove one of "
			       "them");
}

void exp_check_profiling(struct exp_checker *c)
{
	auto_free char *url = exp_server_url(c->experiment);
	struct exp_profiling profiling;

	exp_profiling_read(c->experiment, &profiling);
	if (!profiling.enabled)
		return;
	if (exp_is_in_process(c->experiment) || exp_offline_kind(c->experiment) != NULL)
		exp_refuse_for(c, "profiling.enabled",
			       "only a benchmark of a server can be profiled in addition");
	else if (!pl_text_equal(c->bench->client, "native"))
		exp_refuse_for(c, "profiling.enabled",
			       "{benchmark.client} 'native' is needed to send the requests");
	else if (c->bench->profile || c->bench->profile_batch_threshold != OPTION_NO_I64)
		exp_refuse_for(c, "profiling.enabled",
			       "{benchmark.profile} already profiles the measured run; remove one "
			       "of them");
	else if (profiling.is_cuda && url != NULL)
		exp_refuse_for(c, "profiling.profiler",
			       "Nsight Systems starts the server, so 'cuda' excludes {launch.url}");
	else if (profiling.is_cuda && c->experiment->launch.container != NULL)
		exp_refuse_for(c, "profiling.profiler",
			       "Nsight Systems cannot start {launch.container}");
	else if (url == NULL)
		check_config(c, &profiling);
}
