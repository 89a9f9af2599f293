/*
 * Values as Python shows them: vLLM's messages quote words so, and its sweeps name folders so.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"

/* A text in quotes, as Python's repr() shows it. What is no UTF-8 stays as it is; letters that
 * Unicode has not assigned too. The caller's (free()). */
char *vllm_python_repr(const char *text);

/*
 * Appends a value of a JSON document as str() of what json.loads() makes of it: a text without
 * quotes, True, None, 1e-07, [1, 'a'], {'a': 1}. NULL: None. False: ceiling of buf.
 */
bool vllm_python_add(struct pl_buf *buf, const json_t *value);
/* The same as a text of the caller's (free()). */
char *vllm_python_text(const json_t *value);
/* Are both equal in Python: 1, 1.0 and True are, the order of an object's keys is of no matter. */
bool vllm_python_equal(const json_t *a, const json_t *b);
