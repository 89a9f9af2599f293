/*
 * A dashboard in memory, and a clock that only sleeping moves. The program links this instead of io/fetch.c, with
 * --wrap for the two functions of base/clock.h (tests/CMakeLists.txt).
 *
 * - It accepts an upload as api/openapi.yaml says, and reports one stored item per file, in the order of the files.
 * - A test sets what shall differ in `dashboard`, and reads there what was asked.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "io/fetch.h"

#define ASKED_MAX  4000
#define SLEEPS_MAX 100
#define USUAL      1    /* instead of a status: as without one */
#define BROKEN     (-1) /* the connection breaks */
#define INVALID    (-2) /* the request cannot be sent, as with a wrong certificate */

struct requested {
	char *what; /* "POST /path" */
	char *key;  /* Idempotency-Key, or NULL */
	size_t files;
	size_t body_len;
	int64_t timeout_ns;
};

static struct dashboard {
	/* set by a test */
	const int *
		statuses; /* of the first requests that match `on`, ended by 0; then 202 and such */
	const char *on;   /* part of "METHOD /path"; NULL: every request */
	const char *known;   /* JSON: the answer to what came before */
	const char *earlier; /* JSON: the answer to the status of another upload */
	int looked_status;   /* of HEAD …/raw */
	bool keeps_broken;   /* files arrive although the connection breaks */
	const char *state;   /* of the upload */
	int64_t total,
		total_later;   /* items; 0: as many as files; `later`: of all pages but the first */
	int64_t index_shift;   /* of the indexes of items */
	const char *artifacts; /* JSON: what it has of a result */
	int artifact_status;

	/* read by a test */
	struct requested requested[ASKED_MAX];
	size_t sent_count;
	size_t files; /* that came */
	size_t batches[SLEEPS_MAX], batch_count;
	int64_t slept_ns[SLEEPS_MAX];
	size_t sleeps;
	int64_t now_ns;
} dashboard;

int64_t __wrap_pl_clock_now_ns(void);
int64_t __wrap_pl_clock_now_ns(void)
{
	return dashboard.now_ns;
}

void __wrap_pl_clock_sleep_until(int64_t ns);
void __wrap_pl_clock_sleep_until(int64_t ns)
{
	if (dashboard.sleeps == SLEEPS_MAX)
		abort();
	dashboard.slept_ns[dashboard.sleeps++] = ns - dashboard.now_ns;
	dashboard.now_ns = ns;
}

static inline void dashboard_begin(void)
{
	for (size_t i = 0; i < dashboard.sent_count; i++) {
		free(dashboard.requested[i].what);
		free(dashboard.requested[i].key);
	}
	dashboard = (struct dashboard){
		.now_ns = PL_NS_PER_S, .looked_status = 200, .artifact_status = 201, .state = "done"
	};
}

/* Requests whose "METHOD /path" contains the text. */
static inline size_t dashboard_count(const char *part)
{
	size_t count = 0;

	for (size_t i = 0; i < dashboard.sent_count; i++)
		count += strstr(dashboard.requested[i].what, part) != NULL;
	return count;
}

/* The nth of them, from 0. */
static inline const struct requested *dashboard_asked(const char *part, size_t number)
{
	for (size_t i = 0; i < dashboard.sent_count; i++) {
		if (strstr(dashboard.requested[i].what, part) != NULL && number-- == 0)
			return &dashboard.requested[i];
	}
	fprintf(stderr, "too few requests with '%s'\n", part);
	abort();
}

static inline size_t dashboard_count_in(const char *text, size_t len, const char *part)
{
	size_t count = 0;

	for (const char *at = text;
	     (at = memmem(at, len - (size_t)(at - text), part, strlen(part))); at += strlen(part))
		count++;
	return count;
}

static inline char *dashboard_header(const struct io_fetch *fetch, const char *name)
{
	const char *at = fetch->headers != NULL ? strstr(fetch->headers, name) : NULL;

	if (at == NULL)
		return NULL;
	at += strlen(name) + 2;
	return pl_strndup(at, strcspn(at, "\r"));
}

static inline const struct requested *dashboard_note(const struct io_fetch *fetch)
{
	if (dashboard.sent_count == ASKED_MAX)
		abort();
	struct requested *requested = &dashboard.requested[dashboard.sent_count++];
	*requested = (struct requested){
		.what = pl_asprintf("%s %s", fetch->method, fetch->path),
		.key = dashboard_header(fetch, "Idempotency-Key"),
		.files = 1,
		.body_len = fetch->body_len,
		.timeout_ns = fetch->timeout_ns,
	};
	if (strstr(fetch->path, "/batch") != NULL)
		requested->files = dashboard_count_in(fetch->body, fetch->body_len, "filename=");
	return requested;
}

/* {sha256, job_id, index} of each that is asked about; all of them came with this upload. */
static inline char *dashboard_known_of(const struct io_fetch *fetch)
{
	auto_json json_t *requested = NULL;
	auto_json json_t *known = json_array();

	if (pl_json_parse(fetch->body, fetch->body_len, "asked", &requested, PL_ERR_IGNORED) < 0)
		abort();
	const json_t *job = json_object_get(requested, "job_id");
	PL_JSON_EACH(hex, json_object_get(requested, "sha256")) {
		if (job != NULL && json_array_size(known) < dashboard.files)
			json_array_append_new(known,
					      json_pack("{s:O, s:O, s:i}", "sha256", hex, "job_id",
							job, "index", (int)json_array_size(known)));
	}
	auto_json json_t *answer = json_pack("{s:O}", "known", known);
	return pl_json_to_text(answer, PL_JSON_COMPACT);
}

static inline char *dashboard_page(const char *path)
{
	int64_t offset = atoll(strstr(path, "offset=") + strlen("offset="));
	int64_t limit = atoll(strstr(path, "limit=") + strlen("limit="));
	int64_t total = dashboard.total != 0 ? dashboard.total : (int64_t)dashboard.files;
	auto_json json_t *items = json_array();

	for (int64_t i = offset; i < total && i < offset + limit; i++)
		json_array_append_new(items, json_pack("{s:I, s:s}", "index",
						       (json_int_t)(i + dashboard.index_shift),
						       "state", "stored"));
	if (offset > 0 && dashboard.total_later != 0)
		total = dashboard.total_later;
	auto_json json_t *answer = json_pack("{s:s, s:I, s:O}", "state", dashboard.state, "total",
					     (json_int_t)total, "items", items);
	return pl_json_to_text(answer, PL_JSON_COMPACT);
}

static inline int dashboard_answer(const struct io_fetch *fetch, const struct requested *requested,
				   char **ret_body)
{
	const char *what = requested->what;

	if (strstr(what, "/api/upload/known") != NULL) {
		*ret_body = dashboard.known != NULL && strstr(fetch->body, "job_id") == NULL
				    ? pl_strdup(dashboard.known)
				    : dashboard_known_of(fetch);
		return 200;
	}
	if (strcmp(what, "POST /api/upload/jobs") == 0) {
		*ret_body = pl_strdup("{\"job_id\": \"j1\"}");
		return 201;
	}
	if (strstr(what, "/raw?") != NULL || strstr(what, "/batch?") != NULL) {
		dashboard.files += requested->files;
		return 202;
	}
	if (strstr(what, "/close") != NULL) {
		*ret_body = pl_strdup("{}");
		return 200;
	}
	if (strstr(what, "/status/j1?limit=0") != NULL) {
		*ret_body = pl_asprintf("{\"state\": \"%s\"}", dashboard.state);
		return 200;
	}
	if (strstr(what, "/status/") != NULL) {
		*ret_body = strstr(what, "/status/j1") != NULL ? dashboard_page(what)
							       : pl_strdup(dashboard.earlier);
		return 200;
	}
	if (strstr(what, "PUT /api/upload/artifact") != NULL)
		return dashboard.artifact_status;
	if (strstr(what, "/artifacts") != NULL) {
		*ret_body = pl_strdup(dashboard.artifacts != NULL ? dashboard.artifacts : "{}");
		return 200;
	}
	return 404;
}

int io_fetch(const struct io_fetch *fetch, struct io_reply *ret, struct pl_err *err)
{
	const struct requested *requested = dashboard_note(fetch);
	int status = 0;

	*ret = (struct io_reply){ 0 };
	if (dashboard.statuses != NULL && *dashboard.statuses != 0 &&
	    (dashboard.on == NULL || strstr(requested->what, dashboard.on) != NULL))
		status = *dashboard.statuses++;
	if (status == BROKEN || status == INVALID) {
		dashboard.files += dashboard.keeps_broken ? requested->files : 0;
		return pl_err_set(err, status == BROKEN ? PL_ERR_NETWORK : PL_ERR_INVALID,
				  "broken");
	}
	ret->status = status > USUAL ? status : dashboard_answer(fetch, requested, &ret->body);
	ret->body = ret->body != NULL ? ret->body : pl_strdup("");
	ret->body_len = strlen(ret->body);
	return 0;
}

int io_fetch_batch(const struct io_fetch *fetches, size_t count, unsigned parallel,
		   struct io_reply *replies, struct pl_err *err)
{
	(void)parallel;
	(void)err;
	dashboard.batches[dashboard.batch_count++] = count;
	for (size_t i = 0; i < count; i++) {
		dashboard_note(&fetches[i]);
		replies[i] = (struct io_reply){ .status = dashboard.looked_status };
	}
	return 0;
}
