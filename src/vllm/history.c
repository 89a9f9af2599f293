/*
 * When each argument and key was added, its properties in each range of releases, and when it was
 * removed: tables of src/tbl. Both are sorted by name, arguments before keys, for binary search.
 */
#include "vllm/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "option/row_words.h"

#define RANGES(...) ((const struct vllm_range[]){ __VA_ARGS__, { .since = NULL } })
#define RANGE(since_, until_, ...)                            \
	{                                                     \
		.since = since_, .until = until_, __VA_ARGS__ \
	}
#define REPLACED(by_, map_) .replaced_by = by_, .map = VLLM_MAP_##map_

/* clang-format off */
static const struct vllm_history histories[] = {
#define ARG_HISTORY(name_, ranges_, ...) { .name = #name_, .ranges = ranges_, __VA_ARGS__ },
#include "tbl/engine_args_history.h"
#define KEY_HISTORY(of_, name_, ranges_, ...)                                                      \
	{ .of = #of_, .name = name_, .ranges = ranges_, __VA_ARGS__ },
#include "tbl/engine_fields_history.h"
};
/* clang-format on */

enum {
	ARG_COUNT = 0
#define ARG_HISTORY(...) +1
#include "tbl/engine_args_history.h"
};

static const char *const releases[] = {
#define RELEASE(version) version,
#include "tbl/engine_args_history.h"
};

size_t vllm_release_count(void)
{
	return PL_ARRAY_SIZE(releases);
}

const char *vllm_release_at(size_t i)
{
	return releases[i];
}

size_t vllm_history_count(void)
{
	return PL_ARRAY_SIZE(histories);
}

const struct vllm_history *vllm_history_at(size_t i)
{
	return &histories[i];
}

static int compare_names(const void *a, const void *b)
{
	const struct vllm_history *one = a, *other = b;
	int order = one->of != NULL ? strcmp(one->of, other->of) : 0;

	return order != 0 ? order : strcmp(one->name, other->name);
}

const struct vllm_history *vllm_history_find(const char *of, const char *name)
{
	struct vllm_history wanted = { .of = of, .name = name };
	const struct vllm_history *from = of == NULL ? histories : histories + ARG_COUNT;
	size_t count = of == NULL ? ARG_COUNT : PL_ARRAY_SIZE(histories) - ARG_COUNT;

	return bsearch(&wanted, from, count, sizeof(*from), compare_names);
}

const struct vllm_range *vllm_history_last(const struct vllm_history *history)
{
	const struct vllm_range *last = history->ranges;

	while (last[1].since != NULL)
		last++;
	return last;
}

/*
 * Ranges are contiguous: only after the last one there is none. Releases before the first one with
 * data count as having that one's.
 */
const struct vllm_range *vllm_history_range(const struct vllm_history *history,
					    const struct vllm_version *release)
{
	const struct vllm_range *range = history->ranges;
	bool known;

	if (vllm_release_compare(release, range->since, &known) < 0) {
		bool is_first = vllm_release_compare(release, releases[0], &known) < 0 &&
				strcmp(range->since, releases[0]) == 0;
		return is_first ? range : NULL;
	}
	while (range->until != NULL && vllm_release_compare(release, range->until, &known) >= 0)
		range++;
	return range->since != NULL ? range : NULL;
}

const char *vllm_history_since(const struct vllm_history *history)
{
	return history->ranges[0].since;
}

const char *vllm_history_until(const struct vllm_history *history)
{
	return vllm_history_last(history)->until;
}

static json_t *range_to_json(const struct vllm_range *range)
{
	const struct {
		const char *key;
		const char *text;
		bool is_json;
	} members[] = {
		{ "default", range->default_json, true },
		{ "computed", range->computed, false },
		{ "choices", range->choices, true },
		{ "choices_open", range->choices_open, true },
		{ "flag", range->flag, false },
		{ "aliases", range->aliases, false },
		{ "type", range->type, false },
		{ "cli_style", range->style, false },
		{ "const", range->const_json, true },
		{ "deprecated", range->deprecated, true },
		{ "default_env", range->default_env, false },
	};
	json_t *json = json_pack("{s:s, s:s?}", "since", range->since, "until", range->until);

	for (size_t i = 0; i < PL_ARRAY_SIZE(members); i++) {
		const char *text = members[i].text;
		if (text != NULL)
			json_object_set_new(json, members[i].key,
					    members[i].is_json ? pl_json_of_text(text)
							       : json_string(text));
	}
	return json;
}

json_t *vllm_history_to_json(const struct vllm_history *history)
{
	static const char *const maps[] = {
		[VLLM_MAP_NONE] = NULL,         [VLLM_MAP_SAME] = "same",
		[VLLM_MAP_NEGATED] = "negated", [VLLM_MAP_CONSTANT] = "constant",
		[VLLM_MAP_VALUES] = "values",   [VLLM_MAP_OTHER] = "other",
	};
	json_t *ranges = json_array();

	for (const struct vllm_range *range = history->ranges; range->since != NULL; range++)
		json_array_append_new(ranges, range_to_json(range));
	return json_pack("{s:s?, s:s, s:o, s:s?, s:s?, s:o, s:s?, s:s?, s:s?}", "of", history->of,
			 "name", history->name, "ranges", ranges, "replaced_by",
			 history->replaced_by, "map", maps[history->map], "value",
			 pl_json_or_null(pl_json_of_text(history->value)), "told_by",
			 history->told_by, "replacement_until", history->replacement_until, "note",
			 history->note);
}
