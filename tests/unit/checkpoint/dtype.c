#include "checkpoint/dtype.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"

static void test_dtype__names_and_bits(void **state)
{
	static const struct {
		const char *name;
		enum ckpt_dtype dtype;
		unsigned bits;
	} rows[] = {
		{ "bfloat16", CKPT_DTYPE_BF16, 16 }, { "torch.bfloat16", CKPT_DTYPE_BF16, 16 },
		{ "half", CKPT_DTYPE_F16, 16 },      { "float", CKPT_DTYPE_F32, 32 },
		{ "BF16", CKPT_DTYPE_BF16, 16 },     { "F8_E4M3", CKPT_DTYPE_F8, 8 },
		{ "U8", CKPT_DTYPE_I8, 8 },          { "F4", CKPT_DTYPE_F4, 4 },
		{ "F64", CKPT_DTYPE_F64, 64 },       { "auto", CKPT_DTYPE_UNKNOWN, 0 },
		{ "", CKPT_DTYPE_UNKNOWN, 0 },       { NULL, CKPT_DTYPE_UNKNOWN, 0 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		assert_int_equal(ckpt_dtype_find(rows[i].name), rows[i].dtype);
		assert_int_equal(ckpt_dtype_bits(rows[i].dtype), rows[i].bits);
	}
	for (int i = CKPT_DTYPE_F64; i <= CKPT_DTYPE_BOOL; i++)
		assert_int_equal(ckpt_dtype_find(ckpt_dtype_name((enum ckpt_dtype)i)), i);
}

static void test_dtype__served(void **state)
{
	static const struct {
		enum ckpt_dtype stored;
		const char *wanted;
		const char *platform;
		int capability;
		enum ckpt_dtype served;
	} rows[] = {
		{ CKPT_DTYPE_F32, NULL, "cpu", 0, CKPT_DTYPE_BF16 },
		{ CKPT_DTYPE_F32, "auto", "cuda", 90, CKPT_DTYPE_BF16 },
		{ CKPT_DTYPE_F32, "auto", "cuda", 75, CKPT_DTYPE_F16 },
		{ CKPT_DTYPE_BF16, "auto", "cuda", 75, CKPT_DTYPE_F16 },
		{ CKPT_DTYPE_BF16, "auto", "cuda", 0, CKPT_DTYPE_BF16 },
		{ CKPT_DTYPE_BF16, "auto", "rocm", 0, CKPT_DTYPE_BF16 },
		{ CKPT_DTYPE_F16, "auto", NULL, 0, CKPT_DTYPE_F16 },
		{ CKPT_DTYPE_F16, "float32", NULL, 0, CKPT_DTYPE_F32 },
		{ CKPT_DTYPE_UNKNOWN, "auto", NULL, 0, CKPT_DTYPE_UNKNOWN },
		{ CKPT_DTYPE_UNKNOWN, "half", NULL, 0, CKPT_DTYPE_F16 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++)
		assert_int_equal(ckpt_dtype_served(rows[i].stored, rows[i].wanted, rows[i].platform,
						   rows[i].capability),
				 rows[i].served);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dtype__names_and_bits),
		cmocka_unit_test(test_dtype__served),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
