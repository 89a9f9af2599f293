/*
 * Functions that report a problem of a key: at the location where it was set, or at the anchor, the
 * key that requires it.
 */
#include "experiment/refuse.h"

#include "base/text.h"
#include "experiment/section.h"

void exp_problem_add(const struct exp_config *experiment, const char *anchor,
		     struct option_problems *problems, const struct option_problem *problem)
{
	const struct option_location *location = option_locations_find(&experiment->locations,
								       problem->key);

	if (location == NULL && anchor != NULL)
		location = option_locations_find(&experiment->locations, anchor);
	exp_config_add(experiment, location, problem, problems);
}

/* Checks call it before they report a problem that may only be a consequence of that error. */
bool exp_is_refused(const struct exp_checker *c, const char *key)
{
	for (size_t i = 0; i < c->problems->count; i++) {
		const struct option_problem *problem = &c->problems->items[i];
		if (problem->severity == OPTION_ERROR && pl_text_equal(problem->key, key))
			return true;
	}
	return false;
}

void exp_refuse(struct exp_checker *c, const char *key, const char *found, const char *expected)
{
	exp_problem_report(c->experiment, NULL, c->problems, .key = key, .found = found,
			   .expected = expected);
}

void exp_refuse_number(struct exp_checker *c, const char *key, int64_t found, const char *expected)
{
	auto_free char *text = pl_asprintf("number %lld", (long long)found);

	exp_refuse(c, key, text, expected);
}

void exp_refuse_text(struct exp_checker *c, const char *key, const char *found,
		     const char *expected)
{
	auto_free char *text = pl_asprintf("text '%s'", found);

	exp_refuse(c, key, text, expected);
}

void exp_refuse_for(struct exp_checker *c, const char *key, const char *reason)
{
	exp_problem_report(c->experiment, NULL, c->problems, .key = key, .expected = reason,
			   .expected_is_reason = true);
}

void exp_warn_for(struct exp_checker *c, const char *key, const char *reason)
{
	exp_problem_report(c->experiment, NULL, c->problems, .severity = OPTION_WARNING, .key = key,
			   .expected = reason, .expected_is_reason = true);
}
