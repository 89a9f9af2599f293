/*
 * The rules between arguments: the table, its expressions (compiled once), the values of names for
 * a subject, and the effect of a rule for a release. rules_check.c evaluates them and reports
 * violations.
 */
#include "vllm/rules.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "vllm/rules_priv.h"

#define ARENA_BLOCK_BYTES 65536

/* clang-format off */
static const struct vllm_rule rules[] = {
#define RULE(id_, severity_, scope_, since_, until_, reference_, when_, require_, message_, ...)   \
	{ .id = #id_, .severity = OPTION_##severity_, .scope = VLLM_RULE_##scope_, .since = since_,      \
	  .until = until_, .reference = VLLM_RULE_##reference_, .when = when_, .require = require_,  \
	  .message = message_, __VA_ARGS__ },
#include "tbl/constraints.h"
#undef RULE
};
/* clang-format on */

enum { RULES = PL_ARRAY_SIZE(rules) };

static const char *const scope_names[] = { [VLLM_RULE_ENGINE] = "engine",
					   [VLLM_RULE_BENCH_THROUGHPUT] = "bench_throughput",
					   [VLLM_RULE_BENCH_LATENCY] = "bench_latency" };
static const char *const reference_names[] = { [VLLM_RULE_HOLDS] = "holds",
					       [VLLM_RULE_CHANGED] = "changed",
					       [VLLM_RULE_GONE] = "gone",
					       [VLLM_RULE_ADVICE] = "advice" };

/* Filled once, then only read. */
static struct {
	const struct vllm_expr *when[RULES];
	const struct vllm_expr *require[RULES];
	struct pl_arena *arena;
} book;
static pthread_once_t book_once = PTHREAD_ONCE_INIT;

/* Finds an argument by its name only: rules contain the table's names, not the user's spellings. */
const struct option_row *vllm_rule_find_arg(const struct vllm_catalog *catalog, const char *name)
{
	const struct option_row *arg = vllm_arg_find(catalog, name);

	return arg != NULL && strcmp(arg->name, name) == 0 ? arg : NULL;
}

static json_t *parse_json(const char *text)
{
	json_t *json = NULL;

	if (text != NULL && pl_json_parse(text, strlen(text), "default", &json, PL_ERR_IGNORED) < 0)
		return NULL;
	return json;
}

static bool says_auto(const json_t *value)
{
	return json_is_string(value) && strcasecmp(json_string_value(value), "auto") == 0;
}

/* The expressions are the program's own: one that does not parse is a bug. */
static const struct vllm_expr *compile(const char *text)
{
	const struct vllm_expr *expr = NULL;
	int rc = vllm_expr_parse(text, book.arena, &expr, PL_ERR_IGNORED);

	assert(rc == 0);
	(void)rc;
	return expr;
}

static void fill_book(void)
{
	book.arena = pl_arena_new(ARENA_BLOCK_BYTES);
	for (size_t i = 0; i < RULES; i++) {
		book.when[i] = compile(rules[i].when);
		book.require[i] = compile(rules[i].require);
	}
}

size_t vllm_rule_count(void)
{
	return RULES;
}

const struct vllm_rule *vllm_rule_at(size_t i)
{
	return &rules[i];
}

const struct vllm_rule *vllm_rule_find(const char *id)
{
	return PL_ROW_FIND(rules, id, id);
}

const struct vllm_expr *vllm_rule_when(const struct vllm_rule *rule)
{
	pthread_once(&book_once, fill_book);
	return book.when[rule - rules];
}

const struct vllm_expr *vllm_rule_require(const struct vllm_rule *rule)
{
	pthread_once(&book_once, fill_book);
	return book.require[rule - rules];
}

static void add_name(void *user, const struct vllm_expr *name)
{
	struct vllm_rule_names *names = user;

	for (size_t i = 0; i < names->count; i++) {
		if (names->items[i]->op == name->op &&
		    pl_text_equal(names->items[i]->key, name->key) &&
		    strcmp(names->items[i]->text, name->text) == 0)
			return;
	}
	if (names->count < PL_ARRAY_SIZE(names->items))
		names->items[names->count++] = name;
}

void vllm_rule_names(const struct vllm_rule *rule, struct vllm_rule_names *names)
{
	names->count = 0;
	vllm_expr_each_name(vllm_rule_when(rule), add_name, names);
	vllm_expr_each_name(vllm_rule_require(rule), add_name, names);
}

size_t vllm_rule_args(const struct vllm_rule_names *names, const char *args[VLLM_EXPR_NODES_MAX])
{
	size_t count = 0;

	for (size_t i = 0; i < names->count; i++) {
		const char *arg = names->items[i]->text;
		size_t at = 0;

		if (names->items[i]->op == VLLM_EXPR_ENV)
			continue;
		while (at < count && strcmp(args[at], arg) < 0)
			at++;
		if (at < count && strcmp(args[at], arg) == 0)
			continue;
		memmove(&args[at + 1], &args[at], (count - at) * sizeof(args[0]));
		args[at] = arg;
		count++;
	}
	return count;
}

json_t *vllm_rule_to_json(const struct vllm_rule *rule)
{
	json_t *args = json_array();
	const char *sorted[VLLM_EXPR_NODES_MAX];
	struct vllm_rule_names names;

	vllm_rule_names(rule, &names);
	size_t count = vllm_rule_args(&names, sorted);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(args, json_string(sorted[i]));
	return json_pack(
		"{s:s, s:s, s:s, s:o, s:s, s:s, s:s, s:s?, s:s?, s:s, s:s?, s:s?, s:s?}", "id",
		rule->id, "severity", rule->severity == OPTION_ERROR ? "error" : "warning", "scope",
		scope_names[rule->scope], "args", args, "when", rule->when, "require",
		rule->require, "message", rule->message, "since", rule->since, "until", rule->until,
		"reference", reference_names[rule->reference], "reference_source", rule->source,
		"reference_note", rule->reference_note, "note", rule->note);
}

/*
 * Returns the value of a name that the user did not set; NULL: none or unknown. Parsed on first use
 * and stored in the subject.
 */
static const json_t *default_of(const struct vllm_rule_subject *subject, const char *arg,
				const char *key)
{
	const struct option_row *row = vllm_rule_find_arg(subject->catalog, arg);

	if (row != NULL && key != NULL)
		row = option_field_find(row, key);
	if (row == NULL)
		return NULL;
	auto_free char *name = pl_asprintf("%s.%s", arg, key != NULL ? key : "");
	json_t *value = json_object_get(subject->defaults, name);
	if (value == NULL && (value = parse_json(row->default_json)) != NULL)
		json_object_set_new(subject->defaults, name, value);
	return value;
}

/* Returns whether the value lets vLLM choose, if "auto" is one of its special values. */
static bool leaves_choice(const struct vllm_rule_subject *subject, const char *arg,
			  const json_t *value)
{
	const struct option_row *row = vllm_rule_find_arg(subject->catalog, arg);
	auto_json json_t *special = row != NULL ? parse_json(row->special_values) : NULL;
	bool has_auto = false;

	PL_JSON_EACH(item, special)
		has_auto |= says_auto(item);
	return has_auto && (says_auto(value) || pl_json_has(special, value));
}

const json_t *vllm_rule_given(const struct vllm_rule_subject *subject, const char *arg,
			      const char *key)
{
	const json_t *value = json_object_get(subject->values, arg);

	return key == NULL ? value : json_object_get(value, key);
}

/* A choice left to vLLM is unknown: "auto" is not comparable. */
static struct vllm_value subject_value(void *user, const char *arg, const char *key)
{
	const json_t *given = vllm_rule_given(user, arg, key);

	if (given == NULL)
		return vllm_value_of_json(default_of(user, arg, key));
	if (key == NULL && leaves_choice(user, arg, given))
		return vllm_value_of_json(NULL);
	return vllm_value_of_json(given);
}

/* A null that was given sets nothing. */
bool vllm_rule_is_set(void *user, const char *arg, const char *key)
{
	const json_t *given = vllm_rule_given(user, arg, key);

	return given != NULL && !json_is_null(given);
}

static struct vllm_value number_fact(double number)
{
	if (!isfinite(number))
		return vllm_value_of_json(NULL);
	return (struct vllm_value){ .kind = VLLM_VALUE_NUMBER, .number = number };
}

static struct vllm_value text_fact(const char *text)
{
	if (text == NULL)
		return vllm_value_of_json(NULL);
	return (struct vllm_value){ .kind = VLLM_VALUE_TEXT, .text = text };
}

struct vllm_value vllm_rule_fact(void *user, const char *name)
{
	const struct vllm_rule_env *env = ((struct vllm_rule_subject *)user)->env;
	const struct {
		const char *name;
		double number;
	} numbers[] = {
		{ "gpus", env->gpus },
		{ "host_memory_gib", env->host_memory_gib },
		{ "api_servers", env->api_servers },
		{ "capability", env->capability },
		{ "experts", env->experts },
	};
	const struct {
		const char *name;
		const char *text;
	} texts[] = {
		{ "platform", env->platform },
		{ "checkpoint_quantization", env->checkpoint_quantization },
		{ "checkpoint_scheme", env->checkpoint_scheme },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(numbers); i++) {
		if (strcmp(name, numbers[i].name) == 0)
			return number_fact(numbers[i].number);
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		if (strcmp(name, texts[i].name) == 0)
			return text_fact(texts[i].text);
	}
	if (strcmp(name, "model_is_multimodal") == 0 && env->model_is_multimodal >= 0)
		return (struct vllm_value){ .kind = VLLM_VALUE_BOOL,
					    .number = env->model_is_multimodal > 0 };
	return vllm_value_of_json(NULL);
}

struct vllm_expr_scope vllm_rule_scope_of(struct vllm_rule_subject *subject)
{
	return (struct vllm_expr_scope){
		.value = subject_value,
		.is_set = vllm_rule_is_set,
		.env = vllm_rule_fact,
		.user = subject,
	};
}

/* NULL, with the reference in *ret, where no tagged release is named. */
const char *vllm_target_release(const struct vllm_target *target, struct vllm_version *ret)
{
	if (target->version != NULL &&
	    vllm_version_parse(target->version, ret, PL_ERR_IGNORED) == 0 &&
	    !vllm_version_is_untagged(ret))
		return target->version;
	int rc = vllm_version_parse(VLLM_REFERENCE_RELEASE, ret, PL_ERR_IGNORED);
	assert(rc == 0);
	(void)rc;
	return NULL;
}

char *vllm_newer_note(const char *release)
{
	struct vllm_target target = { .version = release };
	struct vllm_version version;
	bool known;

	if (vllm_target_release(&target, &version) == NULL ||
	    vllm_release_compare(&version, VLLM_REFERENCE_RELEASE, &known) <= 0)
		return NULL;
	return pl_asprintf(
		"vLLM %s is newer than %s, the newest known release; its changes are not checked",
		release, VLLM_REFERENCE_RELEASE);
}

enum vllm_rule_effect vllm_rule_effect_for(const struct vllm_rule *rule,
					   const struct vllm_version *release)
{
	bool known;

	if (vllm_release_compare(release, rule->since, &known) < 0)
		return VLLM_RULE_SILENT;
	if (vllm_release_compare(release, rule->until, &known) >= 0 && known)
		return VLLM_RULE_SILENT;
	/* a newer release was not read: only a rule that was not new in the reference is relied on */
	if (vllm_release_compare(release, VLLM_REFERENCE_RELEASE, &known) > 0 &&
	    pl_text_equal(rule->since, VLLM_REFERENCE_RELEASE))
		return VLLM_RULE_WARNS;
	return rule->severity == OPTION_ERROR && rule->reference != VLLM_RULE_ADVICE
		       ? VLLM_RULE_REFUSES
		       : VLLM_RULE_WARNS;
}
