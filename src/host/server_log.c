#include "host/server_log.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

/* A figure stands right behind the phrase; commas group its digits. */
static const struct {
	const char *phrase;
	size_t offset;
} figures[] = {
#define FIGURE(phrase, field)                                   \
	{                                                       \
		phrase, offsetof(struct host_server_log, field) \
	}
	FIGURE("Loading weights took ", weights_s),
	FIGURE("torch.compile takes ", compile_s),
	FIGURE("torch.compile took ", compile_s),
	FIGURE("Graph capturing finished in ", graphs_s),
	FIGURE("init engine (profile, create kv cache, warmup model) took ", init_engine_s),
	FIGURE("KV cache size: ", kv_cache_tokens),
	FIGURE("Model loading took ", weights_gib),
	FIGURE("Available KV cache memory: ", kv_cache_gib),
	FIGURE("Using max model len ", max_model_len),
#undef FIGURE
};

/*
 * The first phrase of the list that the log has names the cause: what is specific stands before
 * what may also be said as a consequence of it.
 */
static const struct {
	const char *phrase;
	const char *cause;
} causes[] = {
	{ "error: unrecognized arguments", "invalid_argument" },
	{ ": error: argument ", "invalid_argument" },
	{ ": error: unknown option", "invalid_argument" },
	{ "Address already in use", "port_in_use" },
	{ "CUDA out of memory", "out_of_memory" },
	{ "torch.OutOfMemoryError", "out_of_memory" },
	{ "HIP out of memory", "out_of_memory" },
	{ "is less than requested memory for kv", "out_of_memory" },
	{ "is less than desired GPU memory utilization", "out_of_memory" },
	{ "No available memory for the cache blocks", "out_of_memory" },
	{ "LocalEntryNotFoundError", "model_not_found" },
	{ "RepositoryNotFoundError", "model_not_found" },
	{ "is not a valid model identifier", "model_not_found" },
	{ "Cannot find the config file for", "quantization_mismatch" },
	{ "does not match the quantization method", "quantization_mismatch" },
	{ "[type=less_than", "invalid_argument" },
	{ "[type=greater_than", "invalid_argument" },
	{ "[type=literal_error", "invalid_argument" },
	{ "[type=value_error", "invalid_configuration" },
};

int host_server_log_read(const char *path, size_t max_bytes, char **ret, size_t *ret_len,
			 struct pl_err *err)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return pl_err_errno(err, "cannot open '%s'", path);
	size_t size = (size_t)st.st_size;
	size_t len = size < max_bytes ? size : max_bytes;
	auto_free char *text = pl_alloc(len + 1);
	size_t used = 0;
	while (used < len) {
		ssize_t got = pread(fd, text + used, len - used, (off_t)(size - len + used));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	text[used] = '\0';
	*ret = pl_take(text);
	*ret_len = used;
	return 0;
}

static bool contains(const char *text, size_t len, const char *phrase)
{
	return memmem(text, len, phrase, strlen(phrase)) != NULL;
}

static double read_figure(const char *at, const char *end)
{
	char digits[32];
	size_t used = 0;

	for (; at < end && used + 1 < sizeof(digits); at++) {
		if (*at == ',')
			continue;
		if ((*at < '0' || *at > '9') && *at != '.')
			break;
		digits[used++] = *at;
	}
	digits[used] = '\0';
	return used == 0 ? NAN : strtod(digits, NULL);
}

static void take_figure(const char *text, size_t len, const char *phrase, double *ret)
{
	const char *end = text + len;
	size_t phrase_len = strlen(phrase);

	for (const char *at = text; at < end;) {
		at = memmem(at, (size_t)(end - at), phrase, phrase_len);
		if (at == NULL)
			break;
		at += phrase_len;
		*ret = fmax(*ret, read_figure(at, end));
	}
}

/* "Maximum concurrency for 2,048 tokens per request: 512.00x" */
static void take_concurrency(const char *text, size_t len, struct host_server_log *ret)
{
	static const char head[] = "Maximum concurrency for ";
	const char *at = memmem(text, len, head, sizeof(head) - 1);

	if (at == NULL)
		return;
	at += sizeof(head) - 1;
	double tokens = read_figure(at, text + len);
	if (isnan(ret->max_model_len))
		ret->max_model_len = tokens;
	take_figure(at, (size_t)(text + len - at),
		    "tokens per request: ", &ret->kv_cache_concurrency);
}

void host_server_log_parse(const char *text, size_t len, struct host_server_log *ret)
{
	*ret = (struct host_server_log){
		.weights_s = NAN,
		.compile_s = NAN,
		.graphs_s = NAN,
		.init_engine_s = NAN,
		.weights_gib = NAN,
		.kv_cache_gib = NAN,
		.kv_cache_tokens = NAN,
		.kv_cache_concurrency = NAN,
		.max_model_len = NAN,
	};
	for (size_t i = 0; i < PL_ARRAY_SIZE(figures); i++)
		take_figure(text, len, figures[i].phrase,
			    (double *)((char *)ret + figures[i].offset));
	take_concurrency(text, len, ret);
	ret->ready = contains(text, len, "Application startup complete.");
}

const char *host_server_log_cause(const char *text, size_t len, int signal_number, bool was_ready)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(causes); i++) {
		if (contains(text, len, causes[i].phrase))
			return causes[i].cause;
	}
	/* SIGKILL and SIGTERM come from outside, the others from the program itself */
	if (signal_number == 9 || signal_number == 15)
		return "killed";
	if (signal_number != 0 || was_ready || contains(text, len, "EngineDeadError"))
		return "crashed";
	return "unknown";
}

char *host_server_log_tail(const char *text, size_t len, size_t lines)
{
	size_t at = len;

	while (at > 0 && text[at - 1] == '\n')
		at--;
	size_t end = at;
	for (size_t seen = 0; at > 0; at--) {
		if (text[at - 1] == '\n' && ++seen == lines)
			break;
	}
	return lines == 0 ? pl_strdup("") : pl_strndup(text + at, end - at);
}
