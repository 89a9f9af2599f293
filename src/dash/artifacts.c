/*
 * Artifacts (store/artifacts/artifact.h). Uploads are written to the disk while they arrive. Downloads are complete
 * files or ranges, never as content that a browser runs. Names from clients are only looked up in a list, never used as
 * part of a path.
 */
#include "dash/artifacts.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "base/unpack.h"
#include "dash/parsed/prepared.h"
#include "dash/problem.h"
#include "dash/range.h"
#include "dash/records/records.h"
#include "dash/request.h"
#include "dash/routes.h"
#include "dash/tar.h"
#include "series/image.h"
#include "series/series.h"
#include "store/artifacts/artifact.h"
#include "store/artifacts/files.h"
#include "trace/trace.h"

static const struct dash_prepared_kind series_kind;

/* ---- upload -------------------------------------------------------------------------------- */

struct incoming {
	struct dash_sink sink;
	struct store_artifact_in *in;
	struct dash_prepared *prepared;
	const struct dash_prepared_kind *kind; /* NULL: none that takes long to read */
	char *name;
	char expected[65]; /* "": any */
};

/*
 * Invalid requests are the client's fault; all others concern the disk or the database, and only the log shows paths.
 */
void dash_refuse_artifact(struct dash_answer *answer, const struct pl_err *err)
{
	if (err->code == PL_ERR_INVALID) {
		dash_refuse(answer, 422, "%s", err->text);
	} else if (err->code == PL_ERR_FULL) {
		dash_refuse(answer, 507, "no disk space left for artifacts");
	} else if (err->code == PL_ERR_IO || err->code == PL_ERR_NOT_FOUND) {
		pl_log(PL_LOG_WARNING, "%s: %s", answer->path, err->text);
		dash_refuse(answer, 503,
			    "could not read or write artifacts; see the log of the server");
		answer->retry_s = 1;
	} else {
		dash_refuse_stored(answer, err);
	}
}

static bool take_bytes(struct dash_sink *sink, const char *bytes, size_t len,
		       struct dash_answer *answer)
{
	struct incoming *incoming = PL_CONTAINER_OF(sink, struct incoming, sink);
	struct pl_err err = PL_ERR_INIT;

	if (store_artifact_write(incoming->in, bytes, len, &err) == 0)
		return true;
	dash_refuse_artifact(answer, &err);
	return false;
}

/* Users often open a result as soon as its files have arrived. */
static void prepare(const struct incoming *incoming)
{
	struct store_artifact artifact = { .name = incoming->name,
					   .bytes = store_artifact_bytes(incoming->in) };

	if (incoming->kind == NULL)
		return;
	snprintf(artifact.sha256, sizeof(artifact.sha256), "%s",
		 store_artifact_sha256(incoming->in));
	dash_prepared_add(incoming->prepared, incoming->kind, &artifact);
}

static void end_bytes(struct dash_sink *sink, struct dash_answer *answer)
{
	struct incoming *incoming = PL_CONTAINER_OF(sink, struct incoming, sink);
	const char *expected = incoming->expected[0] != '\0' ? incoming->expected : NULL;
	struct pl_err err = PL_ERR_INIT;
	char awaited[65];
	bool is_new;

	if (store_artifact_end(incoming->in, expected, &is_new, &err) < 0) {
		dash_refuse_artifact(answer, &err);
		return;
	}
	json_t *stored = json_pack("{s:s, s:I}", "sha256", store_artifact_sha256(incoming->in),
				   "bytes", (json_int_t)store_artifact_bytes(incoming->in));
	/* it is stored anyway: a result that names it may still arrive */
	if (store_artifact_awaited(incoming->in, awaited, &err) < 0)
		pl_log(PL_LOG_WARNING, "%s: %s", answer->path, err.text);
	else if (awaited[0] != '\0')
		json_object_set_new(stored, "expected", json_string(awaited));
	dash_answer_json(answer, is_new ? 201 : 200, stored);
	prepare(incoming);
}

static void free_bytes(struct dash_sink *sink)
{
	struct incoming *incoming = PL_CONTAINER_OF(sink, struct incoming, sink);

	store_artifact_free(incoming->in);
	free(incoming->name);
	free(incoming);
}

static const struct dash_prepared_kind *kind_of(const char *name)
{
	static const struct dash_prepared_kind *const kinds[] = { &dash_records_kind,
								  &series_kind };

	for (size_t i = 0; i < PL_ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i]->name, name) == 0)
			return kinds[i];
	}
	return NULL;
}

void dash_put_artifact(const struct dash_request *request, struct dash_answer *answer)
{
	const char *expected = request->head->sha256;
	struct store_artifact_in *in = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (expected != NULL && (strspn(expected, "0123456789abcdefABCDEF") != STORE_SHA256_LEN ||
				 expected[STORE_SHA256_LEN] != '\0')) {
		dash_refuse(answer, 422,
			    "X-Content-SHA256: found '%.100s', expected 64 hexadecimal digits",
			    expected);
		return;
	}
	if (store_artifact_begin(request->context->store, request->words[0], request->words[1],
				 request->words[2], &in, &err) < 0) {
		dash_refuse_artifact(answer, &err);
		return;
	}
	struct incoming *incoming = pl_alloc(sizeof(*incoming));
	*incoming = (struct incoming){
		.sink = { .take = take_bytes, .end = end_bytes, .free = free_bytes },
		.in = in,
		.prepared = request->context->prepared,
		.kind = kind_of(request->words[1]),
		.name = pl_strdup(request->words[2]),
	};
	for (size_t i = 0; expected != NULL && i < STORE_SHA256_LEN; i++)
		incoming->expected[i] = (char)tolower((unsigned char)expected[i]);
	answer->sink = &incoming->sink;
}

/* ---- list ---------------------------------------------------------------------------------- */

bool dash_find_artifacts(const struct dash_request *request, struct store_artifacts *ret,
			 struct dash_answer *answer)
{
	struct store *store = request->context->store;
	const char *word = request->words[0];
	struct pl_err err = PL_ERR_INIT;
	int64_t id = 0;

	*ret = (struct store_artifacts){ 0 };
	bool is_number = strspn(word, "0123456789") == strlen(word) && pl_text_to_i64(word, &id);
	if (is_number && id > 0 && store_artifacts_of(store, id, ret, &err) == 0)
		return true;
	/* a number that is not the id of a row may be a run_id */
	if ((err.code == PL_ERR_NONE || err.code == PL_ERR_NOT_FOUND) &&
	    store_find(store, word, &id, &err) == 0 && id > 0 &&
	    store_artifacts_of(store, id, ret, &err) == 0)
		return true;
	auto_store_entry entry = { .id = 0 };
	if (err.code != PL_ERR_NONE && err.code != PL_ERR_NOT_FOUND)
		dash_refuse_stored(answer, &err);
	else if (dash_find_experiment(request, &entry, answer)) /* it was restored meanwhile */
		dash_refuse(answer, 404, "experiment '%s' does not exist", word);
	return false;
}

static json_t *artifact_json(const struct store_artifact *artifact)
{
	return json_pack("{s:s, s:o, s:I, s:s}", "kind", artifact->kind, "name",
			 pl_json_text(artifact->name), "bytes", (json_int_t)artifact->bytes,
			 "sha256", artifact->sha256);
}

static json_t *stored_json(const struct store_artifact *artifact)
{
	json_t *json = artifact_json(artifact);

	json_object_set_new(json, "media", json_string(store_artifact_media(artifact->name)));
	json_object_set_new(json, "stored_at", json_string(artifact->stored_at));
	return json;
}

void dash_list_artifacts(const struct dash_request *request, struct dash_answer *answer)
{
	auto_artifacts artifacts;

	if (!dash_find_artifacts(request, &artifacts, answer))
		return;
	json_t *there = json_array(), *absent = json_array();
	for (size_t i = 0; i < artifacts.count; i++) {
		const struct store_artifact *artifact = &artifacts.items[i];
		if (artifact->stored_at != NULL)
			json_array_append_new(there, stored_json(artifact));
		else
			json_array_append_new(absent, artifact_json(artifact));
	}
	dash_answer_json(answer, 200,
			 json_pack("{s:o, s:o}", "artifacts", there, "missing", absent));
}

/* ---- download ------------------------------------------------------------------------------ */

/* RFC 9110, 13.1.5: a range applies only to the version that the client has; else send the complete file. */
static bool wants_part(const struct dash_head *head, const char *tag)
{
	return head->range != NULL && strcmp(head->method, "GET") == 0 &&
	       (head->if_range == NULL || strcmp(head->if_range, tag) == 0);
}

static void choose_part(const struct dash_head *head, int64_t bytes, struct dash_answer *answer)
{
	int64_t from = 0, len = bytes;

	if (!wants_part(head, answer->tag))
		return;
	switch (dash_range_read(head->range, bytes, &from, &len)) {
	case DASH_RANGE_WHOLE:
		break;
	case DASH_RANGE_PART:
		answer->status = 206;
		answer->fd_at = (uint64_t)from;
		answer->len = (size_t)len;
		snprintf(answer->range, sizeof(answer->range), "bytes %lld-%lld/%lld",
			 (long long)from, (long long)(from + len - 1), (long long)bytes);
		break;
	case DASH_RANGE_UNSATISFIABLE:
		dash_refuse(answer, 416,
			    "Range: found '%.100s', expected a range within %lld bytes",
			    head->range, (long long)bytes);
		snprintf(answer->range, sizeof(answer->range), "bytes */%lld", (long long)bytes);
		break;
	}
}

/* Returns false if refused. */
static bool open_file(const struct dash_request *request, const struct store_artifact *artifact,
		      int *ret_fd, struct dash_answer *answer)
{
	struct pl_err err = PL_ERR_INIT;

	if (!artifact->is_lost &&
	    store_artifact_open(request->context->store, artifact->sha256, ret_fd, &err) == 0)
		return true;
	if (artifact->is_lost || err.code == PL_ERR_NOT_FOUND)
		dash_refuse(answer, 404,
			    "the file of artifact '%s' of kind '%s' of experiment '%s' is missing "
			    "on the server; upload it again (PUT)",
			    artifact->name, artifact->kind, request->words[0]);
	else
		dash_refuse_artifact(answer, &err);
	return false;
}

bool dash_artifact_exists(const struct dash_request *request, const struct store_artifact *artifact,
			  struct dash_answer *answer)
{
	auto_fd int fd = -1;

	return open_file(request, artifact, &fd, answer);
}

static void send_file(const struct dash_request *request, const struct store_artifact *artifact,
		      struct dash_answer *answer)
{
	int fd;

	if (!open_file(request, artifact, &fd, answer))
		return;
	dash_answer_bytes(answer, store_artifact_media(artifact->name), NULL,
			  (size_t)artifact->bytes);
	answer->status = 200;
	answer->has_fd = true;
	answer->fd = fd;
	answer->fd_at = 0;
	answer->takes_ranges = true;
	answer->is_inert = true;
	/* the content of a tag never changes, but the name may get another file */
	snprintf(answer->tag, sizeof(answer->tag), "\"%s\"", artifact->sha256);
	answer->disposition = dash_disposition(artifact->name);
	choose_part(request->head, artifact->bytes, answer);
}

void dash_get_artifact(const struct dash_request *request, struct dash_answer *answer)
{
	const char *kind = request->words[1], *name = request->words[2];
	auto_artifacts artifacts;

	if (!dash_find_artifacts(request, &artifacts, answer))
		return;
	const struct store_artifact *artifact = store_artifacts_find(&artifacts, kind, name);
	if (artifact != NULL && (artifact->stored_at != NULL || artifact->is_lost))
		send_file(request, artifact, answer);
	else
		dash_refuse(answer, 404, "experiment '%s' has no artifact '%s' of kind '%s'",
			    request->words[0], name, kind);
}

/* ---- telemetry ------------------------------------------------------------------------------ */

#define SERIES_PACKED_MAX   ((int64_t)64 << 20)
#define SERIES_UNPACKED_MAX ((size_t)256 << 20)
#define SERIES_BLOCK_BYTES  ((size_t)256 << 10)

const struct store_artifact *dash_artifact_of_kind(const struct store_artifacts *artifacts,
						   const char *kind)
{
	const struct store_artifact *lost = NULL;

	for (size_t i = 0; i < artifacts->count; i++) {
		const struct store_artifact *artifact = &artifacts->items[i];
		if (strcmp(artifact->kind, kind) != 0)
			continue;
		if (artifact->stored_at != NULL && !artifact->is_lost)
			return artifact;
		if (artifact->is_lost)
			lost = artifact;
	}
	return lost;
}

static int read_blocks(struct pl_unpack *unpack, const char *name, struct series_reader *reader,
		       struct pl_err *err)
{
	auto_free char *block = pl_alloc(SERIES_BLOCK_BYTES);
	size_t total = 0, len = 0;

	do {
		if (pl_unpack_read(unpack, block, SERIES_BLOCK_BYTES, &len, err) < 0 ||
		    series_reader_add(reader, block, len, err) < 0)
			return -1;
		total += len;
		if (total > SERIES_UNPACKED_MAX)
			return pl_err_invalid(err,
					      "'%s' is larger than %zu MiB after decompression",
					      name, SERIES_UNPACKED_MAX >> 20);
	} while (len > 0);
	return 0;
}

static int read_series(struct store *store, const struct store_artifact *artifact,
		       struct mirror_cancel_token *cancel_token, size_t bytes_max, void **ret,
		       struct pl_err *err)
{
	const char *name = artifact->name;
	auto_series_reader struct series_reader *reader = series_reader_new(bytes_max);
	auto_unpack struct pl_unpack *unpack = NULL;
	struct series *series = NULL;
	struct stat stat;
	int fd = -1;

	(void)cancel_token; /* the limits are low */
	if (artifact->bytes > SERIES_PACKED_MAX)
		return pl_err_set(err, PL_ERR_INVALID, "%s has more than %lld bytes", name,
				  (long long)SERIES_PACKED_MAX);
	if (store_artifact_open(store, artifact->sha256, &fd, err) < 0 ||
	    pl_unpack_new(fd, name, &unpack, err) < 0)
		return -1;
	if (fstat(fd, &stat) < 0 || stat.st_size < artifact->bytes)
		return pl_err_set(err, PL_ERR_IO, "could not read %s completely", name);
	if (read_blocks(unpack, name, reader, err) < 0 ||
	    series_reader_end(reader, &series, err) < 0)
		return -1;
	*ret = series;
	return 0;
}

static void ref_series(void *series)
{
	series_ref(series);
}

static void unref_series(void *series)
{
	series_unref(series);
}

static size_t bytes_of_series(const void *series)
{
	return series_bytes(series);
}

static int save_series(const void *series, int fd, struct pl_err *err)
{
	return series_save(series, fd, err);
}

static int load_series(int fd, size_t bytes_max, void **ret, struct pl_err *err)
{
	struct series *series = NULL;

	if (series_load(fd, bytes_max, &series, err) < 0)
		return -1;
	*ret = series;
	return 0;
}

static const struct dash_prepared_kind series_kind = {
	.parsed = { ref_series, unref_series, bytes_of_series },
	.name = "series",
	.read = read_series,
	.save = save_series,
	.load = load_series,
};

/* Returns false if refused. *ret is a new reference; without an artifact it is empty. */
static bool open_series(const struct dash_request *request, const struct store_artifact *artifact,
			struct series **ret, struct dash_answer *answer)
{
	struct pl_err err = PL_ERR_INIT;
	void *parsed = NULL;

	if (artifact == NULL)
		return series_read("", 0, 0, ret, &err) == 0;
	/* says which file is missing on the server */
	if (!dash_artifact_exists(request, artifact, answer))
		return false;
	if (dash_prepared_open(request->context->prepared, &series_kind, artifact,
			       request->cancel_token, &parsed, &err) < 0) {
		dash_refuse_artifact(answer, &err);
		return false;
	}
	*ret = parsed;
	return true;
}

#define RANGE_LEAST_NS 1000000 /* of the default: a recording may have one sample */

/* The requested time, or else the given one. */
static int64_t time_of(const struct dash_request *request, const char *name, int64_t usual)
{
	const json_t *value = json_object_get(request->query, name);

	return json_is_integer(value) ? json_integer_value(value) : usual;
}

void dash_get_series(const struct dash_request *request, struct dash_answer *answer)
{
	const json_t *bins = json_object_get(request->query, "bins");
	struct series_span span = { .bins = json_is_integer(bins) ? (size_t)json_integer_value(bins)
								  : 200,
				    .only = json_object_get(request->query, "series") };
	auto_series struct series *series = NULL;
	auto_artifacts artifacts;
	int64_t begin_ns = 0, end_ns = 0;

	if (!dash_find_artifacts(request, &artifacts, answer))
		return;
	PL_JSON_EACH(name, span.only) {
		const char *nearest = NULL;
		if (series_is_name(json_string_value(name), &nearest))
			continue;
		dash_refuse(answer, 422, "series: unknown series '%s'%s%s%s",
			    json_string_value(name), nearest != NULL ? " (did you mean '" : "",
			    nearest != NULL ? nearest : "", nearest != NULL ? "'?)" : "");
		return;
	}
	const struct store_artifact *artifact = dash_artifact_of_kind(&artifacts, "series");
	if (!open_series(request, artifact, &series, answer))
		return;
	(void)series_range(series, &begin_ns, &end_ns);
	span.from_ns = time_of(request, "from_ns", begin_ns);
	/* the last sample is in the last bin, and the range is never empty */
	int64_t least_ns = span.from_ns < INT64_MAX - RANGE_LEAST_NS ? span.from_ns + RANGE_LEAST_NS
								     : INT64_MAX;
	span.to_ns = time_of(request, "to_ns", end_ns >= least_ns ? end_ns + 1 : least_ns);
	if (span.to_ns <= span.from_ns) {
		dash_refuse(answer, 422, "to_ns: found %lld, expected a time after %lld",
			    (long long)span.to_ns, (long long)span.from_ns);
		return;
	}
	json_t *json = series_bins(series, &span);
	json_object_set_new(json, "recorded", json_boolean(artifact != NULL));
	json_object_set_new(json, "from_ns", json_integer(span.from_ns));
	json_object_set_new(json, "to_ns", json_integer(span.to_ns));
	dash_answer_json(answer, 200, json);
}

/* ---- traces: an archive -------------------------------------------------------------------- */

#define OPEN_AHEAD \
	64 /* further files of an archive are checked before it starts, and opened when they are sent */

struct archive {
	struct dash_stream stream;
	struct store *store;
	struct store_artifacts traces;
	int ahead[OPEN_AHEAD]; /* of the first traces; -1: not open */
	size_t next;
	int fd; /* of the current one; -1: none */
	int64_t left;
	int64_t mtime_s;
	struct pl_buf heads; /* bytes to send before the next bytes of a file */
	size_t heads_sent;
	bool is_over;
};

/* Starts the next file, or the end. */
static int go_on(struct archive *archive, struct pl_err *err)
{
	pl_buf_clear(&archive->heads);
	archive->heads_sent = 0;
	if (archive->next == archive->traces.count) {
		dash_tar_add_end(&archive->heads);
		archive->is_over = true;
		return 0;
	}
	size_t at = archive->next++;
	const struct store_artifact *trace = &archive->traces.items[at];
	dash_tar_add_head(&archive->heads, trace->name, trace->bytes, archive->mtime_s);
	archive->left = trace->bytes;
	if (at >= OPEN_AHEAD)
		return store_artifact_open(archive->store, trace->sha256, &archive->fd, err);
	archive->fd = pl_take_fd(archive->ahead[at]);
	return 0;
}

/* A file that is shorter than its row says would corrupt the rest of the archive. */
static ptrdiff_t read_bytes(struct archive *archive, char *bytes, size_t room)
{
	size_t len = archive->left < (int64_t)room ? (size_t)archive->left : room;
	ssize_t got = TEMP_FAILURE_RETRY(read(archive->fd, bytes, len));

	if (got <= 0) {
		pl_log(PL_LOG_WARNING, "the archive of traces is incomplete: a file is too short");
		return -1;
	}
	archive->left -= got;
	return got;
}

static ptrdiff_t read_archive(struct dash_stream *stream, char *bytes, size_t room)
{
	struct archive *archive = PL_CONTAINER_OF(stream, struct archive, stream);
	struct pl_err err = PL_ERR_INIT;

	for (;;) {
		if (archive->heads_sent < archive->heads.len) {
			size_t left = archive->heads.len - archive->heads_sent;
			size_t len = left < room ? left : room;
			memcpy(bytes, pl_buf_text(&archive->heads) + archive->heads_sent, len);
			archive->heads_sent += len;
			return (ptrdiff_t)len;
		}
		if (archive->fd >= 0 && archive->left > 0)
			return read_bytes(archive, bytes, room);
		if (archive->is_over)
			return 0;
		if (archive->fd >= 0) {
			const struct store_artifact *trace =
				&archive->traces.items[archive->next - 1];
			pl_fd_close(&archive->fd);
			pl_buf_clear(&archive->heads);
			archive->heads_sent = 0;
			for (size_t i = 0; i < dash_tar_padding(trace->bytes); i++)
				pl_buf_add_char(&archive->heads, '\0');
		} else if (go_on(archive, &err) < 0) {
			pl_log(PL_LOG_WARNING, "the archive of traces is incomplete: %s", err.text);
			return -1;
		}
	}
}

static void free_archive(struct dash_stream *stream)
{
	struct archive *archive = PL_CONTAINER_OF(stream, struct archive, stream);

	pl_fd_close(&archive->fd);
	for (size_t i = 0; i < OPEN_AHEAD; i++)
		pl_fd_close(&archive->ahead[i]);
	pl_buf_done(&archive->heads);
	store_artifacts_done(&archive->traces);
	free(archive);
}

/*
 * Reports unreadable files before the archive starts, because an error inside it cannot be reported. Returns false if
 * refused.
 */
static bool open_all(const struct dash_request *request, struct archive *archive,
		     struct dash_answer *answer)
{
	for (size_t i = 0; i < archive->traces.count; i++) {
		auto_fd int fd = -1;
		if (!open_file(request, &archive->traces.items[i], &fd, answer))
			return false;
		if (i < OPEN_AHEAD)
			archive->ahead[i] = pl_take_fd(fd);
	}
	return true;
}

/* Takes the traces. */
static void send_archive(const struct dash_request *request, struct store_artifacts *traces,
			 struct dash_answer *answer)
{
	struct archive *archive = pl_alloc(sizeof(*archive));
	auto_free char *name = pl_asprintf("traces-%s.tar", request->words[0]);

	*archive = (struct archive){
		.stream = { .read = read_archive, .free = free_archive },
		.store = request->context->store,
		.traces = *traces,
		.fd = -1,
		.mtime_s = pl_clock_real_ns() / PL_NS_PER_S,
	};
	*traces = (struct store_artifacts){ 0 };
	memset(archive->ahead, -1, sizeof(archive->ahead));
	pl_buf_init(&archive->heads, 1u << 20);
	if (!open_all(request, archive, answer)) {
		free_archive(&archive->stream);
		return;
	}
	dash_answer_bytes(answer, "application/x-tar", NULL, 0);
	answer->status = 200;
	answer->stream = &archive->stream;
	answer->disposition = dash_disposition(name);
}

/* ---- traces -------------------------------------------------------------------------------- */

static void list_traces(const struct store_artifacts *traces, struct dash_answer *answer)
{
	json_t *list = json_array();

	for (size_t i = 0; i < traces->count; i++) {
		int64_t rank = trace_rank(traces->items[i].name);
		if (traces->items[i].is_lost)
			continue;
		json_t *trace = stored_json(&traces->items[i]);
		json_object_set_new(trace, "rank", pl_json_i64(rank, rank >= 0));
		json_array_append_new(list, trace);
	}
	dash_answer_json(answer, 200, json_pack("{s:o}", "traces", list));
}

/* Returns whether a file is the table of sums that vLLM writes next to the trace of each rank. */
static bool is_table(const char *name)
{
	return pl_text_ends(name, ".txt");
}

/*
 * Keeps the traces of a rank, without its tables, or all files if it is NULL, including lost ones; removes all other
 * artifacts.
 */
static void keep_traces(struct store_artifacts *artifacts, const json_t *rank)
{
	struct store_artifacts others = { 0 };
	size_t retained = 0;

	for (size_t i = 0; i < artifacts->count; i++) {
		const struct store_artifact *artifact = &artifacts->items[i];
		bool is_kept = (artifact->stored_at != NULL || artifact->is_lost) &&
			       strcmp(artifact->kind, "trace") == 0 &&
			       (rank == NULL ||
				(trace_rank(artifact->name) == json_integer_value(rank) &&
				 !is_table(artifact->name)));
		if (is_kept)
			artifacts->items[retained++] = *artifact;
		else
			*PL_PUSH(others.items, others.count, others.room) = *artifact;
	}
	artifacts->count = retained;
	store_artifacts_done(&others);
}

void dash_list_traces(const struct dash_request *request, struct dash_answer *answer)
{
	auto_artifacts traces;

	if (!dash_find_artifacts(request, &traces, answer))
		return;
	keep_traces(&traces, NULL);
	list_traces(&traces, answer);
}

void dash_export_traces(const struct dash_request *request, struct dash_answer *answer)
{
	const json_t *rank = json_object_get(request->query, "rank");
	auto_artifacts traces;

	if (!dash_find_artifacts(request, &traces, answer))
		return;
	keep_traces(&traces, rank);
	if (traces.count == 0 && rank == NULL)
		dash_refuse(answer, 404, "experiment '%s' has no traces", request->words[0]);
	else if (traces.count == 0)
		dash_refuse(answer, 404, "experiment '%s' has no trace of rank %lld",
			    request->words[0], (long long)json_integer_value(rank));
	else if (pl_json_get_true(request->query, "all"))
		send_archive(request, &traces, answer);
	else if (traces.count == 1)
		send_file(request, &traces.items[0], answer);
	else
		list_traces(&traces, answer);
}
