/* Shared by the files of the memory estimate. */
#pragma once

#include "checkpoint/memory/memory.h"
#include "checkpoint/params.h"

/* Sets a term; NaN with a formula that names the missing value. */
void ckpt_memory_set(struct ckpt_memory *memory, enum ckpt_memory_id id, double value,
		     bool estimated, const char *source, const char *format, ...) PL_PRINTF(6, 7);
void ckpt_memory_note(struct ckpt_memory *memory, const char *format, ...) PL_PRINTF(2, 3);

struct ckpt_cut ckpt_memory_cut(const struct ckpt_case *server);
/* Returns the number format in which the model is served. */
enum ckpt_dtype ckpt_memory_dtype(const struct ckpt_case *server);

/* Returns whether another model drafts tokens: its weights and KV cache are additional. */
bool ckpt_memory_drafts(const struct ckpt_case *server);

void ckpt_memory_weights(const struct ckpt_case *server, struct ckpt_memory *memory);
void ckpt_memory_lora(const struct ckpt_case *server, struct ckpt_memory *memory);
void ckpt_memory_activations(const struct ckpt_case *server, struct ckpt_memory *memory);
void ckpt_memory_graphs(const struct ckpt_case *server, struct ckpt_memory *memory);
/* Sets the layout, KV_BYTES_PER_TOKEN, MAX_MODEL_LEN and KV_BYTES_PER_REQUEST. */
void ckpt_memory_layout(const struct ckpt_case *server, struct ckpt_memory *memory);
