/*
 * Facts about a model, from its files or by its name. Nothing here is an error: the state of an
 * unreadable model says why, and the caller decides whether that matters (checks.c, the memory
 * estimate).
 *
 *   ckpt_find -> config.json -> config.c -> files of the quantization -> headers of the weights
 *   no files  -> known.c (a row by name), read in the same way, possibly with a doubt
 */
#include "checkpoint/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/text.h"
#include "checkpoint/config.h"
#include "checkpoint/known.h"
#include "vllm/python_literal.h"

#define CONFIG_BYTES_MAX (16u << 20)

/* NAN: not known. Counts that are not known are 0, which no model has. */
static struct ckpt_facts *facts_new(const char *model)
{
	struct ckpt_facts *facts = pl_alloc(sizeof(*facts));

	facts->model = pl_strdup(model);
	facts->quant_bits = NAN;
	return facts;
}

void ckpt_facts_free(struct ckpt_facts *facts)
{
	if (facts == NULL)
		return;
	free(facts->model);
	free(facts->folder);
	free(facts->problem);
	free(facts->model_type);
	free(facts->architecture);
	free(facts->not_modelled);
	free(facts->doubt);
	free(facts->quantization);
	free(facts->weights_problem);
	json_decref(facts->config);
	free(facts);
}

static void set_state(struct ckpt_facts *facts, enum ckpt_state state, const char *problem)
{
	facts->state = state;
	free(facts->problem);
	facts->problem = pl_strdup(problem);
}

static void read_config(struct ckpt_facts *facts, const char *text, size_t len, const char *source,
			const json_t *overrides)
{
	struct pl_err err = PL_ERR_INIT;

	if (vllm_python_json(text, len, source, &facts->config, &err) < 0) {
		set_state(facts, CKPT_MODEL_BROKEN, err.text);
		return;
	}
	if (!json_is_object(facts->config)) {
		auto_free char *problem = pl_asprintf("'%s' is not a JSON object", source);
		set_state(facts, CKPT_MODEL_BROKEN, problem);
		return;
	}
	facts->state = CKPT_MODEL_READ;
	if (json_is_object(overrides))
		ckpt_config_override(facts->config, overrides);
	ckpt_config_read(facts);
}

struct ckpt_facts *ckpt_facts_parse(const char *text, size_t len, const json_t *overrides)
{
	struct ckpt_facts *facts = facts_new(NULL);

	read_config(facts, text, len, "config.json", overrides);
	return facts;
}

static bool has_file(const char *folder, const char *name)
{
	auto_free char *path = pl_asprintf("%s/%s", folder, name);

	return pl_file_exists(path);
}

/*
 * Reads further files that describe the quantization of the weights, unless config.json does:
 * NVIDIA's ModelOpt writes it there.
 */
static void read_quantization_files(struct ckpt_facts *facts, const char *root)
{
	auto_free char *path = pl_asprintf("%s/hf_quant_config.json", facts->folder);
	auto_free char *text = NULL;
	auto_json json_t *json = NULL;
	size_t len;

	facts->quant_file = has_file(facts->folder, "quant_config.json") ||
			    has_file(facts->folder, "quantize_config.json") || pl_file_exists(path);
	if (facts->quantization != NULL || !pl_file_exists(path))
		return;
	if (ckpt_read_plain(path, root, CONFIG_BYTES_MAX, &text, &len, PL_ERR_IGNORED) == 0 &&
	    vllm_python_json(text, len, path, &json, PL_ERR_IGNORED) == 0)
		ckpt_config_quantization(facts, json_object_get(json, "quantization"));
}

/*
 * Reads the directory. If the weights have an error, the configuration remains usable, and the
 * error is reported in addition.
 */
static void read_folder(struct ckpt_facts *facts, const char *config_folder,
			const char *config_root, const char *root, const json_t *overrides)
{
	auto_free char *path = pl_asprintf("%s/config.json", config_folder);
	auto_free char *text = NULL;
	struct pl_err err = PL_ERR_INIT;
	struct stat st;
	size_t len;

	/* a dangling link exists, but is invalid */
	bool there = lstat(path, &st) == 0;
	if (!there && has_file(config_folder, "params.json")) {
		set_state(facts, CKPT_MODEL_OTHER, "params.json (Mistral format) is not supported");
		return;
	}
	if (!there) {
		auto_free char *problem = pl_asprintf("no config.json in '%s'", config_folder);
		set_state(facts, CKPT_MODEL_NO_CONFIG, problem);
		return;
	}
	if (ckpt_read_plain(path, config_root, CONFIG_BYTES_MAX, &text, &len, &err) < 0) {
		set_state(facts, CKPT_MODEL_BROKEN, err.text);
		return;
	}
	read_config(facts, text, len, path, overrides);
	if (facts->state != CKPT_MODEL_READ)
		return;
	read_quantization_files(facts, root);
	if (ckpt_weights_read(facts->folder, root, facts->layers, &facts->weights, &err) < 0)
		facts->weights_problem = pl_strdup(err.text);
	if (facts->dtype == CKPT_DTYPE_UNKNOWN && ckpt_dtype_is_plain_float(facts->weights.dtype))
		facts->dtype = facts->weights.dtype;
}

/* Forms of a model that are taken as they are: nothing is known, nothing is wrong. */
static bool is_other_form(const char *model)
{
	return strstr(model, "://") != NULL || pl_text_ends(model, ".gguf") ||
	       strchr(model, ':') != NULL || pl_text_ends(model, ".safetensors");
}

struct ckpt_facts *ckpt_facts_load(const struct ckpt_source *source)
{
	struct ckpt_facts *facts = facts_new(source->model);
	auto_free char *root = NULL;
	auto_free char *config_root = NULL;
	auto_free char *config_folder = NULL;

	facts->state = CKPT_MODEL_NOT_GIVEN;
	if (source->model == NULL || source->model[0] == '\0')
		return facts;
	facts->folder = ckpt_find(source, source->model, &root);
	facts->cached = root != NULL;
	if (source->config_path != NULL)
		config_folder = ckpt_find(source, source->config_path, &config_root);
	if (facts->folder == NULL) {
		auto_free char *problem = pl_asprintf(
			"'%s' is neither a directory nor a model in the Hugging Face cache",
			source->model);
		bool other = is_other_form(source->model);
		set_state(facts, other ? CKPT_MODEL_OTHER : CKPT_MODEL_NOT_FOUND,
			  other ? "the format of this model is not supported" : problem);
		return facts;
	}
	if (config_folder != NULL)
		read_folder(facts, config_folder, config_root, root, source->overrides);
	else
		read_folder(facts, facts->folder, root, root, source->overrides);
	return facts;
}

/* Why the facts of a name may be another checkpoint's; NULL: they are its own. */
static char *doubt_of(const struct ckpt_source *source)
{
	const char *given = pl_json_get_text(source->env, "VLLM_USE_MODELSCOPE");
	const char *scope = given != NULL ? given : getenv("VLLM_USE_MODELSCOPE");

	if (source->revision != NULL && strcmp(source->revision, "main") != 0)
		return pl_asprintf("they describe the default revision, not '%s'",
				   source->revision);
	if (scope != NULL && (strcmp(scope, "1") == 0 || strcasecmp(scope, "true") == 0))
		return pl_strdup(
			"they describe the model on the Hugging Face Hub, not on ModelScope");
	if (pl_text_equal(source->load_format, "gguf"))
		return pl_strdup("they describe the usual files, not GGUF files");
	return NULL;
}

/*
 * The row that stands for a configuration which is not here; NULL: it is, or has no row. A folder
 * that was given and has no config.json is a mistake to tell; a cached one is only not fetched
 * yet.
 */
static const struct ckpt_known *known_of(const struct ckpt_facts *facts,
					 const struct ckpt_source *source)
{
	auto_free char *root = NULL;
	auto_free char *folder = NULL;

	if (facts->state != CKPT_MODEL_NOT_FOUND &&
	    !(facts->state == CKPT_MODEL_NO_CONFIG && facts->cached))
		return NULL;
	if (source->config_path == NULL)
		return ckpt_known_find(source->model);
	folder = ckpt_find(source, source->config_path, &root);
	return folder == NULL ? ckpt_known_find(source->config_path) : NULL;
}

struct ckpt_facts *ckpt_facts_know(const struct ckpt_source *source)
{
	struct ckpt_facts *facts = ckpt_facts_load(source);
	const struct ckpt_known *known = known_of(facts, source);
	auto_json json_t *quantization = NULL;

	if (known == NULL)
		return facts;
	facts->known = known;
	facts->doubt = doubt_of(source);
	set_state(facts, CKPT_MODEL_READ, NULL);
	read_config(facts, known->config, strlen(known->config), known->name, source->overrides);
	if (facts->quantization == NULL &&
	    pl_json_parse(known->hf_quant_config, strlen(known->hf_quant_config), known->name,
			  &quantization, PL_ERR_IGNORED) == 0)
		ckpt_config_quantization(facts, json_object_get(quantization, "quantization"));
	return facts;
}

bool ckpt_facts_are_doubtful(const struct ckpt_facts *facts, bool is_shape)
{
	const struct ckpt_known *known = facts->known;

	return known != NULL &&
	       (facts->doubt != NULL || (known->derived && !(is_shape && known->counted)));
}
