/* The readers of the kinds of files; manifest.c chooses one. */
#pragma once

#include "base/yaml.h"
#include "vllm/manifest/manifest.h"

/* One file while it is read. */
struct manifest_reader {
	const char *source;
	const char *text; /* of the document */
	size_t len;
	int line_offset; /* lines of the file before the document */
	struct vllm_manifest *manifest;
	struct option_problems *problems;
	const struct vllm_words *variables; /* of a compose file; NULL: none */
};

/* Frees what it holds, not itself. */
void vllm_container_done(struct vllm_container *container);
struct vllm_container *vllm_manifest_add(struct manifest_reader *reader, const char *runtime,
					 const char *name, const char *owner, int line);
/* Appends a scalar as one word. */
void vllm_manifest_add_scalar(struct manifest_reader *reader, struct vllm_container *container,
			      const struct pl_yaml *node);
/* Appends a text as one word at a node's location. */
void vllm_manifest_add_text(struct manifest_reader *reader, struct vllm_container *container,
			    const char *text, const struct pl_yaml *at);
/* Appends a command: the items of a list, or a text that a shell splits. */
void vllm_manifest_add_command(struct manifest_reader *reader, struct vllm_container *container,
			       const struct pl_yaml *node);
/* Takes an environment: a mapping, or a list of "NAME=value" or {name, value}. */
void vllm_manifest_take_env(struct manifest_reader *reader, struct vllm_container *container,
			    const struct pl_yaml *node);
void vllm_manifest_set_image(struct manifest_reader *reader, struct vllm_container *container,
			     const struct pl_yaml *node);
const char *vllm_manifest_scalar(const struct pl_yaml *map, const char *key);
/* Returns whether the image's own program is vLLM's server, according to its name. */
bool vllm_manifest_is_vllm_image(const char *image);

void vllm_manifest_read_compose(struct manifest_reader *reader, const struct pl_yaml *root);
void vllm_manifest_read_kubernetes(struct manifest_reader *reader, const struct pl_yaml *root);
/* The words of its command and args with "$(NAME)" replaced. */
void vllm_manifest_take_pod_words(struct manifest_reader *reader, struct vllm_container *container,
				  const struct pl_yaml *node);
/* Its environment and limits. */
void vllm_manifest_take_pod_rest(struct manifest_reader *reader, struct vllm_container *container,
				 const struct pl_yaml *node);
void vllm_manifest_read_stack(struct manifest_reader *reader, const struct pl_yaml *root);
void vllm_manifest_read_modelservice(struct manifest_reader *reader, const struct pl_yaml *root);
void vllm_manifest_read_dockerfile(struct manifest_reader *reader);
void vllm_manifest_read_unit(struct manifest_reader *reader);
