/*
 * Values files of charts that make the command themselves: vLLM's production-stack (keys of
 * `vllmConfig`) and llm-d's modelservice (`modelCommand`, `parallelism`).
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/manifest/manifest_priv.h"

/* How a key becomes words. */
enum form {
	FORM_VALUE,  /* --flag VALUE */
	FORM_SWITCH, /* --flag, or --no-flag where it is false */
	FORM_ON,     /* --flag where it is true */
	FORM_LIST,   /* words as they are */
	FORM_OTHER,  /* not about the server's arguments */
};

/* Keys of `vllmConfig`. An unknown key is read as the flag of its name. */
static const struct key {
	const char *name;
	const char *flag;
	enum form form;
} config_keys[] = {
	{ "enableChunkedPrefill", "enable-chunked-prefill", FORM_SWITCH },
	{ "enablePrefixCaching", "enable-prefix-caching", FORM_SWITCH },
	{ "maxModelLen", "max-model-len", FORM_VALUE },
	{ "dtype", "dtype", FORM_VALUE },
	{ "tensorParallelSize", "tensor-parallel-size", FORM_VALUE },
	{ "pipelineParallelSize", "pipeline-parallel-size", FORM_VALUE },
	{ "maxNumSeqs", "max-num-seqs", FORM_VALUE },
	{ "gpuMemoryUtilization", "gpu-memory-utilization", FORM_VALUE },
	{ "maxLoras", "max-loras", FORM_VALUE },
	{ "extraArgs", NULL, FORM_LIST },
	{ "v0", NULL, FORM_OTHER },
	{ "v1", NULL, FORM_OTHER },
	{ "prometheusMultiprocDir", NULL, FORM_OTHER },
};

/* Keys of the model itself. */
static const struct key spec_keys[] = {
	{ "enableLoRA", "enable-lora", FORM_ON },
	{ "enableTool", "enable-auto-tool-choice", FORM_ON },
	{ "toolCallParser", "tool-call-parser", FORM_VALUE },
	{ "chatTemplate", "chat-template", FORM_VALUE },
};

/* "maxModelLen" -> "max-model-len" */
static char *flag_of(const char *name)
{
	auto_buf flag = PL_BUF(1024);

	for (; *name != '\0'; name++) {
		bool upper = *name >= 'A' && *name <= 'Z';
		if (upper)
			pl_buf_add_char(&flag, '-');
		pl_buf_add_char(&flag, upper ? (char)(*name + 'a' - 'A') : *name);
	}
	return flag.len > 0 ? pl_buf_take(&flag) : pl_strdup("");
}

static void add_key(struct manifest_reader *reader, struct vllm_container *container,
		    const struct key *key, const struct pl_yaml *name, const struct pl_yaml *value)
{
	bool truth = true;
	auto_free char *flag_text = key == NULL ? flag_of(name->text) : NULL;
	const char *flag = key != NULL ? key->flag : flag_text;
	bool is_bool = pl_yaml_to_bool(value, &truth);
	enum form form = key != NULL ? key->form : is_bool ? FORM_SWITCH : FORM_VALUE;
	auto_free char *word = pl_asprintf("--%s%s", form == FORM_SWITCH && !truth ? "no-" : "",
					   flag != NULL ? flag : "");

	if (form == FORM_OTHER || (form == FORM_ON && !truth) || pl_yaml_is_null(value))
		return;
	if (form == FORM_LIST) {
		vllm_manifest_add_command(reader, container, value);
		return;
	}
	vllm_manifest_add_text(reader, container, word, name);
	if (form == FORM_VALUE && value->kind == PL_YAML_SCALAR)
		vllm_manifest_add_scalar(reader, container, value);
}

static const struct key *find_key(const struct key *keys, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(keys[i].name, name) == 0)
			return &keys[i];
	}
	return NULL;
}

/* The connector that the chart adds for LMCache. */
static void add_lmcache(struct manifest_reader *reader, struct vllm_container *container,
			const struct pl_yaml *spec)
{
	const struct pl_yaml *cache = pl_yaml_get(spec, "lmcacheConfig");
	const struct pl_yaml *enabled = pl_yaml_get(cache, "enabled");
	const char *role = vllm_manifest_scalar(cache, "kvRole");
	bool truth = false;

	if (enabled == NULL || !pl_yaml_to_bool(enabled, &truth) || !truth)
		return;
	auto_free char *json = pl_asprintf(
		"{\"kv_connector\":\"LMCacheConnectorV1\",\"kv_role\":\"%s\"}",
		role != NULL ? role : "kv_both");
	vllm_manifest_add_text(reader, container, "--kv-transfer-config", enabled);
	vllm_manifest_add_text(reader, container, json, enabled);
}

static void take_model(struct manifest_reader *reader, const struct pl_yaml *spec)
{
	const struct pl_yaml *model = pl_yaml_get(spec, "modelURL");
	const struct pl_yaml *config = pl_yaml_get(spec, "vllmConfig");
	struct vllm_container *container = vllm_manifest_add(
		reader, "kubernetes", vllm_manifest_scalar(spec, "name"), NULL,
		spec->line + reader->line_offset);

	vllm_manifest_set_image(reader, container, spec);
	vllm_manifest_take_env(reader, container, pl_yaml_get(spec, "env"));
	vllm_manifest_add_text(reader, container, "vllm", spec);
	vllm_manifest_add_text(reader, container, "serve", spec);
	if (model != NULL)
		vllm_manifest_add_scalar(reader, container, model);
	for (size_t i = 0; i < spec->count; i++) {
		const struct key *key = find_key(spec_keys, PL_ARRAY_SIZE(spec_keys),
						 spec->keys[i]->text);
		if (key != NULL)
			add_key(reader, container, key, spec->keys[i], spec->items[i]);
	}
	for (size_t i = 0; config != NULL && config->kind == PL_YAML_MAP && i < config->count; i++)
		add_key(reader, container,
			find_key(config_keys, PL_ARRAY_SIZE(config_keys), config->keys[i]->text),
			config->keys[i], config->items[i]);
	add_lmcache(reader, container, spec);
	const char *gpus = vllm_manifest_scalar(spec, "requestGPU");
	/*
	 * with raySpec several nodes serve one model, and the file does not give the number of GPUs
	 */
	if (gpus != NULL && pl_yaml_get(spec, "raySpec") == NULL)
		(void)pl_text_to_i64(gpus, &container->gpus);
}

void vllm_manifest_read_stack(struct manifest_reader *reader, const struct pl_yaml *root)
{
	const struct pl_yaml *models = pl_yaml_get(pl_yaml_get(root, "servingEngineSpec"),
						   "modelSpec");

	for (size_t i = 0; models != NULL && models->kind == PL_YAML_LIST && i < models->count &&
			   reader->manifest->count < VLLM_MANIFEST_CONTAINERS_MAX;
	     i++) {
		if (models->items[i]->kind == PL_YAML_MAP)
			take_model(reader, models->items[i]);
	}
}

/* The model that "hf://ORG/NAME", "pvc://CLAIM/PATH" and "pvc+hf://CLAIM/…/ORG/NAME" name. */
static char *model_of(const struct pl_yaml *artifacts, const char *uri)
{
	const char *mount = vllm_manifest_scalar(artifacts, "mountPath");
	const char *colon = strstr(uri, "://");
	const char *path = colon != NULL ? colon + 3 : uri;
	const char *slash = strchr(path, '/');

	if (pl_text_starts(uri, "pvc://"))
		return pl_asprintf("%s/%s", mount != NULL ? mount : "/model-cache",
				   slash != NULL ? slash + 1 : path);
	if (pl_text_starts(uri, "pvc+hf://")) {
		const char *last = strrchr(path, '/');
		while (last != NULL && last > path && last[-1] != '/')
			last--;
		const char *name = last != NULL && last > path + 1 ? last - 1 : NULL;
		while (name != NULL && name > path && name[-1] != '/')
			name--;
		return pl_strdup(name != NULL ? name : path);
	}
	return pl_strdup(path);
}

/* Sizes of `parallelism`, and the flags that the chart makes of them. */
static const struct {
	const char *key;
	const char *flag;
	const char *variable;
} parallel_keys[] = {
	{ "tensor", "--tensor-parallel-size", "TP_SIZE" },
	{ "data", "--data-parallel-size", "DP_SIZE" },
	{ "dataLocal", "--data-parallel-size-local", "DP_SIZE_LOCAL" },
	{ "pipeline", "--pipeline-parallel-size", NULL },
};

static void add_sizes(struct manifest_reader *reader, struct vllm_container *container,
		      const struct pl_yaml *parallelism, bool as_words)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(parallel_keys); i++) {
		const struct pl_yaml *node = pl_yaml_get(parallelism, parallel_keys[i].key);
		int64_t size = 1;
		bool is_size = node != NULL && pl_yaml_to_i64(node, &size);
		auto_free char *text = pl_asprintf("%lld", (long long)size);
		if (as_words && is_size && size > 1) {
			vllm_manifest_add_text(reader, container, parallel_keys[i].flag, node);
			vllm_manifest_add_text(reader, container, text, node);
		} else if (!as_words && parallel_keys[i].variable != NULL) {
			json_object_set_new(container->env, parallel_keys[i].variable,
					    json_string(text));
		}
	}
}

static void take_role(struct manifest_reader *reader, const struct pl_yaml *root, const char *role)
{
	const struct pl_yaml *section = pl_yaml_get(root, role);
	const struct pl_yaml *list = pl_yaml_get(section, "containers");
	const struct pl_yaml *parallelism = pl_yaml_get(section, "parallelism");

	for (size_t i = 0; list != NULL && list->kind == PL_YAML_LIST && i < list->count &&
			   reader->manifest->count < VLLM_MANIFEST_CONTAINERS_MAX;
	     i++) {
		const struct pl_yaml *node = list->items[i];
		const struct pl_yaml *made = pl_yaml_get(node, "modelCommand");
		bool is_made = made != NULL && made->kind == PL_YAML_SCALAR &&
			       strcmp(made->text, "custom") != 0;
		struct vllm_container *container = vllm_manifest_add(
			reader, "kubernetes", vllm_manifest_scalar(node, "name"), role,
			node->line + reader->line_offset);
		vllm_manifest_set_image(reader, container, pl_yaml_get(node, "image"));
		add_sizes(reader, container, parallelism, false);
		vllm_manifest_take_pod_rest(reader, container, node);
		if (is_made) {
			/* Adds the command that `modelCommand` makes: "vllm serve MODEL", or the image's own program. */
			const struct pl_yaml *artifacts = pl_yaml_get(root, "modelArtifacts");
			const struct pl_yaml *uri = pl_yaml_get(artifacts, "uri");
			const struct pl_yaml *served = pl_yaml_get(artifacts, "name");
			bool serves = strcmp(made->text, "vllmServe") == 0;
			auto_free char *model = uri != NULL ? model_of(artifacts, uri->text) : NULL;
			if (serves) {
				vllm_manifest_add_text(reader, container, "vllm", made);
				vllm_manifest_add_text(reader, container, "serve", made);
			} else {
				vllm_manifest_add_text(reader, container, "--model",
						       uri != NULL ? uri : made);
			}
			if (model != NULL)
				vllm_manifest_add_text(reader, container, model, uri);
			add_sizes(reader, container, parallelism, true);
			if (served != NULL && served->kind == PL_YAML_SCALAR) {
				vllm_manifest_add_text(reader, container, "--served-model-name",
						       served);
				vllm_manifest_add_scalar(reader, container, served);
			}
			container->starts_server = !serves;
			vllm_manifest_add_command(reader, container, pl_yaml_get(node, "args"));
		} else {
			vllm_manifest_take_pod_words(reader, container, node);
			container->starts_server = pl_yaml_get(node, "command") == NULL &&
						   vllm_manifest_is_vllm_image(container->image);
		}
		/*
		 * it counts GPUs of one node: data-parallel ranks on other nodes are not included
		 */
		if (pl_yaml_get(parallelism, "workers") != NULL)
			container->gpus = -1;
	}
}

void vllm_manifest_read_modelservice(struct manifest_reader *reader, const struct pl_yaml *root)
{
	take_role(reader, root, "decode");
	take_role(reader, root, "prefill");
}
