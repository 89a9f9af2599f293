#include "base/unpack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/gz.h"
#include "base/zst.h"

static struct pl_unpack *open_bytes(const void *bytes, size_t len)
{
	struct pl_unpack *unpack = NULL;
	FILE *file = tmpfile();

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fflush(file), 0);
	assert_int_equal(pl_unpack_new(dup(fileno(file)), "x", &unpack, PL_ERR_IGNORED), 0);
	fclose(file);
	return unpack;
}

/* Reads to the end in blocks of this size; returns 0 or -1. */
static int read_all(struct pl_unpack *unpack, size_t room, struct pl_buf *ret)
{
	auto_free char *block = pl_alloc(room);

	for (;;) {
		size_t len = 0;
		if (pl_unpack_read(unpack, block, room, &len, PL_ERR_IGNORED) < 0)
			return -1;
		if (len == 0)
			return 0;
		pl_buf_add(ret, block, len);
	}
}

static void add_text(struct pl_buf *text)
{
	for (int i = 0; i < 20000; i++)
		pl_buf_addf(text, "%d squared is %d\n", i, i * i);
}

/* Two frames or members in a row are one text, in any size of blocks, and again from the start. */
static void all_forms_are_the_text(void **state)
{
	static const size_t rooms[] = { 1000, 1, 65536, 1 << 20 };
	auto_buf half = PL_BUF(1 << 20), text = PL_BUF(2 << 20), gz = PL_BUF(1 << 20),
		 zst = PL_BUF(1 << 20);
	size_t len = 0;

	(void)state;
	add_text(&half);
	auto_free void *gz_half = pl_gz_pack(half.data, half.len, 6, &len);
	for (int i = 0; i < 2; i++)
		pl_buf_add(&gz, gz_half, len);
	auto_free void *zst_half = pl_zst_pack(half.data, half.len, &len);
	for (int i = 0; i < 2; i++) {
		pl_buf_add(&zst, zst_half, len);
		pl_buf_add(&text, half.data, half.len);
	}
	const struct pl_buf *const files[] = { &text, &gz, &zst };
	for (size_t i = 0; i < PL_ARRAY_SIZE(files); i++) {
		auto_unpack struct pl_unpack *unpack = open_bytes(files[i]->data, files[i]->len);
		assert_int_equal(pl_unpack_is_packed(unpack), i > 0);
		for (size_t k = 0; k < PL_ARRAY_SIZE(rooms); k++) {
			auto_buf got = PL_BUF(2 << 20);
			pl_unpack_seek(unpack, 0);
			assert_int_equal(read_all(unpack, rooms[k], &got), 0);
			assert_int_equal(got.len, text.len);
			assert_memory_equal(got.data, text.data, text.len);
		}
	}
}

static void plain_bytes_are_sought(void **state)
{
	static const char text[] = "0123456789";
	auto_unpack struct pl_unpack *file = open_bytes(text, 10);
	auto_unpack struct pl_unpack *memory = pl_unpack_new_text(text, 10);
	struct pl_unpack *const all[] = { file, memory };
	char bytes[20];
	size_t len = 0;

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(all); i++) {
		pl_unpack_seek(all[i], 7);
		assert_int_equal(pl_unpack_read(all[i], bytes, 2, &len, PL_ERR_IGNORED), 0);
		assert_int_equal(len, 2);
		assert_memory_equal(bytes, "78", 2);
		pl_unpack_seek(all[i], 99);
		assert_int_equal(pl_unpack_read(all[i], bytes, 2, &len, PL_ERR_IGNORED), 0);
		assert_int_equal(len, 0);
	}
}

/* Each truncated file is an error, and never less text without one. */
static void every_cut_is_noticed(void **state)
{
	size_t gz_len = 0, zst_len = 0;

	(void)state;
	auto_free char *gz = pl_gz_pack("some text, some text", 20, 6, &gz_len);
	auto_free char *zst = pl_zst_pack("some text, some text", 20, &zst_len);
	for (size_t cut = 4; cut < gz_len; cut++) {
		auto_unpack struct pl_unpack *unpack = open_bytes(gz, cut);
		auto_buf got = PL_BUF(1000);
		assert_int_equal(read_all(unpack, 7, &got), -1);
	}
	for (size_t cut = 4; cut < zst_len; cut++) {
		auto_unpack struct pl_unpack *unpack = open_bytes(zst, cut);
		auto_buf got = PL_BUF(1000);
		assert_int_equal(read_all(unpack, 7, &got), -1);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_forms_are_the_text),
		cmocka_unit_test(plain_bytes_are_sought),
		cmocka_unit_test(every_cut_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
