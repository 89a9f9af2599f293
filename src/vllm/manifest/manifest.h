/*
 * Files that start containers or services, as the commands that they stand for: compose files,
 * Kubernetes manifests, the values files of Helm charts (vLLM's production-stack, llm-d's
 * modelservice), Dockerfiles and systemd units.
 *
 * - Every word keeps its location in the file. Nothing is run; of other files only a compose
 *   file's ".env" is read.
 * - Bounded: 8 MiB, MANIFEST_DOCUMENTS_MAX documents, MANIFEST_CONTAINERS_MAX containers.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "option/problem.h"
#include "vllm/command/line.h"

enum { VLLM_MANIFEST_CONTAINERS_MAX = 1000 };

struct vllm_container {
	char *name;  /* of the container or service; "OWNER/NAME" where another has it too */
	char *owner; /* of the object that it belongs to; NULL: none */
	char *image; /* NULL: not known */
	const char *runtime; /* "kubernetes", "compose", "dockerfile", "systemd" */
	int line;
	json_t *env; /* object: variable -> text, null where its value is not in the file */
	struct vllm_words words;         /* command and arguments */
	struct option_problems problems; /* of its words, by their numbers */
	bool starts_server;              /* the image's own program is vLLM's server */
	int64_t gpus;                    /* that it may use; -1: not said */
	int64_t nodes;                   /* that share one server, at least 1 */
};

struct vllm_manifest {
	const char *kind; /* "a compose file", … for messages */
	struct vllm_container *items;
	size_t count;
	size_t room;
	size_t others; /* containers that do not run vLLM, which are left out */
};

/* Does the text look like such a file? `path` is its name, or NULL. */
bool vllm_manifest_is(const char *path, const char *text, size_t len);
/* Reads the containers that run vLLM. */
int vllm_manifest_read(const char *text, size_t len, const char *source,
		       const struct vllm_catalog *catalog, struct vllm_manifest *ret,
		       struct option_problems *problems, struct pl_err *err) PL_MUST_CHECK;
void vllm_manifest_done(struct vllm_manifest *manifest);
#define auto_manifest __attribute__((cleanup(vllm_manifest_done), unused)) struct vllm_manifest

/* The container as vllm_command_from_words() takes it; its texts are borrowed. */
struct vllm_inside vllm_container_inside(const struct vllm_container *container);
/* Warns where a command asks for more GPUs than its container has. */
void vllm_container_check(const struct vllm_container *container,
			  const struct vllm_command *command, struct option_problems *problems);
