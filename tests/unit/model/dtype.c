#include "model/dtype.h"

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
		enum md_dtype dtype;
		unsigned bits;
	} rows[] = {
		{ "bfloat16", MD_DTYPE_BF16, 16 }, { "torch.bfloat16", MD_DTYPE_BF16, 16 },
		{ "half", MD_DTYPE_F16, 16 },      { "float", MD_DTYPE_F32, 32 },
		{ "BF16", MD_DTYPE_BF16, 16 },     { "F8_E4M3", MD_DTYPE_F8, 8 },
		{ "U8", MD_DTYPE_I8, 8 },          { "F4", MD_DTYPE_F4, 4 },
		{ "F64", MD_DTYPE_F64, 64 },       { "auto", MD_DTYPE_UNKNOWN, 0 },
		{ "", MD_DTYPE_UNKNOWN, 0 },       { NULL, MD_DTYPE_UNKNOWN, 0 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		assert_int_equal(md_dtype_find(rows[i].name), rows[i].dtype);
		assert_int_equal(md_dtype_bits(rows[i].dtype), rows[i].bits);
	}
	for (int i = MD_DTYPE_F64; i <= MD_DTYPE_BOOL; i++)
		assert_int_equal(md_dtype_find(md_dtype_name((enum md_dtype)i)), i);
}

static void test_dtype__served(void **state)
{
	static const struct {
		enum md_dtype stored;
		const char *wanted;
		const char *platform;
		int capability;
		enum md_dtype served;
	} rows[] = {
		{ MD_DTYPE_F32, NULL, "cpu", 0, MD_DTYPE_BF16 },
		{ MD_DTYPE_F32, "auto", "cuda", 90, MD_DTYPE_BF16 },
		{ MD_DTYPE_F32, "auto", "cuda", 75, MD_DTYPE_F16 },
		{ MD_DTYPE_BF16, "auto", "cuda", 75, MD_DTYPE_F16 },
		{ MD_DTYPE_BF16, "auto", "cuda", 0, MD_DTYPE_BF16 },
		{ MD_DTYPE_BF16, "auto", "rocm", 0, MD_DTYPE_BF16 },
		{ MD_DTYPE_F16, "auto", NULL, 0, MD_DTYPE_F16 },
		{ MD_DTYPE_F16, "float32", NULL, 0, MD_DTYPE_F32 },
		{ MD_DTYPE_UNKNOWN, "auto", NULL, 0, MD_DTYPE_UNKNOWN },
		{ MD_DTYPE_UNKNOWN, "half", NULL, 0, MD_DTYPE_F16 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++)
		assert_int_equal(md_dtype_served(rows[i].stored, rows[i].wanted, rows[i].platform,
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
