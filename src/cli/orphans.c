/*
 * Servers that a killed run has left are ended by whichever command is called next, for nobody else
 * knows of them. Commands that only print do not look.
 */
#include "cli/orphans.h"

#include <stddef.h>

#include "base/log.h"
#include "base/text.h"
#include "host/proc/reaper.h"

static void say(const char *run_id, size_t killed, size_t left)
{
	if (killed > 0)
		pl_log(PL_LOG_WARNING, "ended %zu process%s that the killed run '%s' had left",
		       killed, killed == 1 ? "" : "es", run_id);
	if (left > 0)
		pl_log(PL_LOG_WARNING, "%zu process%s of the killed run '%s' could not be ended",
		       left, left == 1 ? "" : "es", run_id);
}

void cli_end_orphans(const char *command)
{
	static const char *const quick[] = { "completion", "help", "schema", "version" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(quick); i++) {
		if (pl_text_equal(command, quick[i]))
			return;
	}
	host_reaper_end_orphans(say);
}
