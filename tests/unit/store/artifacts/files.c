#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/text.h"
#include "store/artifacts/files.h"
#include "unit/base/scratch.h"

#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

/* The folders that are written to the disk, one a line, in place of doing so. */
static struct pl_buf synced;

int fsync(int fd)
{
	auto_free char *link = pl_asprintf("/proc/self/fd/%d", fd);
	char path[4096] = "";

	if (readlink(link, path, sizeof(path) - 1) > 0)
		pl_buf_addf(&synced, "%s\n", path);
	return 0;
}

/* No directory has room. */
static bool is_full;

int mkdir(const char *path, mode_t mode)
{
	if (!is_full)
		return mkdirat(AT_FDCWD, path, mode);
	errno = ENOSPC;
	return -1;
}

static size_t count_in(const char *folder)
{
	auto_dir dir = opendir(folder);
	size_t count = 0;

	while (pl_dir_next(dir) != NULL)
		count++;
	return count;
}

/* `context` is the one that a row names; NULL: none. */
static int named(void *context, const char *sha256, bool *ret, struct pl_err *err)
{
	(void)err;
	*ret = context != NULL && strcmp(context, sha256) == 0;
	return 0;
}

static struct store_file_in *begin(struct store_files *files, const char *text)
{
	struct store_file_in *in;
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(store_file_in_new(files, &in, &err), 0);
	assert_int_equal(store_file_in_write(in, text, strlen(text), &err), 0);
	return in;
}

static void put(struct store_files *files, const char *text, bool is_kept)
{
	struct store_file_in *in = begin(files, text);
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(store_file_in_end(in, NULL, &err), 0);
	assert_int_equal(store_file_in_bytes(in), strlen(text));
	store_file_in_free(in, is_kept);
}

static bool is_there(const struct store_files *files, const char *sha256)
{
	struct pl_err err = PL_ERR_INIT;
	int fd;

	if (store_files_open(files, sha256, &fd, &err) < 0) {
		assert_int_equal(err.code, PL_ERR_NOT_FOUND);
		return false;
	}
	close(fd);
	return true;
}

static void test_store_artifacts_files__once_by_its_hash(void **state)
{
	const char *folder = scratch_path(*state, "files");
	struct store_files *files = store_files_new(folder);
	auto_free char *incoming = pl_asprintf("%s/incoming", folder);
	auto_free char *shard = pl_asprintf("%s/ba", folder);

	assert_false(is_there(files, ABC));
	put(files, "abc", true);
	put(files, "abc", true);
	assert_true(is_there(files, ABC));
	assert_int_equal(count_in(incoming), 0);
	assert_int_equal(count_in(shard), 1);
	store_files_free(files);
}

static void test_store_artifacts_files__another_hash_leaves_nothing(void **state)
{
	const char *folder = scratch_path(*state, "files");
	struct store_files *files = store_files_new(folder);
	auto_free char *incoming = pl_asprintf("%s/incoming", folder);
	struct store_file_in *in = begin(files, "abd");
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(store_file_in_end(in, ABC, &err), -1);
	assert_int_equal(err.code, PL_ERR_INVALID);
	assert_non_null(strstr(err.text, "expected " ABC));
	store_file_in_free(in, false);
	assert_int_equal(count_in(incoming), 0);
	assert_false(is_there(files, ABC));
	store_files_free(files);
}

/* A directory has the name of the file: the sender gets no confirmation. */
static void test_store_artifacts_files__a_name_that_cannot_be_written_fails(void **state)
{
	const char *folder = scratch_path(*state, "files");
	struct store_files *files = store_files_new(folder);
	auto_free char *incoming = pl_asprintf("%s/incoming", folder);
	auto_free char *path = store_files_path(files, ABC);
	auto_free char *shard = pl_file_dir(path);
	struct store_file_in *in = begin(files, "abc");
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(mkdir(shard, 0755), 0);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(store_file_in_end(in, ABC, &err), -1);
	assert_non_null(strstr(err.text, path));
	store_file_in_free(in, false);
	assert_int_equal(count_in(incoming), 0);
	store_files_free(files);
}

static void test_store_artifacts_files__a_directory_that_cannot_be_made_fails(void **state)
{
	const char *folder = scratch_path(*state, "files");
	struct store_files *files = store_files_new(folder);
	struct store_file_in *in = begin(files, "abc");
	struct pl_err err = PL_ERR_INIT;

	is_full = true;
	assert_int_equal(store_file_in_end(in, ABC, &err), -1);
	is_full = false;
	assert_int_equal(err.code, PL_ERR_FULL);
	store_file_in_free(in, false);
	assert_false(is_there(files, ABC));
	store_files_free(files);
}

/* The file is complete and has its name, but was not confirmed: a row may refer to it or not. */
static void test_store_artifacts_files__tidy_asks_for_rows(void **state)
{
	struct pl_err err = PL_ERR_INIT;

	for (int i = 0; i < 2; i++) {
		char *row = i == 0 ? NULL : (char *)ABC;
		const char *folder = scratch_path(*state, i == 0 ? "none" : "one");
		struct store_files *files = store_files_new(folder);
		auto_free char *incoming = pl_asprintf("%s/incoming", folder);
		put(files, "abc", false);
		assert_int_equal(count_in(incoming), 1);
		assert_int_equal(store_files_tidy(files, named, row, &err), 0);
		assert_int_equal(count_in(incoming), 0);
		assert_int_equal(is_there(files, ABC), row != NULL);
		store_files_free(files);
	}
}

static void test_store_artifacts_files__tidy_leaves_who_writes_alone(void **state)
{
	struct store_files *files = store_files_new(scratch_path(*state, "files"));
	struct store_file_in *in = begin(files, "abc");
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(store_files_tidy(files, named, NULL, &err), 0);
	assert_int_equal(store_file_in_end(in, ABC, &err), 0);
	store_file_in_free(in, true);
	assert_true(is_there(files, ABC));
	store_files_free(files);
}

static void test_store_artifacts_files__sweep_takes_what_nobody_names(void **state)
{
	struct store_files *files = store_files_new(scratch_path(*state, "files"));
	struct pl_err err = PL_ERR_INIT;
	size_t gone;

	put(files, "abc", true);
	put(files, "abd", true);
	assert_int_equal(store_files_sweep(files, named, (char *)ABC, &gone, &err), 0);
	assert_int_equal(gone, 1);
	assert_true(is_there(files, ABC));
	assert_int_equal(store_files_sweep(files, named, NULL, &gone, &err), 0);
	assert_int_equal(gone, 1);
	assert_false(is_there(files, ABC));
	store_files_free(files);
}

/* Its disk has failed. */
static void test_store_artifacts_files__a_damaged_one_is_mended(void **state)
{
	const char *folder = scratch_path(*state, "files");
	struct store_files *files = store_files_new(folder);
	auto_free char *path = pl_asprintf("%s/ba/" ABC, folder);
	struct pl_err err = PL_ERR_INIT;
	char found[65];

	put(files, "abc", true);
	assert_int_equal(truncate(path, 1), 0);
	assert_int_equal(store_files_bytes(files, ABC), 1);
	put(files, "abc", true);
	assert_int_equal(store_files_bytes(files, ABC), 3);
	/* as long, and another */
	assert_int_equal(pl_file_write(path, "abd", 3, &err), 0);
	assert_int_equal(store_files_hash(files, ABC, found, &err), 0);
	assert_string_not_equal(found, ABC);
	put(files, "abc", true);
	assert_int_equal(store_files_hash(files, ABC, found, &err), 0);
	assert_string_equal(found, ABC);
	store_files_free(files);
}

/* A name is on disk after its directory was written. */
static void test_store_artifacts_files__new_folders_last(void **state)
{
	const char *folder = scratch_path(*state, "files");
	auto_free char *with_slash = pl_asprintf("%s/", folder);
	struct store_files *files = store_files_new(with_slash);
	auto_free char *above = pl_file_dir(folder);
	auto_free char *real = realpath(above, NULL);
	const char *const names[] = { "", "/files", "/files/ba" };

	pl_buf_init(&synced, 65536);
	put(files, "abc", true);
	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		auto_free char *line = pl_asprintf("%s%s\n", real, names[i]);
		assert_non_null(strstr(pl_buf_text(&synced), line));
	}
	pl_buf_done(&synced);
	store_files_free(files);
}

static void check_refused(const char *folder, const char *found)
{
	struct store_files *files = store_files_new(folder);
	struct store_file_in *in = NULL;
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(store_files_distrust(files, &err), -1);
	assert_non_null(strstr(err.text, found));
	/* made after the start */
	assert_int_equal(store_file_in_new(files, &in, &err), -1);
	assert_non_null(strstr(err.text, found));
	store_files_free(files);
}

static void test_store_artifacts_files__a_planted_directory_is_refused(void **state)
{
	const char *folder = scratch_path(*state, "files");
	struct store_files *files = store_files_new(folder);
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(store_files_distrust(files, &err), 0);
	put(files, "abc", true);
	assert_int_equal(store_files_distrust(files, &err), 0);
	store_files_free(files);
	assert_int_equal(chmod(folder, 0777), 0);
	check_refused(folder, "found mode 0777 of user");
	assert_int_equal(chmod(folder, 0755), 0);
	if (geteuid() != 0)
		skip();
	assert_int_equal(chown(folder, 64001, 64001), 0);
	check_refused(folder, "found mode 0755 of user 64001, expected a directory of this user");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_store_artifacts_files__once_by_its_hash),
		scratch_test(test_store_artifacts_files__another_hash_leaves_nothing),
		scratch_test(test_store_artifacts_files__a_name_that_cannot_be_written_fails),
		scratch_test(test_store_artifacts_files__a_directory_that_cannot_be_made_fails),
		scratch_test(test_store_artifacts_files__tidy_asks_for_rows),
		scratch_test(test_store_artifacts_files__tidy_leaves_who_writes_alone),
		scratch_test(test_store_artifacts_files__sweep_takes_what_nobody_names),
		scratch_test(test_store_artifacts_files__a_damaged_one_is_mended),
		scratch_test(test_store_artifacts_files__new_folders_last),
		scratch_test(test_store_artifacts_files__a_planted_directory_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
