/* The keys of vLLM's files of offline benchmarks, which need no other part of a result to be recognized. */
#pragma once

#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

enum res_offline_form { RES_OFFLINE_NUMBER, RES_OFFLINE_COUNT, RES_OFFLINE_LIST, RES_OFFLINE_MAP };

/* In the order of the file. */
extern const struct res_offline_key {
	const char *kind, *name;
	enum res_offline_form form;
	bool must;   /* it is always there */
	bool marked; /* a file with it is of this kind, for no other has it */
} res_offline_keys[];
extern const size_t res_offline_key_count;

/* Returns the kind whose lines on the console these figures are from; NULL: a file has them. */
const char *res_offline_kind_of_console(const json_t *json);
