/*
 * A rule of prune: conditions on results and artifacts, all of which must hold, as KEY=VALUE[,KEY=VALUE]…:
 *
 *	age=TIME        the result was stored more than TIME ago
 *	suite=NAME      its suite (run.suite)
 *	status=NAME     its status (run.status)
 *	kind=NAME       of artifacts: their kind
 *	max_bytes=SIZE  of artifacts: the oldest ones, until the files of all artifacts have at most SIZE bytes
 *
 * A backslash before a comma or a backslash makes it part of a value.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct store_prune_rule {
	char *text;
	int64_t age_ns;              /* 0: any */
	char *suite, *status, *kind; /* NULL: any */
	int64_t max_bytes;           /* -1: no limit */
};

/* Overwrites *ret. INVALID: names the key, with what was found and expected. */
int store_prune_rule_parse(const char *text, struct store_prune_rule *ret,
			   struct pl_err *err) PL_MUST_CHECK;
void store_prune_rule_done(struct store_prune_rule *rule);
/* Returns whether it selects artifacts only, and no results. */
bool store_prune_rule_is_of_artifacts(const struct store_prune_rule *rule);
