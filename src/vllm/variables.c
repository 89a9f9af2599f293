#include "vllm/variables.h"

#include <stddef.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/version.h"

static const struct vllm_variable variables[] = {
#define VARIABLE(name, since, until, by) { name, since, until, by },
#include "tbl/variables.h"
};

static const char *const releases[] = {
#define VARIABLES_OF(release) release,
#include "tbl/variables.h"
};

bool vllm_variables_are_known(const struct vllm_version *release)
{
	bool known;

	for (size_t i = 0; i < PL_ARRAY_SIZE(releases); i++) {
		if (vllm_release_compare(release, releases[i], &known) == 0 && known)
			return true;
	}
	return false;
}

static enum vllm_variable_state state_of(const struct vllm_variable *row,
					 const struct vllm_version *release)
{
	bool known;

	if (vllm_release_compare(release, row->since, &known) < 0 && known)
		return VLLM_VARIABLE_NOT_YET;
	if (vllm_release_compare(release, row->until, &known) >= 0 && known)
		return VLLM_VARIABLE_GONE;
	return VLLM_VARIABLE_PRESENT;
}

enum vllm_variable_state vllm_variable_find(const char *name, const struct vllm_version *release,
					    const struct vllm_variable **ret_row)
{
	*ret_row = PL_ROW_FIND(variables, name, name);
	return *ret_row != NULL ? state_of(*ret_row, release) : VLLM_VARIABLE_UNKNOWN;
}

const char *vllm_variable_nearest(const char *name, const struct vllm_version *release)
{
	struct pl_nearest nearest = { .name = name };

	for (size_t i = 0; i < PL_ARRAY_SIZE(variables); i++) {
		if (state_of(&variables[i], release) == VLLM_VARIABLE_PRESENT)
			pl_nearest_try(&nearest, variables[i].name);
	}
	return nearest.found;
}
