#include "vllm/flag_sense.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"

static void flags_are_compared_by_their_names(void **state)
{
	static const struct {
		const char *flag;
		const char *other;
		enum vllm_sense sense;
	} cases[] = {
		{ "--x", "--no-x", VLLM_SENSE_OPPOSITE },
		{ "--enable-x", "--disable-x", VLLM_SENSE_OPPOSITE },
		{ "--disable-x", "--enable-x", VLLM_SENSE_OPPOSITE },
		{ "--enable-x", "--no-enable-x", VLLM_SENSE_OPPOSITE },
		{ "--disable-x", "--no-disable-x", VLLM_SENSE_OPPOSITE },
		{ "--enable-x", "--no-x", VLLM_SENSE_OPPOSITE },
		{ "--enable-x", "--without-x", VLLM_SENSE_OPPOSITE },
		{ "--disable-x", "--x", VLLM_SENSE_OPPOSITE },
		{ "--skip-x-init", "--no-skip-x-init", VLLM_SENSE_OPPOSITE },
		{ "--enable_x_y", "--disable-x_y", VLLM_SENSE_OPPOSITE },
		{ "--x", "--enable-x", VLLM_SENSE_SAME },
		{ "--use-x", "--x", VLLM_SENSE_SAME },
		{ "--disable-x", "--no-enable-x", VLLM_SENSE_SAME },
		{ "--disable-x", "--no-x", VLLM_SENSE_SAME },
		{ "--x", "--y", VLLM_SENSE_UNDECIDED },
		{ "--x", "--no-xy", VLLM_SENSE_UNDECIDED },
		{ "--enable-x", "--suppress-x", VLLM_SENSE_UNDECIDED },
		{ "--x", "--x-off", VLLM_SENSE_UNDECIDED },
		/* no name is left */
		{ "--no-", "--x", VLLM_SENSE_UNDECIDED },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		assert_int_equal(vllm_flag_sense(cases[i].flag, cases[i].other), cases[i].sense);
		assert_int_equal(vllm_flag_sense(cases[i].other, cases[i].flag), cases[i].sense);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags_are_compared_by_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
