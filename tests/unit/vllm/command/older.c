/* Every spelling that a release had of a boolean argument, in the words of every later release: the same
 * sense, or a refusal. */
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
#include "option/row_words.h"
#include "unit/sanitizer.h"
#include "vllm/history.h"
#include "vllm/replaced.h"

enum { STEPS_MAX = 4, SPELLINGS_MAX = 6 };
/* The same code reads all arguments: AddressSanitizer sees each fifth. */
#ifdef __SANITIZE_ADDRESS__
enum { SHARE = 5 };
#else
enum { SHARE = 1 };
#endif

struct spelling {
	char *words; /* "--no-x", "--x false" */
	bool sense;
};

/* One argument's spelling, given to one release. */
struct question {
	const struct vllm_history *history;
	const struct spelling *spelling;
	const char *release;
	struct vllm_version version;
};

static size_t requested;
static size_t retained;
static size_t replaced;
static size_t refused;

static struct vllm_version version_of(const char *release)
{
	struct vllm_version version;

	assert_int_equal(vllm_version_parse(release, &version, PL_ERR_IGNORED), 0);
	return version;
}

static void add_spelling(struct spelling *spellings, size_t *count, bool sense, const char *before,
			 const char *name, const char *after)
{
	auto_free char *words = pl_asprintf("%s%s%s", before, name, after);

	for (char *at = words; *at != '\0'; at++)
		*at = *at == '_' ? '-' : *at;
	for (size_t i = 0; i < *count; i++) {
		if (strcmp(spellings[i].words, words) == 0)
			return;
	}
	assert_true(*count < SPELLINGS_MAX);
	spellings[*count].words = pl_take(words);
	spellings[(*count)++].sense = sense;
}

/* All that one range of releases has. */
static void add_spellings(const struct vllm_history *history, enum option_style style,
			  struct spelling *spellings, size_t *count)
{
	const char *name = history->name;
	bool takes_value = style == OPTION_STYLE_VALUE || style == OPTION_STYLE_OPTIONAL_VALUE;

	if (style != OPTION_STYLE_VALUE)
		add_spelling(spellings, count, true, "--", name, "");
	if (style == OPTION_STYLE_TOGGLE)
		add_spelling(spellings, count, false, "--no-", name, "");
	if (takes_value)
		add_spelling(spellings, count, true, "--", name, " true");
	if (takes_value)
		add_spelling(spellings, count, false, "--", name, " False");
}

/* What `key: value` is in a release by the history alone: its own key, or that of its replacement. False:
 * the history has no rule. *ret_key NULL: nothing is set. */
static bool follow(const struct question *question, const char *key, json_t *value, int steps,
		   const char **ret_key, json_t **ret_value)
{
	const struct vllm_history *history = vllm_history_of(key);

	if (steps == STEPS_MAX)
		return false;
	if (vllm_presence(key, &question->version) == VLLM_PRESENT) {
		*ret_key = key;
		*ret_value = json_incref(value);
		return true;
	}
	if (history == NULL || history->replaced_by == NULL)
		return false;
	if (history->map == VLLM_MAP_SAME)
		return follow(question, history->replaced_by, value, steps + 1, ret_key, ret_value);
	if (history->map == VLLM_MAP_NEGATED) {
		json_t *negated = json_boolean(!json_is_true(value));
		return follow(question, history->replaced_by, negated, steps + 1, ret_key,
			      ret_value);
	}
	if (history->map != VLLM_MAP_CONSTANT)
		return false;
	*ret_key = NULL;
	if (json_is_false(value))
		return true;
	auto_json json_t *constant = pl_json_of_text(history->value);
	return follow(question, history->replaced_by, constant, steps + 1, ret_key, ret_value);
}

static void complain(const struct question *question, const struct vllm_command *command,
		     const struct option_problems *problems, const char *what)
{
	auto_free char *values = pl_json_to_text(command->values, PL_JSON_COMPACT);

	fail_msg("vLLM %s, %s: %s: %s (%s)", question->release, question->spelling->words, what,
		 values, problems->count > 0 ? problems->items[0].expected : "no problem");
}

/* If the history has a rule, its value is set. If it has none, the argument keeps its value and a problem
 * reports it. */
static void check_sense(const struct question *question, const struct vllm_command *command,
			const struct option_problems *problems)
{
	const json_t *own = json_object_get(command->values, question->history->name);
	auto_json json_t *wanted = NULL;
	const char *key = NULL;
	bool known = follow(question, question->history->name,
			    json_boolean(question->spelling->sense), 0, &key, &wanted);
	const json_t *found = key != NULL ? pl_json_get_path(command->values, key) : NULL;

	if (own != NULL && json_is_true(own) != question->spelling->sense)
		complain(question, command, problems, "the other sense");
	if (known && key != NULL && !json_equal(found, wanted))
		complain(question, command, problems, key);
	if (known && key == NULL && own != NULL)
		complain(question, command, problems, "left in");
	if (!known && own == NULL && problems->count == 0)
		complain(question, command, problems, "lost");
	if (found != NULL && own == found)
		retained++;
	else
		replaced++;
}

static void ask(const struct question *question, bool allow_removed)
{
	const struct vllm_command_options options = { .release = question->release,
						      .allow_removed = allow_removed };
	auto_free char *text = pl_asprintf("vllm serve m %s", question->spelling->words);
	struct vllm_command *command = NULL;
	auto_problems problems = { 0 };

	assert_int_equal(vllm_command_parse(text, strlen(text), &options, &command, &problems,
					    PL_ERR_IGNORED),
			 0);
	requested++;
	if (problems.errors == 0 && allow_removed)
		vllm_command_renew(command, &problems);
	if (problems.errors == 0)
		check_sense(question, command, &problems);
	/* a refusal keeps no value of the other sense */
	else if (json_object_get(command->values, question->history->name) != NULL &&
		 json_is_true(json_object_get(command->values, question->history->name)) !=
			 question->spelling->sense)
		complain(question, command, &problems, "refused, with the other sense");
	else
		refused++;
	/* the nearest flag never has the other sense */
	for (size_t i = 0; i < problems.count; i++) {
		const char *nearest = problems.items[i].nearest;
		bool is_on = nearest != NULL && pl_text_starts(nearest, "--") &&
			     !pl_text_starts(nearest, "--no-");
		if (is_on && !question->spelling->sense &&
		    strcmp(nearest,
			   vllm_arg_find(command->catalog, question->history->name)->flag) == 0)
			complain(question, command, &problems, nearest);
	}
	vllm_command_free(command);
}

/* From the first release with the spelling on. */
static void ask_releases(const struct vllm_history *history, const char *since,
			 const struct spelling *spelling)
{
	struct vllm_version first = version_of(since);

	for (size_t i = 0; i < vllm_release_count(); i++) {
		struct question question = { history, spelling, vllm_release_at(i),
					     version_of(vllm_release_at(i)) };
		if (vllm_version_compare(&question.version, &first) < 0)
			continue;
		ask(&question, true);
		ask(&question, false);
	}
}

static void ask_of(const struct vllm_history *history, const struct option_row *row)
{
	for (const struct vllm_range *range = history->ranges; range->since != NULL; range++) {
		struct spelling spellings[SPELLINGS_MAX];
		size_t count = 0;
		enum option_style style = row->style;
		if (range->style != NULL)
			assert_int_equal(option_style_find(range->style, &style), 0);
		add_spellings(history, style, spellings, &count);
		for (size_t i = 0; i < count; i++) {
			ask_releases(history, range->since, &spellings[i]);
			free(spellings[i].words);
		}
	}
}

static void every_older_spelling_keeps_its_sense(void **state)
{
	size_t args = 0;

	(void)state;
	for (size_t i = 0; i < vllm_history_count(); i += SHARE) {
		const struct vllm_history *history = vllm_history_at(i);
		const struct option_row *row = history->of == NULL
						       ? vllm_arg_find(vllm_catalog_reference(),
								       history->name)
						       : NULL;
		if (row == NULL || row->type != OPTION_BOOL)
			continue;
		ask_of(history, row);
		args++;
	}
	print_message("%zu arguments, %zu questions: %zu kept, %zu replaced, %zu refused\n", args,
		      requested, retained, replaced, refused);
	assert_true(args > 100 / SHARE);
	assert_true(retained > 500 / SHARE);
	assert_true(replaced > 50 / SHARE);
	assert_true(refused > 50 / SHARE);
}

static const struct {
	const char *release; /* NULL: not known */
	const char *words;
	const char *values; /* NULL: refused */
} cases[] = {
	{ NULL, "--no-guided-decoding-disable-any-whitespace",
	  "{\"structured_outputs_config\":{\"disable_any_whitespace\":false}}" },
	{ NULL, "--guided-decoding-disable-any-whitespace",
	  "{\"structured_outputs_config\":{\"disable_any_whitespace\":true}}" },
	{ "0.32.0", "--no-guided-decoding-disable-additional-properties",
	  "{\"structured_outputs_config\":{\"disable_additional_properties\":false}}" },
	{ "0.11.0", "--no-guided_decoding_disable_any_whitespace",
	  "{\"guided_decoding_disable_any_whitespace\":false}" },
	{ "0.11.0", "--guided-decoding-disable-any-whitespace",
	  "{\"guided_decoding_disable_any_whitespace\":true}" },
	{ NULL, "--no-guided-decoding-disable-fallback", "{}" },
	{ NULL, "--no-disable-mm-preprocessor-cache", "{}" },
	{ NULL, "--no-disable-log-requests", "{\"enable_log_requests\":true}" },
	/* a switch takes no value, and its word is not the model */
	{ NULL, "--enable-chunked-prefill False", NULL },
	/* the object of -O is compilation_config's where levels of optimization are none */
	{ "0.10.0", "-O '{\"level\": 3}'", "{\"compilation_config\":{\"level\":3}}" },
	{ "0.11.0", "-O '{\"level\": 3}'", "{\"compilation_config\":{\"level\":3}}" },
	{ "0.11.1", "-O '{\"mode\": 3}'", "{\"compilation_config\":{\"mode\":3}}" },
	{ NULL, "-O '{\"level\": 3}'", "{\"compilation_config\":{\"mode\":3}}" },
	{ NULL, "-O3", "{\"optimization_level\":3}" },
	{ NULL, "-O fast", NULL },
};

static void older_words_become_those_of_the_release(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		const struct vllm_command_options options = { .release = cases[i].release,
							      .allow_removed = true };
		auto_free char *text = pl_asprintf("vllm serve m %s", cases[i].words);
		auto_command struct vllm_command *command = NULL;
		auto_problems problems = { 0 };

		assert_int_equal(vllm_command_parse(text, strlen(text), &options, &command,
						    &problems, PL_ERR_IGNORED),
				 0);
		vllm_command_renew(command, &problems);
		json_object_del(command->values, "model");
		auto_free char *values = pl_json_to_text(command->values, PL_JSON_COMPACT);
		if ((problems.errors > 0) != (cases[i].values == NULL))
			fail_msg("%s: %s", cases[i].words,
				 problems.count > 0 ? problems.items[0].expected : "taken");
		if (cases[i].values != NULL)
			assert_string_equal(values, cases[i].values);
	}
}

/* A known release refuses an object after -O, and names its argument. */
static void an_object_is_no_optimization_level(void **state)
{
	const struct vllm_command_options options = { .release = "0.12.0" };
	static const char text[] = "vllm serve m -O '{\"mode\": 3}'";
	auto_command struct vllm_command *command = NULL;
	auto_problems problems = { 0 };

	(void)state;
	assert_int_equal(vllm_command_parse(text, strlen(text), &options, &command, &problems,
					    PL_ERR_IGNORED),
			 0);
	assert_true(problems.errors > 0);
	assert_non_null(strstr(problems.items[0].expected, "'--compilation-config'"));
}

static const struct {
	const char *release;
	const char *words;
	size_t errors;
	size_t warnings;
	const char *load;
} benchmarks[] = {
	{ NULL, "--dataset x.json", 0, 1, "{\"dataset_path\":\"x.json\",\"kind\":\"throughput\"}" },
	{ "0.11.0", "--dataset=x.json", 0, 1,
	  "{\"dataset_path\":\"x.json\",\"kind\":\"throughput\"}" },
	{ "0.32.0", "--dataset x.json", 1, 0,
	  "{\"dataset_path\":\"x.json\",\"kind\":\"throughput\"}" },
	{ NULL, "--disable_frontend_multiprocessing --n 2", 0, 1,
	  "{\"kind\":\"throughput\",\"n\":2}" },
	{ "0.19.0", "--disable-frontend-multiprocessing", 1, 0, "{\"kind\":\"throughput\"}" },
	{ NULL, "--dataset-path x.json", 0, 0,
	  "{\"dataset_path\":\"x.json\",\"kind\":\"throughput\"}" },
};

static void older_options_of_a_benchmark(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(benchmarks); i++) {
		const struct vllm_command_options options = { .release = benchmarks[i].release };
		auto_free char *text = pl_asprintf("vllm bench throughput --model m %s",
						   benchmarks[i].words);
		auto_command struct vllm_command *command = NULL;
		auto_problems problems = { 0 };

		assert_int_equal(vllm_command_parse(text, strlen(text), &options, &command,
						    &problems, PL_ERR_IGNORED),
				 0);
		if (problems.errors != benchmarks[i].errors ||
		    problems.count - problems.errors != benchmarks[i].warnings)
			fail_msg("%s: %s", text,
				 problems.count > 0 ? problems.items[0].found : "no problem");
		auto_free char *load = json_dumps(command->load, JSON_SORT_KEYS | JSON_COMPACT);
		assert_string_equal(load, benchmarks[i].load);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_older_spelling_keeps_its_sense),
		cmocka_unit_test(older_words_become_those_of_the_release),
		cmocka_unit_test(an_object_is_no_optimization_level),
		cmocka_unit_test(older_options_of_a_benchmark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
