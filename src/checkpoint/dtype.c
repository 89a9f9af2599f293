/* Number formats by all the names they go by: PyTorch's, those of safetensors and those of
 * vLLM's --dtype. */
#include "checkpoint/dtype.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static const struct {
	enum ckpt_dtype dtype;
	unsigned bits;
	const char *names; /* the first is ours */
} rows[] = {
	{ CKPT_DTYPE_F64, 64, "float64 double F64" },
	{ CKPT_DTYPE_F32, 32, "float32 float F32" },
	{ CKPT_DTYPE_F16, 16, "float16 half F16" },
	{ CKPT_DTYPE_BF16, 16, "bfloat16 BF16" },
	{ CKPT_DTYPE_F8, 8,
	  "float8 float8_e4m3fn float8_e5m2 F8_E4M3 F8_E5M2 F8_E8M0 F8_E4M3FNUZ" },
	{ CKPT_DTYPE_F6, 6, "float6 F6_E2M3 F6_E3M2" },
	{ CKPT_DTYPE_F4, 4, "float4 F4" },
	{ CKPT_DTYPE_I64, 64, "int64 I64 U64" },
	{ CKPT_DTYPE_I32, 32, "int32 I32 U32" },
	{ CKPT_DTYPE_I16, 16, "int16 I16 U16" },
	{ CKPT_DTYPE_I8, 8, "int8 uint8 I8 U8" },
	{ CKPT_DTYPE_BOOL, 8, "bool BOOL" },
};

enum ckpt_dtype ckpt_dtype_find(const char *name)
{
	if (name == NULL)
		return CKPT_DTYPE_UNKNOWN;
	if (pl_text_starts(name, "torch."))
		name += strlen("torch.");
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		if (pl_text_has_word(rows[i].names, ' ', name))
			return rows[i].dtype;
	}
	return CKPT_DTYPE_UNKNOWN;
}

const char *ckpt_dtype_name(enum ckpt_dtype dtype)
{
	static const char *const names[] = {
		[CKPT_DTYPE_UNKNOWN] = "unknown", [CKPT_DTYPE_F64] = "float64",
		[CKPT_DTYPE_F32] = "float32",     [CKPT_DTYPE_F16] = "float16",
		[CKPT_DTYPE_BF16] = "bfloat16",   [CKPT_DTYPE_F8] = "float8",
		[CKPT_DTYPE_F6] = "float6",       [CKPT_DTYPE_F4] = "float4",
		[CKPT_DTYPE_I64] = "int64",       [CKPT_DTYPE_I32] = "int32",
		[CKPT_DTYPE_I16] = "int16",       [CKPT_DTYPE_I8] = "int8",
		[CKPT_DTYPE_BOOL] = "bool",
	};

	return names[dtype];
}

unsigned ckpt_dtype_bits(enum ckpt_dtype dtype)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		if (rows[i].dtype == dtype)
			return rows[i].bits;
	}
	return 0;
}

int ckpt_dtype_is_plain_float(enum ckpt_dtype dtype)
{
	return dtype >= CKPT_DTYPE_F64 && dtype <= CKPT_DTYPE_BF16;
}

/* vLLM's --dtype auto: 32 and 64 bits become 16, bfloat16 where the GPU has it (compute
 * capability 8.0). */
enum ckpt_dtype ckpt_dtype_served(enum ckpt_dtype stored, const char *wanted, const char *platform,
				  int capability)
{
	int no_bf16 = platform != NULL && strcmp(platform, "cuda") == 0 && capability > 0 &&
		      capability < 80;

	if (wanted != NULL && strcmp(wanted, "auto") != 0)
		return ckpt_dtype_find(wanted);
	if (stored == CKPT_DTYPE_F32 || stored == CKPT_DTYPE_F64 || stored == CKPT_DTYPE_BF16)
		return no_bf16 ? CKPT_DTYPE_F16 : CKPT_DTYPE_BF16;
	return stored == CKPT_DTYPE_F16 ? CKPT_DTYPE_F16 : CKPT_DTYPE_UNKNOWN;
}
