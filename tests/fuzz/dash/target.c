/*
 * Any text as the target of a request: a path that begins with '/', members in UTF-8; or it is refused.
 */
#include "dash/target.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *text = pl_strndup((const char *)data, size);
	struct dash_target target;
	struct pl_err err = PL_ERR_INIT;

	if (dash_target_read(text, &target, &err) < 0) {
		must(err.code == PL_ERR_INVALID);
		return 0;
	}
	must(target.path[0] == '/' && pl_text_is_utf8(target.path));
	must(target.count <= DASH_MEMBERS_MAX);
	for (size_t i = 0; i < target.count; i++)
		must(pl_text_is_utf8(target.members[i].name) &&
		     pl_text_is_utf8(target.members[i].value));
	dash_target_done(&target);
	return 0;
}
