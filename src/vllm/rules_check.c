/*
 * Evaluates the rules for one configuration and adds a problem for each violated one: at its
 * arguments, with their values unless they are secrets. A rule that is unknown on either side is
 * skipped.
 */
#include "vllm/rules.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "option/value.h"
#include "vllm/history.h"
#include "vllm/replaced.h"
#include "vllm/rules_priv.h"
#include "vllm/secret.h"

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

/* Returns whether the rule uses single keys of this object. */
static bool has_keys(const struct vllm_rule_names *names, const char *arg)
{
	for (size_t i = 0; i < names->count; i++) {
		if (names->items[i]->op == VLLM_EXPR_SUB && strcmp(names->items[i]->text, arg) == 0)
			return true;
	}
	return false;
}

static void add_broken(const struct vllm_rule *rule, enum option_severity severity,
		       struct vllm_rule_subject *subject, vllm_rule_locate_fn *location, void *user,
		       struct option_problems *problems)
{
	struct vllm_rule_names names;
	const char *args[VLLM_EXPR_NODES_MAX];
	const char *first = NULL;
	auto_buf found = PL_BUF(TEXT_BYTES_MAX);
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
	/* Appends "tensor_parallel_size 16, gpus 8": the settings and the facts. */
	for (size_t i = 0; i < names.count; i++) {
		const struct vllm_expr *name = names.items[i];
		struct vllm_value value = { .kind = VLLM_VALUE_NULL };
		const json_t *given = NULL;
		if (name->op == VLLM_EXPR_ENV)
			value = vllm_rule_fact(subject, name->text);
		else if (vllm_rule_is_set(subject, name->text, name->key))
			given = vllm_rule_given(subject, name->text, name->key);
		if (given == NULL && value.kind == VLLM_VALUE_NULL)
			continue;
		if (name->op == VLLM_EXPR_ARG && has_keys(&names, name->text))
			continue;
		add_value(&found, subject->catalog, name, &value, given);
	}
	if (found.len == 0)
		pl_buf_add_text(&found, "the defaults");
	key = first != NULL ? pl_asprintf("server.%s", first) : pl_strdup("server");
	problem.key = key;
	problem.found = pl_buf_text(&found);
	struct vllm_rule_location where = { 0 };
	if (location != NULL)
		location(user, first, &where);
	problem.source = where.source;
	problem.line = where.line;
	problem.column = where.column;
	option_problems_add(problems, &problem);
}

void vllm_rules_check(const json_t *values, const struct vllm_target *target,
		      const struct vllm_rule_env *env, vllm_rule_locate_fn *location, void *user,
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
			   &subject, location, user, problems);
	}
}

/* The data for checking a target. */
struct target_check {
	const struct vllm_catalog *catalog;
	const json_t *values;
	struct vllm_version release;
	const char *version; /* as text */
	bool is_known;
	bool allow_removed;
	vllm_rule_locate_fn *location;
	void *user;
	struct option_problems *problems;
};

/* An error in a setting, and its remedy. */
struct target_fault {
	enum option_severity severity;
	const char *found;
	const char *expected;
	const char *nearest;
	const json_t *replaced_by;
};

/* "task", "compilation_config.level" */
static char *key_of(const struct option_row *row)
{
	return row->of != NULL ? pl_asprintf("%s.%s", row->of, row->name) : pl_strdup(row->name);
}

/* Returns the location of the key if it is known, otherwise that of its argument. */
static struct vllm_rule_location position_of(const struct target_check *check,
					     const struct option_row *row)
{
	struct vllm_rule_location where = { 0 };
	auto_free char *setting = key_of(row);

	if (check->location != NULL)
		check->location(check->user, setting, &where);
	if (check->location != NULL && where.line == 0 && row->of != NULL)
		check->location(check->user, row->of, &where);
	return where;
}

/* Those that words name in the place of a flag; NULL: it is a file's key. */
static const struct vllm_catalog *flags_of(const struct target_check *check,
					   const struct option_row *row)
{
	return position_of(check, row).flag != NULL ? check->catalog : NULL;
}

static void add_target_problem(const struct target_check *check, const struct option_row *row,
			       const struct target_fault *fault)
{
	struct vllm_rule_location where = position_of(check, row);
	auto_free char *setting = key_of(row);
	const char *inner = row->of != NULL ? setting + strlen(row->of) : "";
	auto_free char *key = where.flag != NULL ? pl_asprintf("%s%s", where.flag, inner)
						 : pl_asprintf("server.%s", setting);
	auto_json json_t *replaced_by = vllm_replaced_in_file(fault->replaced_by);

	option_problem_report(check->problems, .severity = fault->severity, .source = where.source,
			      .line = where.line, .column = where.column, .key = key,
			      .found = fault->found, .expected = fault->expected,
			      .nearest = fault->nearest, .replaced_by = replaced_by);
}

static json_t *replaced_by(const struct target_check *check, const struct option_row *row,
			   const json_t *value)
{
	struct vllm_replacing replacing = { check->catalog, &check->release, check->values };
	auto_free char *key = key_of(row);

	return vllm_replaced_by(&replacing, key, value);
}

static bool is_old_name(const struct target_check *check, const struct option_row *row,
			const json_t *value)
{
	struct vllm_replacing replacing = { check->catalog, &check->release, check->values };
	auto_free char *key = key_of(row);

	return vllm_is_old_name(&replacing, key, value);
}

/* Severity for arguments that only older releases have: the user may allow passing them on. */
static enum option_severity removed_severity(const struct target_check *check,
					     const struct option_row *row)
{
	return (check->is_known || row->of != NULL) && !check->allow_removed ? OPTION_ERROR
									     : OPTION_WARNING;
}

/*
 * Severity for arguments that only newer releases have: a build between two releases may already
 * have them.
 */
static enum option_severity later_severity(const struct target_check *check)
{
	return check->is_known && check->release.stage >= 0 ? OPTION_ERROR : OPTION_WARNING;
}

static bool is_before(const struct target_check *check, const char *release)
{
	bool known;

	return vllm_release_compare(&check->release, release, &known) < 0;
}

/* Returns whether the release is newer than the data: it may have changed. */
static bool is_newer(const struct target_check *check)
{
	bool known;

	return vllm_release_compare(&check->release, VLLM_REFERENCE_RELEASE, &known) > 0;
}

/* Uses the row of the release, or the release's parser if the row is the reference's. */
static bool is_deprecated(const struct target_check *check, const struct option_row *row)
{
	auto_free char *key = key_of(row);
	const struct vllm_history *history = vllm_history_of(key);
	const struct vllm_range *range = history != NULL
						 ? vllm_history_range(history, &check->release)
						 : NULL;

	return row->deprecated || (range != NULL && pl_text_equal(range->deprecated, "true"));
}

/* Warns about an argument that still exists but is deprecated. */
static void warn_deprecated(const struct target_check *check, const struct option_row *row,
			    const json_t *value)
{
	struct vllm_replacing replacing = { check->catalog, &check->release, check->values };
	auto_free char *key = key_of(row);
	const struct vllm_history *history = vllm_history_of(key);
	const char *until = history != NULL ? vllm_history_until(history) : NULL;
	auto_json json_t *by = vllm_deprecated_by(&replacing, key, value);
	auto_free char *found = pl_asprintf("an argument that vLLM %s deprecates%s%s%s",
					    check->version, until != NULL ? " and " : "",
					    until != NULL ? until : "",
					    until != NULL ? " removes" : "");
	auto_buf expected = PL_BUF(TEXT_BYTES_MAX);

	vllm_deprecated_sentence(key, by, flags_of(check, row), &expected);
	add_target_problem(check, row,
			   &(struct target_fault){
				   .severity = OPTION_WARNING,
				   .found = found,
				   .expected = pl_buf_text(&expected),
				   .replaced_by = by,
			   });
}

static void check_presence(const struct target_check *check, const struct option_row *row,
			   const json_t *value)
{
	const char *noun = row->of != NULL ? "a key" : "an argument";
	struct target_fault fault = { 0 };
	auto_json json_t *by = NULL;
	auto_buf expected = PL_BUF(TEXT_BYTES_MAX);

	if (!row->absent) {
		if (is_deprecated(check, row))
			warn_deprecated(check, row, value);
		return;
	}
	bool is_later = is_before(check, row->since);
	auto_free char *found = pl_asprintf(is_later ? "%s that vLLM %s does not have yet"
						     : "%s that vLLM %s no longer has",
					    noun, check->version);
	if (is_later) {
		pl_buf_addf(&expected, "vLLM %s or newer", row->since);
		fault.severity = later_severity(check);
	} else {
		auto_free char *key = key_of(row);
		by = replaced_by(check, row, value);
		vllm_replaced_sentence(key, by, flags_of(check, row), &expected);
		fault.severity = removed_severity(check, row);
	}
	fault.found = found;
	fault.expected = pl_buf_text(&expected);
	fault.replaced_by = by;
	add_target_problem(check, row, &fault);
}

static bool is_among(const char *choices, const json_t *value, bool any_case)
{
	auto_json json_t *list = pl_json_of_text(choices);

	PL_JSON_EACH(choice, list) {
		if (json_equal(choice, value))
			return true;
		if (any_case && json_is_string(choice) && json_is_string(value) &&
		    strcasecmp(json_string_value(choice), json_string_value(value)) == 0)
			return true;
	}
	return false;
}

/* Returns the first release after the target that accepts it; NULL: none. */
static const char *later_with(const struct target_check *check, const struct option_row *arg,
			      const json_t *value)
{
	const struct vllm_history *history = vllm_history_find(arg->of, arg->name);
	const struct option_row *today = vllm_arg_find(vllm_catalog_reference(),
						       arg->of != NULL ? arg->of : arg->name);

	if (arg->of != NULL && today != NULL)
		today = option_field_find(today, arg->name);

	for (const struct vllm_range *range = history != NULL ? history->ranges : NULL;
	     range != NULL && range->since != NULL; range++) {
		const char *choices = range->choices != NULL || today == NULL ? range->choices
									      : today->choices;
		if (is_before(check, range->since) && is_among(choices, value, arg->any_case))
			return range->since;
	}
	return NULL;
}

/*
 * Returns whether the value is in some release's list, or known to be removed in the reference
 * although no parser checks it.
 */
static bool is_of_others(const struct target_check *check, const struct option_row *arg,
			 const json_t *value)
{
	bool found = !is_before(check, VLLM_FIRST_REFERENCE) &&
		     is_among(arg->older_choices, value, arg->any_case);

	for (const char *const *at = arg->release_choices; at != NULL && *at != NULL; at++)
		found = found || is_among(*at, value, arg->any_case);
	return found;
}

static enum option_severity choice_severity(const struct target_check *check,
					    const struct option_row *arg, const char *later)
{
	bool is_any = arg->choices == NULL || option_row_is_open(arg);

	if (is_any && arg->older_choices == NULL)
		return OPTION_WARNING;
	return later != NULL ? later_severity(check) : removed_severity(check, arg);
}

static void check_choice(const struct target_check *check, const struct option_row *arg,
			 const json_t *value)
{
	if (is_among(arg->choices, value, arg->any_case) || !is_of_others(check, arg, value))
		return;
	const char *later = later_with(check, arg, value);
	auto_json json_t *by = later == NULL ? replaced_by(check, arg, value) : NULL;
	auto_free char *text = pl_json_to_text(value, PL_JSON_COMPACT);
	auto_free char *found = pl_asprintf(later != NULL
						    ? "%s, not a choice of vLLM %s"
						    : "%s, a choice that vLLM %s no longer has",
					    text, check->version);
	auto_buf expected = PL_BUF(TEXT_BYTES_MAX);
	auto_free char *nearest = json_is_string(value) && by == NULL
					  ? option_choice_nearest(arg, json_string_value(value))
					  : NULL;

	if (by != NULL) {
		vllm_replaced_sentence(arg->name, by, flags_of(check, arg), &expected);
	} else {
		option_row_describe(arg, &expected);
		if (later != NULL)
			pl_buf_addf(&expected, ", or vLLM %s or newer", later);
		else
			pl_buf_add_text(&expected, ", or an older release");
	}
	add_target_problem(check, arg,
			   &(struct target_fault){
				   .severity = choice_severity(check, arg, later),
				   .found = found,
				   .expected = pl_buf_text(&expected),
				   .nearest = nearest,
				   .replaced_by = by,
			   });
}

/* Without a list any text is valid, except for the former name of another value. */
static void check_choices(const struct target_check *check, const struct option_row *arg,
			  const json_t *value)
{
	if (arg->absent || (arg->choices == NULL && !is_old_name(check, arg, value)))
		return;
	if (!json_is_array(value))
		check_choice(check, arg, value);
	for (size_t i = 0; i < json_array_size(value); i++)
		check_choice(check, arg, json_array_get(value, i));
}

/* A bare number in the place of an object is the level of compilation, as releases before 0.32.0
 * take it. */
static void check_level(const struct target_check *check, const struct option_row *arg,
			const json_t *value)
{
	const struct option_row *level = arg->type == OPTION_JSON && json_is_integer(value)
						 ? option_field_find(arg, "level")
						 : NULL;

	if (level == NULL || is_before(check, VLLM_FIRST_REFERENCE))
		return;
	auto_json json_t *by = replaced_by(check, level, value);
	auto_free char *found = pl_asprintf("%lld, a number that vLLM %s does not accept here",
					    (long long)json_integer_value(value), check->version);
	auto_buf expected = PL_BUF(TEXT_BYTES_MAX);

	vllm_replaced_sentence("compilation_config.level", by, flags_of(check, arg), &expected);
	add_target_problem(check, arg,
			   &(struct target_fault){
				   .severity = is_newer(check) ? OPTION_WARNING
							       : removed_severity(check, level),
				   .found = found,
				   .expected = pl_buf_text(&expected),
				   .replaced_by = by,
			   });
}

/* The keys of an object, an argument or inside of one. */
static void check_keys(const struct target_check *check, const struct option_row *object,
		       const json_t *value)
{
	PL_JSON_EACH_MEMBER(name, member, value) {
		const struct option_row *field = option_field_find(object, name);
		if (field == NULL)
			continue;
		check_presence(check, field, member);
		if (json_is_object(member))
			check_keys(check, field, member);
		else
			check_choices(check, field, member);
	}
}

static void check_object(const struct target_check *check, const struct option_row *arg,
			 const json_t *value)
{
	if (json_is_object(value))
		check_keys(check, arg, value);
	else
		check_level(check, arg, value);
}

/* The target's own, whichever catalogue of it was given. */
static const struct vllm_catalog *catalog_of(const struct vllm_target *target, const char *version)
{
	const struct vllm_catalog *catalog = vllm_catalog_or_reference(target->catalog);

	return vllm_catalog_is_reference(catalog) ? vllm_catalog_release(catalog, version)
						  : catalog;
}

static struct target_check check_of(const struct vllm_target *target)
{
	struct target_check check = { 0 };

	check.version = vllm_target_release(target, &check.release);
	check.catalog = catalog_of(target, check.version);
	check.is_known = check.version != NULL && !target->assumed;
	if (check.version == NULL)
		check.version = VLLM_REFERENCE_RELEASE;
	return check;
}

void vllm_target_check_args(const json_t *values, const struct vllm_target *target,
			    bool allow_removed, vllm_rule_locate_fn *location, void *user,
			    struct option_problems *problems)
{
	struct target_check check = check_of(target);

	check.values = values;
	check.allow_removed = allow_removed;
	check.location = location;
	check.user = user;
	check.problems = problems;
	PL_JSON_EACH_MEMBER(name, value, values) {
		const struct option_row *arg = vllm_rule_find_arg(check.catalog, name);
		if (arg == NULL || json_is_null(value))
			continue;
		check_presence(&check, arg, value);
		check_choices(&check, arg, value);
		if (!arg->absent)
			check_object(&check, arg, value);
	}
}

size_t vllm_target_check_keys(const struct option_row *arg, const json_t *value,
			      const struct vllm_target *target, bool allow_removed,
			      vllm_rule_locate_fn *location, void *user,
			      struct option_problems *problems)
{
	struct target_check check = check_of(target);
	size_t errors = problems->errors;

	check.allow_removed = allow_removed;
	check.location = location;
	check.user = user;
	check.problems = problems;
	if (!arg->absent)
		check_object(&check, arg, value);
	return problems->errors - errors;
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

static void add_missing(const struct vllm_rule_location *where, enum option_severity severity,
			const struct option_row *field, struct option_problems *problems)
{
	auto_buf expected = PL_BUF(TEXT_BYTES_MAX);
	auto_free char *key = pl_asprintf("server.%s.%s", field->of, field->name);

	option_row_describe(field, &expected);
	option_problem_report(problems, .severity = severity, .source = where->source,
			      .line = where->line, .column = where->column, .key = key,
			      .found = "nothing", .expected = pl_buf_text(&expected));
}

void vllm_required_keys_check(const json_t *values, const struct vllm_target *target,
			      vllm_rule_locate_fn *location, void *user,
			      struct option_problems *problems)
{
	struct vllm_version release;
	const char *version = vllm_target_release(target, &release);
	const struct vllm_catalog *catalog = catalog_of(target, version);
	enum option_severity severity = vllm_catalog_knows_keys(catalog) ? OPTION_ERROR
									 : OPTION_WARNING;

	PL_JSON_EACH_MEMBER(arg_name, value, values) {
		const struct option_row *arg = vllm_rule_find_arg(catalog, arg_name);
		const struct option_row *field = NULL;
		while (arg != NULL && json_is_object(value) &&
		       (field = option_field_next(arg, field)) != NULL) {
			const char *name = strrchr(field->name, '.');
			const json_t *object = field->required ? object_of(values, field) : NULL;
			struct vllm_rule_location where = { 0 };
			if (object == NULL ||
			    json_object_get(object, name != NULL ? name + 1 : field->name) != NULL)
				continue;
			if (location != NULL)
				location(user, field->of, &where);
			add_missing(&where, severity, field, problems);
		}
	}
}
