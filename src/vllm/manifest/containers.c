/* The containers of a manifest, as they are found in it. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "vllm/manifest/manifest_priv.h"

void vllm_container_done(struct vllm_container *container)
{
	free(container->name);
	free(container->owner);
	free(container->image);
	json_decref(container->env);
	vllm_words_done(&container->words);
	option_problems_done(&container->problems);
}

void vllm_manifest_done(struct vllm_manifest *manifest)
{
	for (size_t i = 0; i < manifest->count; i++)
		vllm_container_done(&manifest->items[i]);
	free(manifest->items);
	*manifest = (struct vllm_manifest){ 0 };
}

struct vllm_container *vllm_manifest_add(struct manifest_reader *reader, const char *runtime,
					 const char *name, const char *owner, int line)
{
	struct vllm_manifest *manifest = reader->manifest;
	struct vllm_container *container = PL_PUSH(manifest->items, manifest->count,
						   manifest->room);

	*container = (struct vllm_container){
		.name = pl_strdup(name != NULL ? name : "vllm"),
		.owner = pl_strdup(owner),
		.runtime = runtime,
		.line = line,
		.env = json_object(),
		.gpus = -1,
		.nodes = 1,
	};
	container->words.commands = 1;
	return container;
}

bool vllm_manifest_is_vllm_image(const char *image)
{
	static const char *const others[] = { "router",  "gateway",   "bench",      "dashboard",
					      "sim",     "exporter",  "autoscaler", "operator",
					      "sidecar", "controller" };
	const char *slash = image != NULL ? strrchr(image, '/') : NULL;
	const char *name = slash != NULL ? slash + 1 : image;

	if (name == NULL || strstr(name, "vllm") == NULL)
		return false;
	for (size_t i = 0; i < PL_ARRAY_SIZE(others); i++) {
		if (strstr(name, others[i]) != NULL)
			return false;
	}
	return true;
}
