/* Any bytes as the list of a pending upload: an error that names the list, or an address and the result next to it. */
#include "upload/pending.h"

#include "../scratch.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = scratch_write("r.json.upload", data, size);
	auto_pendings pendings = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (upload_pending_find(path, &pendings, &err) < 0) {
		if (err.text[0] == '\0' || pendings.count != 0)
			abort();
		return 0;
	}
	if (pendings.count != 1 || pendings.items[0].to == NULL ||
	    !pl_text_ends(pendings.items[0].result, "/r.json"))
		abort();
	(void)upload_pending_is_current(&pendings.items[0]);
	return 0;
}
