/*
 * What to set in a release of vLLM in the place of an argument, a choice or a key of a JSON argument
 * that it has no more: by the rule of its history (vllm/history.h), by the rows of
 * tbl/replacements.h for single values, and on from there where the replacement is gone itself.
 *
 * A replacement is an array of {"key", "value"}: an argument or "argument.key", as it is named
 * inside of `server:`. Without "value" the value is for people to choose. An empty one: nothing
 * needs to be set, it is so by itself.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"
#include "option/row.h"
#include "vllm/catalog.h"
#include "vllm/history.h"

#include <stdbool.h>

/* How a release stands to an argument, or "argument.key". */
enum vllm_presence {
	VLLM_PRESENT, /* or nothing is known of it */
	VLLM_NOT_YET,
	VLLM_GONE,
};
enum vllm_presence vllm_presence(const char *key, const struct vllm_version *release);

/* The history of an argument, or of "argument.key"; NULL: it has none. */
const struct vllm_history *vllm_history_of(const char *key);

/* Whom the replacement is for. */
struct vllm_replacing {
	const struct vllm_catalog *catalog; /* of the release */
	const struct vllm_version *release;
	const json_t *values; /* what else is set, by argument; NULL: not known */
};

/*
 * What takes the place of `key: value`, whether the key is gone or only this value of it. value
 * NULL: not known. New reference; NULL: nothing is known to, or what was is gone itself.
 */
json_t *vllm_replaced_by(const struct vllm_replacing *replacing, const char *key,
			 const json_t *value);
/* The same of a key that the release still has, and says that it is to be left. */
json_t *vllm_deprecated_by(const struct vllm_replacing *replacing, const char *key,
			   const json_t *value);
/* As a problem has it: with the keys of an experiment file, "server.runner". New reference; NULL: NULL. */
json_t *vllm_replaced_in_file(const json_t *replaced_by);
/* Can a release's argument or "argument.key" have this value, as far as its choices tell? */
bool vllm_is_taken(const struct vllm_catalog *catalog, const char *key, const json_t *value);
/*
 * Is it a value that only releases before have in their lists, and that is called otherwise by now? The
 * release may take it all the same where it takes any.
 */
bool vllm_is_old_name(const struct vllm_replacing *replacing, const char *key, const json_t *value);

/* "--structured-outputs-config.backend" of "structured_outputs_config.backend". The caller's
 * (free()). */
char *vllm_flag_of(const char *key);

/*
 * The same for people: "runner: pooling and convert: embed". `flags`: as those
 * of this release, "--runner pooling --convert embed"; a switch that is off and has no flag for that
 * is left out. NULL: as in a file. Secrets are shown as ***.
 */
void vllm_replaced_words(const json_t *replaced_by, const struct vllm_catalog *flags,
			 struct pl_buf *buf);
/* What is expected in the place of a key that went, whether or not something is known to be. */
void vllm_replaced_sentence(const char *key, const json_t *replaced_by,
			    const struct vllm_catalog *flags, struct pl_buf *buf);
/* The same of a key that is to be left. */
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
