#include "vllm/rules.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
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
	const struct vllm_expr *when[RULES];
	const struct vllm_expr *require[RULES];
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

static void collect_name(void *user, const struct vllm_expr *name)
{
	(void)user;
	if (name->op == VLLM_EXPR_ENV)
		return;
	pl_grow((void **)&book.names, &book.name_room, book.name_count + 1, sizeof(book.names[0]));
	book.names[book.name_count++] = (struct known_name){ .arg = name->text, .key = name->key };
}

const struct option_row *vllm_rule_find_arg(const char *name)
{
	const struct option_row *arg = vllm_arg_find(name);

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
	const struct option_row *arg = vllm_rule_find_arg(name->arg);
	const struct option_row *field = NULL;
	bool automatic = false;

	if (arg == NULL)
		return;
	if (name->key != NULL) {
		field = option_field_find(arg, name->key);
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

static const struct vllm_expr *compile(const char *text)
{
	struct pl_err err = PL_ERR_INIT;
	const struct vllm_expr *expr = NULL;
	int rc = vllm_expr_parse(text, book.arena, &expr, &err);

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
		vllm_expr_each_name(book.when[i], collect_name, NULL);
		vllm_expr_each_name(book.require[i], collect_name, NULL);
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
	for (size_t i = 0; i < RULES; i++) {
		if (strcmp(rules[i].id, id) == 0)
			return &rules[i];
	}
	return NULL;
}

const char *vllm_rule_scope_name(enum vllm_rule_scope scope)
{
	static const char *const names[] = {
		[VLLM_RULE_ENGINE] = "engine",
		[VLLM_RULE_BENCH_THROUGHPUT] = "bench_throughput",
		[VLLM_RULE_BENCH_LATENCY] = "bench_latency",
	};

	return names[scope];
}

const char *vllm_rule_reference_name(enum vllm_rule_reference reference)
{
	static const char *const names[] = {
		[VLLM_RULE_HOLDS] = "holds",
		[VLLM_RULE_CHANGED] = "changed",
		[VLLM_RULE_GONE] = "gone",
		[VLLM_RULE_ADVICE] = "advice",
	};

	return names[reference];
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
	json_t *json = json_object();
	json_t *args = json_array();
	const char *sorted[VLLM_EXPR_NODES_MAX];
	struct vllm_rule_names names;

	vllm_rule_names(rule, &names);
	size_t count = vllm_rule_args(&names, sorted);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(args, json_string(sorted[i]));
	json_object_set_new(json, "id", json_string(rule->id));
	json_object_set_new(json, "severity",
			    json_string(rule->severity == OPTION_ERROR ? "error" : "warning"));
	json_object_set_new(json, "scope", json_string(vllm_rule_scope_name(rule->scope)));
	json_object_set_new(json, "args", args);
	json_object_set_new(json, "when", json_string(rule->when));
	json_object_set_new(json, "require", json_string(rule->require));
	json_object_set_new(json, "message", json_string(rule->message));
	json_object_set_new(json, "since", pl_json_text(rule->since));
	json_object_set_new(json, "until", pl_json_text(rule->until));
	json_object_set_new(json, "reference",
			    json_string(vllm_rule_reference_name(rule->reference)));
	json_object_set_new(json, "reference_source", pl_json_text(rule->source));
	json_object_set_new(json, "reference_note", pl_json_text(rule->reference_note));
	json_object_set_new(json, "note", pl_json_text(rule->note));
	return json;
}

static void check_name(void *user, const struct vllm_expr *name)
{
	struct pl_err *err = user;
	bool known = false;

	if (err->code != PL_ERR_NONE)
		return;
	const struct option_row *arg = vllm_rule_find_arg(name->text);
	if (name->op == VLLM_EXPR_ARG && arg == NULL)
		pl_err_set(err, PL_ERR_INVALID, "'%s' is no argument", name->text);
	if (name->op == VLLM_EXPR_SUB && (arg == NULL || option_field_find(arg, name->key) == NULL))
		pl_err_set(err, PL_ERR_INVALID, "'%s' has no key '%s'", name->text, name->key);
	for (size_t i = 0; i < PL_ARRAY_SIZE(facts); i++)
		known |= strcmp(facts[i], name->text) == 0;
	if (name->op == VLLM_EXPR_ENV && !known)
		pl_err_set(err, PL_ERR_INVALID, "'env.%s' is no fact", name->text);
}

int vllm_rule_names_check(const struct vllm_expr *expr, struct pl_err *err)
{
	struct pl_err fault = PL_ERR_INIT;

	vllm_expr_each_name(expr, check_name, &fault);
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

const json_t *vllm_rule_given(const struct vllm_rule_subject *subject, const char *arg,
			      const char *key)
{
	const json_t *value = json_object_get(subject->values, arg);

	return key == NULL ? value : json_object_get(value, key);
}

static struct vllm_value subject_value(void *user, const char *arg, const char *key)
{
	const struct known_name *name = find_name(arg, key);
	const json_t *given = vllm_rule_given(user, arg, key);

	if (given == NULL)
		return vllm_value_of_json(name != NULL ? name->value : NULL);
	if (name != NULL && leaves_choice(name, given))
		return vllm_value_of_json(NULL);
	return vllm_value_of_json(given);
}

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

struct vllm_value vllm_rule_fact(void *user, const char *name)
{
	const struct vllm_rule_env *env = ((struct vllm_rule_subject *)user)->env;

	if (strcmp(name, "gpus") == 0)
		return number_fact(env->gpus);
	if (strcmp(name, "host_memory_gib") == 0)
		return number_fact(env->host_memory_gib);
	if (strcmp(name, "api_servers") == 0)
		return number_fact(env->api_servers);
	if (strcmp(name, "platform") == 0 && env->platform != NULL)
		return (struct vllm_value){ .kind = VLLM_VALUE_TEXT, .text = env->platform };
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

void vllm_rule_evaluate(const struct vllm_rule *rule, const json_t *values,
			const struct vllm_rule_env *env, enum vllm_truth *ret_when,
			enum vllm_truth *ret_require)
{
	struct vllm_rule_subject subject = { values, env };
	struct vllm_expr_scope scope = vllm_rule_scope_of(&subject);

	if (ret_when != NULL)
		*ret_when = vllm_expr_truth(vllm_rule_when(rule), &scope);
	if (ret_require != NULL)
		*ret_require = vllm_expr_truth(vllm_rule_require(rule), &scope);
}

const char *vllm_target_release(const struct vllm_target *target, struct vllm_version *ret)
{
	struct pl_err err = PL_ERR_INIT;

	if (target->version != NULL && vllm_version_parse(target->version, ret, &err) == 0 &&
	    !vllm_version_is_untagged(ret))
		return target->version;
	int rc = vllm_version_parse(VLLM_REFERENCE_RELEASE, ret, &err);
	assert(rc == 0);
	(void)rc;
	return NULL;
}

int vllm_release_compare(const struct vllm_version *release, const char *text, bool *ret_known)
{
	struct pl_err err = PL_ERR_INIT;
	struct vllm_version other;

	*ret_known = text != NULL && vllm_version_parse(text, &other, &err) == 0;
	return *ret_known ? vllm_version_compare(release, &other) : 0;
}

enum vllm_rule_effect vllm_rule_effect_for(const struct vllm_rule *rule,
					   const struct vllm_version *release)
{
	bool known;

	if (vllm_release_compare(release, rule->since, &known) < 0)
		return VLLM_RULE_SILENT;
	if (vllm_release_compare(release, rule->until, &known) >= 0 && known)
		return VLLM_RULE_SILENT;
	if (vllm_release_compare(release, VLLM_REFERENCE_RELEASE, &known) > 0)
		return VLLM_RULE_WARNS;
	return rule->severity == OPTION_ERROR && rule->reference != VLLM_RULE_ADVICE
		       ? VLLM_RULE_REFUSES
		       : VLLM_RULE_WARNS;
}

enum vllm_rule_effect vllm_rule_effect(const struct vllm_rule *rule,
				       const struct vllm_target *target)
{
	struct vllm_version release;

	vllm_target_release(target, &release);
	return vllm_rule_effect_for(rule, &release);
}
