/* Which coding a client wants, and answers that are compressed so. */
#include "dash/coding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/gz.h"
#include "base/text.h"
#include "base/zst.h"

#define ALL (1u << DASH_CODING_GZIP | 1u << DASH_CODING_ZSTD | 1u << DASH_CODING_BROTLI)

static void test_dash_coding_choose__weights(void **state)
{
	static const struct {
		const char *accept;
		unsigned offered;
		enum dash_coding wanted;
	} rows[] = {
		{ NULL, ALL, DASH_CODING_PLAIN },
		{ "", ALL, DASH_CODING_PLAIN },
		{ "identity", ALL, DASH_CODING_PLAIN },
		{ "deflate", ALL, DASH_CODING_PLAIN },
		{ "gzip, deflate, br, zstd", ALL, DASH_CODING_BROTLI },
		{ "gzip, deflate, br, zstd", ALL & ~(1u << DASH_CODING_BROTLI), DASH_CODING_ZSTD },
		{ "gzip, deflate", ALL, DASH_CODING_GZIP },
		{ "GZIP", ALL, DASH_CODING_GZIP },
		{ "gzip", 1u << DASH_CODING_ZSTD, DASH_CODING_PLAIN },
		{ "gzip;q=1, zstd;q=0.5, br;q=0.2", ALL, DASH_CODING_GZIP },
		{ "gzip;q=0", ALL, DASH_CODING_PLAIN },
		{ "gzip;q=0.000, zstd ; q=0.1", ALL, DASH_CODING_ZSTD },
		{ "gzip;q=0, *", ALL, DASH_CODING_BROTLI },
		{ "*;q=0", ALL, DASH_CODING_PLAIN },
		{ "*;q=0, gzip;q=0.3", ALL, DASH_CODING_GZIP },
		{ "gzip;q=0.5, identity", ALL, DASH_CODING_PLAIN },
		{ "gzip;q=0.5, identity;q=0.5", ALL, DASH_CODING_GZIP },
		{ "identity;q=0, gzip;q=0.1", ALL, DASH_CODING_GZIP },
		{ "gzip;q=2", ALL, DASH_CODING_PLAIN },
		{ "gzip;q=x, zstd;level=3", ALL, DASH_CODING_PLAIN },
		{ "gzipped, x-gzip, br2", ALL, DASH_CODING_PLAIN },
		{ ",, ,gzip,,", ALL, DASH_CODING_GZIP },
		{ ";q=1", ALL, DASH_CODING_PLAIN },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		if (dash_coding_choose(rows[i].accept, rows[i].offered) != rows[i].wanted)
			fail_msg("'%s'", rows[i].accept != NULL ? rows[i].accept : "NULL");
	}
}

static void set_json(struct dash_answer *answer, size_t len)
{
	char *bytes = pl_alloc(len);

	memset(bytes, 'x', len);
	*answer = (struct dash_answer){ .status = 200 };
	dash_answer_bytes(answer, "application/json", bytes, len);
}

static void test_dash_coding_pack__one_form_per_client(void **state)
{
	struct dash_answer answer;
	auto_answer plain = { 0 }, gzip = { 0 };
	auto_free char *text = NULL, *other = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t len = 0;

	(void)state;
	set_json(&answer, 5000);
	dash_coding_pack("zstd", &answer);
	assert_string_equal(answer.encoding, "zstd");
	assert_true(answer.varies && answer.len < 100);
	const struct dash_packed *packed = &answer.shared->packed[answer.coding];
	assert_int_equal(packed->len, answer.len);
	assert_int_equal(pl_zst_unpack(packed->bytes, packed->len, 5000, "x", &text, &len, &err),
			 0);
	assert_int_equal(len, 5000);
	/* others who share it begin with the plain bytes */
	dash_answer_share(&answer, &plain);
	dash_answer_share(&answer, &gzip);
	dash_coding_pack("gzip", &gzip);
	assert_null(plain.encoding);
	assert_int_equal(plain.len, 5000);
	assert_string_equal(gzip.encoding, "gzip");
	packed = &gzip.shared->packed[gzip.coding];
	assert_int_equal(pl_gz_unpack(packed->bytes, packed->len, 5000, "x", &other, &len, &err),
			 0);
	assert_memory_equal(other, text, 5000);
	assert_int_equal(dash_answer_held(&plain), 5000 + answer.len + gzip.len);
	/* again: nothing is compressed twice */
	const char *before = packed->bytes;
	dash_coding_pack("gzip", &gzip);
	assert_ptr_equal(packed->bytes, before);
	dash_answer_done(&answer);
}

static void test_dash_coding_pack__leaves_small_bodies_and_other_types(void **state)
{
	struct dash_answer answer;

	(void)state;
	set_json(&answer, 100);
	dash_coding_pack("gzip", &answer);
	assert_null(answer.encoding);
	assert_true(answer.varies);
	dash_answer_done(&answer);
	set_json(&answer, 5000);
	answer.type = "application/octet-stream";
	dash_coding_pack("gzip", &answer);
	assert_true(answer.encoding == NULL && !answer.varies && answer.len == 5000);
	dash_answer_done(&answer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dash_coding_choose__weights),
		cmocka_unit_test(test_dash_coding_pack__one_form_per_client),
		cmocka_unit_test(test_dash_coding_pack__leaves_small_bodies_and_other_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
