/* Shared by the files that read config.json. */
#pragma once

#include "checkpoint/facts.h"

/* More layers than any model has: longer lists are not searched. */
#define CKPT_LAYERS_MAX 4096

/* Returns a count of at least 1, or 0 for other values. */
int64_t ckpt_count_of(const json_t *json);
/*
 * Returns the first of `keys` (separated by blanks) with a count, or the family's default of the
 * first key.
 */
int64_t ckpt_count_at(struct ckpt_facts *facts, const json_t *part, const char *keys);

/*
 * Record why no KV cache is computed; the first reason is kept. _count: parameters cannot be
 * counted, either.
 */
void ckpt_refuse(struct ckpt_facts *facts, const char *why);
void ckpt_refuse_count(struct ckpt_facts *facts, const char *why);

/*
 * Determines the kinds of layers and the sizes of each kind. Call it after the facts of config.c
 * are set.
 */
void ckpt_layers_read(struct ckpt_facts *facts, const json_t *part);
