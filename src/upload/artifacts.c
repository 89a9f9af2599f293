#include "upload/artifacts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "result/artifacts.h"
#include "upload/upload_priv.h"

#define SEND_LEAST_NS (300 * PL_NS_PER_S)
#define NS_PER_MIB    (PL_NS_PER_S) /* a slow connection */

/* Records {kind, name, run_id, bytes, state, message} of one artifact. */
static void report(struct upload_result *result, const struct res_artifact *file, int64_t bytes,
		   const char *state, const char *message)
{
	json_array_append_new(result->artifacts,
			      json_pack("{s:o, s:o, s:o, s:I, s:s, s:o}", "kind",
					pl_json_text(file->kind), "name", pl_json_text(file->name),
					"run_id", pl_json_text(file->run_id), "bytes",
					(json_int_t)bytes, "state", state, "message",
					pl_json_text(message)));
}

/* Returns the id of the stored result if its content is the one that was sent. 0: missing. */
static json_int_t row_of(const struct upload_result *result, const char *run_id)
{
	PL_JSON_EACH(item, result->items) {
		const char *state = pl_json_get_text(item, "state");
		if (pl_text_equal(pl_json_get_text(item, "run_id"), run_id) &&
		    !json_is_true(json_object_get(item, "deleted")) &&
		    (pl_text_equal(state, "stored") || pl_text_equal(state, "duplicate")))
			return pl_json_get_i64(item, "id");
	}
	return 0;
}

/* ---- stored artifacts ---------------------------------------------------------------------- */

/* Returns the array of stored artifacts; empty if it is unknown. New reference. */
static json_t *list_of(struct upload *upload, json_int_t id)
{
	auto_free char *path = pl_asprintf("/api/data/experiments/%lld/artifacts", (long long)id);
	auto_json json_t *answer = NULL;

	if (upload_request_json(upload, "GET", path, NULL, 200, &answer, PL_ERR_IGNORED) < 0)
		return json_array();
	json_t *list = json_object_get(answer, "artifacts");
	return json_is_array(list) ? json_incref(list) : json_array();
}

static bool has(const json_t *list, const struct res_artifact *file)
{
	PL_JSON_EACH(artifact, list) {
		if (pl_text_equal(pl_json_get_text(artifact, "kind"), file->kind) &&
		    pl_text_equal(pl_json_get_text(artifact, "name"), file->name) &&
		    pl_text_equal(pl_json_get_text(artifact, "sha256"), file->sha256))
			return true;
	}
	return false;
}

/* ---- sending ------------------------------------------------------------------------------- */

static char *path_for(const struct upload *upload, const struct res_artifact *file)
{
	const char *const words[] = { file->run_id, file->kind, file->name };
	auto_buf path = PL_BUF(65536);

	for (size_t i = 0; i < PL_ARRAY_SIZE(words); i++) {
		pl_buf_add_char(&path, '/');
		upload_add_word(&path, words[i], "-._~");
	}
	return upload_path(upload, "/api/upload/artifact%s", pl_buf_text(&path));
}

/* Returns why it is not stored; NULL: it is. free() */
static char *send_bytes(struct upload *upload, const struct res_artifact *file, int fd, size_t len)
{
	auto_free char *path = path_for(upload, file);
	auto_free char *headers = upload_headers(upload->target,
						 "Content-Type: application/octet-stream\r\n"
						 "X-Content-SHA256: %s\r\n",
						 file->sha256);
	struct io_fetch fetch = upload_fetch(upload, "PUT", path);
	auto_reply reply = { 0 };
	struct pl_err err = PL_ERR_INIT;

	fetch.headers = headers;
	fetch.body = "";
	fetch.body_len = len;
	fetch.body_fd = &fd;
	fetch.timeout_ns = SEND_LEAST_NS + (int64_t)(len >> 20) * NS_PER_MIB;
	if (upload_request(upload, &fetch, &reply, &err) < 0)
		return pl_strdup(err.text);
	return reply.status == 200 || reply.status == 201 ? NULL : upload_words_of(&reply);
}

/* Reads the file while the socket accepts it. As send_bytes(). */
static char *send_file(struct upload *upload, const struct res_artifact *file, int64_t *ret_bytes)
{
	auto_fd int fd = open(file->path, O_RDONLY | O_CLOEXEC);
	struct pl_err err = PL_ERR_INIT;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		pl_err_errno(&err, "could not read '%s'", file->path);
		return pl_strdup(err.text);
	}
	*ret_bytes = st.st_size;
	return send_bytes(upload, file, fd, (size_t)st.st_size);
}

static void send_one(struct upload *upload, struct upload_result *result,
		     const struct res_artifact *file, const json_t *stored)
{
	struct pl_err err = PL_ERR_INIT;
	int64_t bytes = 0;

	if (has(stored, file)) {
		report(result, file, 0, "duplicate", NULL);
		return;
	}
	if (upload->is_lost) {
		report(result, file, 0, "failed", "not uploaded: the dashboard is unreachable");
		return;
	}
	switch (res_artifact_check(file, &bytes, &err)) {
	case RES_ARTIFACT_MISSING:
		report(result, file, 0, "missing",
		       "the file is not in the directory of the result");
		return;
	case RES_ARTIFACT_CHANGED:
		report(result, file, bytes, "changed",
		       "not uploaded: the file changed after the run");
		return;
	case RES_ARTIFACT_UNREADABLE:
		report(result, file, bytes, "failed", err.text);
		return;
	case RES_ARTIFACT_INTACT:
		break;
	}
	auto_free char *failure = send_file(upload, file, &bytes);
	report(result, file, bytes, failure != NULL ? "failed" : "stored", failure);
	upload->artifacts_sent++;
	if (upload->on_progress != NULL)
		upload->on_progress(upload);
}

static void send_of_file(struct upload *upload, size_t at)
{
	struct upload_result *result = &upload->results[at];
	auto_res_artifacts besides = { 0 };
	auto_json json_t *stored = NULL;
	const char *run_id = NULL;
	json_int_t id = 0;

	if (result->failure != NULL)
		return;
	res_artifacts_of_file(upload->files[at].path, UPLOAD_BYTES_MAX, &besides);
	for (size_t i = 0; i < besides.count; i++) {
		const struct res_artifact *file = &besides.items[i];
		if (!pl_text_equal(run_id, file->run_id)) {
			run_id = file->run_id;
			id = row_of(result, run_id);
			json_decref(stored);
			stored = id > 0 ? list_of(upload, id) : NULL;
		}
		if (id > 0)
			send_one(upload, result, file, stored);
	}
}

void upload_artifacts(struct upload *upload)
{
	for (size_t i = 0; i < upload->count; i++)
		send_of_file(upload, i);
}
