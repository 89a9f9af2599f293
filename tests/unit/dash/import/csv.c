#include "dash/import/csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static void check_field(const struct dash_csv *csv, size_t column, const char *expected)
{
	assert_string_equal(dash_csv_field(csv, column), expected);
}

static void test_dash_import_csv__reads_fields_by_their_columns(void **state)
{
	const char *text = "\xEF\xBB\xBF\n# a list\n a ,\"b, \"\"c\"\"\",\r\n\n"
			   "1,\" x \",\n \t\n# 2,3,4\n,\"\" ,\"#\"\t\n#";
	struct pl_err err = PL_ERR_INIT;
	auto_csv csv;
	size_t column = 0;

	(void)state;
	assert_int_equal(dash_csv_open(&csv, "x.csv", text, &err), 0);
	assert_int_equal(csv.names.count, 3);
	assert_string_equal(dash_csv_name(&csv, 0), "a");
	assert_string_equal(dash_csv_name(&csv, 1), "b, \"c\"");
	assert_string_equal(dash_csv_name(&csv, 2), "");
	assert_int_equal(dash_csv_find(&csv, "b, \"c\"", true, &column, &err), 0);
	assert_int_equal(column, 1);
	assert_int_equal(dash_csv_find(&csv, "z", false, &column, &err), 0);
	assert_true(column == SIZE_MAX);
	assert_int_equal(dash_csv_next(&csv, &err), 1);
	assert_int_equal(csv.row.line, 5);
	check_field(&csv, 0, "1");
	check_field(&csv, 1, " x ");
	check_field(&csv, 2, "");
	assert_int_equal(dash_csv_next(&csv, &err), 1);
	assert_int_equal(csv.row.line, 8);
	check_field(&csv, 0, "");
	check_field(&csv, 1, "");
	check_field(&csv, 2, "#");
	assert_int_equal(dash_csv_next(&csv, &err), 0);
	assert_int_equal(dash_csv_next(&csv, &err), 0);
}

static void test_dash_import_csv__numbers_are_finite_and_not_negative(void **state)
{
	static const struct {
		const char *text;
		double number; /* -1: none */
	} cases[] = { { "0", 0 },    { "1.5", 1.5 }, { "1e3", 1000 }, { "-0.5", -1 },
		      { "nan", -1 }, { "inf", -1 },  { "1e999", -1 }, { "", -1 },
		      { "1 2", -1 }, { "0x10", -1 }, { "1,5", -1 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		auto_free char *text = pl_asprintf("n,m\n\"%s\",1\n", cases[i].text);
		struct pl_err err = PL_ERR_INIT;
		double number = 0;
		auto_csv csv;
		assert_int_equal(dash_csv_open(&csv, "x", text, &err), 0);
		assert_int_equal(dash_csv_next(&csv, &err), 1);
		assert_int_equal(dash_csv_number(&csv, 0, &number), cases[i].number >= 0);
		if (cases[i].number >= 0)
			assert_true(!(number < cases[i].number) && !(number > cases[i].number));
	}
}

static void test_dash_import_csv__errors_have_a_place(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "x.csv:1:1: found nothing, expected the names of columns" },
		{ "\n# x\n", "x.csv:3:1: found nothing, expected the names of columns" },
		{ "gpu,\"b\n", "x.csv:1:5: found no closing quote in this line, expected one" },
		{ "gpu,\"b\"c\n", "x.csv:1:8: unexpected text after a closing quote" },
		{ "gpus,per_hour\n", "x.csv:1:1: found no column 'gpu' (did you mean 'gpus'?)" },
		{ "model,per_hour\n", "x.csv:1:1: found no column 'gpu'" },
		{ "gpu,b,gpu\n", "x.csv:1:7: found column 'gpu' twice" },
		{ "gpu,b\n# x\nA\n", "x.csv:3:1: found 1 field, expected 2" },
		{ "gpu,b\nA,1,2,3\n", "x.csv:2:5: found 4 fields, expected 2" },
		{ "gpu,b\nA,1\n B , \"1\n", "x.csv:3:6: found no closing quote in this line, "
					    "expected one" },
		/* the column counts characters */
		{ "gpu,b\n\xC3\xA9\xC3\xA9, -1\n", "x.csv:2:5: b: found '-1'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pl_err err = PL_ERR_INIT;
		size_t column;
		double number;
		auto_csv csv;
		int result = dash_csv_open(&csv, "x.csv", cases[i].text, &err);
		if (result == 0)
			result = dash_csv_find(&csv, "gpu", true, &column, &err);
		while (result >= 0 && (result = dash_csv_next(&csv, &err)) > 0) {
			if (!dash_csv_number(&csv, 1, &number))
				result = dash_csv_refuse(&csv, 1, &err, "found '%s'",
							 dash_csv_field(&csv, 1));
		}
		assert_int_equal(result, -1);
		assert_int_equal(err.code, PL_ERR_INVALID);
		assert_string_equal(err.text, cases[i].message);
	}
}

static void test_dash_import_csv__the_number_of_columns_is_limited(void **state)
{
	char text[2 * DASH_CSV_COLUMNS_MAX + 4];

	(void)state;
	for (size_t more = 0; more < 2; more++) {
		struct pl_err err = PL_ERR_INIT;
		size_t commas = DASH_CSV_COLUMNS_MAX - 1 + more;
		auto_csv csv;
		memset(text, ',', commas);
		memcpy(text + commas, "\n", 2);
		assert_int_equal(dash_csv_open(&csv, "x", text, &err), more == 0 ? 0 : -1);
		if (more > 0)
			assert_string_equal(err.text, "x:1:257: found more than 256 fields");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dash_import_csv__reads_fields_by_their_columns),
		cmocka_unit_test(test_dash_import_csv__numbers_are_finite_and_not_negative),
		cmocka_unit_test(test_dash_import_csv__errors_have_a_place),
		cmocka_unit_test(test_dash_import_csv__the_number_of_columns_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
