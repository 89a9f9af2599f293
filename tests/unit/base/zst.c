#include "base/zst.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"
#include "scratch.h"

static void test_base_zst__lines_read_back(void **state)
{
	struct scratch *scratch = *state;
	const char *path = scratch_path(scratch, "a.zst");
	struct pl_err err = PL_ERR_INIT;
	auto_zst struct pl_zst *zst = NULL;
	auto_free char *text = NULL;
	auto_buf expected = { 0 };
	size_t len = 0;

	pl_buf_init(&expected, 10 << 20);
	assert_int_equal(pl_zst_open(path, &zst, &err), 0);
	for (int i = 0; i < 50000; i++) {
		size_t before = expected.len;
		pl_buf_addf(&expected, "{\"i\":%d,\"x\":%u}\n", i, (unsigned)i * 2654435761u);
		assert_int_equal(
			pl_zst_write(zst, expected.data + before, expected.len - before, &err), 0);
	}
	assert_false(pl_file_exists(path)); /* until the commit there is no file at the place */
	assert_int_equal(pl_zst_commit(zst, &err), 0);
	assert_int_equal(scratch_count(scratch), 1);
	assert_true(pl_file_size(path) < (int64_t)expected.len / 2);
	assert_int_equal(pl_zst_read_file(path, expected.len, &text, &len, &err), 0);
	assert_int_equal(len, expected.len);
	assert_memory_equal(text, expected.data, len + 1);
}

static void test_base_zst__empty(void **state)
{
	struct scratch *scratch = *state;
	const char *path = scratch_path(scratch, "a.zst");
	struct pl_err err = PL_ERR_INIT;
	auto_zst struct pl_zst *zst = NULL;
	auto_free char *text = NULL;
	size_t len = 4711;

	assert_int_equal(pl_zst_open(path, &zst, &err), 0);
	assert_int_equal(pl_zst_write(zst, "", 0, &err), 0);
	assert_int_equal(pl_zst_commit(zst, &err), 0);
	assert_int_equal(pl_zst_read_file(path, 0, &text, &len, &err), 0);
	assert_int_equal(len, 0);
	assert_string_equal(text, "");
}

/* Sizes around the reader's blocks: a full block at the end of a frame does not look like a cut
 * file. */
static void test_base_zst__sizes_around_a_block(void **state)
{
	struct scratch *scratch = *state;
	const char *path = scratch_path(scratch, "a.zst");
	static const size_t sizes[] = { 1, 65535, 65536, 65537, 131072, 262144, 300000 };

	for (size_t i = 0; i < PL_ARRAY_SIZE(sizes); i++) {
		struct pl_err err = PL_ERR_INIT;
		auto_zst struct pl_zst *zst = NULL;
		auto_free unsigned char *data = pl_alloc(sizes[i]);
		auto_free char *text = NULL;
		size_t len = 0;
		for (int noisy = 0; noisy < 2; noisy++) {
			uint32_t x = 1;
			for (size_t j = 0; j < sizes[i] && noisy; j++) {
				x = x * 1664525u + 1013904223u;
				data[j] = (unsigned char)(x >> 24);
			}
			pl_zst_free(pl_take(zst));
			free(pl_take(text));
			assert_int_equal(pl_zst_open(path, &zst, &err), 0);
			assert_int_equal(pl_zst_write(zst, data, sizes[i], &err), 0);
			assert_int_equal(pl_zst_commit(zst, &err), 0);
			if (pl_zst_read_file(path, sizes[i], &text, &len, &err) < 0)
				fail_msg("%zu bytes: %s", sizes[i], err.text);
			assert_int_equal(len, sizes[i]);
			assert_memory_equal(text, data, len);
		}
	}
}

static void test_base_zst__without_a_commit_nothing_stays(void **state)
{
	struct scratch *scratch = *state;
	struct pl_err err = PL_ERR_INIT;
	struct pl_zst *zst = NULL;

	assert_int_equal(pl_zst_open(scratch_path(scratch, "a.zst"), &zst, &err), 0);
	assert_int_equal(pl_zst_write(zst, "x", 1, &err), 0);
	assert_int_equal(scratch_count(scratch), 1);
	pl_zst_free(zst);
	assert_int_equal(scratch_count(scratch), 0);
	pl_zst_free(NULL);
}

static void test_base_zst__a_failing_commit_leaves_nothing(void **state)
{
	struct scratch *scratch = *state;
	auto_free char *path = pl_strdup(scratch_path(scratch, "a.zst"));
	struct pl_err err = PL_ERR_INIT;
	struct pl_zst *zst = NULL;

	assert_int_equal(pl_zst_open(path, &zst, &err), 0);
	assert_int_equal(mkdir(path, 0777), 0); /* a rename onto a folder fails */
	assert_int_equal(pl_zst_commit(zst, &err), -1);
	assert_int_equal(err.code, PL_ERR_IO);
	pl_zst_free(zst);
	assert_int_equal(scratch_count(scratch), 1);
}

static void test_base_zst__folder_that_is_not_there(void **state)
{
	struct scratch *scratch = *state;
	struct pl_err err = PL_ERR_INIT;
	struct pl_zst *zst = NULL;

	assert_int_equal(pl_zst_open(scratch_path(scratch, "none/a.zst"), &zst, &err), -1);
	assert_int_equal(err.code, PL_ERR_IO);
	assert_null(zst);
}

static void write_packed(const char *path, const char *text, size_t len, size_t cut)
{
	struct pl_err err = PL_ERR_INIT;
	auto_zst struct pl_zst *zst = NULL;

	assert_int_equal(pl_zst_open(path, &zst, &err), 0);
	assert_int_equal(pl_zst_write(zst, text, len, &err), 0);
	assert_int_equal(pl_zst_commit(zst, &err), 0);
	assert_int_equal(truncate(path, pl_file_size(path) - (off_t)cut), 0);
}

static void test_base_zst__what_cannot_be_read(void **state)
{
	struct scratch *scratch = *state;
	const char *path = scratch_path(scratch, "a.zst");
	struct pl_err err = PL_ERR_INIT;
	char *text = NULL;

	for (size_t cut = 1; cut <= 12; cut++) {
		write_packed(path, "hello, hello, hello", 19, cut);
		assert_int_equal(pl_zst_read_file(path, 1000, &text, NULL, &err), -1);
		assert_int_equal(err.code, PL_ERR_INVALID);
		assert_non_null(strstr(err.text, "is incomplete"));
	}
	write_packed(path, "hello, hello, hello", 19, 0);
	assert_int_equal(pl_zst_read_file(path, 18, &text, NULL, &err), -1);
	assert_non_null(strstr(err.text, "is larger than 18 bytes after decompression"));

	auto_free char *packed = NULL;
	size_t len = 0;
	assert_int_equal(pl_file_read(path, 1000, &packed, &len, &err), 0);
	packed[len - 1] ^= 1; /* the checksum's last byte */
	assert_int_equal(pl_file_write(path, packed, len, &err), 0);
	assert_int_equal(pl_zst_read_file(path, 1000, &text, NULL, &err), -1);
	assert_non_null(strstr(err.text, "is not zstd data"));

	assert_int_equal(pl_file_write(path, "{\"plain\": 1}\n", 13, &err), 0);
	assert_int_equal(pl_zst_read_file(path, 1000, &text, NULL, &err), -1);
	assert_non_null(strstr(err.text, "is not zstd data"));
	assert_int_equal(pl_zst_read_file(scratch_path(scratch, "none"), 9, &text, NULL, &err), -1);
	assert_int_equal(err.code, PL_ERR_IO);
	assert_null(text);
}

/* Two files put together are read as one, as the zstd tool does. */
static void test_base_zst__two_frames(void **state)
{
	struct scratch *scratch = *state;
	const char *path = scratch_path(scratch, "a.zst");
	struct pl_err err = PL_ERR_INIT;
	auto_free char *packed = NULL;
	auto_free char *text = NULL;
	size_t len = 0;

	write_packed(path, "hello\n", 6, 0);
	assert_int_equal(pl_file_read(path, 1000, &packed, &len, &err), 0);
	FILE *file = fopen(path, "ab");
	assert_int_equal(fwrite(packed, 1, len, file), len);
	fclose(file);
	assert_int_equal(pl_zst_read_file(path, 1000, &text, &len, &err), 0);
	assert_string_equal(text, "hello\nhello\n");
	assert_int_equal(len, 12);
}

static void test_base_zst__in_memory(void **state)
{
	static const char text[] = "hello, hello, hello";
	struct pl_err err = PL_ERR_INIT;
	char *none = NULL;
	size_t packed_len, len = 0;

	(void)state;
	auto_free char *packed = pl_zst_pack(text, sizeof(text), &packed_len);
	auto_free char *back = NULL;
	assert_true(pl_zst_is(packed, packed_len));
	assert_false(pl_zst_is(packed, 3));
	assert_false(pl_zst_is(text, sizeof(text)));
	assert_int_equal(pl_zst_unpack(packed, packed_len, sizeof(text), "x", &back, &len, &err),
			 0);
	assert_int_equal(len, sizeof(text));
	assert_memory_equal(back, text, len);
	assert_int_equal(pl_zst_unpack(packed, packed_len, 5, "x", &none, &len, &err), -1);
	assert_string_equal(err.text, "'x' is larger than 5 bytes after decompression");
	for (size_t cut = 0; cut < packed_len; cut++)
		assert_int_equal(pl_zst_unpack(packed, cut, 1000, "x", &none, &len, &err), -1);
	assert_null(none);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		scratch_test(test_base_zst__lines_read_back),
		scratch_test(test_base_zst__empty),
		scratch_test(test_base_zst__sizes_around_a_block),
		scratch_test(test_base_zst__without_a_commit_nothing_stays),
		scratch_test(test_base_zst__a_failing_commit_leaves_nothing),
		scratch_test(test_base_zst__folder_that_is_not_there),
		scratch_test(test_base_zst__what_cannot_be_read),
		scratch_test(test_base_zst__two_frames),
		cmocka_unit_test(test_base_zst__in_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
