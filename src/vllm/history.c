#include "vllm/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "option/row_words.h"

#define RANGES(...)         ((const struct vllm_range[]){ __VA_ARGS__, { .since = NULL } })
#define RANGE(since_, until_, ...)                                                                 \
	{                                                                                          \
		.since = since_, .until = until_, __VA_ARGS__                                      \
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

const struct vllm_range *vllm_history_range(const struct vllm_history *history,
					    const struct vllm_version *release)
{
	const struct vllm_range *found = NULL;
	bool known;
	bool is_first = vllm_release_compare(release, releases[0], &known) < 0;

	for (const struct vllm_range *range = history->ranges; range->since != NULL; range++) {
		bool begun = is_first ? strcmp(range->since, releases[0]) == 0
				      : vllm_release_compare(release, range->since, &known) >= 0;
		if (begun && (is_first || range->until == NULL ||
			      vllm_release_compare(release, range->until, &known) < 0))
			found = range;
	}
	return found;
}

const char *vllm_history_since(const struct vllm_history *history)
{
	return history->ranges[0].since;
}

const char *vllm_history_until(const struct vllm_history *history)
{
	const struct vllm_range *last = history->ranges;

	while (last[1].since != NULL)
		last++;
	return last->until;
}
