#include "base/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define FORM      "numbers 1"
#define BYTES_MAX ((size_t)1 << 20)

static const uint32_t numbers[] = { 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17 };
static const struct pl_image_part parts[] = { { numbers, sizeof(numbers) },
					      { NULL, 0 },
					      { "text", 5 } };

static int new_file(void)
{
	int fd = memfd_create("image", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static int written(void)
{
	int fd = new_file();

	assert_int_equal(pl_image_write(fd, FORM, parts, 3, PL_ERR_IGNORED), 0);
	return fd;
}

static int read_again(int fd, const char *form, size_t bytes_max)
{
	auto_image struct pl_image *image = NULL;
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	int result = pl_image_read(fd, form, bytes_max, &image, &err);
	assert_true(result == 0 ? image != NULL : image == NULL && err.code == PL_ERR_INVALID);
	return result;
}

static void test_base_image__parts_come_back(void **state)
{
	auto_fd int fd = written();
	auto_image struct pl_image *image = NULL;
	size_t count = 0;

	(void)state;
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(pl_image_read(fd, FORM, BYTES_MAX, &image, PL_ERR_IGNORED), 0);
	assert_int_equal(pl_image_count(image), 3);
	assert_null(pl_image_take(image, 8, &count)); /* 44 bytes */
	auto_free uint32_t *first = pl_image_take(image, 4, &count);
	assert_int_equal(count, 11);
	assert_memory_equal(first, numbers, sizeof(numbers));
	auto_free char *empty = pl_image_take(image, 8, &count);
	assert_true(empty != NULL && count == 0);
	auto_free char *text = pl_image_take(image, 1, &count);
	assert_true(count == 5 && strcmp(text, "text") == 0);
	assert_null(pl_image_take(image, 1, &count));
}

static void test_base_image__form_and_limit(void **state)
{
	auto_fd int fd = written();

	(void)state;
	assert_int_equal(read_again(fd, FORM, sizeof(numbers) + 5), 0);
	assert_int_equal(read_again(fd, FORM, sizeof(numbers) + 4), -1);
	assert_int_equal(read_again(fd, "numbers 2", BYTES_MAX), -1);
	assert_int_equal(read_again(fd, "", BYTES_MAX), -1);
}

/* Each changed bit, and each other length. */
static void test_base_image__changes(void **state)
{
	auto_fd int fd = written();
	off_t size = lseek(fd, 0, SEEK_END);
	char byte;

	(void)state;
	for (off_t at = 0; at < size; at++) {
		for (int bit = 0; bit < 8; bit++) {
			assert_int_equal(pread(fd, &byte, 1, at), 1);
			char other = (char)(byte ^ (1 << bit));
			assert_int_equal(pwrite(fd, &other, 1, at), 1);
			assert_int_equal(read_again(fd, FORM, BYTES_MAX), -1);
			assert_int_equal(pwrite(fd, &byte, 1, at), 1);
		}
	}
	assert_int_equal(read_again(fd, FORM, BYTES_MAX), 0);
	assert_int_equal(ftruncate(fd, size + 1), 0);
	assert_int_equal(read_again(fd, FORM, BYTES_MAX), -1);
	while (size-- > 0) {
		assert_int_equal(ftruncate(fd, size), 0);
		assert_int_equal(read_again(fd, FORM, BYTES_MAX), -1);
	}
}

/* Words that are exchanged within a lane, or between parts of the same length. */
static void test_base_image__order_counts(void **state)
{
	uint64_t words[64], swapped[64];
	char bytes[2][4096];

	(void)state;
	for (size_t i = 0; i < 64; i++)
		words[i] = swapped[i] = i;
	swapped[0] = 4;
	swapped[4] = 0;
	for (int i = 0; i < 2; i++) {
		auto_fd int fd = new_file();
		const struct pl_image_part one = { i == 0 ? words : swapped, sizeof(words) };
		assert_int_equal(pl_image_write(fd, FORM, &one, 1, PL_ERR_IGNORED), 0);
		assert_true(pread(fd, bytes[i], sizeof(bytes[i]), 0) > 0);
	}
	/* the head ends with the sum */
	assert_memory_not_equal(bytes[0], bytes[1], 224);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_base_image__parts_come_back),
		cmocka_unit_test(test_base_image__form_and_limit),
		cmocka_unit_test(test_base_image__changes),
		cmocka_unit_test(test_base_image__order_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
