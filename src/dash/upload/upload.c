/*
 * Turns uploaded bytes into a job, and responds when the job is on disk. Only cheap checks are made at once: JSON that
 * does not parse, a truncated form, more than a job may hold. The job checks the documents themselves.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/text.h"
#include "dash/contract.h"
#include "dash/memory.h"
#include "dash/problem.h"
#include "dash/request.h"
#include "dash/routes.h"
#include "dash/upload/documents.h"
#include "dash/upload/ingest.h"
#include "dash/upload/jobs.h"
#include "store/jobs/job.h"

#define LINES_MAX DASH_FORM_FILES_MAX
#define KEY_MAX   200

struct upload {
	const char *kind;
	const char *name;
	const char *media;
	const char *bytes;
	size_t len;
	const struct dash_form *form; /* its files; NULL: the bytes are a single file */
};

/* ---- receiving ----------------------------------------------------------------------------- */

static bool takes_more(const struct dash_request *request, enum store_job_answer came,
		       struct dash_answer *answer)
{
	const char *id = json_string_value(json_object_get(request->query, "job_id"));

	switch (came) {
	case STORE_JOB_OK:
		return true;
	case STORE_JOB_CLOSED:
		dash_refuse(answer, 409, "upload '%s' is closed and accepts no more files", id);
		return false;
	case STORE_JOB_FOREIGN:
		dash_refuse(answer, 403, "upload '%s' belongs to another user", id);
		return false;
	case STORE_JOB_OTHER:
		dash_refuse(answer, 422,
			    "Idempotency-Key: found other content, expected that of the earlier "
			    "request");
		return false;
	case STORE_JOB_FULL:
		dash_refuse(answer, 409, "upload '%s' has reached the limit of %d items", id,
			    STORE_JOB_ITEMS_MAX);
		return false;
	default:
		dash_refuse(answer, 404, "upload '%s' does not exist", id);
		return false;
	}
}

/* *ret 0: a new job. Returns false if refused. */
static bool find_job(const struct dash_request *request, int64_t *ret, struct dash_answer *answer)
{
	static const char *const of_whole[] = { "on_conflict", "author" };
	const char *word = json_string_value(json_object_get(request->query, "job_id"));

	*ret = 0;
	if (word == NULL)
		return true;
	for (size_t i = 0; i < PL_ARRAY_SIZE(of_whole); i++) {
		if (json_object_get(request->query, of_whole[i]) == NULL)
			continue;
		auto_free char *pointer = pl_asprintf("/%s", of_whole[i]);
		auto_free char *detail = pl_asprintf("%s: found together with job_id, expected it "
						     "only when the upload is created",
						     pointer);
		dash_problem_answer(answer, &(struct dash_problem){ .status = 422,
								    .detail = detail,
								    .pointer = pointer });
		return false;
	}
	*ret = dash_job_id(word);
	return *ret > 0 || takes_more(request, STORE_JOB_NONE, answer);
}

/* Checks the key that identifies a repeated part. Returns false if refused. */
static bool check_key(const struct dash_request *request, bool is_part, struct dash_answer *answer)
{
	const char *key = request->head->key;

	if (key == NULL)
		return true;
	if (!is_part) {
		dash_refuse(answer, 422, "Idempotency-Key: found without job_id, expected both");
		return false;
	}
	size_t plain = 0;
	while (key[plain] > ' ' && key[plain] <= '~')
		plain++;
	if (key[plain] == '\0' && plain > 0 && plain <= KEY_MAX)
		return true;
	dash_refuse(answer, 422,
		    "Idempotency-Key: found %zu bytes, expected 1 to %d printable ASCII characters",
		    strlen(key), KEY_MAX);
	return false;
}

/* Returns the sha256 of each file, which identifies it when it is sent again; free(). */
static char (*hashes_of(const struct upload *upload, size_t *ret_count))[65]
{
	size_t count = upload->form != NULL ? upload->form->count : 1;
	char(*hashes)[65] = pl_alloc_array(count, sizeof(*hashes));

	for (size_t i = 0; i < count; i++) {
		const char *bytes = upload->form != NULL ? upload->form->files[i].bytes
							 : upload->bytes;
		pl_sha256(bytes, upload->form != NULL ? upload->form->files[i].len : upload->len,
			  hashes[i]);
	}
	*ret_count = count;
	return hashes;
}

/* Checks a file against the hash that the client sent, so that no corrupt file is stored. */
static bool is_whole(const struct dash_request *request, const char (*hashes)[65], size_t count,
		     struct dash_answer *answer)
{
	const char *text = request->head->sha256;

	if (text == NULL || (count == 1 && strcasecmp(text, hashes[0]) == 0))
		return true;
	if (count != 1)
		dash_refuse(answer, 422,
			    "X-Content-SHA256: found %zu files in the form, expected one", count);
	else
		dash_problem_answer(
			answer,
			&(struct dash_problem){
				.status = 422,
				.detail = "X-Content-SHA256: does not match the received content",
				.found = hashes[0],
				.expected = text });
	return false;
}

static void accept_upload(const struct dash_request *request, const struct upload *upload,
			  struct dash_answer *answer)
{
	enum store_conflict_policy on_conflict = store_conflict_policy_of(
		json_string_value(json_object_get(request->query, "on_conflict")));
	enum store_job_answer came = STORE_JOB_OK;
	struct pl_err err = PL_ERR_INIT;
	size_t count;
	int64_t id;

	if (upload->len == 0) {
		dash_refuse(answer, 400, "found an empty body, expected a result");
		return;
	}
	if (!find_job(request, &id, answer) || !check_key(request, id != 0, answer))
		return;
	auto_free char(*hashes)[65] = hashes_of(upload, &count);
	if (!is_whole(request, (const char(*)[65])hashes, count, answer))
		return;
	const struct store_job_part part = {
		.author = json_string_value(json_object_get(request->query, "author")),
		.user = request->user->name[0] != '\0' ? request->user->name : NULL,
		.kind = upload->kind,
		.name = upload->name,
		.media = upload->media,
		.bytes = upload->bytes,
		.len = upload->len,
		.sha256 = hashes,
		.files = count,
		.key = request->head->key
	};
	if (store_job_add(request->context->store, &id, on_conflict, &part, &came, &err) < 0) {
		dash_refuse_stored(answer, &err);
		return;
	}
	if (!takes_more(request, came, answer))
		return;
	dash_ingest_wake(request->context->ingest);
	dash_job_accepted(id, 202, answer);
}

static const char *name_of(const struct dash_request *request, const char *otherwise)
{
	const char *name = json_string_value(json_object_get(request->query, "name"));

	return name != NULL && name[0] != '\0' ? name : otherwise;
}

/*
 * Returns a name with the given suffix, because the suffix determines how the text is split (store/documents/parts.h).
 * free()
 */
static char *name_ending(const struct dash_request *request, const char *suffix)
{
	const char *name = name_of(request, STORE_NAMELESS);

	return pl_text_ends(name, suffix) ? pl_strdup(name) : pl_asprintf("%s%s", name, suffix);
}

/* Checks that it is JSON; an error gives the location in the request. */
static bool is_json(const char *bytes, size_t len, const char *name, struct dash_answer *answer)
{
	size_t memory = pl_json_memory(bytes, len);
	json_t *json = NULL, *notes = NULL;
	struct pl_err err = PL_ERR_INIT;

	/* more is refused without being read */
	memory = memory <= PL_JSON_MEMORY_BYTES_MAX ? memory : 0;
	if (!dash_memory_take(memory, answer))
		return false;
	int rc = store_result_parse(bytes, len, name, &json, &notes, &err);
	json_decref(json);
	json_decref(notes);
	dash_memory_give(memory);
	if (rc == 0)
		return true;
	dash_refuse_error(answer, &err);
	return false;
}

void dash_upload_json(const struct dash_request *request, struct dash_answer *answer)
{
	struct upload upload = { .kind = DASH_JOB_JSON,
				 .name = name_of(request, STORE_NAMELESS ".json"),
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
				    "the form: found %zu files, expected one; use "
				    "/api/upload/batch for several",
				    form.count);
			return;
		}
		upload.name = form.files[0].name;
		upload.bytes = form.files[0].bytes;
		upload.len = form.files[0].len;
	}
	if (upload.len == 0 || is_json(upload.bytes, upload.len, "body", answer))
		accept_upload(request, &upload, answer);
}

static bool read_form(const struct dash_request *request, struct dash_form *form,
		      struct dash_answer *answer)
{
	struct pl_err err = PL_ERR_INIT;

	if (dash_form_read(request->media, request->bytes, request->len, form, &err) < 0) {
		*form = (struct dash_form){ 0 };
		dash_refuse_error(answer, &err);
		return false;
	}
	if (form->count > 0)
		return true;
	dash_refuse(answer, 422, "the form: found no file, expected at least one");
	return false;
}

void dash_upload_batch(const struct dash_request *request, struct dash_answer *answer)
{
	struct upload upload = { .kind = DASH_JOB_BATCH,
				 .name = name_of(request, STORE_NAMELESS),
				 .media = request->media,
				 .bytes = request->bytes,
				 .len = request->len };
	auto_free char *name = NULL;
	auto_form form = { 0 };

	if (dash_media_is(request->media, DASH_MEDIA_FORM)) {
		if (!read_form(request, &form, answer))
			return;
		upload.form = &form;
	} else if (request->body != NULL) { /* an array, by the contract */
		upload.name = name = name_ending(request, ".json");
	} else {
		upload.name = name = name_ending(request, ".jsonl");
		size_t len = request->len;
		size_t count = 0;
		for (const char *at = request->bytes, *end = request->bytes + len; at < end;
		     count++) {
			const char *line_end = memchr(at, '\n', (size_t)(end - at));
			at = line_end != NULL ? line_end + 1 : end;
		}
		if (count > LINES_MAX) {
			dash_refuse(answer, 422, "found more than %d lines", LINES_MAX);
			return;
		}
	}
	accept_upload(request, &upload, answer);
}

void dash_upload_raw(const struct dash_request *request, struct dash_answer *answer)
{
	struct upload upload = { .kind = DASH_JOB_RAW,
				 .name = name_of(request, STORE_NAMELESS),
				 .media = request->media,
				 .bytes = request->bytes,
				 .len = request->len };

	accept_upload(request, &upload, answer);
}
