/*
 * A parser belongs to the release, only to other releases, or to none. The front end of every
 * release with data compares the reasoning parser with the registered ones, and the tool parser,
 * too, if tools are chosen automatically.
 */
#include "vllm/parsers.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/replaced.h"

enum kind { TOOL, REASONING };

static const struct parser {
	enum kind kind;
	const char *name;
	const char *since;
	const char *until;
} parsers[] = {
#define PARSER(kind, name, since, until) { kind, name, since, until },
#include "tbl/parsers.h"
};

static const struct {
	const char *first;
	const char *last;
} checked = {
#define PARSERS(first, last) first, last
#include "tbl/parsers.h"
};

static const struct argument {
	enum kind kind;
	const char *name; /* "tool_call_parser" */
	const char *key;  /* of structured_outputs_config, or NULL */
	const char *noun;
	const char *plugin; /* the argument that names a file with more */
} arguments[] = {
#define PARSER_ARGUMENT(kind, name, key, noun, plugin) { kind, #name, key, noun, plugin },
#include "tbl/parsers.h"
};

struct check {
	const json_t *values;
	const json_t *env;
	const struct vllm_target *target;
	struct vllm_version release;
	const char *version;
	vllm_rule_locate_fn *location;
	void *user;
	struct option_problems *problems;
};

static bool is_at_least(const struct check *check, const char *release)
{
	bool known;

	return vllm_release_compare(&check->release, release, &known) >= 0 && known;
}

static bool is_present(const struct check *check, const struct parser *parser)
{
	return (parser->since == NULL || is_at_least(check, parser->since)) &&
	       !is_at_least(check, parser->until);
}

static const char *nearest_parser(const struct check *check, enum kind kind, const char *name)
{
	struct pl_nearest nearest = { .name = name };

	for (size_t i = 0; i < PL_ARRAY_SIZE(parsers); i++) {
		if (parsers[i].kind == kind && is_present(check, &parsers[i]))
			pl_nearest_try(&nearest, parsers[i].name);
	}
	return nearest.found;
}

static size_t count_parsers(const struct check *check, enum kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < PL_ARRAY_SIZE(parsers); i++)
		count += parsers[i].kind == kind && is_present(check, &parsers[i]);
	return count;
}

/* VLLM_PLUGINS names packages that may register more. */
static enum option_severity severity_of(const struct check *check, const struct argument *argument)
{
	bool is_checked = argument->kind == REASONING ||
			  pl_json_get_true(check->values, "enable_auto_tool_choice");
	bool is_read = !check->target->assumed && check->target->version != NULL &&
		       !(is_at_least(check, checked.last) &&
			 strcmp(check->version, checked.last) != 0);

	return is_checked && is_read && pl_json_get_text(check->env, "VLLM_PLUGINS") == NULL
		       ? OPTION_ERROR
		       : OPTION_WARNING;
}

static void add_problem(const struct check *check, const struct argument *argument,
			const char *name, const struct parser *other)
{
	struct vllm_rule_location where = { 0 };
	auto_free char *setting = pl_asprintf("%s%s%s", argument->name,
					      argument->key != NULL ? "." : "",
					      argument->key != NULL ? argument->key : "");
	bool is_later = other != NULL && other->since != NULL && !is_at_least(check, other->since);
	auto_free char *found = pl_asprintf(other == NULL ? "'%s', not a %s of vLLM %s"
					    : is_later ? "'%s', a %s that vLLM %s does not have yet"
						       : "'%s', a %s that vLLM %s no longer has",
					    name, argument->noun, check->version);
	auto_free char *expected = is_later ? pl_asprintf("vLLM %s or newer", other->since)
					    : pl_asprintf("one of its %zu, or %s",
							  count_parsers(check, argument->kind),
							  argument->plugin);

	if (check->location != NULL)
		check->location(check->user, setting, &where);
	auto_free char *key = where.flag != NULL ? pl_asprintf("%s%s", where.flag,
							       setting + strlen(argument->name))
						 : pl_asprintf("server.%s", setting);
	option_problem_report(check->problems, .severity = severity_of(check, argument),
			      .source = where.source, .line = where.line, .column = where.column,
			      .key = key, .found = found, .expected = expected,
			      .nearest = is_later ? NULL
						  : nearest_parser(check, argument->kind, name));
}

/* A renamed parser has a separate problem, with its replacement. */
static bool is_renamed(const struct check *check, const struct argument *argument,
		       const json_t *value)
{
	const struct vllm_catalog *catalog = vllm_catalog_or_reference(check->target->catalog);

	/* the target's own, whichever of its catalogs was given */
	if (vllm_catalog_is_reference(catalog))
		catalog = vllm_catalog_release(catalog, check->version);
	struct vllm_replacing replacing = { catalog, &check->release, check->values };

	return argument->key == NULL && vllm_is_old_name(&replacing, argument->name, value);
}

/* "" and, in 0.33.0, "none" stand for no parser. */
static bool is_none(const struct check *check, const struct argument *argument, const char *name)
{
	return name[0] == '\0' || (argument->kind == REASONING && is_at_least(check, "0.33.0") &&
				   strcasecmp(name, "none") == 0);
}

static void check_argument(const struct check *check, const struct argument *argument)
{
	const json_t *value = json_object_get(check->values, argument->name);
	const char *plugin = pl_json_get_text(check->values, argument->plugin);

	if (argument->key != NULL)
		value = json_object_get(value, argument->key);
	const char *name = json_string_value(value);
	if (name == NULL || is_none(check, argument, name) ||
	    (plugin != NULL && plugin[0] != '\0') || is_renamed(check, argument, value))
		return;
	enum kind kind = argument->kind;
	const struct parser *parser = NULL;
	for (size_t i = 0; i < PL_ARRAY_SIZE(parsers); i++) {
		if (parsers[i].kind != kind || strcmp(parsers[i].name, name) != 0)
			continue;
		if (parser == NULL || is_present(check, &parsers[i]))
			parser = &parsers[i];
	}
	if (parser == NULL || !is_present(check, parser))
		add_problem(check, argument, name, parser);
}

void vllm_parsers_check(const json_t *values, const json_t *env, const struct vllm_target *target,
			vllm_rule_locate_fn *location, void *user, struct option_problems *problems)
{
	struct check check = { .values = values,
			       .env = env,
			       .target = target,
			       .location = location,
			       .user = user,
			       .problems = problems };

	check.version = vllm_target_release(target, &check.release);
	if (check.version == NULL)
		check.version = VLLM_REFERENCE_RELEASE;
	if (!is_at_least(&check, checked.first))
		return;
	for (size_t i = 0; i < PL_ARRAY_SIZE(arguments); i++)
		check_argument(&check, &arguments[i]);
}
