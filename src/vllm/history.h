/*
 * In which releases of vLLM an argument of the server or a key of a JSON argument was, and what
 * replaced it: the rows of tbl/engine_args_history.h and tbl/engine_fields_history.h.
 *
 * - Constant, there until the end, any thread.
 * - What a release has is the row in its catalogue (vllm_catalog_release()): a range says only what
 *   differs from the row of the reference's. Two releases are compared by their catalogues.
 * - Arguments and keys that nobody read in a release (an overlay's, the inner keys of some objects)
 *   have no history.
 * - A release that was not read has what the one before it had; one older than the first that was
 *   read what that one had.
 */
#pragma once

#include "base/json.h"
#include "vllm/version.h"

#include <stddef.h>

/* What is not said here (NULL) is as in the row of the reference's catalogue. */
struct vllm_range {
	const char *since; /* "0.8.3" */
	const char *until; /* first release where it is otherwise or gone; NULL: not so far */

	const char *default_json;
	const char *computed;     /* the default in words: it depends on others */
	const char *choices;      /* JSON: a list; null: any value */
	const char *choices_open; /* JSON */
	const char *flag;
	const char *aliases;     /* separated by blanks; "": none */
	const char *type;        /* as option_type_read() takes it */
	const char *style;       /* as option_style_find() takes it */
	const char *const_json;  /* JSON */
	const char *deprecated;  /* JSON */
	const char *default_env; /* the variable that the default is read from; "": none */
};

/* How a value becomes its replacement's. */
enum vllm_map {
	VLLM_MAP_NONE, /* nothing replaced it */
	VLLM_MAP_SAME,
	VLLM_MAP_NEGATED,
	VLLM_MAP_CONSTANT, /* `value`, where it was set (a bool: where it was true) */
	VLLM_MAP_VALUES,   /* by pairs in `value`: [[true, "FULL"], …]; others: no rule */
	VLLM_MAP_OTHER,    /* there is no rule */
};

struct vllm_history {
	const char *of;                  /* of a key: its argument; NULL: an argument */
	const char *name;                /* "task"; of a key "pass_config.enable_noop" */
	const struct vllm_range *ranges; /* oldest first; one with `since` NULL ends them */
	/* first release with the negative aliases of the argument's row; NULL: it has none */
	const char *negative_aliases_since;

	/* of one that the reference release does not have; NULL where nothing is known */
	const char *replaced_by; /* "pooler_config", "eplb_config.window_size", "runner, convert" */
	enum vllm_map map;
	const char *value;             /* JSON */
	const char *told_by;           /* "message 0.12.0", "code 0.11.2", "succession" */
	const char *replacement_until; /* the replacement is gone since */
	const char *note;
};

/* The releases that were read, oldest first; the last one is the reference release. */
size_t vllm_release_count(void);
const char *vllm_release_at(size_t i);

/* All arguments, then all keys. */
size_t vllm_history_count(void);
const struct vllm_history *vllm_history_at(size_t i);
/* `of`: the argument of a key, NULL for an argument. NULL: it has no history. */
const struct vllm_history *vllm_history_find(const char *of, const char *name);
/* What holds for a release; NULL: it had no such argument or key. */
const struct vllm_range *vllm_history_range(const struct vllm_history *history,
					    const struct vllm_version *release);
/*
 * {of, name, ranges: [{since, until, …}], replaced_by, map, value, told_by, replacement_until, note};
 * a range has beside its bounds what it says, by the names of its members. New reference.
 */
json_t *vllm_history_to_json(const struct vllm_history *history);
/* The last one that there was or is. */
const struct vllm_range *vllm_history_last(const struct vllm_history *history);
/* First release with it, and first one without it (NULL: the reference has it still). */
const char *vllm_history_since(const struct vllm_history *history);
const char *vllm_history_until(const struct vllm_history *history);
