/*
 * A server for the checks: arguments, environment, GPU and model together. Values were typed
 * before; a missing one, or one of another type, counts as not set here and is reported elsewhere.
 */
#include "checkpoint/case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "vllm/catalog.h"
#include "vllm/rules.h"
#include "vllm/version.h"

/* vLLM's defaults for its API server, by hardware. */
#define BATCHED_TOKENS_LARGE 8192
#define BATCHED_TOKENS_SMALL 2048
#define MAX_SEQS_LARGE       1024
#define PARALLEL_MAX         (1 << 20)
#define MAX_SEQS_SMALL       256

static struct ckpt_case of_facts(const struct ckpt_case *server, bool is_shape)
{
	struct ckpt_case copy = *server;

	copy.doubtful = server->facts != NULL && ckpt_facts_are_doubtful(server->facts, is_shape);
	return copy;
}

struct ckpt_case ckpt_case_of_facts(const struct ckpt_case *server)
{
	return of_facts(server, false);
}

struct ckpt_case ckpt_case_of_shape(const struct ckpt_case *server)
{
	return of_facts(server, true);
}

double ckpt_case_number(const struct ckpt_case *server, const char *arg, double missing)
{
	const json_t *value = json_object_get(server->values, arg);

	return json_is_number(value) ? json_number_value(value) : missing;
}

/* Uses the target's table: defaults differ between releases. */
double ckpt_case_default(const struct ckpt_case *server, const char *arg)
{
	const struct vllm_catalog *catalog = vllm_catalog_or_reference(
		server->target != NULL ? server->target->catalog : NULL);
	const struct option_row *row = vllm_arg_find(catalog, arg);
	double number;

	return row != NULL && pl_text_to_f64(row->default_json, &number) ? number : NAN;
}

int64_t ckpt_case_int(const struct ckpt_case *server, const char *arg, int64_t missing)
{
	double value = ckpt_case_number(server, arg, (double)missing);

	return value >= -9e15 && value <= 9e15 ? (int64_t)value : missing;
}

/* A size out of bounds is refused elsewhere; here it must only not make a sum overflow. */
int64_t ckpt_case_parallel(const struct ckpt_case *server, const char *arg)
{
	int64_t size = ckpt_case_int(server, arg, 1);

	return size < 1 ? 1 : size > PARALLEL_MAX ? PARALLEL_MAX : size;
}

int ckpt_case_is_true(const struct ckpt_case *server, const char *arg)
{
	return pl_json_get_true(server->values, arg);
}

int ckpt_case_is_false(const struct ckpt_case *server, const char *arg)
{
	return json_is_false(json_object_get(server->values, arg));
}

const char *ckpt_case_text(const struct ckpt_case *server, const char *arg)
{
	return pl_json_get_text(server->values, arg);
}

const char *ckpt_case_env(const struct ckpt_case *server, const char *name)
{
	const char *given = pl_json_get_text(server->env, name);
	const char *value = given != NULL ? given : getenv(name);

	return value != NULL && value[0] != '\0' ? value : NULL;
}

const char *ckpt_case_platform(const struct ckpt_case *server)
{
	if (server->platform != NULL && strcmp(server->platform, "auto") != 0)
		return server->platform;
	return server->hardware != NULL ? server->hardware->gpu.platform : NULL;
}

bool ckpt_case_is_cpu(const struct ckpt_case *server)
{
	return pl_text_equal(ckpt_case_platform(server), "cpu");
}

int ckpt_case_since(const struct ckpt_case *server, const char *release)
{
	const char *text = server->target != NULL ? server->target->version : NULL;
	struct vllm_version target;
	struct vllm_version since;

	if (text == NULL || vllm_version_parse(text, &target, PL_ERR_IGNORED) < 0)
		text = VLLM_REFERENCE_RELEASE;
	if (vllm_version_parse(text, &target, PL_ERR_IGNORED) < 0 ||
	    vllm_version_parse(release, &since, PL_ERR_IGNORED) < 0)
		return 0;
	return vllm_version_compare(&target, &since) >= 0;
}

/* vLLM shortens it to the window where that is switched off. */
int64_t ckpt_case_max_len(const struct ckpt_case *server)
{
	const struct ckpt_facts *facts = server->facts;
	int64_t len = ckpt_case_int(server, "max_model_len", -1);

	if (len <= 0)
		len = facts != NULL ? facts->max_len : 0;
	if (len > 0 && facts != NULL && facts->sliding_window > 0 &&
	    ckpt_case_is_true(server, "disable_sliding_window") && facts->sliding_window < len)
		len = facts->sliding_window;
	return len;
}

/* Large: 70 GiB or more and no A100. */
static bool is_large(const struct ckpt_case *server)
{
	const char *platform = ckpt_case_platform(server);

	return server->hardware != NULL && server->hardware->gpu.large && platform != NULL &&
	       (strcmp(platform, "cuda") == 0 || strcmp(platform, "rocm") == 0);
}

int64_t ckpt_case_max_seqs(const struct ckpt_case *server)
{
	int64_t given = ckpt_case_int(server, "max_num_seqs", 0);

	if (given > 0)
		return given;
	return is_large(server) ? MAX_SEQS_LARGE : MAX_SEQS_SMALL;
}

/*
 * A prompt must fit into one step if it cannot be split; and no step exceeds all sequences at full
 * length.
 */
int64_t ckpt_case_batched_tokens(const struct ckpt_case *server)
{
	int64_t given = ckpt_case_int(server, "max_num_batched_tokens", 0);
	int64_t len = ckpt_case_max_len(server);
	int64_t tokens = is_large(server) ? BATCHED_TOKENS_LARGE : BATCHED_TOKENS_SMALL;

	if (given > 0)
		return given;
	if (ckpt_case_is_false(server, "enable_chunked_prefill") && len > tokens)
		return len;
	double most = (double)ckpt_case_max_seqs(server) * (double)len;
	return len > 0 && (double)tokens > most ? (int64_t)most : tokens;
}

/* At the argument that was set; where none was, at the section. */
static void add_problem(const struct ckpt_case *server, struct option_problems *problems,
			const char *arg, struct option_problem problem)
{
	auto_free char *key = pl_asprintf("server.%s", arg);
	struct vllm_rule_location location = { 0 };
	bool set = json_object_get(server->values, arg) != NULL;

	if (server->location != NULL)
		server->location(server->user, set ? arg : NULL, &location);
	if (server->doubtful)
		problem.severity = OPTION_WARNING;
	problem.source = location.source;
	problem.line = location.line;
	problem.column = location.column;
	problem.key = key;
	option_problems_add(problems, &problem);
}

void ckpt_case_add(const struct ckpt_case *server, struct option_problems *problems,
		   enum option_severity severity, const char *arg, const char *rule,
		   const char *found, const char *expected, const char *nearest)
{
	add_problem(server, problems, arg,
		    (struct option_problem){ .severity = severity,
					     .rule = rule,
					     .found = found,
					     .expected = expected,
					     .nearest = nearest });
}

void ckpt_case_warn(const struct ckpt_case *server, struct option_problems *problems,
		    const char *arg, const char *rule, const char *message, const char *nearest)
{
	add_problem(server, problems, arg,
		    (struct option_problem){ .severity = OPTION_WARNING,
					     .rule = rule,
					     .expected = message,
					     .expected_is_reason = true,
					     .nearest = nearest });
}
