/* Compose files: each service with its image, entrypoint, command, environment and devices. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "vllm/manifest/manifest_priv.h"

enum { DOTENV_BYTES_MAX = 1 << 20 };

/* A line NAME=value of ".env", with or without quotes. */
static void take_line(struct vllm_words *variables, char *line)
{
	line = pl_text_trim(line);
	line += pl_text_starts(line, "export ") ? strlen("export ") : 0;
	size_t len = vllm_word_name_len(line);
	if (len == 0)
		return;
	auto_free char *name = pl_strndup(line, len);
	char *value = pl_text_trim(line + len + 1);
	char quote = *value;
	char *close = quote == '"' || quote == '\'' ? strchr(value + 1, quote) : NULL;
	char *comment = strstr(value, " #");
	if (close != NULL) {
		*close = '\0';
		value++;
	} else if (comment != NULL) {
		*comment = '\0';
		value = pl_text_trim(value);
	}
	vllm_words_assign(variables, name, value, false);
}

static void take_service(struct manifest_reader *reader, const struct pl_yaml *key,
			 const struct pl_yaml *service)
{
	const struct pl_yaml *entrypoint = pl_yaml_get(service, "entrypoint");
	struct vllm_container *container = vllm_manifest_add(reader, "compose", key->text, NULL,
							     key->line + reader->line_offset);
	bool has_own = entrypoint != NULL && !pl_yaml_is_null(entrypoint) &&
		       (entrypoint->kind != PL_YAML_LIST || entrypoint->count > 0);

	vllm_manifest_set_image(reader, container, pl_yaml_get(service, "image"));
	vllm_manifest_take_env(reader, container, pl_yaml_get(service, "environment"));
	vllm_manifest_add_command(reader, container, entrypoint);
	vllm_manifest_add_command(reader, container, pl_yaml_get(service, "command"));
	/* "deploy.resources.reservations.devices": count, or device_ids. */
	const struct pl_yaml *node = service;
	static const char *const path[] = { "deploy", "resources", "reservations", "devices" };
	for (size_t i = 0; i < PL_ARRAY_SIZE(path); i++)
		node = pl_yaml_get(node, path[i]);
	for (size_t i = 0; node != NULL && node->kind == PL_YAML_LIST && i < node->count; i++) {
		const struct pl_yaml *count = pl_yaml_get(node->items[i], "count");
		const struct pl_yaml *ids = pl_yaml_get(node->items[i], "device_ids");
		if (ids != NULL && ids->kind == PL_YAML_LIST)
			container->gpus = (int64_t)ids->count;
		else if (count != NULL)
			(void)pl_yaml_to_i64(count, &container->gpus);
	}
	container->starts_server = !has_own && vllm_manifest_is_vllm_image(container->image);
}

void vllm_manifest_read_compose(struct manifest_reader *reader, const struct pl_yaml *root)
{
	const struct pl_yaml *services = pl_yaml_get(root, "services");
	auto_words variables = { 0 };

	/* The variables that the file's own folder gives. */
	auto_free char *folder = pl_file_dir(reader->source);
	auto_free char *path = pl_asprintf("%s/.env", folder);
	auto_free char *text = pl_file_text(path, DOTENV_BYTES_MAX, NULL);
	char *rest = NULL;
	vllm_words_assign(&variables, "COMPOSE_PROJECT_NAME", "default", false);
	for (char *line = text != NULL ? strtok_r(text, "\n", &rest) : NULL; line != NULL;
	     line = strtok_r(NULL, "\n", &rest))
		take_line(&variables, line);
	reader->variables = &variables;
	for (size_t i = 0; services->kind == PL_YAML_MAP && i < services->count &&
			   reader->manifest->count < VLLM_MANIFEST_CONTAINERS_MAX;
	     i++) {
		if (services->items[i]->kind == PL_YAML_MAP)
			take_service(reader, services->keys[i], services->items[i]);
	}
	reader->variables = NULL;
}
