/*
 * Kubernetes: every container of every object (Pod, Deployment, StatefulSet, Job,
 * LeaderWorkerSet, custom resources), wherever it is nested; and maps of values files that have an
 * image and a command.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/manifest/manifest_priv.h"

static void take_limits(struct vllm_container *container, const struct pl_yaml *node)
{
	static const char *const names[] = { "nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/i915",
					     "gpu.intel.com/xe", "habana.ai/gaudi" };
	const struct pl_yaml *resources = pl_yaml_get(node, "resources");
	const struct pl_yaml *limits = pl_yaml_get(resources, "limits");

	if (limits == NULL)
		limits = pl_yaml_get(resources, "requests");
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		const struct pl_yaml *count = pl_yaml_get(limits, names[i]);
		/* a quoted number is one here too */
		if (count != NULL && count->kind == PL_YAML_SCALAR)
			(void)pl_text_to_i64(count->text, &container->gpus);
	}
}

void vllm_manifest_take_pod_words(struct manifest_reader *reader, struct vllm_container *container,
				  const struct pl_yaml *node)
{
	vllm_manifest_add_command(reader, container, pl_yaml_get(node, "command"));
	vllm_manifest_add_command(reader, container, pl_yaml_get(node, "args"));
}

void vllm_manifest_take_pod_rest(struct manifest_reader *reader, struct vllm_container *container,
				 const struct pl_yaml *node)
{
	vllm_manifest_take_env(reader, container, pl_yaml_get(node, "env"));
	take_limits(container, node);
}

/* Takes one container of Kubernetes: command, args, env, limits. */
static void take_pod_container(struct manifest_reader *reader, const struct pl_yaml *node,
			       const char *owner, int64_t nodes)
{
	const char *name = vllm_manifest_scalar(node, "name");
	const struct pl_yaml *command = pl_yaml_get(node, "command");
	bool has_command = command != NULL && (command->count > 0 || command->text[0] != '\0');
	struct vllm_container *container = vllm_manifest_add(reader, "kubernetes", name, owner,
							     node->line + reader->line_offset);

	container->nodes = nodes;
	vllm_manifest_set_image(reader, container, pl_yaml_get(node, "image"));
	vllm_manifest_take_pod_rest(reader, container, node);
	vllm_manifest_take_pod_words(reader, container, node);
	container->starts_server = !has_command && vllm_manifest_is_vllm_image(container->image);
}

/* A map of a values file: {repository, tag, command}, or {image, command}. */
static bool is_chart_container(const struct pl_yaml *node)
{
	bool has_words = pl_yaml_get(node, "command") != NULL || pl_yaml_get(node, "args") != NULL;

	return has_words &&
	       (pl_yaml_get(node, "repository") != NULL || pl_yaml_get(node, "image") != NULL);
}

/* The position of the walk in an object. */
struct walk {
	const char *owner;
	int64_t nodes;
};

static void walk(struct manifest_reader *reader, const struct pl_yaml *node, const char *key,
		 struct walk at);

static void walk(struct manifest_reader *reader, const struct pl_yaml *node, const char *key,
		 struct walk at)
{
	bool holds = strcmp(key, "containers") == 0 || strcmp(key, "initContainers") == 0;

	if (reader->manifest->count >= VLLM_MANIFEST_CONTAINERS_MAX)
		return;
	if (node->kind == PL_YAML_MAP) {
		if (is_chart_container(node)) {
			take_pod_container(reader, node, at.owner, at.nodes);
			if (pl_yaml_get(node, "repository") != NULL)
				vllm_manifest_set_image(
					reader,
					&reader->manifest->items[reader->manifest->count - 1],
					node);
			return;
		}
		const struct pl_yaml *metadata = pl_yaml_get(node, "metadata");
		const struct pl_yaml *group = pl_yaml_get(node, "leaderWorkerTemplate");
		const struct pl_yaml *size = pl_yaml_get(group, "size");
		if (pl_yaml_get(node, "kind") != NULL &&
		    vllm_manifest_scalar(metadata, "name") != NULL)
			at.owner = vllm_manifest_scalar(metadata, "name");
		if (size != NULL && (!pl_yaml_to_i64(size, &at.nodes) || at.nodes < 1))
			at.nodes = 1;
		for (size_t i = 0; i < node->count; i++)
			walk(reader, node->items[i], node->keys[i]->text, at);
		return;
	}
	for (size_t i = 0; node->kind == PL_YAML_LIST && i < node->count; i++) {
		if (holds && node->items[i]->kind == PL_YAML_MAP)
			take_pod_container(reader, node->items[i], at.owner, at.nodes);
		else
			walk(reader, node->items[i], "", at);
	}
}

void vllm_manifest_read_kubernetes(struct manifest_reader *reader, const struct pl_yaml *root)
{
	walk(reader, root, "", (struct walk){ .nodes = 1 });
}
