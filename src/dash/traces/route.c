/* GET /api/data/experiments/{id}/traces/{name}: the sums over one trace (trace/trace.h). */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/unpack.h"
#include "dash/artifacts.h"
#include "dash/parsed/parsed.h"
#include "dash/problem.h"
#include "dash/routes.h"
#include "mirror/cancel_token.h"
#include "trace/trace.h"

/* Both limit the time. A profiler's events have about 100 bytes and more, so its files meet the first limit first. */
#define UNPACKED_MAX ((size_t)2 << 30)
#define EVENTS_MAX   ((int64_t)1 << 25)
#define BLOCK_BYTES  ((size_t)256 << 10)

/* ---- the cached sums ------------------------------------------------------------------------- */

struct sums {
	atomic_uint refs;
	char *text; /* JSON */
};

static void ref_sums(void *parsed)
{
	atomic_fetch_add(&((struct sums *)parsed)->refs, 1);
}

static void unref_sums(void *parsed)
{
	struct sums *sums = parsed;

	if (sums == NULL || atomic_fetch_sub(&sums->refs, 1) != 1)
		return;
	free(sums->text);
	free(sums);
}

static void free_sums(struct sums **owner)
{
	unref_sums(*owner);
}

static size_t bytes_of_sums(const void *parsed)
{
	return sizeof(struct sums) + strlen(((const struct sums *)parsed)->text);
}

static const struct dash_parsed_kind trace_kind = { ref_sums, unref_sums, bytes_of_sums };

/* ---- the artifact ---------------------------------------------------------------------------- */

struct file {
	struct store *store;
	const struct store_artifact *artifact;
	struct mirror_cancel_token *cancel_token; /* NULL: none */
};

static int read_blocks(struct pl_unpack *unpack, const struct file *file,
		       struct trace_reader *reader, struct pl_err *err)
{
	struct mirror_cancel_token *cancel_token = file->cancel_token;
	auto_free char *block = pl_alloc(BLOCK_BYTES);
	char size[PL_BYTES_TEXT_BYTES];
	size_t total = 0, len = 0;

	do {
		if (cancel_token != NULL && cancel_token->has_left(cancel_token))
			return pl_err_set(err, PL_ERR_INTERRUPTED, "the client has left");
		if (pl_unpack_read(unpack, block, BLOCK_BYTES, &len, err) < 0 ||
		    trace_reader_add(reader, block, len, err) < 0)
			return pl_err_wrap(err, "'%s'", file->artifact->name);
		total += len;
		if (total > UNPACKED_MAX)
			return pl_err_invalid(err, "'%s' is larger than %s after decompression",
					      file->artifact->name,
					      pl_text_from_bytes(UNPACKED_MAX, size));
		if (trace_reader_events(reader) > EVENTS_MAX)
			return pl_err_invalid(err, "'%s' has more than %lld events",
					      file->artifact->name, (long long)EVENTS_MAX);
	} while (len > 0);
	return trace_reader_end(reader, err) < 0 ? pl_err_wrap(err, "'%s'", file->artifact->name)
						 : 0;
}

static int read_trace(void *data, size_t bytes_max, void **ret, struct pl_err *err)
{
	const struct file *file = data;
	auto_trace struct trace_reader *reader = trace_reader_new();
	auto_unpack struct pl_unpack *unpack = NULL;
	int fd = -1;

	(void)bytes_max; /* the reader has limits of its own */
	if (store_artifact_open(file->store, file->artifact->sha256, &fd, err) < 0 ||
	    pl_unpack_new(fd, file->artifact->name, &unpack, err) < 0 ||
	    read_blocks(unpack, file, reader, err) < 0)
		return -1;
	auto_json json_t *json = trace_reader_summary(reader);
	struct sums *sums = pl_alloc(sizeof(*sums));
	atomic_init(&sums->refs, 1);
	sums->text = pl_json_to_text(json, PL_JSON_COMPACT);
	*ret = sums;
	return 0;
}

/* ---- the handler ----------------------------------------------------------------------------- */

void dash_get_trace(const struct dash_request *request, struct dash_answer *answer)
{
	const char *name = request->words[1];
	__attribute__((cleanup(free_sums))) struct sums *sums = NULL;
	auto_artifacts artifacts;
	struct pl_err err = PL_ERR_INIT;
	void *parsed = NULL;

	if (!dash_find_artifacts(request, &artifacts, answer))
		return;
	const struct store_artifact *trace = store_artifacts_find(&artifacts, "trace", name);
	if (trace == NULL || (trace->stored_at == NULL && !trace->is_lost)) {
		dash_refuse(answer, 404, "experiment '%s' has no trace '%s'", request->words[0],
			    name);
		return;
	}
	if (!dash_artifact_exists(request, trace, answer))
		return;
	struct file file = { request->context->store, trace, request->cancel_token };
	if (dash_parsed_open(request->context->parsed, &trace_kind, trace->sha256, read_trace,
			     &file, &parsed, &err) < 0) {
		dash_refuse_artifact(answer, &err);
		return;
	}
	sums = parsed;
	json_t *json = pl_json_of_text(sums->text);
	int64_t rank = trace_rank(trace->name);
	json_object_set_new(json, "name", pl_json_text(trace->name));
	json_object_set_new(json, "bytes", json_integer(trace->bytes));
	json_object_set_new(json, "sha256", json_string(trace->sha256));
	json_object_set_new(json, "rank", pl_json_i64(rank, rank >= 0));
	dash_answer_json(answer, 200, json);
}
