/* Any bytes as the output of a client: each table that is found makes a flat result that can be read, in order. */
#include "result/flat/console.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "result/flat/offline.h"
#include "result/flat/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Its lines hold figures, whatever they lack. */
static void check_offline(const json_t *flat)
{
	auto_json json_t *figures = NULL;

	if (res_offline_figures(res_offline_kind_of(flat), flat, &figures, PL_ERR_IGNORED) < 0 ||
	    json_object_size(figures) == 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Exactly the bytes: what reads on is seen by the sanitizer. */
	auto_free char *text = pl_memdup(data, size);
	size_t at = 0, before = 0, tables = 0;
	const char *title;

	for (json_t *flat; (flat = res_console_next(text, size, &at, &title)) != NULL; tables++) {
		auto_flat struct res_flat *read = NULL;
		if (at <= before || at > size || title < text || title >= text + at ||
		    !res_console_is_made(flat))
			abort();
		/* refused is only what --metadata adds under the name of a key of the result */
		if (res_offline_kind_of(flat) != NULL)
			check_offline(flat);
		else if (res_flat_of_json(flat, "table", &read, PL_ERR_IGNORED) < 0 &&
			 memmem(text, size, "metadata", strlen("metadata")) == NULL)
			abort();
		json_decref(flat);
		before = at;
	}
	if (tables > 0 && !res_console_is(text, size))
		abort();
	return 0;
}
