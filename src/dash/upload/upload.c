/*
 * What comes in becomes a job and is answered when that is on the disk. What can be told at once, and
 * costs little, is: what is no JSON where JSON was said, a form that is cut, more than a job may hold.
 * What a document is and whether it is one is the job's to tell.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "dash/contract.h"
#include "dash/problem.h"
#include "dash/request.h"
#include "dash/upload/documents.h"
#include "dash/upload/ingest.h"
#include "store/job.h"

#define LINES_MAX DASH_FORM_FILES_MAX

struct upload {
	const char *kind;
	const char *name;
	const char *media;
	const char *bytes;
	size_t len;
};

static void accept(const struct dash_request *request, const struct upload *upload,
		   struct dash_answer *answer)
{
	struct pl_err err = PL_ERR_INIT;
	int64_t id;

	if (upload->len == 0) {
		dash_refuse(answer, 400, "found no bytes, expected a result");
		return;
	}
	if (store_job_add(request->context->store, upload->kind, upload->name, upload->media,
			  upload->bytes, upload->len, &id, &err) < 0) {
		dash_refuse_stored(answer, &err);
		return;
	}
	dash_ingest_wake(request->context->ingest);
	auto_free char *job = pl_asprintf("%lld", (long long)id);
	answer->location = pl_asprintf("/api/upload/status/%s", job);
	dash_answer_json(answer, 202,
			 json_pack("{s:s, s:s}", "job_id", job, "status_url", answer->location));
}

static const char *name_of(const struct dash_request *request, const char *otherwise)
{
	const char *name = json_string_value(json_object_get(request->query, "name"));

	return name != NULL && name[0] != '\0' ? name : otherwise;
}

/* How a text is cut goes by the end of its name (store/parts.h): it has to be that of what was sent as.
 * free() */
static char *name_ending(const struct dash_request *request, const char *suffix)
{
	const char *name = name_of(request, "upload");

	return pl_text_ends(name, suffix) ? pl_strdup(name) : pl_asprintf("%s%s", name, suffix);
}

/*
 * JSON or not is told by its place in what was sent. Files of vLLM's may hold NaN, which is no JSON and
 * which its reader takes: whoever has one sends it as it is (raw) or in a form.
 */
static bool is_json(const char *bytes, size_t len, const char *name, struct dash_answer *answer)
{
	auto_json json_t *json = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (store_json_parse(bytes, len, name, &json, &err) == 0)
		return true;
	dash_refuse_error(answer, &err);
	return false;
}

void dash_upload_json(const struct dash_request *request, struct dash_answer *answer)
{
	struct upload upload = { .kind = DASH_JOB_JSON,
				 .name = name_of(request, "upload.json"),
				 .bytes = request->bytes,
				 .len = request->len };
	auto_form form = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (dash_media_is(request->media, DASH_MEDIA_FORM)) {
		if (dash_form_read(request->media, request->bytes, request->len, &form, &err) < 0) {
			form = (struct dash_form){ 0 };
			dash_refuse_error(answer, &err);
			return;
		}
		if (form.count != 1) {
			dash_refuse(answer, 422,
				    "the form: found %zu files, expected one (many go to "
				    "/api/upload/batch)",
				    form.count);
			return;
		}
		upload.name = form.files[0].name;
		upload.bytes = form.files[0].bytes;
		upload.len = form.files[0].len;
	}
	if (upload.len == 0 || is_json(upload.bytes, upload.len, "body", answer))
		accept(request, &upload, answer);
}

static size_t lines_of(const char *bytes, size_t len)
{
	size_t count = 0;

	for (const char *at = bytes, *end = bytes + len; at < end; count++) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		at = line_end != NULL ? line_end + 1 : end;
	}
	return count;
}

static bool is_form(const struct dash_request *request, struct dash_answer *answer)
{
	auto_form form = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (dash_form_read(request->media, request->bytes, request->len, &form, &err) < 0) {
		dash_refuse_error(answer, &err);
		return false;
	}
	if (form.count > 0)
		return true;
	dash_refuse(answer, 422, "the form: found no file, expected one at least");
	return false;
}

void dash_upload_batch(const struct dash_request *request, struct dash_answer *answer)
{
	struct upload upload = { .kind = DASH_JOB_BATCH,
				 .name = name_of(request, "upload"),
				 .media = request->media,
				 .bytes = request->bytes,
				 .len = request->len };
	auto_free char *name = NULL;

	if (dash_media_is(request->media, DASH_MEDIA_FORM)) {
		if (!is_form(request, answer))
			return;
	} else if (request->body != NULL) { /* an array, as the contract wants it */
		upload.name = name = name_ending(request, ".json");
	} else {
		upload.name = name = name_ending(request, ".jsonl");
		if (lines_of(request->bytes, request->len) > LINES_MAX) {
			dash_refuse(answer, 422, "found more than %d lines", LINES_MAX);
			return;
		}
	}
	accept(request, &upload, answer);
}

void dash_upload_raw(const struct dash_request *request, struct dash_answer *answer)
{
	struct upload upload = { .kind = DASH_JOB_RAW,
				 .name = name_of(request, "upload"),
				 .media = request->media,
				 .bytes = request->bytes,
				 .len = request->len };

	accept(request, &upload, answer);
}

void dash_get_job(const struct dash_request *request, struct dash_answer *answer)
{
	const char *word = request->words[0];
	struct pl_err err = PL_ERR_INIT;
	json_t *job = NULL;
	int64_t id = 0;
	const json_t *limit = json_object_get(request->query, "limit");
	int64_t offset = pl_json_get_i64(request->query, "offset");

	bool is_number = strspn(word, "0123456789") == strlen(word) && pl_text_to_i64(word, &id);
	if (is_number && id > 0 &&
	    store_job_json(request->context->store, id, offset,
			   limit != NULL ? json_integer_value(limit) : INT64_MAX, &job, &err) < 0)
		dash_refuse_stored(answer, &err);
	else if (job == NULL)
		dash_refuse(answer, 404, "there is no upload '%s'", word);
	else
		dash_answer_json(answer, 200, job);
}
