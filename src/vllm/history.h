/*
 * The releases of vLLM that had an argument of the server or a key of a JSON argument, and its
 * replacement: the rows of tbl/engine_args_history.h and tbl/engine_fields_history.h.
 *
 * - All data is constant, never freed and thread-safe.
 * - A release's row is in its catalogue (vllm_catalog_release()): a range contains only differences
 *   from the row of the reference's. Two releases are compared by their catalogues.
 * - Arguments and keys without data for a release (an overlay's, the inner keys of some objects)
 *   have no history.
 * - A release without data has that of the previous one; one older than the first release with data
 *   has that release's.
 */
#pragma once

#include "base/json.h"
#include "vllm/version.h"

#include <stddef.h>

/* Values that are NULL are those of the row in the reference's catalogue. */
struct vllm_range {
	const char *since; /* "0.8.3" */
	const char *until; /* first release in which it differs or is removed; NULL: none yet */

	const char *default_json;
	const char *computed;     /* the default in words: it depends on other arguments */
	const char *choices;      /* JSON: a list; null: any value */
	const char *choices_open; /* JSON */
	const char *flag;
	const char *aliases;     /* separated by blanks; "": none */
	const char *type;        /* as in option_type_read() */
	const char *style;       /* as in option_style_find() */
	const char *const_json;  /* JSON */
	const char *deprecated;  /* JSON */
	const char *default_env; /* the variable that provides the default; "": none */
};

/* How a value is converted to its replacement's. */
enum vllm_map {
	VLLM_MAP_NONE, /* nothing replaced it */
	VLLM_MAP_SAME,
	VLLM_MAP_NEGATED,
	VLLM_MAP_CONSTANT, /* `value`, if it was set (a bool: if it was true) */
	VLLM_MAP_VALUES,   /* by pairs in `value`: [[true, "FULL"], …]; no rule for others */
	VLLM_MAP_OTHER,    /* no rule is known */
};

struct vllm_history {
	const char *of;                  /* the argument of a key; NULL: an argument */
	const char *name;                /* "task"; for a key "pass_config.enable_noop" */
	const struct vllm_range *ranges; /* oldest first; ended by one with `since` NULL */
	/* first release with the negative aliases of the argument's row; NULL: none */
	const char *negative_aliases_since;

	/* for one that the reference release has removed; NULL if unknown */
	const char *replaced_by; /* "pooler_config", "eplb_config.window_size", "runner, convert" */
	enum vllm_map map;
	const char *value;             /* JSON */
	const char *told_by;           /* first release without the replacement */
	const char *replacement_until; /* first release without the replacement */
	const char *note;
};

/* The releases with data, oldest first; the last one is the reference release. */
size_t vllm_release_count(void);
const char *vllm_release_at(size_t i);

/* All arguments, then all keys. */
size_t vllm_history_count(void);
const struct vllm_history *vllm_history_at(size_t i);
/* `of`: the argument of a key, NULL for an argument. Returns NULL if it has no history. */
const struct vllm_history *vllm_history_find(const char *of, const char *name);
/* Returns the range that applies to a release; NULL: it had no such argument or key. */
const struct vllm_range *vllm_history_range(const struct vllm_history *history,
					    const struct vllm_version *release);
/*
 * Returns {of, name, ranges: [{since, until, …}], replaced_by, map, value, told_by,
 * replacement_until, note}; a range has its bounds and its values, under the names of its members.
 * New reference.
 */
json_t *vllm_history_to_json(const struct vllm_history *history);
/* Returns the latest range. */
const struct vllm_range *vllm_history_last(const struct vllm_history *history);
/*
 * Return the first release with it, and the first one without it (NULL: the reference still has
 * it).
 */
const char *vllm_history_since(const struct vllm_history *history);
const char *vllm_history_until(const struct vllm_history *history);
