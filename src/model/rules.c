#include "model/rules.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "model/rules_priv.h"

#define ARENA_BLOCK_BYTES 65536

/* clang-format off */
static const struct md_rule rules[] = {
#define RULE(id_, severity_, scope_, since_, until_, reference_, when_, require_, message_, ...)   \
	{ .id = #id_, .severity = OPTION_##severity_, .scope = MD_RULE_##scope_, .since = since_,      \
	  .until = until_, .reference = MD_RULE_##reference_, .when = when_, .require = require_,  \
	  .message = message_, __VA_ARGS__ },
#include "tbl/constraints.h"
#undef RULE
};
/* clang-format on */

enum { RULES = PL_ARRAY_SIZE(rules) };

static const char *const facts[] = { "gpus", "platform", "host_memory_gib", "api_servers",
				     "model_is_multimodal" };

/* A name that some rule reads, and what it is where the user gave nothing. */
struct known_name {
	const char *arg;
	const char *key;       /* or NULL */
	json_t *value;         /* the default; NULL: none or not known */
	json_t *chosen_values; /* special values that let vLLM choose, such as "auto"; or NULL */
};

/* Filled once, then only read. */
static struct {
	const struct md_expr *when[RULES];
	const struct md_expr *require[RULES];
	struct known_name *names; /* sorted */
	size_t name_count;
	size_t name_room;
	struct pl_arena *arena;
} book;
static pthread_once_t book_once = PTHREAD_ONCE_INIT;

static int compare_names(const void *a, const void *b)
{
	const struct known_name *x = a;
	const struct known_name *y = b;
	int by_arg = strcmp(x->arg, y->arg);

	if (by_arg != 0)
		return by_arg;
	return strcmp(x->key != NULL ? x->key : "", y->key != NULL ? y->key : "");
}

static void collect_name(void *user, const struct md_expr *name)
{
	(void)user;
	if (name->op == MD_EXPR_ENV)
		return;
	pl_grow((void **)&book.names, &book.name_room, book.name_count + 1, sizeof(book.names[0]));
	book.names[book.name_count++] = (struct known_name){ .arg = name->text, .key = name->key };
}

const struct md_arg *md_rule_find_arg(const char *name)
{
	const struct md_arg *arg = md_arg_find(name);

	return arg != NULL && strcmp(arg->name, name) == 0 ? arg : NULL;
}

static json_t *parse_json(const char *text)
{
	struct pl_err err = PL_ERR_INIT;
	json_t *json = NULL;

	if (text != NULL && pl_json_parse(text, strlen(text), "default", &json, &err) < 0)
		return NULL;
	return json;
}

static bool says_auto(const json_t *value)
{
	return json_is_string(value) && strcasecmp(json_string_value(value), "auto") == 0;
}

static void resolve_name(struct known_name *name)
{
	const struct md_arg *arg = md_rule_find_arg(name->arg);
	const struct md_field *field = NULL;
	bool automatic = false;

	if (arg == NULL)
		return;
	if (name->key != NULL) {
		field = md_field_find(name->arg, name->key);
		name->value = parse_json(field != NULL ? field->default_json : NULL);
		return;
	}
	name->value = parse_json(arg->default_json);
	name->chosen_values = parse_json(arg->special_values);
	for (size_t i = 0; i < json_array_size(name->chosen_values); i++)
		automatic |= says_auto(json_array_get(name->chosen_values, i));
	if (!automatic)
		json_decref(pl_take(name->chosen_values));
}

static const struct md_expr *compile(const char *text)
{
	struct pl_err err = PL_ERR_INIT;
	const struct md_expr *expr = NULL;
	int rc = md_expr_parse(text, book.arena, &expr, &err);

	assert(rc == 0);
	(void)rc;
	return expr;
}

static void fill_book(void)
{
	size_t kept = 0;

	book.arena = pl_arena_new(ARENA_BLOCK_BYTES);
	for (size_t i = 0; i < RULES; i++) {
		book.when[i] = compile(rules[i].when);
		book.require[i] = compile(rules[i].require);
		md_expr_each_name(book.when[i], collect_name, NULL);
		md_expr_each_name(book.require[i], collect_name, NULL);
	}
	qsort(book.names, book.name_count, sizeof(book.names[0]), compare_names);
	for (size_t i = 0; i < book.name_count; i++) {
		if (kept == 0 || compare_names(&book.names[kept - 1], &book.names[i]) != 0)
			book.names[kept++] = book.names[i];
	}
	book.name_count = kept;
	for (size_t i = 0; i < kept; i++)
		resolve_name(&book.names[i]);
}

size_t md_rule_count(void)
{
	return RULES;
}

const struct md_rule *md_rule_at(size_t i)
{
	return &rules[i];
}

const struct md_rule *md_rule_find(const char *id)
{
	for (size_t i = 0; i < RULES; i++) {
		if (strcmp(rules[i].id, id) == 0)
			return &rules[i];
	}
	return NULL;
}

const char *md_rule_scope_name(enum md_rule_scope scope)
{
	static const char *const names[] = {
		[MD_RULE_ENGINE] = "engine",
		[MD_RULE_BENCH_THROUGHPUT] = "bench_throughput",
		[MD_RULE_BENCH_LATENCY] = "bench_latency",
	};

	return names[scope];
}

const char *md_rule_reference_name(enum md_rule_reference reference)
{
	static const char *const names[] = {
		[MD_RULE_HOLDS] = "holds",
		[MD_RULE_CHANGED] = "changed",
		[MD_RULE_GONE] = "gone",
		[MD_RULE_ADVICE] = "advice",
	};

	return names[reference];
}

const struct md_expr *md_rule_when(const struct md_rule *rule)
{
	pthread_once(&book_once, fill_book);
	return book.when[rule - rules];
}

const struct md_expr *md_rule_require(const struct md_rule *rule)
{
	pthread_once(&book_once, fill_book);
	return book.require[rule - rules];
}

static void add_name(void *user, const struct md_expr *name)
{
	struct md_rule_names *names = user;

	for (size_t i = 0; i < names->count; i++) {
		if (names->items[i]->op == name->op &&
		    pl_text_equal(names->items[i]->key, name->key) &&
		    strcmp(names->items[i]->text, name->text) == 0)
			return;
	}
	if (names->count < PL_ARRAY_SIZE(names->items))
		names->items[names->count++] = name;
}

void md_rule_names(const struct md_rule *rule, struct md_rule_names *names)
{
	names->count = 0;
	md_expr_each_name(md_rule_when(rule), add_name, names);
	md_expr_each_name(md_rule_require(rule), add_name, names);
}

size_t md_rule_args(const struct md_rule_names *names, const char *args[MD_EXPR_NODES_MAX])
{
	size_t count = 0;

	for (size_t i = 0; i < names->count; i++) {
		const char *arg = names->items[i]->text;
		size_t at = 0;

		if (names->items[i]->op == MD_EXPR_ENV)
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

json_t *md_rule_to_json(const struct md_rule *rule)
{
	json_t *json = json_object();
	json_t *args = json_array();
	const char *sorted[MD_EXPR_NODES_MAX];
	struct md_rule_names names;

	md_rule_names(rule, &names);
	size_t count = md_rule_args(&names, sorted);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(args, json_string(sorted[i]));
	json_object_set_new(json, "id", json_string(rule->id));
	json_object_set_new(json, "severity",
			    json_string(rule->severity == OPTION_ERROR ? "error" : "warning"));
	json_object_set_new(json, "scope", json_string(md_rule_scope_name(rule->scope)));
	json_object_set_new(json, "args", args);
	json_object_set_new(json, "when", json_string(rule->when));
	json_object_set_new(json, "require", json_string(rule->require));
	json_object_set_new(json, "message", json_string(rule->message));
	json_object_set_new(json, "since", pl_json_text(rule->since));
	json_object_set_new(json, "until", pl_json_text(rule->until));
	json_object_set_new(json, "reference",
			    json_string(md_rule_reference_name(rule->reference)));
	json_object_set_new(json, "reference_source", pl_json_text(rule->source));
	json_object_set_new(json, "reference_note", pl_json_text(rule->reference_note));
	json_object_set_new(json, "note", pl_json_text(rule->note));
	return json;
}

static void check_name(void *user, const struct md_expr *name)
{
	struct pl_err *err = user;
	bool known = false;

	if (err->code != PL_ERR_NONE)
		return;
	if (name->op == MD_EXPR_ARG && md_rule_find_arg(name->text) == NULL)
		pl_err_set(err, PL_ERR_INVALID, "'%s' is no argument", name->text);
	if (name->op == MD_EXPR_SUB && md_field_find(name->text, name->key) == NULL)
		pl_err_set(err, PL_ERR_INVALID, "'%s' has no key '%s'", name->text, name->key);
	for (size_t i = 0; i < PL_ARRAY_SIZE(facts); i++)
		known |= strcmp(facts[i], name->text) == 0;
	if (name->op == MD_EXPR_ENV && !known)
		pl_err_set(err, PL_ERR_INVALID, "'env.%s' is no fact", name->text);
}

int md_rule_names_check(const struct md_expr *expr, struct pl_err *err)
{
	struct pl_err fault = PL_ERR_INIT;

	md_expr_each_name(expr, check_name, &fault);
	if (fault.code == PL_ERR_NONE)
		return 0;
	*err = fault;
	return -1;
}

static const struct known_name *find_name(const char *arg, const char *key)
{
	struct known_name wanted = { .arg = arg, .key = key };

	return bsearch(&wanted, book.names, book.name_count, sizeof(wanted), compare_names);
}

static bool leaves_choice(const struct known_name *name, const json_t *value)
{
	if (name->chosen_values == NULL)
		return false;
	if (says_auto(value))
		return true;
	for (size_t i = 0; i < json_array_size(name->chosen_values); i++) {
		if (json_equal(value, json_array_get(name->chosen_values, i)))
			return true;
	}
	return false;
}

const json_t *md_rule_given(const struct md_rule_subject *subject, const char *arg, const char *key)
{
	const json_t *value = json_object_get(subject->values, arg);

	return key == NULL ? value : json_object_get(value, key);
}

static struct md_value subject_value(void *user, const char *arg, const char *key)
{
	const struct known_name *name = find_name(arg, key);
	const json_t *given = md_rule_given(user, arg, key);

	if (given == NULL)
		return md_value_of_json(name != NULL ? name->value : NULL);
	if (name != NULL && leaves_choice(name, given))
		return md_value_of_json(NULL);
	return md_value_of_json(given);
}

bool md_rule_is_set(void *user, const char *arg, const char *key)
{
	const json_t *given = md_rule_given(user, arg, key);

	return given != NULL && !json_is_null(given);
}

static struct md_value number_fact(double number)
{
	if (!isfinite(number))
		return md_value_of_json(NULL);
	return (struct md_value){ .kind = MD_VALUE_NUMBER, .number = number };
}

struct md_value md_rule_fact(void *user, const char *name)
{
	const struct md_rule_env *env = ((struct md_rule_subject *)user)->env;

	if (strcmp(name, "gpus") == 0)
		return number_fact(env->gpus);
	if (strcmp(name, "host_memory_gib") == 0)
		return number_fact(env->host_memory_gib);
	if (strcmp(name, "api_servers") == 0)
		return number_fact(env->api_servers);
	if (strcmp(name, "platform") == 0 && env->platform != NULL)
		return (struct md_value){ .kind = MD_VALUE_TEXT, .text = env->platform };
	if (strcmp(name, "model_is_multimodal") == 0 && env->model_is_multimodal >= 0)
		return (struct md_value){ .kind = MD_VALUE_BOOL,
					  .number = env->model_is_multimodal > 0 };
	return md_value_of_json(NULL);
}

struct md_expr_scope md_rule_scope_of(struct md_rule_subject *subject)
{
	return (struct md_expr_scope){
		.value = subject_value,
		.is_set = md_rule_is_set,
		.env = md_rule_fact,
		.user = subject,
	};
}

void md_rule_evaluate(const struct md_rule *rule, const json_t *values,
		      const struct md_rule_env *env, enum md_truth *ret_when,
		      enum md_truth *ret_require)
{
	struct md_rule_subject subject = { values, env };
	struct md_expr_scope scope = md_rule_scope_of(&subject);

	if (ret_when != NULL)
		*ret_when = md_expr_truth(md_rule_when(rule), &scope);
	if (ret_require != NULL)
		*ret_require = md_expr_truth(md_rule_require(rule), &scope);
}

const char *md_target_release(const struct md_target *target, struct md_version *ret)
{
	struct pl_err err = PL_ERR_INIT;

	if (target->version != NULL && md_version_parse(target->version, ret, &err) == 0 &&
	    !md_version_is_untagged(ret))
		return target->version;
	int rc = md_version_parse(MD_REFERENCE_RELEASE, ret, &err);
	assert(rc == 0);
	(void)rc;
	return NULL;
}

int md_release_compare(const struct md_version *release, const char *text, bool *ret_known)
{
	struct pl_err err = PL_ERR_INIT;
	struct md_version other;

	*ret_known = text != NULL && md_version_parse(text, &other, &err) == 0;
	return *ret_known ? md_version_compare(release, &other) : 0;
}

enum md_rule_effect md_rule_effect_for(const struct md_rule *rule, const struct md_version *release)
{
	bool known;

	if (md_release_compare(release, rule->since, &known) < 0)
		return MD_RULE_SILENT;
	if (md_release_compare(release, rule->until, &known) >= 0 && known)
		return MD_RULE_SILENT;
	if (md_release_compare(release, MD_REFERENCE_RELEASE, &known) > 0)
		return MD_RULE_WARNS;
	return rule->severity == OPTION_ERROR && rule->reference != MD_RULE_ADVICE ? MD_RULE_REFUSES
										   : MD_RULE_WARNS;
}

enum md_rule_effect md_rule_effect(const struct md_rule *rule, const struct md_target *target)
{
	struct md_version release;

	md_target_release(target, &release);
	return md_rule_effect_for(rule, &release);
}
