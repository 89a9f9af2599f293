/*
 * Parses a release given to an option. An unknown release is treated as the newest known one before it, with a warning:
 * an error would exclude users of today's release, and without a message it would be a guess.
 */
#include "base/log.h"
#include "base/text.h"
#include "cli/cli.h"
#include "vllm/history.h"
#include "vllm/rules.h"
#include "vllm/version.h"

/* Returns the last known release that is not newer; NULL: all are newer. */
static const char *read_before(const struct vllm_version *release)
{
	const char *found = NULL;
	bool known;

	for (size_t i = 0; i < vllm_release_count(); i++) {
		if (vllm_release_compare(release, vllm_release_at(i), &known) >= 0)
			found = vllm_release_at(i);
	}
	return found;
}

int cli_release_read(const char *option, const char *text, bool is_checked,
		     struct vllm_version *ret, struct pl_err *err)
{
	auto_free char *newer = NULL;
	bool known;

	if (vllm_version_parse(text, ret, err) < 0) {
		struct pl_nearest nearest = { .name = text + (text[0] == 'v' || text[0] == 'V') };
		for (size_t i = 0; i < vllm_release_count(); i++)
			pl_nearest_try(&nearest, vllm_release_at(i));
		const char *likely = nearest.found;
		if (likely != NULL)
			return pl_err_invalid(
				err,
				"%s: found '%.100s', expected a release of vLLM (did you "
				"mean '%s'?)",
				option, text, likely);
		return pl_err_wrap(err, "%s", option);
	}
	const char *before = read_before(ret);
	const char *taken = before != NULL ? before : vllm_release_at(0);
	newer = vllm_newer_note(text);
	if (vllm_release_compare(ret, taken, &known) != 0 && !(is_checked && newer != NULL))
		pl_log(PL_LOG_WARNING, "the arguments of vLLM %s are not known; using those of %s",
		       text, taken);
	return 0;
}
