/* Events in other forms: what is written, to the byte. */
#include "sim/event_form.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TOKEN  "data: {\"id\":\"a\",\"choices\":[{\"text\":\" x\"}]}\n\n"
#define DONE   "data: [DONE]\n\n"
#define NAMED  "event: e\ndata: {\"delta\":\" x\",\"sequence_number\":4}\n\n"
#define CHUNKS "2c\r\n" TOKEN "\r\ne\r\n" DONE "\r\n0\r\n\r\n"

static void check(enum sim_event_form form, const char *chunks, const char *expected)
{
	auto_buf out = { 0 };

	pl_buf_init(&out, 4096);
	sim_event_reform(form, chunks, strlen(chunks), &out);
	assert_string_equal(pl_buf_text(&out), expected);
}

static void test_sim_event_form__each(void **state)
{
	(void)state;
	assert_int_equal(strlen(TOKEN), 0x2c);
	check(SIM_FORM_PLAIN, CHUNKS, CHUNKS);
	check(SIM_FORM_COMMENTS, CHUNKS, CHUNKS);
	check(SIM_FORM_NO_SPACE, CHUNKS,
	      "2b\r\ndata:{\"id\":\"a\",\"choices\":[{\"text\":\" x\"}]}\n\n\r\n"
	      "d\r\ndata:[DONE]\n\n\r\n0\r\n\r\n");
	check(SIM_FORM_CRLF, CHUNKS,
	      "2e\r\ndata: {\"id\":\"a\",\"choices\":[{\"text\":\" x\"}]}\r\n\r\n\r\n"
	      "10\r\ndata: [DONE]\r\n\r\n\r\n0\r\n\r\n");
	check(SIM_FORM_LINES, CHUNKS,
	      "33\r\ndata: {\"id\":\"a\"\ndata: ,\"choices\":[{\"text\":\" x\"}]}\n\n\r\n"
	      "e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n");
	check(SIM_FORM_FIELDS, "e\r\n" DONE "\r\n",
	      "2f\r\nevent: message\nid: 1\nretry: 3000\ndata: [DONE]\n\n\r\n");
}

/* Several messages in a chunk, with names of their own. */
static void test_sim_event_form__named_messages(void **state)
{
	static const char chunk[] = "66\r\n" NAMED NAMED "\r\n";

	(void)state;
	assert_int_equal(2 * strlen(NAMED), 0x66);
	check(SIM_FORM_NO_SPACE, chunk,
	      "64\r\nevent: e\ndata:{\"delta\":\" x\",\"sequence_number\":4}\n\n"
	      "event: e\ndata:{\"delta\":\" x\",\"sequence_number\":4}\n\n\r\n");
	check(SIM_FORM_FIELDS, chunk,
	      "8a\r\nid: 1\nretry: 3000\nevent: e\ndata: {\"delta\":\" x\","
	      "\"sequence_number\":4}\n\nid: 1\nretry: 3000\nevent: e\n"
	      "data: {\"delta\":\" x\",\"sequence_number\":4}\n\n\r\n");
	check(SIM_FORM_LINES, chunk,
	      "74\r\nevent: e\ndata: {\"delta\":\" x\"\ndata: ,\"sequence_number\":4}\n\n"
	      "event: e\ndata: {\"delta\":\" x\"\ndata: ,\"sequence_number\":4}\n\n\r\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sim_event_form__each),
		cmocka_unit_test(test_sim_event_form__named_messages),
	};

	return cmocka_run_group_tests_name("test_sim_event_form", tests, NULL, NULL);
}
