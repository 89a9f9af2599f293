/*
 * The replacement, in a release of vLLM, of an argument, a choice or a key of a JSON argument that
 * it has removed: by the rule of its history (vllm/history.h) and by the rows of tbl/replacements.h
 * for single values, repeated if the replacement is itself removed.
 *
 * A replacement is an array of {"key", "value"}: an argument or "argument.key", named as in
 * `server:`. Without "value" the user must choose the value. An empty array: nothing needs to be
 * set, because it is the default behavior.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"
#include "option/row.h"
#include "vllm/catalog.h"
#include "vllm/history.h"

#include <stdbool.h>

/* Whether a release has an argument or "argument.key". */
enum vllm_presence {
	VLLM_PRESENT, /* or unknown */
	VLLM_NOT_YET,
	VLLM_GONE,
};
enum vllm_presence vllm_presence(const char *key, const struct vllm_version *release);

/* Returns the history of an argument or of "argument.key"; NULL: none. */
const struct vllm_history *vllm_history_of(const char *key);

/* The target of a replacement. */
struct vllm_replacing {
	const struct vllm_catalog *catalog; /* of the release */
	const struct vllm_version *release;
	const json_t *values; /* the other settings, by argument; NULL: unknown */
};

/*
 * Returns the replacement of `key: value`, whether the key or only this value was removed. value
 * NULL: unknown. New reference; NULL: no replacement is known, or it was removed, too.
 */
json_t *vllm_replaced_by(const struct vllm_replacing *replacing, const char *key,
			 const json_t *value);
/* The same for a key that the release still has but deprecates. */
json_t *vllm_deprecated_by(const struct vllm_replacing *replacing, const char *key,
			   const json_t *value);
/*
 * Converts to the form in a problem: with the keys of an experiment file, "server.runner". New
 * reference; NULL for NULL.
 */
json_t *vllm_replaced_in_file(const json_t *replaced_by);
/*
 * Returns whether a release's argument or "argument.key" may have this value, according to its
 * choices.
 */
bool vllm_is_taken(const struct vllm_catalog *catalog, const char *key, const json_t *value);
/*
 * Returns whether only the choices of older releases contain the value and it was renamed since.
 * The release may still accept it if it accepts any value.
 */
bool vllm_is_old_name(const struct vllm_replacing *replacing, const char *key, const json_t *value);

/*
 * Returns "--structured-outputs-config.backend" for "structured_outputs_config.backend". The caller
 * frees it with free().
 */
char *vllm_flag_of(const char *key);

/*
 * Appends it for display: "runner: pooling and convert: embed". `flags`: as flags of this release,
 * "--runner pooling --convert embed"; omits a switch that is off and has no flag for that. NULL: as
 * in a file. Secrets are shown as ***.
 */
void vllm_replaced_words(const json_t *replaced_by, const struct vllm_catalog *flags,
			 struct pl_buf *buf);
/* Appends what to use instead of a removed key, whether or not its replacement is known. */
void vllm_replaced_sentence(const char *key, const json_t *replaced_by,
			    const struct vllm_catalog *flags, struct pl_buf *buf);
/* The same for a deprecated key. */
void vllm_deprecated_sentence(const char *key, const json_t *replaced_by,
			      const struct vllm_catalog *flags, struct pl_buf *buf);

/* The rows of tbl/replacements.h. */
struct vllm_replacement {
	const char *key;
	const char *value; /* JSON; NULL: any */
	const char *by;    /* JSON */
	const char *why;
};
size_t vllm_replacement_count(void);
const struct vllm_replacement *vllm_replacement_at(size_t i);
