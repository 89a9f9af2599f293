/*
 * The secrets of a run, and their removal from what servers and clients write. The search is
 * base/redact.h.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "run/launch.h"

/* Registers the secrets of the launch: its environment, its arguments, and the requests' headers. */
void run_redact_know(const struct run_launch *launch);
/* The same for the secrets in the words of a command line. */
void run_redact_know_words(const json_t *words);
/* Returns all registered secrets as an array of texts. New reference. */
json_t *run_redact_secrets(void);
/* Redacts every text of an external value. New reference. */
json_t *run_redact(const json_t *value);
/* Rewrites a file of any size if it contains a secret. */
int run_redact_file(const char *path, struct pl_err *err) PL_MUST_CHECK;

/* Makes fingerprints of secrets for a journal: [{bytes, sum, sha256}]. salt: the run id. New reference. */
json_t *run_redact_prints(const json_t *secrets, const char *salt);
/* Adds the secrets in `data` that match the fingerprints. */
void run_redact_find(const char *data, size_t len, const json_t *prints, const char *salt,
		     json_t *secrets);
/* As run_redact_file(), also for secrets that match the fingerprints. */
int run_redact_printed(const char *path, const json_t *prints, const char *salt,
		       struct pl_err *err) PL_MUST_CHECK;
