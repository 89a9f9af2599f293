#include "vllm/command/line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "option/problem.h"

enum verdict { TAKEN, WARNED, REFUSED };

/* "vllm serve m SERVER" and "vllm bench serve LOAD": is it that server's load? */
static const struct {
	const char *server;
	const char *load;
	enum verdict verdict;
	const char *key;
} cases[] = {
	{ "", "", TAKEN, NULL },
	{ "", "--host localhost --port 8000", TAKEN, NULL },
	{ "", "--base-url http://127.0.0.1:8000/v1", TAKEN, NULL },
	{ "--port 9000", "--port 9000", TAKEN, NULL },
	{ "--port 9000", "--base-url http://[::1]:9000", TAKEN, NULL },
	{ "--host 10.0.0.1", "--host 10.0.0.1", TAKEN, NULL },
	{ "--host 10.0.0.1", "", TAKEN, NULL },
	{ "--host ::", "--host [::1]", TAKEN, NULL },
	{ "--ssl-certfile c.pem", "--base-url https://localhost:8000", TAKEN, NULL },
	/* it listens everywhere, and the name may be this host's */
	{ "--host 0.0.0.0", "--base-url http://gpu1:8000", WARNED, "--base-url" },
	{ "", "--host gpu1", WARNED, "--host" },
	{ "--host 10.0.0.1", "--host 10.0.0.2", REFUSED, "--host" },
	{ "--port 9000", "", REFUSED, "--port" },
	{ "--port 9000", "--port 9001", REFUSED, "--port" },
	{ "", "--base-url http://localhost", REFUSED, "--base-url" },
	{ "", "--base-url http://localhost:8000/other", REFUSED, "--base-url" },
	{ "", "--base-url https://localhost:8000", REFUSED, "--base-url" },
	{ "--ssl-certfile c.pem", "", REFUSED, "--base-url" },
};

static struct vllm_command *parse(const char *text, struct option_problems *problems)
{
	const struct vllm_command_options options = { 0 };
	struct vllm_command *command = NULL;
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(vllm_command_parse(text, strlen(text), &options, &command, problems, &err),
			 0);
	return command;
}

static void a_load_is_for_the_server(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_problems problems = { 0 };
		auto_free char *text = pl_asprintf("vllm serve m %s & vllm bench serve %s",
						   cases[i].server, cases[i].load);
		auto_command struct vllm_command *command = parse(text, &problems);
		enum verdict verdict = problems.errors > 0  ? REFUSED
				       : problems.count > 0 ? WARNED
							    : TAKEN;
		if (verdict != cases[i].verdict)
			fail_msg("%s: %s", text,
				 problems.count > 0 ? problems.items[0].expected : "taken");
		if (problems.count > 0 && !pl_text_equal(problems.items[0].key, cases[i].key))
			fail_msg("%s: %s", text, problems.items[0].key);
		if (problems.count > 0)
			assert_true(vllm_command_word(command, &problems.items[0]) > 3);
		/* an experiment that starts its server has no address */
		assert_null(json_object_get(command->load, "base_url"));
		assert_null(json_object_get(command->load, "host"));
		assert_null(json_object_get(command->load, "port"));
	}
}

static void a_path_goes_to_the_endpoint(void **state)
{
	auto_problems problems = { 0 };
	auto_command struct vllm_command *command = parse(
		"vllm serve m & vllm bench serve --base-url http://localhost:8000/v1 "
		"--endpoint /completions",
		&problems);

	(void)state;
	assert_int_equal(problems.count, 0);
	assert_string_equal(json_string_value(json_object_get(command->load, "endpoint")),
			    "/v1/completions");
}

static void a_container_publishes_its_port(void **state)
{
	static const struct {
		const char *options;
		bool taken;
	} published[] = {
		{ "-p 9000:8000", true },
		{ "-p 127.0.0.1:9000:8000", true },
		{ "--publish 9000:8000", true },
		{ "-p 19000:8000", false },
		{ "-v 9000:8000 -p 1:8000", false },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(published); i++) {
		auto_problems problems = { 0 };
		auto_free char *text = pl_asprintf("docker run %s vllm/vllm-openai m\n"
						   "vllm bench serve --port 9000",
						   published[i].options);
		auto_command struct vllm_command *command = parse(text, &problems);
		assert_int_equal(command->form, VLLM_COMMAND_CONTAINER);
		if ((problems.errors == 0) != published[i].taken)
			fail_msg("%s", text);
	}
}

static void the_key_of_the_loads_variables_stays(void **state)
{
	static const struct {
		const char *text;
		const char *env;
		size_t warnings;
	} keys[] = {
		{ "vllm serve m --api-key k; OPENAI_API_KEY=k vllm bench serve", "{}", 0 },
		{ "VLLM_API_KEY=k vllm serve m; OPENAI_API_KEY=k vllm bench serve",
		  "{\"VLLM_API_KEY\":\"k\"}", 0 },
		{ "A=1 vllm serve m; A=1 vllm bench serve", "{\"A\":\"1\"}", 0 },
		{ "vllm serve m; OPENAI_API_KEY=k vllm bench serve", "{\"OPENAI_API_KEY\":\"k\"}",
		  0 },
		{ "vllm serve m; A=1 B=2 vllm bench serve", "{}", 2 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++) {
		auto_problems problems = { 0 };
		auto_command struct vllm_command *command = parse(keys[i].text, &problems);
		auto_free char *env = pl_json_to_text(command->env, PL_JSON_COMPACT);
		assert_string_equal(env, keys[i].env);
		assert_int_equal(problems.errors, 0);
		assert_int_equal(problems.count, keys[i].warnings);
		assert_int_equal(json_object_size(command->load_env), keys[i].warnings);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_load_is_for_the_server),
		cmocka_unit_test(a_path_goes_to_the_endpoint),
		cmocka_unit_test(a_container_publishes_its_port),
		cmocka_unit_test(the_key_of_the_loads_variables_stays),
	};

	return cmocka_run_group_tests_name("vllm/command/address", tests, NULL, NULL);
}
