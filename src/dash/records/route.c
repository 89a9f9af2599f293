/* GET /api/data/experiments/{id}/requests: the requests of one result. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/unpack.h"
#include "dash/artifacts.h"
#include "dash/dash.h"
#include "dash/parsed/prepared.h"
#include "dash/problem.h"
#include "dash/records/records.h"
#include "mirror/cancel_token.h"
#include "records/image.h"
#include "result/flat/read.h"
#include "result/record.h"
#include "store/store.h"

static void ref_records(void *records)
{
	records_ref(records);
}

static void unref_records(void *records)
{
	records_unref(records);
}

static size_t bytes_of(const void *records)
{
	return records_bytes(records);
}

/* ---- the artifact -------------------------------------------------------------------------- */

static bool has_left(void *token)
{
	struct mirror_cancel_token *cancel_token = token;

	return cancel_token != NULL && cancel_token->has_left(cancel_token);
}

static int read_file(struct store *store, const struct store_artifact *artifact,
		     struct mirror_cancel_token *cancel_token, size_t bytes_max, void **ret,
		     struct pl_err *err)
{
	const struct records_cancel cancel = { has_left, cancel_token };
	auto_records struct records *records = NULL;
	auto_unpack struct pl_unpack *unpack = NULL;
	int fd = -1;

	if (store_artifact_open(store, artifact->sha256, &fd, err) < 0 ||
	    pl_unpack_new(fd, artifact->name, &unpack, err) < 0)
		return -1;
	if (records_read(unpack, &cancel, bytes_max, &records, err) < 0)
		return pl_err_wrap(err, "'%s'", artifact->name);
	*ret = pl_take(records);
	return 0;
}

static int save_records(const void *records, int fd, struct pl_err *err)
{
	return records_save(records, fd, err);
}

static int load_records(int fd, size_t bytes_max, void **ret, struct pl_err *err)
{
	struct records *records = NULL;

	if (records_load(fd, bytes_max, &records, err) < 0)
		return -1;
	*ret = records;
	return 0;
}

const struct dash_prepared_kind dash_records_kind = {
	.parsed = { ref_records, unref_records, bytes_of },
	.name = "requests",
	.read = read_file,
	.save = save_records,
	.load = load_records,
};

int dash_records_open(const struct dash_request *request, const struct store_artifact *artifact,
		      struct records **ret, struct pl_err *err)
{
	void *parsed = NULL;

	if (dash_prepared_open(request->context->prepared, &dash_records_kind, artifact,
			       request->cancel_token, &parsed, err) < 0)
		return -1;
	*ret = parsed;
	return 0;
}

/* ---- the lists of vLLM's client ------------------------------------------------------------ */

static int read_lists(void *data, size_t bytes_max, void **ret, struct pl_err *err)
{
	const struct store_entry *entry = data;
	auto_flat struct res_flat *flat = NULL;
	struct records *records = NULL;

	if (pl_json_check_memory(entry->bytes, entry->len, PL_JSON_MEMORY_BYTES_MAX, "the result",
				 err) < 0 ||
	    res_flat_parse(entry->bytes, entry->len, "the result", &flat, err) < 0)
		return -1;
	if (flat->requests == NULL)
		return pl_err_set(err, PL_ERR_NOT_FOUND, "%s",
				  flat->lists_fault[0] != '\0' ? flat->lists_fault : "no lists");
	if (records_of_flat(flat, bytes_max, &records, err) < 0)
		return -1;
	*ret = records;
	return 0;
}

bool dash_records_has_lists(const char *document, size_t len)
{
	return document != NULL && memmem(document, len, "\"ttfts\"", strlen("\"ttfts\"")) != NULL;
}

/* ---- the handler --------------------------------------------------------------------------- */

struct source {
	struct records *records;
	const char *name; /* "artifact" or "lists" */
	int64_t origin_ns;
	bool has_origin; /* the origin is on CLOCK_MONOTONIC of the run */
};

/* The start of the measured run, or else the first start of a request. */
static void set_origin(const struct store_entry *entry, struct source *source)
{
	const json_t *begin = pl_json_get_path(entry->document, "series.measured_begin_ns");
	int64_t begin_ns = json_is_integer(begin) ? json_integer_value(begin) : -1;

	source->has_origin = records_first_ns(source->records, &source->origin_ns);
	if (strcmp(source->name, "artifact") == 0 && begin_ns >= 0 && begin_ns <= RES_TIME_MAX) {
		source->origin_ns = begin_ns;
		source->has_origin = true;
	}
}

static bool refuse_missing(const struct dash_request *request, const char *why,
			   struct dash_answer *answer)
{
	dash_refuse(answer, 404,
		    "experiment '%s' has no records of its requests: neither an artifact of kind "
		    "'requests' nor the lists of --save-detailed%s%s",
		    request->words[0], why[0] != '\0' ? "; " : "", why);
	return false;
}

/* Returns false if refused. ret->records is a new reference. */
static bool open_records(const struct dash_request *request, struct store_entry *entry,
			 const struct store_artifact *artifact, struct source *ret,
			 struct dash_answer *answer)
{
	struct dash_parsed_cache *cache = request->context->parsed;
	struct pl_err err = PL_ERR_INIT;
	void *parsed = NULL;
	int rc;

	if (artifact != NULL) {
		if (!dash_artifact_exists(request, artifact, answer))
			return false;
		rc = dash_records_open(request, artifact, &ret->records, &err);
	} else if (dash_records_has_lists(entry->bytes, entry->len)) {
		rc = dash_parsed_open(cache, &dash_records_kind.parsed, entry->sha256, read_lists,
				      entry, &parsed, &err);
	} else {
		return refuse_missing(request, "", answer);
	}
	if (rc < 0 && artifact == NULL && err.code == PL_ERR_NOT_FOUND)
		return refuse_missing(request, err.text, answer);
	if (rc < 0) {
		dash_refuse_artifact(answer, &err);
		return false;
	}
	if (parsed != NULL)
		ret->records = parsed;
	ret->name = artifact != NULL ? "artifact" : "lists";
	set_origin(entry, ret);
	return true;
}

/* Each file that is sent holds all rows, however slowly its receiver reads. */
#define FILES_MAX       16
#define FILES_BYTES_MAX ((size_t)512 << 20) /* one file may have more */
#define FILES_RETRY_S   5

static atomic_size_t file_bytes; /* of the rows of all files */

struct stream {
	struct dash_stream stream;
	atomic_uint *files;
	size_t bytes;
	struct dash_records_csv *csv;
};

static ptrdiff_t read_stream(struct dash_stream *stream, char *bytes, size_t room)
{
	return (ptrdiff_t)dash_records_csv_read(PL_CONTAINER_OF(stream, struct stream, stream)->csv,
						bytes, room);
}

static void free_stream(struct dash_stream *stream)
{
	struct stream *whole = PL_CONTAINER_OF(stream, struct stream, stream);

	dash_records_csv_free(whole->csv);
	atomic_fetch_sub(&file_bytes, whole->bytes);
	atomic_fetch_sub(whole->files, 1);
	free(whole);
}

static bool take_bytes(size_t bytes)
{
	size_t before = atomic_fetch_add(&file_bytes, bytes);

	if (before == 0 || before + bytes <= FILES_BYTES_MAX)
		return true;
	atomic_fetch_sub(&file_bytes, bytes);
	return false;
}

static void send_csv(const struct dash_request *request, const struct store_entry *entry,
		     struct records *records, const struct dash_records_question *question,
		     struct dash_answer *answer)
{
	atomic_uint *files = request->context->exports;
	auto_free char *name = pl_asprintf("experiment-%lld-requests.csv", (long long)entry->id);

	if (atomic_fetch_add(files, 1) >= FILES_MAX) {
		atomic_fetch_sub(files, 1);
		dash_refuse(answer, 503,
			    "%d downloads are in progress, which is the limit; retry later",
			    FILES_MAX);
		answer->retry_s = FILES_RETRY_S;
		return;
	}
	size_t bytes = records_bytes(records);
	if (!take_bytes(bytes)) {
		atomic_fetch_sub(files, 1);
		dash_refuse(answer, 503,
			    "other downloads hold the limit of %zu MiB of memory; retry later",
			    FILES_BYTES_MAX >> 20);
		answer->retry_s = FILES_RETRY_S;
		return;
	}
	struct stream *stream = pl_alloc(sizeof(*stream));
	*stream = (struct stream){ .stream = { .read = read_stream, .free = free_stream },
				   .files = files,
				   .bytes = bytes,
				   .csv = dash_records_csv_new(records, question) };
	dash_answer_bytes(answer, "text/csv; charset=utf-8; header=present", NULL, 0);
	answer->status = 200;
	answer->stream = &stream->stream;
	answer->disposition = dash_disposition(name);
}

void dash_get_requests(const struct dash_request *request, struct dash_answer *answer)
{
	const char *format = json_string_value(json_object_get(request->query, "format"));
	auto_records_question struct dash_records_question *question = NULL;
	struct pl_err err = PL_ERR_INIT;
	auto_store_entry entry = { .id = 0 };
	auto_artifacts artifacts = { 0 };
	struct source source = { 0 };

	if (!dash_find_experiment(request, &entry, answer) ||
	    !dash_find_artifacts(request, &artifacts, answer) ||
	    !open_records(request, &entry, dash_artifact_of_kind(&artifacts, "requests"), &source,
			  answer))
		return;
	auto_records struct records *records = source.records;
	if (dash_records_question_new(request->query, source.origin_ns, &question, &err) < 0) {
		dash_refuse(answer, 422, "%s", err.text);
		return;
	}
	if (format != NULL && strcmp(format, "csv") == 0) {
		send_csv(request, &entry, records, question, answer);
		return;
	}
	json_t *page = dash_records_page(records, question);
	json_object_set_new(page, "source", json_string(source.name));
	json_object_set_new(page, "origin_ns", pl_json_i64(source.origin_ns, source.has_origin));
	dash_answer_json(answer, 200, page);
}
