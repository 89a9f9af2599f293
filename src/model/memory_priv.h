/* Between the files of the memory sum. */
#ifndef MODEL_MEMORY_PRIV_H
#define MODEL_MEMORY_PRIV_H

#include "model/memory.h"
#include "model/model_params.h"

/* Sets a term; NaN with a formula that says what is missing. */
void md_memory_set(struct md_memory *memory, enum md_memory_id id, double value, bool estimated,
		   const char *source, const char *format, ...) PL_PRINTF(6, 7);
void md_memory_note(struct md_memory *memory, const char *format, ...) PL_PRINTF(2, 3);

struct md_cut md_memory_cut(const struct md_model_case *server);
/* The number format that the model is served in. */
enum md_dtype md_memory_dtype(const struct md_model_case *server);

/* Another model guesses tokens: its weights and KV cache come on top. */
bool md_memory_drafts(const struct md_model_case *server);

void md_memory_weights(const struct md_model_case *server, struct md_memory *memory);
void md_memory_lora(const struct md_model_case *server, struct md_memory *memory);
void md_memory_activations(const struct md_model_case *server, struct md_memory *memory);
void md_memory_graphs(const struct md_model_case *server, struct md_memory *memory);
/* The layout, KV_BYTES_PER_TOKEN, MAX_MODEL_LEN and KV_BYTES_PER_REQUEST. */
void md_memory_layout(const struct md_model_case *server, struct md_memory *memory);

#endif
