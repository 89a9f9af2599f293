/*
 * Number formats of weights and of the KV cache, by the names that PyTorch, safetensors and vLLM
 * use.
 */
#pragma once

enum ckpt_dtype {
	CKPT_DTYPE_UNKNOWN,
	CKPT_DTYPE_F64,
	CKPT_DTYPE_F32,
	CKPT_DTYPE_F16,
	CKPT_DTYPE_BF16,
	CKPT_DTYPE_F8,
	CKPT_DTYPE_F6,
	CKPT_DTYPE_F4,
	CKPT_DTYPE_I64,
	CKPT_DTYPE_I32,
	CKPT_DTYPE_I16,
	CKPT_DTYPE_I8,
	CKPT_DTYPE_BOOL,
};

/* "bfloat16", "torch.bfloat16", "half", "BF16", "F8_E4M3"; UNKNOWN for anything else. */
enum ckpt_dtype ckpt_dtype_find(const char *name);
/* "bfloat16"; "unknown" */
const char *ckpt_dtype_name(enum ckpt_dtype dtype);
unsigned ckpt_dtype_bits(enum ckpt_dtype dtype); /* 0: unknown */
/* double, float, half, bfloat16: formats that vLLM converts to the served one when it loads. */
int ckpt_dtype_is_plain_float(enum ckpt_dtype dtype);

/*
 * Returns the format in which vLLM serves a checkpoint of `stored` numbers for the argument
 * `wanted` ("auto" or NULL: the checkpoint's, with float32 halved) on `platform` with `capability`
 * (0: unknown): CUDA below 8.0 lacks bfloat16. UNKNOWN if the checkpoint's is unknown.
 */
enum ckpt_dtype ckpt_dtype_served(enum ckpt_dtype stored, const char *wanted, const char *platform,
				  int capability);
