#include "vllm/rules.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/history.h"
#include "vllm/rules_priv.h"
#include "vllm/secret.h"
#include "option/value.h"

#define TEXT_BYTES_MAX  4096
#define SHOWN_BYTES_MAX 80 /* of one value in `found` */

/* Cuts a long value where a character ends. */
static void add_shown(struct pl_buf *buf, const char *text)
{
	size_t len = strlen(text);

	if (len > SHOWN_BYTES_MAX) {
		for (len = SHOWN_BYTES_MAX; len > 0 && (text[len] & 0xc0) == 0x80;)
			len--;
	}
	pl_buf_add(buf, text, len);
	if (text[len] != '\0')
		pl_buf_add_text(buf, "…");
}

static void add_json(struct pl_buf *buf, const json_t *given)
{
	auto_json json_t *shown = vllm_secret_json_shown(given);
	auto_free char *text = pl_json_to_text(shown, PL_JSON_COMPACT);

	add_shown(buf, text);
}

static void add_value(struct pl_buf *buf, const struct vllm_catalog *catalog,
		      const struct vllm_expr *name, const struct vllm_value *value,
		      const json_t *given)
{
	const struct option_row *arg = name->op == VLLM_EXPR_ENV
					       ? NULL
					       : vllm_rule_find_arg(catalog, name->text);

	if (buf->len > 0)
		pl_buf_add_text(buf, ", ");
	pl_buf_addf(buf, "%s%s%s ", name->text, name->key != NULL ? "." : "",
		    name->key != NULL ? name->key : "");
	if (name->op == VLLM_EXPR_ENV && value->kind == VLLM_VALUE_NUMBER)
		pl_buf_addf(buf, "%.15g", value->number);
	else if (name->op == VLLM_EXPR_ENV)
		pl_buf_add_text(buf, value->kind == VLLM_VALUE_TEXT ? value->text
				     : value->number != 0           ? "true"
								    : "false");
	else if (arg != NULL && arg->secret)
		pl_buf_add_text(buf, "***");
	else if (json_is_string(given))
		add_shown(buf, json_string_value(given));
	else
		add_json(buf, given);
}

/* Does the rule look into this object key by key? */
static bool has_keys(const struct vllm_rule_names *names, const char *arg)
{
	for (size_t i = 0; i < names->count; i++) {
		if (names->items[i]->op == VLLM_EXPR_SUB && strcmp(names->items[i]->text, arg) == 0)
			return true;
	}
	return false;
}

/* "tensor_parallel_size 16, gpus 8": what was set, and the facts. */
static void describe_found(const struct vllm_rule_names *names, struct vllm_rule_subject *subject,
			   struct pl_buf *buf)
{
	for (size_t i = 0; i < names->count; i++) {
		const struct vllm_expr *name = names->items[i];
		struct vllm_value value = { .kind = VLLM_VALUE_NULL };
		const json_t *given = NULL;

		if (name->op == VLLM_EXPR_ENV)
			value = vllm_rule_fact(subject, name->text);
		else if (vllm_rule_is_set(subject, name->text, name->key))
			given = vllm_rule_given(subject, name->text, name->key);
		if (given == NULL && value.kind == VLLM_VALUE_NULL)
			continue;
		if (name->op == VLLM_EXPR_ARG && has_keys(names, name->text))
			continue;
		add_value(buf, subject->catalog, name, &value, given);
	}
	if (buf->len == 0)
		pl_buf_add_text(buf, "the defaults");
}

static void find_place(vllm_rule_place_fn *place, void *user, const char *arg,
		       struct option_problem *problem)
{
	struct vllm_rule_place where = { 0 };

	if (place != NULL)
		place(user, arg, &where);
	problem->source = where.source;
	problem->line = where.line;
	problem->column = where.column;
}

static void add_broken(const struct vllm_rule *rule, enum option_severity severity,
		       struct vllm_rule_subject *subject, vllm_rule_place_fn *place, void *user,
		       struct option_problems *problems)
{
	struct vllm_rule_names names;
	const char *args[VLLM_EXPR_NODES_MAX];
	const char *first = NULL;
	auto_buf found = { 0 };
	auto_free char *key = NULL;
	struct option_problem problem = {
		.severity = severity,
		.rule = rule->id,
		.expected = rule->message,
		.expected_is_reason = true,
	};

	vllm_rule_names(rule, &names);
	size_t count = vllm_rule_args(&names, args);
	for (size_t i = 0; i < count && first == NULL; i++)
		first = vllm_rule_is_set(subject, args[i], NULL) ? args[i] : NULL;
	pl_buf_init(&found, TEXT_BYTES_MAX);
	describe_found(&names, subject, &found);
	key = first != NULL ? pl_asprintf("server.%s", first) : pl_strdup("server");
	problem.key = key;
	problem.found = pl_buf_text(&found);
	find_place(place, user, first, &problem);
	option_problems_add(problems, &problem);
}

void vllm_rules_check(const json_t *values, const struct vllm_target *target,
		      const struct vllm_rule_env *env, vllm_rule_place_fn *place, void *user,
		      struct option_problems *problems)
{
	auto_json json_t *defaults = json_object();
	struct vllm_rule_subject subject = { vllm_catalog_or_reference(target->catalog), values,
					     env, defaults };
	struct vllm_expr_scope scope = vllm_rule_scope_of(&subject);
	struct vllm_version release;

	vllm_target_release(target, &release);
	for (size_t i = 0; i < vllm_rule_count(); i++) {
		const struct vllm_rule *rule = vllm_rule_at(i);
		enum vllm_rule_effect effect = vllm_rule_effect_for(rule, &release);
		if (rule->scope != VLLM_RULE_ENGINE || effect == VLLM_RULE_SILENT ||
		    vllm_expr_truth(vllm_rule_when(rule), &scope) != VLLM_TRUE ||
		    vllm_expr_truth(vllm_rule_require(rule), &scope) != VLLM_FALSE)
			continue;
		add_broken(rule, effect == VLLM_RULE_REFUSES ? OPTION_ERROR : OPTION_WARNING,
			   &subject, place, user, problems);
	}
}

/* What a target is checked with. */
struct target_check {
	struct vllm_version release;
	const char *version; /* as text */
	bool is_known;
	bool allow_gone;
	vllm_rule_place_fn *place;
	void *user;
	struct option_problems *problems;
};

static void add_target_problem(const struct target_check *check, enum option_severity severity,
			       const char *arg, const char *found, const char *expected,
			       const char *nearest)
{
	auto_free char *key = pl_asprintf("server.%s", arg);
	struct option_problem problem = {
		.severity = severity,
		.key = key,
		.found = found,
		.expected = expected,
		.nearest = nearest,
	};

	find_place(check->place, check->user, arg, &problem);
	option_problems_add(check->problems, &problem);
}

/* Of what older releases have: it may be passed on, where that was asked for. */
static enum option_severity gone_severity(const struct target_check *check)
{
	return check->is_known && !check->allow_gone ? OPTION_ERROR : OPTION_WARNING;
}

/* Of what newer ones have: a build between two releases may have it already. */
static enum option_severity later_severity(const struct target_check *check)
{
	return check->is_known && check->release.stage >= 0 ? OPTION_ERROR : OPTION_WARNING;
}

static bool is_before(const struct target_check *check, const char *release)
{
	bool known;

	return vllm_release_compare(&check->release, release, &known) < 0;
}

static void check_arg(const struct target_check *check, const struct option_row *arg)
{
	if (!arg->absent)
		return;
	if (is_before(check, arg->since)) {
		auto_free char *found = pl_asprintf("an argument that vLLM %s does not have yet",
						    check->version);
		auto_free char *expected = pl_asprintf("vLLM %s or newer", arg->since);
		add_target_problem(check, later_severity(check), arg->name, found, expected, NULL);
		return;
	}
	auto_free char *found = pl_asprintf("an argument that vLLM %s no longer has",
					    check->version);
	add_target_problem(check, gone_severity(check), arg->name, found, "an older release",
			   arg->replaced_by);
}

static bool is_among(const char *choices, const json_t *value, bool any_case)
{
	auto_json json_t *list = choices != NULL ? json_loads(choices, 0, NULL) : NULL;

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *choice = json_array_get(list, i);
		if (json_equal(choice, value))
			return true;
		if (any_case && json_is_string(choice) && json_is_string(value) &&
		    strcasecmp(json_string_value(choice), json_string_value(value)) == 0)
			return true;
	}
	return false;
}

/* First release of those behind the target that takes it; NULL: none. */
static const char *later_with(const struct target_check *check, const struct option_row *arg,
			      const json_t *value)
{
	const struct vllm_history *history = vllm_history_find(NULL, arg->name);
	const struct option_row *today = vllm_arg_find(vllm_catalog_reference(), arg->name);

	for (const struct vllm_range *range = history != NULL ? history->ranges : NULL;
	     range != NULL && range->since != NULL; range++) {
		const char *choices = range->choices != NULL || today == NULL ? range->choices
									      : today->choices;
		if (is_before(check, range->since) && is_among(choices, value, arg->any_case))
			return range->since;
	}
	return NULL;
}

/* Of some release's list, or known to be gone from the reference though no parser checks it. */
static bool is_of_others(const struct target_check *check, const struct option_row *arg,
			 const json_t *value)
{
	bool found = !is_before(check, VLLM_REFERENCE_RELEASE) &&
		     is_among(arg->older_choices, value, arg->any_case);

	for (const char *const *at = arg->release_choices; at != NULL && *at != NULL; at++)
		found = found || is_among(*at, value, arg->any_case);
	return found;
}

static enum option_severity choice_severity(const struct target_check *check,
					    const struct option_row *arg, const char *later)
{
	if (option_row_is_open(arg) && arg->older_choices == NULL)
		return OPTION_WARNING;
	return later != NULL ? later_severity(check) : gone_severity(check);
}

static void check_choice(const struct target_check *check, const struct option_row *arg,
			 const json_t *value)
{
	if (is_among(arg->choices, value, arg->any_case) || !is_of_others(check, arg, value))
		return;
	const char *later = later_with(check, arg, value);
	auto_free char *text = pl_json_to_text(value, PL_JSON_COMPACT);
	auto_free char *found = pl_asprintf(later != NULL
						    ? "%s, not a choice of vLLM %s"
						    : "%s, a choice that vLLM %s no longer has",
					    text, check->version);
	auto_buf expected = { 0 };
	auto_free char *nearest = json_is_string(value)
					  ? option_choice_nearest(arg, json_string_value(value))
					  : NULL;

	pl_buf_init(&expected, TEXT_BYTES_MAX);
	option_row_describe(arg, &expected);
	if (later != NULL)
		pl_buf_addf(&expected, ", or vLLM %s or newer", later);
	else
		pl_buf_add_text(&expected, ", or an older release");
	add_target_problem(check, choice_severity(check, arg, later), arg->name, found,
			   pl_buf_text(&expected), nearest);
}

/* Where no list is checked, any text will do. */
static void check_choices(const struct target_check *check, const struct option_row *arg,
			  const json_t *value)
{
	if (arg->choices == NULL || arg->absent)
		return;
	if (!json_is_array(value))
		check_choice(check, arg, value);
	for (size_t i = 0; i < json_array_size(value); i++)
		check_choice(check, arg, json_array_get(value, i));
}

/* The target's own, whichever catalogue of it was given. */
static const struct vllm_catalog *catalog_of(const struct vllm_target *target, const char *version)
{
	const struct vllm_catalog *catalog = vllm_catalog_or_reference(target->catalog);

	return vllm_catalog_is_reference(catalog) ? vllm_catalog_release(catalog, version)
						  : catalog;
}

void vllm_target_check_args(const json_t *values, const struct vllm_target *target, bool allow_gone,
			    vllm_rule_place_fn *place, void *user, struct option_problems *problems)
{
	struct target_check check = {
		.allow_gone = allow_gone,
		.place = place,
		.user = user,
		.problems = problems,
	};
	const char *name;
	json_t *value;

	check.version = vllm_target_release(target, &check.release);
	const struct vllm_catalog *catalog = catalog_of(target, check.version);
	check.is_known = check.version != NULL && !target->assumed;
	if (check.version == NULL)
		check.version = VLLM_REFERENCE_RELEASE;
	json_object_foreach((json_t *)values, name, value)
	{
		const struct option_row *arg = vllm_rule_find_arg(catalog, name);
		if (arg == NULL || json_is_null(value))
			continue;
		check_arg(&check, arg);
		check_choices(&check, arg, value);
	}
}

/* The object that has the field among its keys, where it was given; NULL. */
static const json_t *object_of(const json_t *values, const struct option_row *field)
{
	const json_t *object = json_object_get(values, field->of);
	auto_free char *path = pl_strdup(field->name);
	char *rest = path;
	const char *name = strsep(&rest, ".");

	for (; rest != NULL && object != NULL; name = strsep(&rest, "."))
		object = json_object_get(object, name);
	return json_is_object(object) ? object : NULL;
}

static void add_missing(const struct vllm_rule_place *where, enum option_severity severity,
			const struct option_row *field, struct option_problems *problems)
{
	auto_buf expected = { 0 };
	auto_free char *key = pl_asprintf("server.%s.%s", field->of, field->name);

	pl_buf_init(&expected, TEXT_BYTES_MAX);
	option_row_describe(field, &expected);
	option_problems_add(problems, &(struct option_problem){
					      .severity = severity,
					      .source = where->source,
					      .line = where->line,
					      .column = where->column,
					      .key = key,
					      .found = "no such key",
					      .expected = pl_buf_text(&expected),
				      });
}

void vllm_required_keys_check(const json_t *values, const struct vllm_target *target,
			      vllm_rule_place_fn *place, void *user,
			      struct option_problems *problems)
{
	struct vllm_version release;
	const char *version = vllm_target_release(target, &release);
	const struct vllm_catalog *catalog = catalog_of(target, version);
	enum option_severity severity = vllm_catalog_is_reference(catalog) ? OPTION_ERROR
									   : OPTION_WARNING;
	const char *arg_name;
	json_t *value;

	json_object_foreach((json_t *)values, arg_name, value)
	{
		const struct option_row *arg = vllm_rule_find_arg(catalog, arg_name);
		const struct option_row *field = NULL;
		while (arg != NULL && json_is_object(value) &&
		       (field = option_field_next(arg, field)) != NULL) {
			const char *name = strrchr(field->name, '.');
			const json_t *object = field->required ? object_of(values, field) : NULL;
			struct vllm_rule_place where = { 0 };
			if (object == NULL ||
			    json_object_get(object, name != NULL ? name + 1 : field->name) != NULL)
				continue;
			if (place != NULL)
				place(user, field->of, &where);
			add_missing(&where, severity, field, problems);
		}
	}
}
