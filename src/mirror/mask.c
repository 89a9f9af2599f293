#include "mirror/mask.h"

#include <stdlib.h>

#include "base/mem.h"

void mask_init(struct mask *mask, const uint64_t *words, size_t rows)
{
	const struct store_kernels *kernels = store_kernels();

	*mask = (struct mask){
		.words = words,
		.rows = rows,
		.count = kernels->count(words, STORE_SEGMENT_WORDS),
	};
	if (mask->count == 0)
		return;
	if (mask->count * MASK_FEW_PART <= rows) {
		mask->list = pl_alloc_array(mask->count, sizeof(*mask->list));
		kernels->list(words, STORE_SEGMENT_WORDS, mask->list);
	}
	mask->ranks = pl_alloc_array(STORE_SEGMENT_WORDS + 1, sizeof(*mask->ranks));
	kernels->rank(words, STORE_SEGMENT_WORDS, mask->ranks);
}

void mask_done(struct mask *mask)
{
	free(mask->list);
	free(mask->ranks);
	*mask = (struct mask){ 0 };
}
