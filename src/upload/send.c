/*
 * Small files are sent together as a form, because each request costs a sync on the dashboard. Files that may hold many
 * documents are sent alone, because a form has the same limit of documents as a single request.
 *
 * If the connection breaks, some files may have arrived: the dashboard is asked which, and the others are sent again.
 * If a form is refused, its files are sent one by one, to find the refused one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "upload/upload_priv.h"

#define PART_FILES      500
#define PART_BYTES      (4u << 20)
#define FORM_BYTES_MAX  UPLOAD_BYTES_MAX
#define BOUNDARY_DIGITS 40
#define SEND_NS         (300 * PL_NS_PER_S) /* for a file of 64 MiB over a slow connection */

/* The content of one request. */
struct part {
	size_t files[PART_FILES];
	char *texts[PART_FILES];
	size_t lens[PART_FILES];
	size_t count;
	size_t bytes;
};

void upload_fail(struct upload_result *result, const char *why)
{
	free(result->failure);
	result->failure = pl_strdup(why);
	result->state = UPLOAD_FAILED;
}

void upload_fail_waiting(struct upload *upload, const struct pl_err *err)
{
	bool is_unreachable = err->code != PL_ERR_INVALID && err->code != PL_ERR_IO;
	const char *why = err->text;

	for (size_t i = 0; i < upload->count; i++) {
		struct upload_result *result = &upload->results[i];
		if (result->state != UPLOAD_WAITING)
			continue;
		upload_fail(result, why);
		result->is_unreachable = is_unreachable || upload->is_lost;
		if (upload->is_lost)
			why = "not uploaded: the dashboard is unreachable";
	}
}

/* ---- a part -------------------------------------------------------------------------------- */

static void part_done(struct part *part)
{
	for (size_t i = 0; i < part->count; i++)
		free(part->texts[i]);
	part->count = 0;
	part->bytes = 0;
}

/* Headers in a form cannot represent every name. */
static bool is_plain(const char *name)
{
	for (const char *c = name; *c != '\0'; c++) {
		if ((unsigned char)*c < ' ' || *c == '"' || *c == '\\' || *c == 0x7f)
			return false;
	}
	return true;
}

/* Guesses whether it is a single document. */
static bool goes_along(const char *name, const char *text, size_t len)
{
	return len <= PART_BYTES && text[0] == '{' && pl_text_ends(name, ".json") && is_plain(name);
}

static void part_add(struct upload *upload, struct part *part, size_t file, char *text, size_t len)
{
	/* it may have changed since it was read */
	pl_sha256(text, len, upload->results[file].sha256);
	part->files[part->count] = file;
	part->texts[part->count] = text;
	part->lens[part->count++] = len;
	part->bytes += len;
}

/* Takes the next files that fit together, from *at on, and moves *at after them. */
static void part_take(struct upload *upload, size_t *at, struct part *part)
{
	bool is_alone = false;

	for (; *at < upload->count && part->count < PART_FILES && !is_alone; (*at)++) {
		const struct upload_file *file = &upload->files[*at];
		struct pl_err err = PL_ERR_INIT;
		char *text;
		size_t len;
		if (upload->results[*at].state != UPLOAD_WAITING)
			continue;
		if (pl_file_read(file->path, UPLOAD_BYTES_MAX, &text, &len, &err) < 0) {
			upload_fail(&upload->results[*at], err.text);
			continue;
		}
		is_alone = !goes_along(file->name, text, len);
		if (part->count > 0 && (is_alone || part->bytes + len > PART_BYTES)) {
			free(text);
			return;
		}
		part_add(upload, part, *at, text, len);
	}
}

/* ---- a request ----------------------------------------------------------------------------- */

/*
 * Returns a key that identifies these files with these bytes in this upload, so that a repeated request that arrives
 * twice is stored once. free()
 */
static char *key_of(const struct upload *upload, const struct part *part)
{
	auto_buf all = PL_BUF(FORM_BYTES_MAX);
	char key[65];

	for (size_t i = 0; i < part->count; i++)
		pl_buf_addf(&all, "%zu %s\n", part->files[i],
			    upload->results[part->files[i]].sha256);
	pl_sha256(pl_buf_text(&all), all.len, key);
	return pl_strdup(key);
}

static int post_one(struct upload *upload, const struct part *part, struct io_reply *ret,
		    struct pl_err *err)
{
	auto_buf word = PL_BUF(65536);

	upload_add_word(&word, upload->files[part->files[0]].name, "-._~/");
	auto_free char *path = upload_path(upload, "/api/upload/raw?job_id=%s&name=%s",
					   upload->job_id, pl_buf_text(&word));
	auto_free char *key = key_of(upload, part);
	auto_free char *headers = upload_headers(upload->target,
						 "Content-Type: application/octet-stream\r\n"
						 "X-Content-SHA256: %s\r\n"
						 "Idempotency-Key: %s\r\n",
						 upload->results[part->files[0]].sha256, key);
	struct io_fetch fetch = upload_fetch(upload, "POST", path);
	fetch.headers = headers;
	fetch.body = part->texts[0];
	fetch.body_len = part->lens[0];
	fetch.timeout_ns = SEND_NS;
	return io_fetch(&fetch, ret, err);
}

/* The boundary contains the first file's hash, which occurs in no file by chance. */
static int post_form(struct upload *upload, const struct part *part, struct io_reply *ret,
		     struct pl_err *err)
{
	const char *boundary = upload->results[part->files[0]].sha256;
	auto_free char *path = upload_path(upload, "/api/upload/batch?job_id=%s", upload->job_id);
	auto_free char *key = key_of(upload, part);
	auto_free char *headers = upload_headers(upload->target,
						 "Content-Type: multipart/form-data; "
						 "boundary=%.*s\r\n"
						 "Idempotency-Key: %s\r\n",
						 BOUNDARY_DIGITS, boundary, key);
	auto_buf form = PL_BUF(FORM_BYTES_MAX);

	for (size_t i = 0; i < part->count; i++) {
		pl_buf_addf(&form,
			    "--%.*s\r\nContent-Disposition: form-data; name=\"file\"; "
			    "filename=\"%s\"\r\nContent-Type: application/json\r\n\r\n",
			    BOUNDARY_DIGITS, boundary, upload->files[part->files[i]].name);
		pl_buf_add(&form, part->texts[i], part->lens[i]);
		pl_buf_add_text(&form, "\r\n");
	}
	pl_buf_addf(&form, "--%.*s--\r\n", BOUNDARY_DIGITS, boundary);
	struct io_fetch fetch = upload_fetch(upload, "POST", path);
	fetch.headers = headers;
	fetch.body = pl_buf_text(&form);
	fetch.body_len = form.len;
	fetch.timeout_ns = SEND_NS;
	return io_fetch(&fetch, ret, err);
}

/* ---- responses ----------------------------------------------------------------------------- */

static void set_sent(struct upload *upload, size_t file)
{
	struct upload_result *result = &upload->results[file];

	result->state = UPLOAD_SENT;
	result->status_url = pl_asprintf("/api/upload/status/%s", upload->job_id);
}

static bool is_cancelled(struct upload *upload)
{
	auto_free char *path = pl_asprintf("/api/upload/status/%s?limit=0", upload->job_id);
	auto_json json_t *job = NULL;

	return upload_request_json(upload, "GET", path, NULL, 200, &job, PL_ERR_IGNORED) == 0 &&
	       pl_text_equal(pl_json_get_text(job, "state"), "cancelled");
}

/* A failure that also affects the other files. */
static void fail_all(struct upload *upload, const struct io_reply *reply)
{
	auto_free char *words = upload_words_of(reply);
	struct pl_err err = PL_ERR_INIT;

	(void)pl_err_invalid(&err, "not sent: %s",
			     is_cancelled(upload) ? "the upload was canceled" : words);
	upload_fail_waiting(upload, &err);
}

static void send_part(struct upload *upload, struct part *part);

static void send_each(struct upload *upload, struct part *part)
{
	for (size_t i = 0; i < part->count && !upload->is_lost; i++) {
		struct part one = { .files = { part->files[i] },
				    .texts = { part->texts[i] },
				    .lens = { part->lens[i] },
				    .count = 1 };
		part->texts[i] = NULL;
		if (upload->results[part->files[i]].state == UPLOAD_WAITING)
			send_part(upload, &one);
		part_done(&one);
	}
}

/* Handles a response that needs no retry. */
static void take_reply(struct upload *upload, struct part *part, const struct io_reply *reply)
{
	upload_back(upload);
	if (reply->status == 202) {
		for (size_t i = 0; i < part->count; i++)
			set_sent(upload, part->files[i]);
	} else if (reply->status == 404 || reply->status == 409) {
		fail_all(upload, reply);
	} else if (part->count > 1) {
		send_each(upload, part);
	} else {
		auto_free char *words = upload_words_of(reply);
		upload_fail(&upload->results[part->files[0]], words);
	}
}

/* Finds the waiting files that have arrived. */
static void find_sent(struct upload *upload, const struct part *part)
{
	auto_json json_t *known = NULL;

	if (upload_list_received(upload, upload->job_id, part->files, part->count, &known,
				 PL_ERR_IGNORED) < 0)
		return;
	for (size_t i = 0; i < part->count; i++) {
		const json_t *one = json_object_get(known, upload->results[part->files[i]].sha256);
		if (pl_text_equal(pl_json_get_text(one, "job_id"), upload->job_id))
			set_sent(upload, part->files[i]);
	}
}

/* Repeats until each file is sent, or has failed. */
static void send_part(struct upload *upload, struct part *part)
{
	while (part->count > 0 && !upload->is_lost) {
		auto_reply reply = { 0 };
		struct pl_err err = PL_ERR_INIT;
		int rc = part->count > 1 ? post_form(upload, part, &reply, &err)
					 : post_one(upload, part, &reply, &err);
		if (rc == 0 && !upload_is_passing(reply.status)) {
			take_reply(upload, part, &reply);
			return;
		}
		if (rc == 0) {
			auto_free char *words = upload_words_of(&reply);
			(void)pl_err_set(&err, PL_ERR_NETWORK, "%s", words);
		}
		if (upload_rest(upload, err.text))
			find_sent(upload, part);
		else
			upload_fail_waiting(upload, &err);
		/* Keeps the waiting files, at the front. */
		size_t retained = 0;
		for (size_t i = 0; i < part->count; i++) {
			if (upload->results[part->files[i]].state != UPLOAD_WAITING) {
				free(part->texts[i]);
				continue;
			}
			part->files[retained] = part->files[i];
			part->texts[retained] = part->texts[i];
			part->lens[retained++] = part->lens[i];
		}
		part->count = retained;
	}
}

void upload_send(struct upload *upload)
{
	auto_free struct part *part = pl_alloc(sizeof(*part));
	struct pl_err lost = PL_ERR_INIT;
	size_t at = 0;

	while (at < upload->count && !upload->is_lost) {
		part_take(upload, &at, part);
		send_part(upload, part);
		part_done(part);
		upload->sent = at;
		if (upload->on_progress != NULL)
			upload->on_progress(upload);
	}
	if (upload->is_lost) {
		(void)pl_err_set(&lost, PL_ERR_NETWORK, "the dashboard is unreachable");
		upload_fail_waiting(upload, &lost);
	}
}
