/*
 * Values as printed by Python: vLLM's messages quote texts and its sweeps name directories in this
 * form.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"

/*
 * Quotes a text like Python's repr(). Leaves bytes that are not UTF-8 and characters that Unicode
 * has not assigned unchanged. The caller frees it with free().
 */
char *vllm_python_repr(const char *text);

/*
 * Appends a JSON value as printed by str(json.loads()): a text without quotes, True, None, 1e-07,
 * [1, 'a'], {'a': 1}. NULL: None. Returns false if the limit of buf is reached.
 */
bool vllm_python_add(struct pl_buf *buf, const json_t *value);
/* Returns the same as a text that the caller frees with free(). */
char *vllm_python_text(const json_t *value);
/*
 * Returns whether both are equal in Python: 1, 1.0 and True are, and the order of an object's keys
 * does not matter.
 */
bool vllm_python_equal(const json_t *a, const json_t *b);
