/*
 * Problems as data, and as one line of text: "SOURCE:LINE:COL: KEY: found X, expected Y (did you
 * mean 'Z'?); REMEDY (rule ID)". The file, the command line and the API use the same problems; the form of
 * names is chosen when they are printed.
 */
#include "option/problem.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define WORDS_BYTES_MAX (1u << 20)
#define KEY_LETTERS     "abcdefghijklmnopqrstuvwxyz0123456789_."

static void problem_done(struct option_problem *problem)
{
	free((void *)problem->source);
	free((void *)problem->key);
	free((void *)problem->rule);
	free((void *)problem->found);
	free((void *)problem->expected);
	free((void *)problem->nearest);
	free((void *)problem->reason);
	json_decref((json_t *)problem->replaced_by);
}

void option_problems_done(struct option_problems *problems)
{
	for (size_t i = 0; i < problems->count; i++)
		problem_done(&problems->items[i]);
	free(problems->items);
	*problems = (struct option_problems){ 0 };
}

void option_problems_truncate(struct option_problems *problems, size_t count)
{
	while (problems->count > count) {
		struct option_problem *last = &problems->items[--problems->count];
		problems->errors -= last->severity == OPTION_ERROR;
		problem_done(last);
	}
}

void option_problems_remove(struct option_problems *problems, size_t from,
			    bool (*drop)(const struct option_problem *problem, const void *user),
			    const void *user)
{
	size_t retained = from;

	for (size_t i = from; i < problems->count; i++) {
		struct option_problem *problem = &problems->items[i];
		if (drop(problem, user)) {
			problems->errors -= problem->severity == OPTION_ERROR;
			problem_done(problem);
		} else {
			problems->items[retained++] = *problem;
		}
	}
	problems->count = from < problems->count ? retained : problems->count;
}

/* Copies the texts, because their owners are gone when the problem is shown. */
void option_problems_add(struct option_problems *problems, const struct option_problem *problem)
{
	*PL_PUSH(problems->items, problems->count, problems->room) = (struct option_problem){
		.severity = problem->severity,
		.source = pl_strdup(problem->source),
		.line = problem->line,
		.column = problem->column,
		.key = pl_strdup(problem->key),
		.rule = pl_strdup(problem->rule),
		.found = pl_strdup(problem->found),
		.expected = pl_strdup(problem->expected),
		.expected_is_reason = problem->expected_is_reason,
		.nearest = pl_strdup(problem->nearest),
		.reason = pl_strdup(problem->reason),
		.replaced_by = json_incref((json_t *)problem->replaced_by),
	};
	problems->errors += problem->severity == OPTION_ERROR;
}

/* One line whatever was quoted: control characters become '?'. */
static void add_line(struct pl_buf *buf, const char *text)
{
	for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
		bool is_c1 = at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0;
		pl_buf_add_char(buf, is_c1 || *at < 0x20 || *at == 0x7f ? '?' : (char)*at);
		at += is_c1;
	}
}

/*
 * Returns the key's name in this form; a key without a flag is unchanged. The caller frees it with
 * free().
 */
static char *key_text(const char *key, enum option_voice voice)
{
	static const char section[] = "benchmark.";

	if (voice == OPTION_AS_FILE || key == NULL)
		return pl_strdup(key);
	/* their names in `bench serve` */
	if (pl_text_equal(key, "launch.url"))
		return pl_strdup("--base-url");
	if (pl_text_equal(key, "launch.hardware"))
		return pl_strdup("--hardware");
	if (!pl_text_starts(key, section))
		return pl_strdup(key);
	char *flag = pl_asprintf("--%s", key + strlen(section));
	/* keys of a JSON option stay as they are */
	for (char *at = flag; *at != '\0' && *at != '.'; at++)
		*at = *at == '_' ? '-' : *at;
	return flag;
}

/*
 * Returns the length of a key in braces; 0: not a key. JSON in a message also has braces, but no
 * bare key between them.
 */
static size_t key_in_braces(const char *text)
{
	size_t len = text[0] == '{' ? strspn(text + 1, KEY_LETTERS) : 0;

	return len > 0 && text[1 + len] == '}' ? len : 0;
}

void option_words_add(const char *text, enum option_voice voice, struct pl_buf *buf)
{
	while (*text != '\0') {
		size_t len = key_in_braces(text);
		if (len == 0) {
			pl_buf_add_char(buf, *text++);
			continue;
		}
		auto_free char *key = pl_strndup(text + 1, len);
		auto_free char *called = key_text(key, voice);
		pl_buf_add_text(buf, called);
		text += len + 2;
	}
}

static void add_words(struct pl_buf *buf, const char *text, enum option_voice voice)
{
	auto_buf words = PL_BUF(WORDS_BYTES_MAX);

	option_words_add(text, voice, &words);
	add_line(buf, pl_buf_text(&words));
}

static void add_place(const struct option_problem *problem, struct pl_buf *buf)
{
	if (problem->source == NULL)
		return;
	add_line(buf, problem->source);
	if (problem->line > 0)
		pl_buf_addf(buf, ":%d:%d", problem->line, problem->column);
	pl_buf_add_text(buf, ": ");
}

static void add_found(const struct option_problem *problem, enum option_voice voice,
		      struct pl_buf *buf)
{
	const char *found = problem->found != NULL ? problem->found : "nothing";
	bool is_unknown = pl_text_starts(found, "unknown ");

	if (problem->expected_is_reason && problem->expected == NULL) {
		add_line(buf, found);
		return;
	}
	/* users do not type null on a command line */
	if (voice == OPTION_AS_FLAG && strcmp(found, "null") == 0)
		found = "nothing";
	if (problem->found != NULL || !problem->expected_is_reason) {
		pl_buf_add_text(buf, is_unknown ? "" : "found ");
		add_line(buf, found);
		if (problem->expected != NULL && problem->expected[0] != ';')
			pl_buf_add_text(buf, !problem->expected_is_reason ? ", expected "
					     : pl_text_starts(problem->expected, "which ") ? ", "
											   : ": ");
	}
	if (problem->expected != NULL) {
		/* The expected value without the remedy after its first semicolon. A command line has no null. */
		static const char null[] = ", or null";
		size_t len = strcspn(problem->expected, ";");
		if (voice != OPTION_AS_FILE && len > strlen(null) &&
		    strncmp(problem->expected + len - strlen(null), null, strlen(null)) == 0)
			len -= strlen(null);
		auto_free char *expected = pl_strndup(problem->expected, len);
		add_words(buf, expected, voice);
	}
}

/* Returns the message without the key that is printed before it: "KEY: must be …". */
static const char *without_key(const char *message, const char *key)
{
	const char *dot = key != NULL ? strchr(key, '.') : NULL;
	const char *names[] = { key, dot != NULL ? dot + 1 : NULL };

	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		size_t len = names[i] != NULL ? strlen(names[i]) : 0;
		if (len > 0 && strncmp(message, names[i], len) == 0 && message[len] == ' ')
			return message + len + 1;
	}
	return message;
}

/* "MESSAGE (found X; rule ID)" */
static void add_broken_rule(const struct option_problem *problem, enum option_voice voice,
			    struct pl_buf *buf)
{
	add_words(buf, without_key(problem->expected, problem->key), voice);
	pl_buf_add_text(buf, " (");
	if (problem->found != NULL) {
		pl_buf_add_text(buf, "found ");
		add_line(buf, problem->found);
		pl_buf_add_text(buf, "; ");
	}
	pl_buf_addf(buf, "rule %s)", problem->rule);
}

/* The nearest value of a bound is the bound, which the message names: no guess at a typo. */
static bool is_bound(const struct option_problem *problem)
{
	const char *nearest = problem->nearest;

	return nearest[strspn(nearest, "0123456789.-")] == '\0' && problem->expected != NULL &&
	       strstr(problem->expected, nearest) != NULL;
}

void option_problem_text(const struct option_problem *problem, enum option_voice voice,
			 struct pl_buf *buf)
{
	if (voice != OPTION_AS_FLAG)
		add_place(problem, buf);
	if (problem->key != NULL && problem->key[0] != '\0') {
		auto_free char *key = key_text(problem->key, voice);
		add_line(buf, key);
		pl_buf_add_text(buf, ": ");
	}
	bool is_broken_rule = problem->rule != NULL && problem->expected_is_reason &&
			      problem->expected != NULL;
	const char *remedy = problem->expected != NULL && !is_broken_rule
				     ? strchr(problem->expected, ';')
				     : NULL;

	if (is_broken_rule)
		add_broken_rule(problem, voice, buf);
	else
		add_found(problem, voice, buf);
	if (problem->nearest != NULL && !is_bound(problem)) {
		pl_buf_add_text(buf, " (did you mean '");
		add_line(buf, problem->nearest);
		pl_buf_add_text(buf, "'?)");
	}
	if (remedy != NULL)
		add_words(buf, remedy, voice);
	if (problem->rule != NULL && !is_broken_rule)
		pl_buf_addf(buf, " (rule %s)", problem->rule);
}

/* RFC 6901; ~ and / are escaped. Items ("[0]") stay as they are. */
static json_t *pointer_of(const char *key)
{
	auto_buf pointer = PL_BUF(WORDS_BYTES_MAX);

	if (key == NULL)
		return json_null();
	if (key[0] != '\0')
		pl_buf_add_char(&pointer, '/');
	for (; *key != '\0'; key++) {
		if (*key == '~' || *key == '/')
			pl_buf_add_text(&pointer, *key == '~' ? "~0" : "~1");
		else
			pl_buf_add_char(&pointer, *key == '.' ? '/' : *key);
	}
	return pl_json_text(pl_buf_text(&pointer));
}

json_t *option_problem_to_json(const struct option_problem *problem)
{
	json_t *json = json_object();
	bool placed = problem->line > 0;
	auto_buf expected = PL_BUF(WORDS_BYTES_MAX);

	/* only a remedy is without the semicolon before it */
	if (problem->expected != NULL)
		option_words_add(problem->expected + strspn(problem->expected, "; "),
				 OPTION_AS_FILE, &expected);
	json_object_set_new(json, "severity",
			    json_string(problem->severity == OPTION_ERROR ? "error" : "warning"));
	json_object_set_new(json, "source", pl_json_text(problem->source));
	json_object_set_new(json, "line", pl_json_i64(problem->line, placed));
	json_object_set_new(json, "col", pl_json_i64(problem->column, placed));
	json_object_set_new(json, "key", pl_json_text(problem->key));
	json_object_set_new(json, "pointer", pointer_of(problem->key));
	json_object_set_new(json, "rule", pl_json_text(problem->rule));
	json_object_set_new(json, "reason", pl_json_text(problem->reason));
	json_object_set_new(json, "found", pl_json_text(problem->found));
	json_object_set_new(json, "expected",
			    problem->expected != NULL ? pl_json_text(pl_buf_text(&expected))
						      : json_null());
	json_object_set_new(json, "nearest", pl_json_text(problem->nearest));
	json_object_set_new(json, "replaced_by",
			    pl_json_or_null(json_deep_copy(problem->replaced_by)));
	return json;
}
