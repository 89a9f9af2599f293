#include "vllm/version.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct vllm_version parse(const char *text)
{
	struct vllm_version version;
	struct pl_err err = PL_ERR_INIT;

	if (vllm_version_parse(text, &version, &err) < 0)
		fail_msg("%s", err.text);
	return version;
}

static void releases_are_in_order(void **state)
{
	/* each line comes after the one above it; the entries of one line are equal */
	static const char *const order[][4] = {
		{ "0.9", "0.9.0", "v0.9.0", "0.9.0+cu118" },
		{ "0.9.2.dev12+gabc", "0.9.2.dev12" },
		{ "0.9.2.dev13" },
		{ "0.9.2a1", "0.9.2.alpha1", "0.9.2-a-1" },
		{ "0.9.2b1", "0.9.2.beta.1" },
		{ "0.9.2rc1.dev3" },
		{ "0.9.2rc1", "0.9.2c1", "0.9.2pre1", "0.9.2-preview_1" },
		{ "0.9.2rc2" },
		{ "0.9.2", "V0.9.2" },
		{ "0.9.2.post1", "0.9.2-post1" },
		{ "0.9.2.post2" },
		{ "0.9.2.1" },
		{ "0.10.0" },
		{ "0.11.0" },
		{ "0.11.1rc2" },
		{ "0.11.1" },
		{ "0.32.0", "0.32.0+cu129", "0.32" },
		{ "1" },
		{ "1.0.0.0.0.1" },
		{ "999999999" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(order) * 4; i++) {
		for (size_t k = 0; k < PL_ARRAY_SIZE(order) * 4; k++) {
			const char *a = order[i / 4][i % 4];
			const char *b = order[k / 4][k % 4];
			if (a == NULL || b == NULL)
				continue;
			struct vllm_version x = parse(a);
			struct vllm_version y = parse(b);
			int expected = (i / 4 > k / 4) - (i / 4 < k / 4);
			if (vllm_version_compare(&x, &y) != expected)
				fail_msg("%s against %s", a, b);
		}
	}
}

static void invalid_releases_are_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"v",
		"vv0.1",
		"latest",
		"0.11.x",
		".1",
		"1.",
		"1..2",
		"0.9 ",
		" 0.9",
		"0.9+",
		"0.9+a b",
		"1.2.3.4.5.6.7",
		"0.9.2gabc",
		"1234567890",
		"0.9rc1x",
		"0.9-",
		"-1",
		"0.9.dev1234567890",
		"later than cli_args.py@789340fb",
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		struct vllm_version version = { .release = { 7 } };
		struct pl_err err = PL_ERR_INIT;
		if (vllm_version_parse(texts[i], &version, &err) == 0)
			fail_msg("'%s' was taken", texts[i]);
		assert_int_equal(err.code, PL_ERR_INVALID);
		assert_non_null(strstr(err.text, "is not a release"));
		assert_int_equal(version.release[0], 7);
	}
}

static void builds_without_tags_are_reported(void **state)
{
	static const struct {
		const char *text;
		bool untagged;
	} cases[] = {
		{ "0.1.dev1", true },     { "0.1.dev12986+gfa99ccebd.cu129", true },
		{ "0.1.0.dev3", true },   { "0.1", false },
		{ "0.1.1.dev3", false },  { "0.1rc1.dev3", false },
		{ "0.32.1.dev3", false },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct vllm_version version = parse(cases[i].text);
		assert_int_equal(vllm_version_is_untagged(&version), cases[i].untagged);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(releases_are_in_order),
		cmocka_unit_test(invalid_releases_are_refused),
		cmocka_unit_test(builds_without_tags_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
