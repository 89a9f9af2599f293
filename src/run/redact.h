/*
 * The secrets of a run, and their removal from what servers and clients write. The search is
 * base/redact.h.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "run/launch.h"

/* From here on the process knows the secrets of the launch: its environment, arguments, and the
 * requests' headers. */
void run_redact_know(const struct run_launch *launch);
/* The same for the secrets in the words of a command line. */
void run_redact_know_words(const json_t *words);
/* Every secret that the process knows, as an array of texts. New reference. */
json_t *run_redact_secrets(void);
/* Redacts every text of a value from outside. New reference. */
json_t *run_redact(const json_t *value);
/* Rewrites a file of any size if it has a secret. */
int run_redact_file(const char *path, struct pl_err *err) PL_MUST_CHECK;

/*
 * Makes the prints of secrets that a journal may hold: [{bytes, sum, sha256}]. salt: the run's id. New
 * reference.
 */
json_t *run_redact_prints(const json_t *secrets, const char *salt);
/* Adds the secrets that `data` has, by their prints. */
void run_redact_find(const char *data, size_t len, const json_t *prints, const char *salt,
		     json_t *secrets);
/* run_redact_file(), with the secrets that the file has by their prints. */
int run_redact_printed(const char *path, const json_t *prints, const char *salt,
		       struct pl_err *err) PL_MUST_CHECK;
