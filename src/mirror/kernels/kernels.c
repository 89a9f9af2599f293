#include "mirror/kernels/kernels.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "mirror/kernels/kernels_priv.h"

static bool has_all(void)
{
	return true;
}

#ifdef __x86_64__
/* The features that avx2.c is compiled for (CMakeLists.txt). */
static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") &&
	       __builtin_cpu_supports("bmi");
}
#endif

/* The fastest first. */
static const struct {
	const struct mirror_kernels *set;
	bool (*is_there)(void);
} sets[] = {
#ifdef __x86_64__
	{ &mirror_kernels_avx2, has_avx2 },
	{ &mirror_kernels_sse2, has_all },
#endif
	{ &mirror_kernels_plain, has_all },
};

const struct mirror_kernels *mirror_kernels(void)
{
	size_t i = 0;

	while (!sets[i].is_there())
		i++;
	return sets[i].set;
}

const struct mirror_kernels *mirror_kernels_of(const char *name)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(sets); i++) {
		if (strcmp(sets[i].set->name, name) == 0 && sets[i].is_there())
			return sets[i].set;
	}
	return NULL;
}
