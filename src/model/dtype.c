#include "model/dtype.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static const struct {
	enum md_dtype dtype;
	unsigned bits;
	const char *names; /* the first is ours */
} rows[] = {
	{ MD_DTYPE_F64, 64, "float64 double F64" },
	{ MD_DTYPE_F32, 32, "float32 float F32" },
	{ MD_DTYPE_F16, 16, "float16 half F16" },
	{ MD_DTYPE_BF16, 16, "bfloat16 BF16" },
	{ MD_DTYPE_F8, 8, "float8 float8_e4m3fn float8_e5m2 F8_E4M3 F8_E5M2 F8_E8M0 F8_E4M3FNUZ" },
	{ MD_DTYPE_F6, 6, "float6 F6_E2M3 F6_E3M2" },
	{ MD_DTYPE_F4, 4, "float4 F4" },
	{ MD_DTYPE_I64, 64, "int64 I64 U64" },
	{ MD_DTYPE_I32, 32, "int32 I32 U32" },
	{ MD_DTYPE_I16, 16, "int16 I16 U16" },
	{ MD_DTYPE_I8, 8, "int8 uint8 I8 U8" },
	{ MD_DTYPE_BOOL, 8, "bool BOOL" },
};

enum md_dtype md_dtype_find(const char *name)
{
	if (name == NULL)
		return MD_DTYPE_UNKNOWN;
	if (pl_text_starts(name, "torch."))
		name += strlen("torch.");
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		if (pl_text_has_word(rows[i].names, ' ', name))
			return rows[i].dtype;
	}
	return MD_DTYPE_UNKNOWN;
}

const char *md_dtype_name(enum md_dtype dtype)
{
	static const char *const names[] = {
		[MD_DTYPE_UNKNOWN] = "unknown", [MD_DTYPE_F64] = "float64",
		[MD_DTYPE_F32] = "float32",     [MD_DTYPE_F16] = "float16",
		[MD_DTYPE_BF16] = "bfloat16",   [MD_DTYPE_F8] = "float8",
		[MD_DTYPE_F6] = "float6",       [MD_DTYPE_F4] = "float4",
		[MD_DTYPE_I64] = "int64",       [MD_DTYPE_I32] = "int32",
		[MD_DTYPE_I16] = "int16",       [MD_DTYPE_I8] = "int8",
		[MD_DTYPE_BOOL] = "bool",
	};

	return names[dtype];
}

unsigned md_dtype_bits(enum md_dtype dtype)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		if (rows[i].dtype == dtype)
			return rows[i].bits;
	}
	return 0;
}

int md_dtype_is_plain_float(enum md_dtype dtype)
{
	return dtype >= MD_DTYPE_F64 && dtype <= MD_DTYPE_BF16;
}

enum md_dtype md_dtype_served(enum md_dtype stored, const char *wanted, const char *platform,
			      int capability)
{
	int no_bf16 = platform != NULL && strcmp(platform, "cuda") == 0 && capability > 0 &&
		      capability < 80;

	if (wanted != NULL && strcmp(wanted, "auto") != 0)
		return md_dtype_find(wanted);
	if (stored == MD_DTYPE_F32 || stored == MD_DTYPE_F64 || stored == MD_DTYPE_BF16)
		return no_bf16 ? MD_DTYPE_F16 : MD_DTYPE_BF16;
	return stored == MD_DTYPE_F16 ? MD_DTYPE_F16 : MD_DTYPE_UNKNOWN;
}
