/* Opens, shows and changes uploads (store/jobs/job.h). */
#include "dash/upload/jobs.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "dash/access/user.h"
#include "dash/problem.h"
#include "dash/request.h"
#include "dash/upload/ingest.h"
#include "store/artifacts/artifact.h"
#include "store/jobs/job.h"

#define ITEMS_USUAL 1000 /* items per response by default */

int64_t dash_job_id(const char *word)
{
	int64_t id = 0;

	return strspn(word, "0123456789") == strlen(word) && pl_text_to_i64(word, &id) ? id : 0;
}

void dash_job_accepted(int64_t id, int status, struct dash_answer *answer)
{
	auto_free char *job = pl_asprintf("%lld", (long long)id);

	answer->location = pl_asprintf("/api/upload/status/%s", job);
	dash_answer_json(answer, status,
			 json_pack("{s:s, s:s}", "job_id", job, "status_url", answer->location));
}

/* ---- reading ------------------------------------------------------------------------------- */

static void refuse_none(const struct dash_request *request, struct dash_answer *answer)
{
	dash_refuse(answer, 404, "upload '%s' does not exist", request->words[0]);
}

static struct store_job_page page_of(const struct dash_request *request, int64_t otherwise)
{
	const json_t *limit = json_object_get(request->query, "limit");

	return (struct store_job_page){
		.offset = pl_json_get_i64(request->query, "offset"),
		.limit = limit != NULL ? json_integer_value(limit) : otherwise,
		.state = json_string_value(json_object_get(request->query, "state")),
	};
}

static void report(const struct dash_request *request, int64_t id,
		   const struct store_job_page *page, int status, struct dash_answer *answer)
{
	struct pl_err err = PL_ERR_INIT;
	json_t *job = NULL;

	if (id > 0 && store_job_json(request->context->store, id, page, &job, &err) < 0)
		dash_refuse_stored(answer, &err);
	else if (job == NULL)
		refuse_none(request, answer);
	else
		dash_answer_json(answer, status, job);
}

void dash_get_job(const struct dash_request *request, struct dash_answer *answer)
{
	const struct store_job_page page = page_of(request, ITEMS_USUAL);

	report(request, dash_job_id(request->words[0]), &page, 200, answer);
}

void dash_list_jobs(const struct dash_request *request, struct dash_answer *answer)
{
	const struct store_job_page page = page_of(request, 50);
	struct pl_err err = PL_ERR_INIT;
	json_t *jobs = NULL;

	if (store_jobs_json(request->context->store, &page, &jobs, &err) < 0)
		dash_refuse_stored(answer, &err);
	else
		dash_answer_json(answer, 200, jobs);
}

void dash_get_absent(const struct dash_request *request, struct dash_answer *answer)
{
	const struct store_job_page no_items = { .limit = 0 };
	int64_t id = dash_job_id(request->words[0]);
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *job = NULL;
	struct store_missing absent;

	if (id > 0 && (store_job_json(request->context->store, id, &no_items, &job, &err) < 0 ||
		       store_artifacts_missing(request->context->store, id, &absent, &err) < 0))
		dash_refuse_stored(answer, &err);
	else if (job == NULL)
		refuse_none(request, answer);
	else
		dash_answer_json(
			answer, 200,
			json_pack("{s:I, s:b, s:I, s:I, s:I}", "results",
				  (json_int_t)absent.results, "has_more", (int)absent.has_more,
				  "incomplete", (json_int_t)absent.incomplete, "files",
				  (json_int_t)absent.files, "bytes", (json_int_t)absent.bytes));
}

void dash_list_known(const struct dash_request *request, struct dash_answer *answer)
{
	struct pl_err err = PL_ERR_INIT;
	const char *word = json_string_value(json_object_get(request->body, "job_id"));
	json_t *known = NULL;

	if (store_jobs_known(request->context->store, json_object_get(request->body, "sha256"),
			     word != NULL ? dash_job_id(word) : 0, &known, &err) < 0)
		dash_refuse_stored(answer, &err);
	else
		dash_answer_json(answer, 200, known);
}

/* ---- changing ------------------------------------------------------------------------------ */

static int64_t amount_of(const json_t *body, const char *key)
{
	const json_t *amount = json_object_get(body, key);

	return amount != NULL ? json_integer_value(amount) : -1;
}

void dash_open_job(const struct dash_request *request, struct dash_answer *answer)
{
	const char *name = json_string_value(json_object_get(request->body, "name"));
	const struct store_job_plan plan = {
		.name = name != NULL ? name : "upload",
		.files = amount_of(request->body, "files"),
		.bytes = amount_of(request->body, "bytes"),
		.on_conflict = store_conflict_policy_of(
			json_string_value(json_object_get(request->body, "on_conflict"))),
		.author = json_string_value(json_object_get(request->body, "author")),
	};
	struct pl_err err = PL_ERR_INIT;
	int64_t id;

	if (store_job_open(request->context->store, &plan, &id, &err) < 0)
		dash_refuse_stored(answer, &err);
	else
		dash_job_accepted(id, 201, answer);
}

/*
 * Responds with the outcome of a change, and the current job. `at`: index in the body of an item that cannot be
 * changed.
 */
static void report_changed(const struct dash_request *request, int rc, enum store_job_answer came,
			   size_t at, int status, const struct pl_err *err,
			   struct dash_answer *answer)
{
	const struct store_job_page no_items = { .limit = 0 };

	if (rc < 0) {
		dash_refuse_stored(answer, err);
	} else if (came == STORE_JOB_NO_ITEM) {
		auto_free char *pointer = pl_asprintf("/items/%zu", at);
		auto_free char *found = pl_asprintf(
			"%lld", (long long)json_integer_value(json_array_get(
					json_object_get(request->body, "items"), at)));
		auto_free char *detail = pl_asprintf("%s: item %s does not exist, or its state or "
						     "missing content does not allow this",
						     pointer, found);
		dash_problem_answer(answer, &(struct dash_problem){ .status = 422,
								    .detail = detail,
								    .pointer = pointer,
								    .found = found });
	} else if (came == STORE_JOB_CHANGED) {
		dash_problem_answer(
			answer,
			&(struct dash_problem){ .status = 409,
						.detail = "/expected_sha256: the stored result "
							  "changed; review the differences again",
						.pointer = "/expected_sha256" });
	} else if (came == STORE_JOB_NOTHING) {
		dash_refuse(answer, 409,
			    "upload '%s' has no item to retry: no item was canceled, and the "
			    "content of rejected items is not stored; upload the files again",
			    request->words[0]);
	} else if (came == STORE_JOB_FOREIGN) {
		dash_refuse(answer, 403, "upload '%s' belongs to another user", request->words[0]);
	} else if (came == STORE_JOB_OK) {
		dash_ingest_wake(request->context->ingest);
		report(request, dash_job_id(request->words[0]), &no_items, status, answer);
	} else {
		refuse_none(request, answer);
	}
}

typedef int change_job_fn(struct store *store, int64_t id, const char *user,
			  enum store_job_answer *ret, struct pl_err *err);

/* An admin may close and cancel the uploads of others. */
static const char *owner_of(const struct dash_request *request)
{
	return request->user->role == DASH_ROLE_ADMIN ? NULL : dash_request_author(request);
}

static void change_job(const struct dash_request *request, change_job_fn *change,
		       struct dash_answer *answer)
{
	enum store_job_answer came = STORE_JOB_NONE;
	int64_t id = dash_job_id(request->words[0]);
	struct pl_err err = PL_ERR_INIT;
	int rc = id > 0 ? change(request->context->store, id, owner_of(request), &came, &err) : 0;

	report_changed(request, rc, came, 0, 200, &err, answer);
}

void dash_close_job(const struct dash_request *request, struct dash_answer *answer)
{
	change_job(request, store_job_close, answer);
}

void dash_cancel_job(const struct dash_request *request, struct dash_answer *answer)
{
	change_job(request, store_job_cancel, answer);
}

void dash_retry_job(const struct dash_request *request, struct dash_answer *answer)
{
	enum store_job_answer came = STORE_JOB_NONE;
	int64_t id = dash_job_id(request->words[0]);
	struct pl_err err = PL_ERR_INIT;
	size_t at = 0;
	int rc = 0;

	if (id > 0)
		rc = store_job_retry(request->context->store, id,
				     json_object_get(request->body, "items"), &came, &at, &err);
	report_changed(request, rc, came, at, 202, &err, answer);
}

static const char *text_of(const json_t *body, const char *key)
{
	return json_string_value(json_object_get(body, key));
}

void dash_choose_job(const struct dash_request *request, struct dash_answer *answer)
{
	const json_t *body = request->body;
	const struct store_job_request wanted = {
		.choice = { .on_conflict = store_conflict_policy_of(text_of(body, "choice")),
			    .author = text_of(body, "author"),
			    .expected = text_of(body, "expected_sha256") },
		.items = json_object_get(body, "items"),
		.of = text_of(body, "of"),
	};
	enum store_job_answer came = STORE_JOB_NONE;
	int64_t id = dash_job_id(request->words[0]);
	struct pl_err err = PL_ERR_INIT;
	size_t at = 0;
	int rc = 0;

	if (wanted.choice.expected != NULL && json_array_size(wanted.items) != 1) {
		dash_problem_answer(
			answer,
			&(struct dash_problem){
				.status = 422,
				.detail = "/expected_sha256: expected exactly one item in items",
				.pointer = "/expected_sha256" });
		return;
	}
	if (id > 0)
		rc = store_job_choose(request->context->store, id, &wanted, &came, &at, &err);
	report_changed(request, rc, came, at, 202, &err, answer);
}
