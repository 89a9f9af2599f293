#include "base/gz.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <cmocka.h>

#include "base/mem.h"

/* One member; returns its length. */
static size_t pack(const char *text, size_t len, unsigned char *into, size_t room)
{
	z_stream stream = { .next_in = (Bytef *)text,
			    .avail_in = (uInt)len,
			    .next_out = into,
			    .avail_out = (uInt)room };

	assert_int_equal(
		deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	deflateEnd(&stream);
	return room - stream.avail_out;
}

static void test_pl_gz__consecutive_members(void **state)
{
	unsigned char packed[1000];
	size_t len = pack("one ", 4, packed, sizeof(packed));
	auto_free char *text = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t text_len = 0;

	(void)state;
	len += pack("two", 3, packed + len, sizeof(packed) - len);
	assert_true(pl_gz_is(packed, len));
	assert_false(pl_gz_is("{}", 2));
	assert_false(pl_gz_is(packed, 2));
	assert_int_equal(pl_gz_unpack(packed, len, 7, "x", &text, &text_len, &err), 0);
	assert_int_equal(text_len, 7);
	assert_string_equal(text, "one two");
}

static void assert_fails(const void *packed, size_t len, size_t max_bytes, const char *why)
{
	struct pl_err err = PL_ERR_INIT;
	char *text = NULL;
	size_t text_len = 0;

	assert_int_equal(pl_gz_unpack(packed, len, max_bytes, "x", &text, &text_len, &err), -1);
	assert_int_equal(err.code, PL_ERR_INVALID);
	assert_non_null(strstr(err.text, why));
}

static void test_pl_gz__other_formats(void **state)
{
	static char zeros[1 << 20];
	unsigned char packed[10000];
	size_t len = pack(zeros, sizeof(zeros), packed, sizeof(packed));

	(void)state;
	assert_fails(packed, len, sizeof(zeros) - 1,
		     "'x' is larger than 1024.0 KiB after decompression");
	for (size_t cut = 0; cut < len; cut += 97)
		assert_fails(packed, cut, sizeof(zeros), "is incomplete");
	assert_fails("no gzip at all", 14, 100, "is not gzip data");
	packed[len - 5] ^= 1; /* of its checksum */
	assert_fails(packed, len, sizeof(zeros), "is not gzip data");
	packed[len - 5] ^= 1;
	packed[len] = 'x'; /* one byte after the end */
	assert_fails(packed, len + 1, sizeof(zeros), "'x' is");
}

static void test_pl_gz__packs_what_it_unpacks(void **state)
{
	static char bytes[300000];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * i >> 7);
	for (int level = 1; level <= 9; level += 4) {
		for (size_t len = 0; len <= sizeof(bytes); len = len * 3 + 1) {
			struct pl_err err = PL_ERR_INIT;
			size_t packed_len = 0, text_len = 0;
			auto_free char *text = NULL;
			auto_free char *packed = pl_gz_pack(bytes, len, level, &packed_len);
			assert_int_equal(
				pl_gz_unpack(packed, packed_len, len, "x", &text, &text_len, &err),
				0);
			assert_int_equal(text_len, len);
			assert_memory_equal(text, bytes, len);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pl_gz__consecutive_members),
		cmocka_unit_test(test_pl_gz__other_formats),
		cmocka_unit_test(test_pl_gz__packs_what_it_unpacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
