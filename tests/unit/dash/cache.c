#include "dash/cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

#define SIZE 1000

/* An answer of SIZE bytes, all of them `letter`. */
static void keep(struct dash_cache *retained, int64_t version, const char *question, char letter)
{
	auto_answer answer = { .status = 200 };
	char *bytes = pl_alloc(SIZE);

	memset(bytes, letter, SIZE);
	dash_answer_bytes(&answer, "text/plain", bytes, SIZE);
	dash_answer_make_shared(&answer);
	dash_cache_add(retained, version, question, &answer);
}

/* Returns 0 if it is missing. */
static char found(struct dash_cache *retained, int64_t version, const char *question)
{
	auto_answer answer = { 0 };

	if (!dash_cache_find(retained, version, question, &answer))
		return '\0';
	assert_int_equal(answer.status, 200);
	assert_string_equal(answer.type, "text/plain");
	assert_int_equal(answer.len, SIZE);
	return answer.shared->bytes[SIZE - 1];
}

static void test_dash_cache__by_request_and_version(void **state)
{
	struct dash_cache *retained = dash_cache_new(100 * SIZE);

	(void)state;
	keep(retained, 1, "a", 'a');
	keep(retained, 1, "b", 'b');
	keep(retained, 1, "a", 'x'); /* the first one stays */
	assert_int_equal(found(retained, 1, "a"), 'a');
	assert_int_equal(found(retained, 1, "b"), 'b');
	assert_int_equal(found(retained, 1, "c"), 0);
	assert_int_equal(found(retained, 1, ""), 0);
	/* newer data: the cache has no older responses and accepts none */
	assert_int_equal(found(retained, 2, "a"), 0);
	keep(retained, 1, "a", 'a');
	assert_int_equal(found(retained, 2, "a"), 0);
	assert_int_equal(found(retained, 1, "a"), 0);
	keep(retained, 2, "a", 'c');
	assert_int_equal(found(retained, 2, "a"), 'c');
	dash_cache_free(retained);
}

static void test_dash_cache__drops_the_least_recently_used(void **state)
{
	static const char *const questions[] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9" };
	struct dash_cache *retained = dash_cache_new(5 * SIZE + 4 * SIZE / 2);
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		keep(retained, 1, questions[i], (char)('0' + i));
	assert_int_equal(found(retained, 1, "0"), '0');
	for (size_t i = 4; i < 8; i++)
		keep(retained, 1, questions[i], (char)('0' + i));
	assert_int_equal(found(retained, 1, "7"), '7');
	assert_int_equal(found(retained, 1, "1"), 0);
	for (size_t i = 0; i < 8; i++)
		count += found(retained, 1, questions[i]) != 0;
	assert_in_range(count, 4, 6);
	/* one that has no room at all takes none from others */
	auto_answer large = { .status = 200 };
	dash_answer_bytes(&large, "text/plain", pl_alloc(8 * SIZE), 8 * SIZE);
	dash_answer_make_shared(&large);
	dash_cache_add(retained, 1, "large", &large);
	assert_int_equal(found(retained, 1, "large"), 0);
	assert_int_equal(found(retained, 1, "7"), '7');
	dash_cache_free(retained);
}

/* A holder of a response keeps its bytes, whatever happens to the others. */
static void test_dash_cache__bytes_outlive_it(void **state)
{
	struct dash_cache *retained = dash_cache_new(100 * SIZE);
	auto_answer answer = { 0 };

	(void)state;
	keep(retained, 1, "a", 'a');
	assert_true(dash_cache_find(retained, 1, "a", &answer));
	dash_cache_free(retained);
	assert_int_equal(answer.shared->bytes[0], 'a');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dash_cache__by_request_and_version),
		cmocka_unit_test(test_dash_cache__drops_the_least_recently_used),
		cmocka_unit_test(test_dash_cache__bytes_outlive_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
