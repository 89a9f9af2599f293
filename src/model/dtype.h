/*
 * Number formats of weights and of the KV cache, by the names that PyTorch, safetensors and vLLM
 * use.
 */
#ifndef MODEL_DTYPE_H
#define MODEL_DTYPE_H

#include <stddef.h>

enum md_dtype {
	MD_DTYPE_UNKNOWN,
	MD_DTYPE_F64,
	MD_DTYPE_F32,
	MD_DTYPE_F16,
	MD_DTYPE_BF16,
	MD_DTYPE_F8,
	MD_DTYPE_F6,
	MD_DTYPE_F4,
	MD_DTYPE_I64,
	MD_DTYPE_I32,
	MD_DTYPE_I16,
	MD_DTYPE_I8,
	MD_DTYPE_BOOL,
};

/* "bfloat16", "torch.bfloat16", "half", "BF16", "F8_E4M3"; UNKNOWN for anything else. */
enum md_dtype md_dtype_find(const char *name);
/* "bfloat16"; "unknown" */
const char *md_dtype_name(enum md_dtype dtype);
unsigned md_dtype_bits(enum md_dtype dtype); /* 0: unknown */
/* double, float, half, bfloat16: what vLLM turns into the served format when it loads. */
int md_dtype_is_plain_float(enum md_dtype dtype);

/*
 * The format vLLM serves a checkpoint of `stored` numbers in, asked for `wanted` ("auto" or NULL:
 * the checkpoint's own, float32 halved) on `platform` of `capability` (0: not known): below 8.0
 * CUDA has no bfloat16. UNKNOWN where the checkpoint's is not known.
 */
enum md_dtype md_dtype_served(enum md_dtype stored, const char *wanted, const char *platform,
			      int capability);

#endif
