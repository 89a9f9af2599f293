#include "mirror/mask.h"

#include <stdlib.h>

#include "base/mem.h"

void mirror_mask_init(struct mask *mask, const uint64_t *words, size_t rows)
{
	const struct mirror_kernels *kernels = mirror_kernels();

	*mask = (struct mask){
		.words = words,
		.rows = rows,
		.count = kernels->count(words, MIRROR_SEGMENT_WORDS),
	};
	if (mask->count == 0)
		return;
	if (mask->count * MASK_FEW_PART <= rows) {
		mask->list = pl_alloc_array(mask->count, sizeof(*mask->list));
		kernels->list(words, MIRROR_SEGMENT_WORDS, mask->list);
	}
	mask->ranks = pl_alloc_array(MIRROR_SEGMENT_WORDS + 1, sizeof(*mask->ranks));
	kernels->rank(words, MIRROR_SEGMENT_WORDS, mask->ranks);
}

void mirror_mask_done(struct mask *mask)
{
	free(mask->list);
	free(mask->ranks);
	*mask = (struct mask){ 0 };
}
