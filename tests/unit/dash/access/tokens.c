#include "dash/access/tokens.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#define HASH                                \
	"000102030405060708090a0b0c0d0e0f:" \
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789ABCDEF"

static void test_dash_tokens__lines(void **state)
{
	static const char text[] = "# comment\n\nalice read never " HASH "\r\n"
				   "bob@x.org write 2027-01-31T00:00:00Z " HASH
				   "\nc admin never " HASH;
	struct pl_err err = PL_ERR_INIT;
	auto_tokens tokens = { 0 };

	(void)state;
	assert_int_equal(dash_tokens_parse(text, strlen(text), "f", &tokens, &err), 0);
	assert_int_equal(tokens.count, 3);
	assert_string_equal(tokens.items[0].name, "alice");
	assert_int_equal(tokens.items[0].role, DASH_ROLE_READ);
	assert_true(tokens.items[0].expires_s == DASH_EXPIRY_NEVER);
	assert_int_equal(tokens.items[0].salt[15], 15);
	assert_int_equal(tokens.items[0].hash[31], 0xef);
	assert_int_equal(tokens.items[1].expires_s, 1801353600);
	assert_int_equal(tokens.items[2].role, DASH_ROLE_ADMIN);
	assert_ptr_equal(dash_tokens_find_user(&tokens, "c"), &tokens.items[2]);
	assert_null(dash_tokens_find_user(&tokens, "d"));
}

static void test_dash_tokens__faults(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "alice read never", "f:1: hash: found nothing, expected four words separated by "
				      "one space" },
		{ "\n#\nalice  read never " HASH, "f:3: role: found nothing, expected four words "
						  "separated by one space" },
		{ "alice root never " HASH,
		  "f:1: role: found 'root', expected read, write or admin" },
		{ "alice none never " HASH,
		  "f:1: role: found 'none', expected read, write or admin" },
		{ "alice profllm_abc never " HASH,
		  "f:1: role: found a token, expected read, write or admin" },
		{ "alice:profllm_abc read never " HASH,
		  "f:1: name: found a token, expected 1 to 64 letters, digits and '._@+-', "
		  "starting with a letter or digit" },
		{ "a read never " HASH " b profllm_abc", "f:1: hash: found a token, expected the "
							 "end of the line" },
		{ "-a read never " HASH, "f:1: name: found '-a', expected 1 to 64 letters, digits "
					 "and '._@+-', starting with a letter or digit" },
		{ "a read 2027-02-31T00:00:00Z " HASH,
		  "f:1: expiry: found '2027-02-31T00:00:00Z', expected 'never' or a time such as "
		  "2027-01-31T00:00:00Z" },
		{ "a read 2027-1-31T00:00:00Z " HASH,
		  "f:1: expiry: found '2027-1-31T00:00:00Z', expected 'never' or a time such as "
		  "2027-01-31T00:00:00Z" },
		{ "a read never 00:00", "f:1: hash: found another value, expected 32 and 64 "
					"hexadecimal digits separated by ':'" },
		{ "a read never " HASH "0", "f:1: hash: found another value, expected 32 and 64 "
					    "hexadecimal digits separated by ':'" },
		{ "a read never " HASH " more", "f:1: hash: found 'more', expected the end of the "
						"line" },
		{ "a read never " HASH "\na write never " HASH,
		  "f:2: name: found 'a', expected a name that no earlier line has" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct pl_err err = PL_ERR_INIT;
		auto_tokens tokens = { 0 };
		assert_int_equal(
			dash_tokens_parse(cases[i].text, strlen(cases[i].text), "f", &tokens, &err),
			-1);
		assert_string_equal(err.text, cases[i].message);
		assert_int_equal(tokens.count, 0);
	}
}

/* ---- files --------------------------------------------------------------------------------- */

struct scratch {
	char folder[32];
	char *path;
};

static int open_scratch(void **state)
{
	struct scratch *scratch = pl_alloc(sizeof(*scratch));

	strcpy(scratch->folder, "/tmp/tokens.XXXXXX");
	assert_non_null(mkdtemp(scratch->folder));
	scratch->path = pl_asprintf("%s/tokens", scratch->folder);
	*state = scratch;
	return 0;
}

static int close_scratch(void **state)
{
	struct scratch *scratch = *state;
	auto_free char *lock = pl_asprintf("%s.lock", scratch->path);

	unlink(scratch->path);
	unlink(lock);
	rmdir(scratch->folder);
	free(scratch->path);
	free(scratch);
	return 0;
}

static void test_dash_tokens__add_find_revoke(void **state)
{
	const char *path = ((struct scratch *)*state)->path;
	char one[DASH_TOKEN_BYTES], two[DASH_TOKEN_BYTES], none[DASH_TOKEN_BYTES] = "";
	struct pl_err err = PL_ERR_INIT;
	auto_tokens tokens = { 0 };
	struct stat st;
	bool is_valid;

	assert_int_equal(dash_tokens_add(path, "one", DASH_ROLE_READ, 1000, one, &err), 0);
	assert_int_equal(
		dash_tokens_add(path, "two", DASH_ROLE_ADMIN, DASH_EXPIRY_NEVER, two, &err), 0);
	assert_int_equal(strlen(one), strlen(DASH_TOKEN_PREFIX) + 43);
	assert_string_not_equal(one, two);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	auto_free char *text = pl_file_text(path, 65536, NULL);
	assert_null(strstr(text, DASH_TOKEN_PREFIX));

	assert_int_equal(dash_tokens_read(path, &tokens, &err), 0);
	assert_int_equal(tokens.count, 2);
	assert_memory_not_equal(tokens.items[0].salt, tokens.items[1].salt, DASH_SALT_BYTES);
	assert_ptr_equal(dash_tokens_find(&tokens, one, 999, &is_valid), &tokens.items[0]);
	assert_true(is_valid);
	assert_ptr_equal(dash_tokens_find(&tokens, one, 1000, &is_valid), &tokens.items[0]);
	assert_false(is_valid);
	assert_ptr_equal(dash_tokens_find(&tokens, two, INT64_MAX - 1, &is_valid),
			 &tokens.items[1]);
	assert_true(is_valid);
	two[20] ^= 1;
	assert_null(dash_tokens_find(&tokens, two, 0, &is_valid));
	assert_false(is_valid);
	assert_null(dash_tokens_find(&tokens, "", 0, &is_valid));

	assert_int_equal(dash_tokens_add(path, "one", DASH_ROLE_READ, 1, none, &err), -1);
	assert_int_equal(err.code, PL_ERR_BUSY);
	assert_string_equal(none, "");
	assert_int_equal(dash_tokens_revoke(path, "one", &err), 0);
	assert_int_equal(dash_tokens_revoke(path, "one", &err), -1);
	assert_int_equal(err.code, PL_ERR_NOT_FOUND);
	dash_tokens_done(&tokens);
	assert_int_equal(dash_tokens_read(path, &tokens, &err), 0);
	assert_int_equal(tokens.count, 1);
	assert_string_equal(tokens.items[0].name, "two");
}

static void test_dash_tokens__file_of_others(void **state)
{
	const char *path = ((struct scratch *)*state)->path;
	static const mode_t modes[] = { 0640, 0604, 0620, 0602, 0660, 0601 };
	char text[DASH_TOKEN_BYTES];
	struct pl_err err = PL_ERR_INIT;
	auto_tokens tokens = { 0 };

	assert_int_equal(dash_tokens_add(path, "one", DASH_ROLE_READ, 1000, text, &err), 0);
	for (size_t i = 0; i < PL_ARRAY_SIZE(modes); i++) {
		assert_int_equal(chmod(path, modes[i]), 0);
		assert_int_equal(dash_tokens_read(path, &tokens, &err), -1);
		assert_non_null(strstr(err.text, "expected 0600; run 'chmod 600'"));
		/* a writer does not repair it either: others may have changed its tokens */
		assert_int_equal(dash_tokens_add(path, "b", DASH_ROLE_READ, 1, text, &err), -1);
	}
	assert_int_equal(chmod(path, 0400), 0);
	assert_int_equal(dash_tokens_read(path, &tokens, &err), 0);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(dash_tokens_read(path, &tokens, &err), -1);
	assert_non_null(strstr(err.text, "is not a regular file"));
}

/* As a Secret of Kubernetes: root owns the file, and the group of the process may read it. */
static void test_dash_tokens__file_of_root(void **state)
{
	const char *path = ((struct scratch *)*state)->path;
	static const struct {
		mode_t mode;
		int expected;
	} cases[] = { { 0640, 0 },  { 0440, 0 },  { 0600, -1 },
		      { 0660, -1 }, { 0644, -1 }, { 0650, -1 } };
	char text[DASH_TOKEN_BYTES];
	struct pl_err err = PL_ERR_INIT;
	auto_free char *folder = pl_strdup(path);

	if (geteuid() != 0 || getegid() != 0)
		skip();
	*strrchr(folder, '/') = '\0';
	assert_int_equal(chmod(folder, 0750), 0);
	assert_int_equal(dash_tokens_add(path, "one", DASH_ROLE_READ, 1000, text, &err), 0);
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_tokens tokens = { 0 };
		assert_int_equal(chmod(path, cases[i].mode), 0);
		assert_int_equal(seteuid(65534), 0);
		int got = dash_tokens_read(path, &tokens, &err);
		assert_int_equal(seteuid(0), 0);
		assert_int_equal(got, cases[i].expected);
	}
	assert_non_null(strstr(err.text, "found mode 0650, expected 0640; run 'chmod 640'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dash_tokens__lines),
		cmocka_unit_test(test_dash_tokens__faults),
		cmocka_unit_test_setup_teardown(test_dash_tokens__add_find_revoke, open_scratch,
						close_scratch),
		cmocka_unit_test_setup_teardown(test_dash_tokens__file_of_others, open_scratch,
						close_scratch),
		cmocka_unit_test_setup_teardown(test_dash_tokens__file_of_root, open_scratch,
						close_scratch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
