/*
 * Parses any words as a command line, one word per line.
 */
#include "base/opt.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WORDS_MAX = 64 };

struct options {
	bool force;
	bool progress;
	const char *output;
	int64_t port;
	double rate;
	int64_t timeout_ns;
	struct pl_opt_list set;
};

static const char *const outputs[] = { "json", "text", NULL };

#define AT(field) .offset = offsetof(struct options, field)

static const struct pl_opt rows[] = {
	{ "force", 'f', PL_OPT_FLAG, AT(force), .help = "a" },
	{ "progress", 0, PL_OPT_FLAG, AT(progress), .help = "b", .negatable = true },
	{ "output", 'o', PL_OPT_TEXT, AT(output), .help = "c", .choices = outputs },
	{ "port", 'p', PL_OPT_INT, AT(port), .help = "d" },
	{ "rate", 0, PL_OPT_F64, AT(rate), .help = "e", .hidden = true },
	{ "ready-timeout", 0, PL_OPT_DURATION, AT(timeout_ns), .help = "f" },
	{ "set", 's', PL_OPT_LIST, AT(set), .help = "g" },
	{ .name = NULL },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct pl_opt_command command = { .name = "x", .options = rows };
	auto_free char *text = pl_memdup(data, size);
	struct options options = { 0 };
	char *argv[WORDS_MAX] = { text };
	int argc = 1;
	char **rest = NULL;
	int rest_count = 0;
	bool help = false;
	struct pl_err err = PL_ERR_INIT;

	for (char *at = text; at != NULL && argc < WORDS_MAX;) {
		argv[argc++] = at;
		at = strchr(at, '\n');
		if (at != NULL)
			*at++ = '\0';
	}
	if (pl_opt_parse(&command, argc, argv, &options, &rest, &rest_count, &help, &err) == 0) {
		assert(rest_count >= 0 && rest_count < argc && rest == argv + 1);
		assert(options.output == NULL || strcmp(options.output, "json") == 0 ||
		       strcmp(options.output, "text") == 0);
	} else {
		assert(err.code == PL_ERR_INVALID && strlen(err.text) > 0);
	}
	pl_opt_list_done(&options.set);
	return 0;
}
