/*
 * Files go in groups over one connection that stays, and are asked after in groups, with pauses that
 * grow: an outcome is there within milliseconds or, behind a large file, takes as long as it takes.
 */
#include "run/upload/upload.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "io/http_text.h"
#include "run/upload/artifacts.h"
#include "run/upload/upload_priv.h"

#define GROUP_MAX       32
#define GROUP_BYTES_MAX RUN_UPLOAD_BYTES_MAX
#define SEND_NS         (300 * PL_NS_PER_S) /* a file of 64 MiB over a slow line */
#define ASK_NS          (30 * PL_NS_PER_S)
#define PAUSE_NS        (5 * PL_NS_PER_MS)
#define PAUSE_MAX_NS    (PL_NS_PER_S / 2)
/* A dashboard that is started anew goes on with what it has. */
#define GONE_MAX_NS (30 * PL_NS_PER_S)
#define BUSY_TRIES  10
#define STATUS_PATH "/api/upload/status/"

static void fail(struct run_upload_result *result, const char *why)
{
	free(result->failure);
	result->failure = pl_strdup(why);
}

char *run_upload_words_of(const struct io_reply *reply)
{
	struct pl_err ignored = PL_ERR_INIT;
	auto_json json_t *problem = NULL;
	const char *detail = NULL;

	if (pl_json_parse(reply->body, reply->body_len, "answer", &problem, &ignored) == 0)
		detail = json_string_value(json_object_get(problem, "detail"));
	return detail != NULL
		       ? pl_asprintf("HTTP %d: %s", reply->status, detail)
		       : pl_asprintf("HTTP %d %s", reply->status, io_http_reason(reply->status));
}

/* ---- sending ------------------------------------------------------------------------------- */

struct group {
	size_t first;
	size_t count;
	char *bodies[GROUP_MAX];
	char *paths[GROUP_MAX];
	struct io_fetch fetches[GROUP_MAX];
	size_t files[GROUP_MAX]; /* of each fetch */
	size_t fetch_count;
};

void run_upload_add_word(struct pl_buf *path, const char *word, const char *plain)
{
	for (const char *c = word; *c != '\0'; c++) {
		bool is_plain = (*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') ||
				(*c >= 'a' && *c <= 'z') || strchr(plain, *c) != NULL;
		pl_buf_addf(path, is_plain ? "%c" : "%%%02X", (unsigned char)*c);
	}
}

static char *path_for(const struct run_target *target, const char *name)
{
	auto_buf path = PL_BUF(65536);

	pl_buf_addf(&path, "%s/api/upload/raw?name=", target->prefix);
	run_upload_add_word(&path, name, "-._~/");
	return pl_buf_take(&path);
}

static void group_done(struct group *group)
{
	for (size_t i = 0; i < group->fetch_count; i++) {
		free(group->bodies[i]);
		free(group->paths[i]);
	}
}

/* The next files that fit together; one that cannot be read has its failure at once. */
static void group_take(struct run_upload *upload, size_t first, struct group *group)
{
	size_t bytes = 0;

	*group = (struct group){ .first = first };
	for (size_t i = first; i < upload->count && group->count < GROUP_MAX; i++) {
		const struct run_upload_file *file = &upload->files[i];
		int64_t size = pl_file_size(file->path);
		struct pl_err err = PL_ERR_INIT;
		size_t at = group->fetch_count, len;
		if (group->count > 0 && size > 0 && bytes + (size_t)size > GROUP_BYTES_MAX)
			break;
		group->count++;
		if (pl_file_read(file->path, RUN_UPLOAD_BYTES_MAX, &group->bodies[at], &len, &err) <
		    0) {
			fail(&upload->results[i], err.text);
			continue;
		}
		bytes += len;
		group->paths[at] = path_for(upload->target, file->name);
		group->files[at] = i;
		group->fetches[at] = (struct io_fetch){
			.addr = &upload->target->addr,
			.host = upload->target->host,
			.method = "POST",
			.path = group->paths[at],
			.headers = "Content-Type: application/octet-stream\r\n",
			.body = group->bodies[at],
			.body_len = len,
			.timeout_ns = SEND_NS,
		};
		group->fetch_count++;
	}
}

/* True: the dashboard has no room just now, ask again. */
static bool take_reply(struct run_upload_result *result, const struct io_reply *reply)
{
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *accepted = NULL;

	if (reply->status == 0) {
		fail(result, reply->error != NULL ? reply->error : "no answer");
		result->is_unreachable = true;
	} else if (reply->status != 202) {
		auto_free char *words = run_upload_words_of(reply);
		fail(result, words);
		return reply->status == 503;
	} else if (pl_json_parse(reply->body, reply->body_len, "answer", &accepted, &err) < 0) {
		fail(result, err.text);
	} else {
		const char *url = json_string_value(json_object_get(accepted, "status_url"));
		if (url == NULL || !pl_text_starts(url, STATUS_PATH)) {
			fail(result,
			     "the answer has no status_url: is a dashboard at this address?");
			return false;
		}
		result->status_url = pl_strdup(url);
		free(pl_take(result->failure));
	}
	return false;
}

/* False: nobody is there. */
static bool send_group(struct run_upload *upload, struct group *group)
{
	bool reached = group->fetch_count == 0;

	for (unsigned tries = 0; group->fetch_count > 0; tries++) {
		struct io_reply replies[GROUP_MAX];
		struct pl_err err = PL_ERR_INIT;
		bool busy = false;
		if (io_fetch_batch(group->fetches, group->fetch_count, 1, replies, &err) < 0) {
			for (size_t i = 0; i < group->fetch_count; i++)
				replies[i].error = pl_strdup(err.text);
		}
		for (size_t i = 0; i < group->fetch_count; i++) {
			struct run_upload_result *result = &upload->results[group->files[i]];
			if (result->status_url == NULL)
				busy |= take_reply(result, &replies[i]);
			reached |= replies[i].status != 0;
			io_reply_done(&replies[i]);
		}
		if (!busy || tries == BUSY_TRIES)
			break;
		pl_clock_sleep_until(pl_clock_now_ns() + PL_NS_PER_S);
	}
	return reached;
}

static void send_all(struct run_upload *upload)
{
	while (upload->sent < upload->count) {
		struct group group;
		group_take(upload, upload->sent, &group);
		bool reached = send_group(upload, &group);
		upload->sent += group.count;
		group_done(&group);
		if (upload->on_progress != NULL)
			upload->on_progress(upload);
		if (!reached)
			break;
	}
	for (; upload->sent < upload->count; upload->sent++) {
		fail(&upload->results[upload->sent], "not sent: the dashboard cannot be reached");
		upload->results[upload->sent].is_unreachable = true;
	}
}

/* ---- asking -------------------------------------------------------------------------------- */

static bool is_waiting(const struct run_upload_result *result)
{
	return result->status_url != NULL && result->items == NULL && result->failure == NULL;
}

/* 1: something new is known, 0: not yet, -1: nobody is there. */
static int take_status(struct run_upload_result *result, const struct io_reply *reply)
{
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *job = NULL;

	if (reply->status == 0 || reply->status == 503)
		return -1;
	if (reply->status != 200) {
		auto_free char *words = run_upload_words_of(reply);
		fail(result, words);
		return 1;
	}
	if (pl_json_parse(reply->body, reply->body_len, "answer", &job, &err) < 0) {
		fail(result, err.text);
		return 1;
	}
	if (!pl_text_equal(json_string_value(json_object_get(job, "state")), "done"))
		return 0;
	json_t *items = json_object_get(job, "items");
	result->items = json_is_array(items) ? json_incref(items) : json_array();
	return 1;
}

/* As take_status(), of the oldest that are waited for. */
static int ask(struct run_upload *upload)
{
	struct io_fetch fetches[GROUP_MAX] = { 0 };
	struct io_reply replies[GROUP_MAX] = { 0 };
	char *paths[GROUP_MAX];
	size_t files[GROUP_MAX], count = 0;
	struct pl_err err = PL_ERR_INIT;
	int news = 0;

	for (size_t i = 0; i < upload->count && count < GROUP_MAX; i++) {
		if (!is_waiting(&upload->results[i]))
			continue;
		paths[count] = pl_asprintf("%s%s", upload->target->prefix,
					   upload->results[i].status_url);
		fetches[count] = (struct io_fetch){ .addr = &upload->target->addr,
						    .host = upload->target->host,
						    .path = paths[count],
						    .timeout_ns = ASK_NS };
		files[count++] = i;
	}
	if (io_fetch_batch(fetches, count, 1, replies, &err) < 0)
		news = -1;
	for (size_t i = 0; i < count; i++) {
		int one = take_status(&upload->results[files[i]], &replies[i]);
		if (news != 1)
			news = one != 0 ? one : news;
		io_reply_done(&replies[i]);
		free(paths[i]);
	}
	return news;
}

static size_t count_over(const struct run_upload *upload)
{
	size_t count = 0;

	for (size_t i = 0; i < upload->count; i++)
		count += !is_waiting(&upload->results[i]);
	return count;
}

static void give_up(struct run_upload *upload)
{
	for (size_t i = 0; i < upload->count; i++) {
		struct run_upload_result *result = &upload->results[i];
		if (!is_waiting(result))
			continue;
		auto_free char *why = pl_asprintf(
			"sent, and the dashboard cannot be reached any more: %s "
			"would tell what became of it",
			result->status_url);
		fail(result, why);
		result->is_unreachable = true;
	}
}

static void ask_all(struct run_upload *upload)
{
	int64_t pause_ns = PAUSE_NS, gone_ns = 0;

	while ((upload->over = count_over(upload)) < upload->count) {
		int news = ask(upload);
		if (news < 0 && gone_ns == 0)
			gone_ns = pl_clock_now_ns();
		else if (news >= 0)
			gone_ns = 0;
		if (gone_ns != 0 && pl_clock_now_ns() - gone_ns > GONE_MAX_NS)
			give_up(upload);
		if (news == 1) {
			pause_ns = PAUSE_NS;
			upload->over = count_over(upload);
			if (upload->on_progress != NULL)
				upload->on_progress(upload);
			continue;
		}
		pl_clock_sleep_until(pl_clock_now_ns() + pause_ns);
		pause_ns = pause_ns * 2 < PAUSE_MAX_NS ? pause_ns * 2 : PAUSE_MAX_NS;
	}
}

void run_upload_all(struct run_upload *upload)
{
	upload->results = pl_alloc_array(upload->count, sizeof(*upload->results));
	for (size_t i = 0; i < upload->count; i++)
		upload->results[i].artifacts = json_array();
	send_all(upload);
	ask_all(upload);
	if (!upload->without_artifacts)
		run_upload_artifacts(upload);
	upload->is_over = true;
}

/* ---- outcomes ------------------------------------------------------------------------------ */

/* NULL: the file's results are there, with what was sent beside them. */
static char *fault_of(const struct run_upload_result *result)
{
	if (result->failure != NULL)
		return pl_strdup(result->failure);
	PL_JSON_EACH(item, result->items) {
		const char *state = pl_json_get_text(item, "state");
		const char *message = pl_json_get_text(item, "message");
		if (!pl_text_equal(state, "stored") && !pl_text_equal(state, "duplicate"))
			return pl_asprintf("%s: %s", state != NULL ? state : "no state",
					   message != NULL ? message : "no reason was told");
	}
	PL_JSON_EACH(artifact, result->artifacts) {
		if (pl_text_equal(pl_json_get_text(artifact, "state"), "failed"))
			return pl_asprintf("%s: %s", pl_json_get_text(artifact, "name"),
					   pl_json_get_text(artifact, "message"));
	}
	return NULL;
}

enum pl_err_code run_upload_code(const struct run_upload *upload)
{
	enum pl_err_code code = PL_ERR_NONE;

	for (size_t i = 0; i < upload->count; i++) {
		auto_free char *fault = fault_of(&upload->results[i]);
		if (upload->is_lost || (fault != NULL && upload->results[i].is_unreachable))
			return PL_ERR_NETWORK;
		if (fault != NULL)
			code = PL_ERR_INVALID;
	}
	return code;
}

char *run_upload_fault(const struct run_upload *upload)
{
	char *fault = NULL;

	for (size_t i = 0; i < upload->count && fault == NULL; i++)
		fault = fault_of(&upload->results[i]);
	return fault;
}

void run_upload_done(struct run_upload *upload)
{
	for (size_t i = 0; upload->results != NULL && i < upload->count; i++) {
		free(upload->results[i].status_url);
		free(upload->results[i].failure);
		json_decref(upload->results[i].items);
		json_decref(upload->results[i].artifacts);
	}
	free(upload->results);
}
