/*
 * What stands where a file is to be written, so that nobody's work is lost by a slip: every command
 * with an output asks here before it begins.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

/* How much a result tells. One takes the place of another that tells no more than it does. */
enum res_worth {
	RES_WORTH_NOTHING, /* there is none */
	RES_WORTH_END,     /* how the run ended; no request completed, or none was sent */
	RES_WORTH_PART,    /* what was measured up to an end that came too early */
	RES_WORTH_WHOLE,   /* all that was asked for: completed, partial */
};
enum res_worth res_worth(const json_t *document);
/* Of what stands at `path`; a file that is no result of ours may be worth anything: WHOLE. */
enum res_worth res_standing_worth(const char *path);
/* "a result of 2026-11-22T10:00:00Z, status completed", "another file"; NULL: nothing stands there, or
 * an empty file. The caller's (free()). */
char *res_standing_text(const char *path);
/* 0 where nothing stands at `path`; else -1 with what it is, and the way out; `option` named it. */
int res_standing_check(const char *path, const char *option, struct pl_err *err) PL_MUST_CHECK;
/* The result at `path`, of any schema version, also within vLLM's flat one; NULL: none. New
 * reference. */
json_t *res_standing_result(const char *path);
