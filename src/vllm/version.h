/*
 * Releases of vLLM as printed: "0.32.0", "v0.10.0", "0.11.1rc2", "0.9.2.dev12+gabc".
 *
 * Order: development builds of a release, its alpha, beta and candidate releases, the release, its
 * post releases. A local part ("+cu129") describes the build and is ignored.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>

enum { VLLM_VERSION_PARTS = 6 };

struct vllm_version {
	int release[VLLM_VERSION_PARTS]; /* missing parts are 0: 0.9 is 0.9.0 */
	int stage;                       /* -2 dev, -1 before the release, 0 release, 1 post */
	int pre;                         /* 'a', 'b', 'r' or 0 */
	int pre_number;
	int post; /* 0: none; N + 1 for .postN */
	int dev;  /* .devN; INT_MAX: not a development build, which sorts after them */
};

int vllm_version_parse(const char *text, struct vllm_version *ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* Returns -1, 0 or 1. */
int vllm_version_compare(const struct vllm_version *a, const struct vllm_version *b);
/* Returns whether it is 0.1.devN: built from sources without tags, so of no known release. */
bool vllm_version_is_untagged(const struct vllm_version *version);
/* Returns -1, 0 or 1; 0 and not *ret_known if `text` is NULL or not a release. */
int vllm_release_compare(const struct vllm_version *release, const char *text, bool *ret_known);
