/*
 * Protection of an existing file at an output path: every command with an output checks here before
 * it starts.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>

/* How complete a result is. A result replaces another that is at most as complete. */
enum res_worth {
	RES_WORTH_NOTHING, /* no result */
	RES_WORTH_END,     /* how the run ended; no request completed, or none was sent */
	RES_WORTH_PART,    /* measurements up to a premature end */
	RES_WORTH_WHOLE,   /* everything that was requested: completed, partial */
	RES_WORTH_OTHER,   /* not a result: never replaced by one */
};
enum res_worth res_worth(const json_t *document);
/* Returns the value of the file at `path`. A flat result that vLLM wrote is WHOLE. */
enum res_worth res_existing_worth(const char *path);
/*
 * Describes the file: "a result of 2026-11-22T10:00:00Z, status completed", "another file"; NULL:
 * it does not exist or is empty. The caller frees it with free().
 */
char *res_existing_text(const char *path);
/*
 * Returns 0 if `path` does not exist or is empty; otherwise -1 with an error that describes the
 * file and the remedy. `option` named the path.
 */
int res_existing_check(const char *path, const char *option, struct pl_err *err) PL_MUST_CHECK;
/*
 * The same if the user asked to replace the file. A result replaces only a result, and another file replaces none:
 * their user named the wrong path. `as_result`: whether a result will be written.
 */
int res_existing_check_replaced(const char *path, const char *option, bool as_result,
				struct pl_err *err) PL_MUST_CHECK;
/*
 * Returns the result at `path`, of any schema version, also from vLLM's flat result; NULL: none.
 * New reference.
 */
json_t *res_existing_result(const char *path);
