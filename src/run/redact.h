/*
 * Servers print what they were given, secrets too: what of their log goes into a result goes
 * through here.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "run/launch.h"

/* The secrets that a server was given: its environment, arguments and the requests' headers. New
 * reference to an array. */
json_t *run_redact_secrets(const struct run_launch *launch);
/* A text, or an array of texts, with "***" in place of each secret; other values are as they are.
 * New reference. */
json_t *run_redact(const json_t *value, const json_t *secrets);
/* The same in a file of any size, which is written anew where a secret stands in it. */
int run_redact_file(const char *path, const json_t *secrets, struct pl_err *err) PL_MUST_CHECK;

/*
 * What of secrets may be kept: [{bytes, sum, sha256}], by which they are known again in a file.
 * salt: the run's id. New reference.
 */
json_t *run_redact_prints(const json_t *secrets, const char *salt);
/* Adds those of the prints' secrets that stand in `data`. */
void run_redact_find(const char *data, size_t len, const json_t *prints, const char *salt,
		     json_t *secrets);
/* run_redact_file() by prints. */
int run_redact_printed(const char *path, const json_t *prints, const char *salt,
		       struct pl_err *err) PL_MUST_CHECK;
