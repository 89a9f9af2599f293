/*
 * Files that start containers or services, converted to the commands that they run: compose files,
 * Kubernetes manifests, values files of Helm charts (vLLM's production-stack, llm-d's
 * modelservice), Dockerfiles and systemd units.
 *
 * - Every word has its location in the file. Nothing is run; the only other file that is read is a
 *   compose file's ".env".
 * - Limits: 8 MiB, MANIFEST_DOCUMENTS_MAX documents, MANIFEST_CONTAINERS_MAX containers.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "option/problem.h"
#include "vllm/command/line.h"

enum { VLLM_MANIFEST_CONTAINERS_MAX = 1000 };

struct vllm_container {
	char *name;  /* of the container or service; "OWNER/NAME" if the name is not unique */
	char *owner; /* the object that contains it; NULL: none */
	char *image; /* NULL: unknown */
	const char *runtime; /* "kubernetes", "compose", "dockerfile", "systemd" */
	int line;
	json_t *env; /* object: variable -> text, null if its value is not in the file */
	struct vllm_words words;         /* command and arguments */
	struct option_problems problems; /* of its words, by their numbers */
	bool starts_server;              /* the image starts vLLM's server */
	int64_t gpus;                    /* number that it may use; -1: unknown */
	int64_t nodes;                   /* number that share one server, at least 1 */
};

struct vllm_manifest {
	const char *kind; /* "a compose file", … for errors */
	struct vllm_container *items;
	size_t count;
	size_t room;
	size_t others; /* number of containers that do not run vLLM, which are ignored */
};

/* Returns whether the text looks like such a file. `path` is its name, or NULL. */
bool vllm_manifest_is(const char *path, const char *text, size_t len);
/* Reads the containers that run vLLM. */
int vllm_manifest_read(const char *text, size_t len, const char *source,
		       const struct vllm_catalog *catalog, struct vllm_manifest *ret,
		       struct option_problems *problems, struct pl_err *err) PL_MUST_CHECK;
void vllm_manifest_done(struct vllm_manifest *manifest);
#define auto_manifest __attribute__((cleanup(vllm_manifest_done), unused)) struct vllm_manifest

/* Converts the container for vllm_command_from_words(); its texts are borrowed. */
struct vllm_inside vllm_container_inside(const struct vllm_container *container);
/* Warns if a command needs more GPUs than its container has. */
void vllm_container_check(const struct vllm_container *container,
			  const struct vllm_command *command, struct option_problems *problems);
