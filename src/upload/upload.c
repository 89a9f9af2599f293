#include "upload/upload.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "upload/artifacts.h"
#include "upload/upload_priv.h"

/* The interval of polling the state: from milliseconds up to half a second after a large file. */
#define PAUSE_NS     (5 * PL_NS_PER_MS)
#define PAUSE_MAX_NS (PL_NS_PER_S / 2)
#define COUNT_MAX    ((int64_t)1 << 40)

/* ---- the job ------------------------------------------------------------------------------- */

static int open_job(struct upload *upload, const size_t *files, size_t count, struct pl_err *err)
{
	auto_json json_t *answer = NULL;
	json_int_t bytes = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t size = pl_file_size(upload->files[files[i]].path);
		bytes += size > 0 ? size : 0;
	}
	auto_json json_t *body = json_pack(
		"{s:o, s:I, s:I, s:s}", "name",
		pl_json_text(upload->name != NULL ? upload->name : upload->files[0].name), "files",
		(json_int_t)count, "bytes", bytes, "on_conflict",
		upload->on_conflict != NULL ? upload->on_conflict : "skip");
	if (upload_request_json(upload, "POST", "/api/upload/jobs", body, 201, &answer, err) < 0)
		return -1;
	upload->job_id = pl_strdup(pl_json_get_text(answer, "job_id"));
	return upload->job_id != NULL ? 0
				      : pl_err_invalid(err, "the response has no job_id; check "
							    "that the URL is a ProfLLM dashboard");
}

static int close_job(struct upload *upload, struct pl_err *err)
{
	auto_free char *path = pl_asprintf("/api/upload/jobs/%s/close", upload->job_id);
	auto_json json_t *job = NULL;

	return upload_request_json(upload, "POST", path, NULL, 200, &job, err);
}

/* The sum of some counts of the job. A count outside of 0 to COUNT_MAX, which no dashboard has, is 0. */
static int64_t sum_counts(const json_t *job, const char *const *states, size_t count)
{
	const json_t *counts = json_object_get(job, "counts");
	int64_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t one = pl_json_get_i64(counts, states[i]);
		sum += one >= 0 && one <= COUNT_MAX ? one : 0;
	}
	return sum;
}

/* Waits until the job has finished. */
static int wait_for_job(struct upload *upload, struct pl_err *err)
{
	auto_free char *path = pl_asprintf("/api/upload/status/%s?limit=0", upload->job_id);
	int64_t pause_ns = PAUSE_NS;

	for (;;) {
		auto_json json_t *job = NULL;
		if (upload_request_json(upload, "GET", path, NULL, 200, &job, err) < 0)
			return -1;
		const char *state = pl_json_get_text(job, "state");
		/* A file that is not read yet counts as a waiting item. */
		static const char *const states[] = { "queued", "parsed", "valid" };
		int64_t waiting = sum_counts(job, states, PL_ARRAY_SIZE(states));
		upload->over = waiting < (int64_t)upload->sent ? upload->sent - (size_t)waiting : 0;
		if (upload->on_progress != NULL)
			upload->on_progress(upload);
		if (pl_text_equal(state, "done") || pl_text_equal(state, "cancelled")) {
			upload->job = json_incref(job);
			return 0;
		}
		pl_clock_sleep_until(pl_clock_now_ns() + pause_ns);
		pause_ns = pause_ns * 2 < PAUSE_MAX_NS ? pause_ns * 2 : PAUSE_MAX_NS;
	}
}

/* The files are on the dashboard, but their outcome is unknown. */
static void fail_sent(struct upload *upload, const struct pl_err *err)
{
	auto_free char *page = upload_page(upload);
	auto_free char *why = pl_asprintf("uploaded, but the outcome is unknown: %s; see %s",
					  err->text, page);

	for (size_t i = 0; i < upload->count; i++) {
		struct upload_result *result = &upload->results[i];
		if (result->state != UPLOAD_SENT)
			continue;
		upload_fail(result, why);
		result->is_unreachable = true;
	}
}

static void send_all(struct upload *upload)
{
	struct pl_err err = PL_ERR_INIT;
	size_t count;

	/* with the policy "replace", an earlier result may have been replaced since, so each file is sent */
	bool asks = !pl_text_equal(upload->on_conflict, "replace");
	if (asks && upload_find_received(upload, &err) < 0) {
		upload_fail_waiting(upload, &err);
		return;
	}
	auto_free size_t *files = upload_files_in(upload, UPLOAD_WAITING, &count);
	if (count == 0)
		return;
	if (open_job(upload, files, count, &err) < 0) {
		upload_fail_waiting(upload, &err);
		return;
	}
	upload_send(upload);
	if (close_job(upload, &err) < 0 || wait_for_job(upload, &err) < 0 ||
	    upload_take_items(upload, &err) < 0)
		fail_sent(upload, &err);
}

void upload_all(struct upload *upload)
{
	upload->results = pl_alloc_array(upload->count, sizeof(*upload->results));
	for (size_t i = 0; i < upload->count; i++)
		upload->results[i].artifacts = json_array();
	/* Reads and hashes the files. If an earlier file has the same bytes, it represents both. */
	auto_json json_t *first_of = json_object();
	for (size_t i = 0; i < upload->count; i++) {
		struct upload_result *result = &upload->results[i];
		struct pl_err err = PL_ERR_INIT;
		if (pl_file_sha256(upload->files[i].path, result->sha256, &err) < 0) {
			upload_fail(result, err.text);
			continue;
		}
		const json_t *first = json_object_get(first_of, result->sha256);
		if (first != NULL) {
			result->state = UPLOAD_SAME;
			result->same_as = (size_t)json_integer_value(first);
		} else {
			json_object_set_new(first_of, result->sha256, json_integer((json_int_t)i));
		}
	}
	send_all(upload);
	/* Copies the outcome of the earlier file, as if the second one had been sent. */
	for (size_t i = 0; i < upload->count; i++) {
		struct upload_result *result = &upload->results[i];
		if (result->state != UPLOAD_SAME)
			continue;
		const struct upload_result *first = &upload->results[result->same_as];
		result->is_unreachable = first->is_unreachable;
		result->failure = pl_strdup(first->failure);
		result->status_url = pl_strdup(first->status_url);
		result->items = json_deep_copy(first->items);
		PL_JSON_EACH(item, result->items) {
			json_object_set_new(item, "name", pl_json_text(upload->files[i].name));
			if (pl_text_equal(pl_json_get_text(item, "state"), "stored"))
				json_object_set_new(item, "state", json_string("duplicate"));
		}
	}
	upload->sent = upload->over = upload->count;
	if (upload->on_progress != NULL)
		upload->on_progress(upload);
	if (!upload->without_artifacts)
		upload_artifacts(upload);
	upload->is_over = true;
}

/* ---- outcomes ------------------------------------------------------------------------------ */

char *upload_item_fault(const json_t *item)
{
	const char *state = pl_json_get_text(item, "state");
	const char *message = pl_json_get_text(item, "message");
	bool is_there = pl_text_equal(state, "stored") || pl_text_equal(state, "duplicate");

	if (json_is_true(json_object_get(item, "deleted")) && !pl_text_equal(state, "stored"))
		return pl_strdup(
			"was deleted on the dashboard; use --on-conflict replace, or restore "
			"it there");
	if (is_there)
		return NULL;
	return pl_strdup(message != NULL ? message : "no reason reported");
}

/* Returns NULL if the file's results are stored with the artifacts that were sent. */
static char *fault_of(const struct upload_result *result)
{
	if (result->failure != NULL)
		return pl_strdup(result->failure);
	PL_JSON_EACH(item, result->items) {
		const char *state = pl_json_get_text(item, "state");
		auto_free char *fault = upload_item_fault(item);
		if (fault != NULL)
			return pl_asprintf("%s: %s", state != NULL ? state : "no state", fault);
	}
	PL_JSON_EACH(artifact, result->artifacts) {
		if (pl_text_equal(pl_json_get_text(artifact, "state"), "failed"))
			return pl_asprintf("%s: %s", pl_json_get_text(artifact, "name"),
					   pl_json_get_text(artifact, "message"));
	}
	return NULL;
}

enum pl_err_code upload_code(const struct upload *upload)
{
	/* Uses the counts of the dashboard, even if some items were not reported. */
	static const char *const states[] = { "conflict", "rejected", "cancelled" };
	enum pl_err_code code = (sum_counts(upload->job, states, PL_ARRAY_SIZE(states)) > 0)
					? PL_ERR_INVALID
					: PL_ERR_NONE;

	for (size_t i = 0; i < upload->count; i++) {
		auto_free char *fault = fault_of(&upload->results[i]);
		if (upload->is_lost || (fault != NULL && upload->results[i].is_unreachable))
			return PL_ERR_NETWORK;
		if (fault != NULL)
			code = PL_ERR_INVALID;
	}
	return code;
}

char *upload_file_fault(const struct upload *upload, size_t at)
{
	return fault_of(&upload->results[at]);
}

char *upload_fault(const struct upload *upload)
{
	char *fault = NULL;

	for (size_t i = 0; i < upload->count && fault == NULL; i++)
		fault = fault_of(&upload->results[i]);
	return fault;
}

void upload_done(struct upload *upload)
{
	for (size_t i = 0; upload->results != NULL && i < upload->count; i++) {
		free(upload->results[i].status_url);
		free(upload->results[i].failure);
		json_decref(upload->results[i].items);
		json_decref(upload->results[i].artifacts);
	}
	free(upload->results);
	free(upload->job_id);
	json_decref(upload->job);
}
