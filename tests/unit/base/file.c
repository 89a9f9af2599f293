#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "scratch.h"

static void assert_content(const char *path, const char *expected)
{
	struct pl_err err = PL_ERR_INIT;
	auto_free char *text = NULL;
	size_t len = 0;

	assert_int_equal(pl_file_read(path, 1000, &text, &len, &err), 0);
	assert_string_equal(text, expected);
	assert_int_equal(len, strlen(expected));
}

static void write_text(const char *path, const char *text)
{
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(pl_file_write(path, text, strlen(text), &err), 0);
}

static void test_base_file__write_then_read(void **state)
{
	struct scratch *scratch = *state;
	const char *path = scratch_path(scratch, "a");

	assert_false(pl_file_exists(path));
	assert_int_equal(pl_file_size(path), -1);
	write_text(path, "hello\n");
	assert_true(pl_file_exists(path));
	assert_int_equal(pl_file_size(path), 6);
	assert_content(path, "hello\n");
	write_text(path, "");
	assert_content(path, "");
	assert_int_equal(scratch_count(scratch), 1); /* no temporary file stays */
}

static void test_base_file__read_is_bounded(void **state)
{
	struct scratch *scratch = *state;
	const char *path = scratch_path(scratch, "a");
	struct pl_err err = PL_ERR_INIT;
	char *text = NULL;
	size_t len = 4711;

	write_text(path, "12345");
	assert_int_equal(pl_file_read(path, 4, &text, &len, &err), -1);
	assert_int_equal(err.code, PL_ERR_INVALID);
	assert_non_null(strstr(err.text, "is larger than 4 bytes"));
	assert_null(text);
	assert_int_equal(len, 4711);
	assert_int_equal(pl_file_read(path, 5, &text, NULL, &err), 0);
	assert_string_equal(text, "12345");
	free(text);
}

static void test_base_file__read_of_nothing_and_of_a_folder(void **state)
{
	struct scratch *scratch = *state;
	struct pl_err err = PL_ERR_INIT;
	char *text = NULL;

	assert_int_equal(pl_file_read(scratch_path(scratch, "none"), 9, &text, NULL, &err), -1);
	assert_int_equal(err.code, PL_ERR_IO);
	assert_non_null(strstr(err.text, "could not open '"));
	assert_non_null(strstr(err.text, "none': No such file or directory"));
	assert_int_equal(pl_file_read(scratch->dir, 9, &text, NULL, &err), -1);
	assert_non_null(strstr(err.text, "could not read '"));
	assert_null(text);
}

static void test_base_file__close_without_commit_leaves_the_old_file(void **state)
{
	struct scratch *scratch = *state;
	const char *path = scratch_path(scratch, "a");
	struct pl_err err = PL_ERR_INIT;

	write_text(path, "old");
	{
		auto_file_new file;
		assert_int_equal(pl_file_new_open(&file, path, &err), 0);
		fputs("new", file.stream);
		fflush(file.stream);
		assert_int_equal(scratch_count(scratch), 2);
		assert_content(path, "old");
	}
	assert_int_equal(scratch_count(scratch), 1);
	assert_content(path, "old");
}

static void test_base_file__commit_replaces_in_one_step(void **state)
{
	struct scratch *scratch = *state;
	const char *path = scratch_path(scratch, "a");
	struct pl_err err = PL_ERR_INIT;
	struct pl_file_new file;
	struct stat before;
	struct stat after;

	write_text(path, "old");
	assert_int_equal(stat(path, &before), 0);
	int open_before = open(path, O_RDONLY);
	assert_int_equal(pl_file_new_open(&file, path, &err), 0);
	fputs("new", file.stream);
	assert_int_equal(pl_file_new_commit(&file, &err), 0);
	pl_file_new_close(&file);
	assert_content(path, "new");
	assert_int_equal(stat(path, &after), 0);
	assert_true(before.st_ino != after.st_ino);
	/* who had the old file open still reads the old bytes */
	char text[4] = "";
	assert_int_equal(read(open_before, text, 3), 3);
	assert_string_equal(text, "old");
	close(open_before);
	assert_int_equal(scratch_count(scratch), 1);
}

/* The rename fails because a non-empty directory has the target name. */
static void test_base_file__failing_rename_leaves_nothing(void **state)
{
	struct scratch *scratch = *state;
	struct pl_err err = PL_ERR_INIT;
	auto_free char *path = pl_strdup(scratch_path(scratch, "a"));
	struct pl_file_new file;

	assert_int_equal(pl_file_new_open(&file, path, &err), 0);
	fputs("new", file.stream);
	assert_int_equal(mkdir(path, 0777), 0);
	assert_int_equal(pl_file_new_commit(&file, &err), -1);
	assert_int_equal(err.code, PL_ERR_IO);
	assert_non_null(strstr(err.text, "could not write '"));
	pl_file_new_close(&file);
	pl_file_new_close(&file); /* harmless */
	assert_int_equal(scratch_count(scratch), 1);
}

/* A device that takes no bytes: the error comes from the flush. */
static void test_base_file__failing_flush_leaves_nothing(void **state)
{
	struct scratch *scratch = *state;
	const char *path = scratch_path(scratch, "a");
	struct pl_err err = PL_ERR_INIT;
	struct pl_file_new file;

	write_text(path, "old");
	assert_int_equal(pl_file_new_open(&file, path, &err), 0);
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	if (full < 0) {
		pl_file_new_close(&file);
		skip();
	}
	dup2(full, fileno(file.stream));
	close(full);
	fputs("new", file.stream);
	assert_int_equal(pl_file_new_commit(&file, &err), -1);
	assert_non_null(strstr(err.text, "No space left on device"));
	pl_file_new_close(&file);
	assert_int_equal(scratch_count(scratch), 1);
	assert_content(path, "old");
}

/* The disk was full, and is no more when the rest is written. */
static void test_base_file__an_early_fault_counts(void **state)
{
	struct scratch *scratch = *state;
	const char *path = scratch_path(scratch, "a");
	struct pl_err err = PL_ERR_INIT;
	auto_file_new file = { 0 };
	char block[BUFSIZ] = "";
	auto_fd int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	write_text(path, "old");
	assert_int_equal(pl_file_new_open(&file, path, &err), 0);
	auto_fd int retained = dup(fileno(file.stream));
	assert_return_code(dup2(full, fileno(file.stream)), errno);
	for (int i = 0; i < 8; i++)
		fwrite(block, 1, sizeof(block), file.stream);
	assert_true(ferror(file.stream));
	assert_return_code(dup2(retained, fileno(file.stream)), errno);
	errno = 0;
	assert_int_equal(pl_file_new_commit(&file, &err), -1);
	assert_int_equal(err.code, PL_ERR_IO);
	assert_null(strstr(err.text, "Success"));
	assert_content(path, "old");
}

/* The temporary file's name can be foretold. */
static void test_base_file__no_link_is_followed(void **state)
{
	struct scratch *scratch = *state;
	auto_free char *path = pl_strdup(scratch_path(scratch, "a"));
	auto_free char *temporary = pl_asprintf("%s.tmp.%d", path, (int)gettid());
	const char *other = scratch_path(scratch, "b");
	struct pl_err err = PL_ERR_INIT;

	write_text(other, "another's");
	assert_return_code(symlink(other, temporary), errno);
	assert_int_equal(pl_file_write(path, "mine", 4, &err), 0);
	assert_content(other, "another's");
	assert_content(path, "mine");
}

/* Refuses to write to a temporary name that it cannot remove. */
static void test_base_file__a_taken_temporary_name(void **state)
{
	struct scratch *scratch = *state;
	auto_free char *path = pl_strdup(scratch_path(scratch, "a"));
	auto_free char *temporary = pl_asprintf("%s.tmp.%d", path, (int)gettid());
	struct pl_err err = PL_ERR_INIT;

	assert_return_code(mkdir(temporary, 0700), errno);
	assert_int_equal(pl_file_write(path, "mine", 4, &err), -1);
	assert_int_equal(err.code, PL_ERR_IO);
	assert_non_null(strstr(err.text, "exists and cannot be removed"));
	assert_false(pl_file_exists(path));
}

/* Refuses a file, a directory and a link to nothing, and leaves no temporary file. */
static void test_base_file__a_file_that_must_be_new(void **state)
{
	struct scratch *scratch = *state;
	auto_free char *path = pl_strdup(scratch_path(scratch, "a"));
	auto_free char *dangling = pl_strdup(scratch_path(scratch, "b"));
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(pl_file_write_new(path, "first", 5, &err), 0);
	assert_int_equal(pl_file_write_new(path, "second", 6, &err), -1);
	assert_int_equal(err.code, PL_ERR_INVALID);
	assert_content(path, "first");
	assert_return_code(symlink("none", dangling), errno);
	assert_int_equal(pl_file_write_new(dangling, "x", 1, &err), -1);
	assert_int_equal(err.code, PL_ERR_INVALID);
	assert_int_equal(pl_file_write_new(scratch->dir, "x", 1, &err), -1);
	assert_int_equal(err.code, PL_ERR_INVALID);
	/* one that appears after the first look */
	auto_file_new file = { 0 };
	assert_return_code(unlink(path), errno);
	assert_int_equal(pl_file_new_open_private(&file, path, &err), 0);
	file.must_be_new = true;
	assert_return_code(symlink(dangling, path), errno);
	assert_int_equal(pl_file_new_commit(&file, &err), -1);
	assert_string_equal(strrchr(err.text, '\''), "' exists");
	pl_file_new_close(&file);
	assert_int_equal(scratch_count(scratch), 2);
}

static void test_base_file__folder_that_is_not_there(void **state)
{
	struct scratch *scratch = *state;
	struct pl_err err = PL_ERR_INIT;
	const char *path = scratch_path(scratch, "none/a");

	assert_int_equal(pl_file_write(path, "x", 1, &err), -1);
	assert_int_equal(err.code, PL_ERR_IO);
	assert_non_null(strstr(err.text, "none/a': directory '"));
	assert_non_null(strstr(err.text, "none'"));
	assert_int_equal(pl_file_check_writable(path, &err), -1);
	assert_int_equal(scratch_count(scratch), 0);
}

static void test_base_file__check_writable(void **state)
{
	struct scratch *scratch = *state;
	struct pl_err err = PL_ERR_INIT;
	const char *path = scratch_path(scratch, "a");

	assert_int_equal(pl_file_check_writable(path, &err), 0);
	assert_int_equal(scratch_count(scratch), 0);
	write_text(path, "kept");
	assert_int_equal(pl_file_check_writable(path, &err), 0);
	assert_content(path, "kept");
	assert_int_equal(pl_file_check_writable(scratch->dir, &err), -1);
	assert_non_null(strstr(err.text, "it is a directory"));
}

static void test_base_file__parts_of_paths(void **state)
{
	static const struct {
		const char *path;
		const char *dir;
		const char *name;
	} rows[] = {
		{ "r.json", ".", "r.json" },   { "a/b/r.json", "a/b", "r.json" },
		{ "/r.json", "/", "r.json" },  { "/a/r.json", "/a", "r.json" },
		{ "./r.json", ".", "r.json" }, { "a/", "a", "" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_free char *dir = pl_file_dir(rows[i].path);
		auto_free char *name = pl_file_name(rows[i].path);
		assert_string_equal(dir, rows[i].dir);
		assert_string_equal(name, rows[i].name);
	}
}

static void test_base_file__siblings(void **state)
{
	static const struct {
		const char *path;
		const char *expected;
	} rows[] = {
		{ "a/b.json", "a/b.server.log" },
		{ "b", "b.server.log" },
		{ "b.json.json", "b.json.server.log" },
		{ "b.jsonl", "b.jsonl.server.log" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_free char *found = pl_file_sibling(rows[i].path, ".json", ".server.log");
		assert_string_equal(found, rows[i].expected);
	}
}

/* The published examples of FIPS 180-2. */
static void test_base_file__sha256(void **state)
{
	struct scratch *scratch = *state;
	const char *path = scratch_path(scratch, "a");
	struct pl_err err = PL_ERR_INIT;
	char hex[65];
	static const struct {
		const char *text;
		const char *hex;
	} rows[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		pl_sha256(rows[i].text, strlen(rows[i].text), hex);
		assert_string_equal(hex, rows[i].hex);
		write_text(path, rows[i].text);
		memset(hex, 0, sizeof(hex));
		assert_int_equal(pl_file_sha256(path, hex, &err), 0);
		assert_string_equal(hex, rows[i].hex);
	}
	assert_int_equal(pl_file_sha256(scratch->dir, hex, &err), -1);
	assert_int_equal(err.code, PL_ERR_IO);
}

static void test_base_file__files_that_are_not_there_yet(void **state)
{
	struct scratch *scratch = *state;
	const char *dir = scratch->dir;
	auto_free char *a = pl_asprintf("%s/a", dir), *dotted = pl_asprintf("%s/./a", dir),
		       *b = pl_asprintf("%s/b", dir), *nowhere = pl_asprintf("%s/x/a", dir);

	assert_false(pl_file_same(a, dotted));
	assert_true(pl_file_would_be_same(a, dotted));
	assert_false(pl_file_would_be_same(a, b));
	assert_false(pl_file_would_be_same(a, nowhere));
	write_text(a, "a");
	assert_int_equal(symlink("a", b), 0);
	assert_true(pl_file_would_be_same(a, b));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		scratch_test(test_base_file__write_then_read),
		scratch_test(test_base_file__read_is_bounded),
		scratch_test(test_base_file__read_of_nothing_and_of_a_folder),
		scratch_test(test_base_file__close_without_commit_leaves_the_old_file),
		scratch_test(test_base_file__commit_replaces_in_one_step),
		scratch_test(test_base_file__failing_rename_leaves_nothing),
		scratch_test(test_base_file__failing_flush_leaves_nothing),
		scratch_test(test_base_file__an_early_fault_counts),
		scratch_test(test_base_file__no_link_is_followed),
		scratch_test(test_base_file__a_taken_temporary_name),
		scratch_test(test_base_file__a_file_that_must_be_new),
		scratch_test(test_base_file__folder_that_is_not_there),
		scratch_test(test_base_file__check_writable),
		cmocka_unit_test(test_base_file__parts_of_paths),
		cmocka_unit_test(test_base_file__siblings),
		scratch_test(test_base_file__files_that_are_not_there_yet),
		scratch_test(test_base_file__sha256),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
