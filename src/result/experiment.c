#include "result/experiment.h"

#include <string.h>

#include "base/clean.h"
#include "base/text.h"
#include "option/secret.h"
#include "result/document.h"
#include "vllm/version.h"
#include "vllm/yaml_out.h"

/* The first version that contains the experiment. */
#define VERSION_MIN 2

int res_experiment_check(const json_t *result, const char *path, struct pl_err *err)
{
	json_int_t version = pl_json_get_i64(result, "schema_version");

	if (version > RES_SCHEMA_VERSION)
		return pl_err_invalid(err,
				      "'%s': schema_version: found %lld, expected at most %d; use "
				      "a newer version of profllm",
				      path, (long long)version, RES_SCHEMA_VERSION);
	if (version < VERSION_MIN || !json_is_object(pl_json_get_path(result, "config.experiment")))
		return pl_err_invalid(
			err,
			"'%s': a result of schema version %lld without its experiment "
			"(config.experiment) cannot be repeated; use the experiment file",
			path, (long long)version);
	return 0;
}

/* Returns whether the text is a vLLM release. A simulator's version is not. */
static bool is_release(const char *text)
{
	struct vllm_version version;

	return text != NULL && vllm_version_parse(text, &version, PL_ERR_IGNORED) == 0;
}

/* Returns the release whose arguments the first run had: its target release, or the one that responded. */
static const char *release_of(const json_t *result)
{
	const json_t *target = pl_json_get_path(result, "launch.target");
	const json_t *engine = pl_json_get_path(result, "environment.engine");
	const char *checked = pl_json_get_text(target, "version");
	const char *answered = pl_json_get_text(engine, "version");

	if (json_is_false(json_object_get(target, "assumed")) && is_release(checked))
		return checked;
	return json_is_false(json_object_get(engine, "simulated")) && is_release(answered)
		       ? answered
		       : NULL;
}

static void add_pin(json_t *pins, const json_t *result, const char *key, json_t *value)
{
	auto_json json_t *taken = value;

	if (taken != NULL && !json_is_null(taken) &&
	    pl_json_get_path(pl_json_get_path(result, "config.experiment"), key) == NULL)
		json_object_set(pins, key, taken);
}

json_t *res_experiment_pins(const json_t *result)
{
	const char *release = release_of(result);
	const char *mode = pl_json_path_text(result, "config.benchmark.mode");
	json_t *pins = json_object();

	add_pin(pins, result, "launch.vllm_version", release != NULL ? json_string(release) : NULL);
	/* vLLM's own benchmark draws its prompts itself, with an argument of the engine */
	if (pl_text_equal(mode, "in_process"))
		return pins;
	add_pin(pins, result, "benchmark.seed",
		json_incref(pl_json_get_path(result, "config.benchmark.seed")));
	add_pin(pins, result, "benchmark.request_id_prefix",
		json_incref(pl_json_get_path(result, "config.benchmark.request_id_prefix")));
	return pins;
}

/* Returns the length of a control character or of U+2028 or U+2029, which end a line of YAML; 0: another character. */
static size_t break_len(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	if (at[0] < 0x20 || at[0] == 0x7f)
		return 1;
	if (at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0)
		return 2;
	return at[0] == 0xe2 && at[1] == 0x80 && (at[2] == 0xa8 || at[2] == 0xa9) ? 3 : 0;
}

/* A comment is one line, whatever a name contains, and looks like the text that a program reads. */
static void add_comment(struct pl_buf *buf, const char *text)
{
	auto_free char *shown = pl_clean_shown(text);

	pl_buf_add_text(buf, "# ");
	for (const char *at = shown; *at != '\0';) {
		size_t len = break_len(at);
		pl_buf_add_char(buf, len > 0 ? ' ' : *at);
		at += len > 0 ? len : 1;
	}
	pl_buf_add_char(buf, '\n');
}

static void add_result_comments(const json_t *result, const char *path, struct pl_buf *text)
{
	const json_t *engine = pl_json_get_path(result, "environment.engine");
	const char *sha256 = pl_json_path_text(result, "config.benchmark.dataset_sha256");
	auto_free char *engine_text = res_engine_text(engine);
	const char *run_id = pl_json_get_text(result, "run_id");
	const char *started = pl_json_get_text(result, "timestamp");
	const char *status = pl_json_get_text(result, "status");
	auto_free char *head = pl_asprintf(
		"Experiment of run %s%s%s%s%s.", run_id != NULL ? run_id : "without an id",
		started != NULL ? " of " : "", started != NULL ? started : "",
		status != NULL ? ", status " : "", status != NULL ? status : "");
	auto_free char *answered = engine_text != NULL ? pl_asprintf("%s answered.", engine_text)
						       : NULL;
	auto_free char *data = sha256 != NULL ? pl_asprintf("SHA-256 of the dataset: %s", sha256)
					      : NULL;
	auto_free char *retry = pl_asprintf(
		"To repeat it with the same seed, request ids and dataset: profllm run --config %s "
		"--output repeat.json",
		path);
	const char *const lines[] = { head, answered, data, retry };

	for (size_t i = 0; i < PL_ARRAY_SIZE(lines); i++) {
		if (lines[i] != NULL)
			add_comment(text, lines[i]);
	}
}

void res_experiment_write(const json_t *result, const char *path, struct pl_buf *text)
{
	const json_t *experiment = pl_json_get_path(result, "config.experiment");
	auto_free char *all = pl_json_to_text(experiment, PL_JSON_COMPACT);

	add_result_comments(result, path, text);
	if (strstr(all, OPTION_SECRET_SHOWN) != NULL)
		add_comment(text, OPTION_SECRET_SHOWN
			    " replaces a secret; insert the secret, or ${NAME} in launch.env");
	vllm_yaml_add_members(text, experiment, 0);
}
