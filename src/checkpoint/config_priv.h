/* Between the files that read config.json. */
#pragma once

#include "checkpoint/facts.h"

/* More layers than any model's: longer lists are not looked through. */
#define CKPT_LAYERS_MAX 4096

/* A count from 1, 0 where it is none. */
int64_t ckpt_count_of(const json_t *json);
/* The first of `keys` (separated by blanks) that holds a count; the family's default of the
 * first. */
int64_t ckpt_count_at(struct ckpt_facts *facts, const json_t *part, const char *keys);

/* Why no KV cache is worked out: the first reason is kept. _count: nor numbers. */
void ckpt_refuse(struct ckpt_facts *facts, const char *why);
void ckpt_refuse_count(struct ckpt_facts *facts, const char *why);

/* Which layers are of which kind, and the sizes of kinds; what config.c reads is there. */
void ckpt_layers_read(struct ckpt_facts *facts, const json_t *part);
