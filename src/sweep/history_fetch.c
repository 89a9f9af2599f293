/* Requests POST /api/filters/apply of a dashboard (api/openapi.yaml), page by page, newest results first. */
#include "sweep/history_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "upload/upload.h"

#define ALL_NS    (60 * PL_NS_PER_S)
#define PAGE_ROWS 200
#define NO_ANSWER "unexpected response; check that the URL is a ProfLLM dashboard: "

int sweep_history_page(struct sweep_history *history, const char *text, size_t len,
		       char **ret_cursor, size_t *ret_rows, struct pl_err *err)
{
	auto_json json_t *answer = NULL;
	struct pl_err why = PL_ERR_INIT;

	if (pl_json_parse(text, len, "answer", &answer, &why) < 0)
		return pl_err_set(err, PL_ERR_NETWORK, NO_ANSWER "%s", why.text);
	const json_t *rows = json_object_get(answer, "rows");
	const json_t *cursor = json_object_get(answer, "next_cursor");
	size_t count = json_array_size(rows);
	if (!json_is_array(rows))
		return pl_err_set(err, PL_ERR_NETWORK, NO_ANSWER "'rows' is missing");
	if (!json_is_null(cursor) && (!json_is_string(cursor) || count == 0))
		return pl_err_set(err, PL_ERR_NETWORK,
				  NO_ANSWER "'next_cursor' returns no further rows");
	PL_JSON_EACH(row, rows) {
		const json_t *cells = json_object_get(row, "cells");
		const json_t *id = json_object_get(row, "id");
		const char *run_id = pl_json_get_text(row, "run_id");
		if (!json_is_object(cells) || !json_is_integer(id))
			return pl_err_set(err, PL_ERR_NETWORK,
					  NO_ANSWER "'id' or 'cells' of a row is missing");
		auto_free char *name = run_id != NULL ? pl_strdup(run_id)
						      : pl_asprintf("%lld", json_integer_value(id));
		sweep_history_take(history, name, cells);
	}
	*ret_cursor = json_is_string(cursor) ? pl_strdup(json_string_value(cursor)) : NULL;
	*ret_rows = count;
	return 0;
}

static int ask(const struct run_target *target, json_t *question, int64_t end_ns,
	       struct io_reply *ret, struct pl_err *err)
{
	auto_free char *path = pl_asprintf("%s/api/filters/apply", target->prefix);
	auto_free char *body = pl_json_to_text(question, PL_JSON_COMPACT);
	int64_t left_ns = end_ns - pl_clock_now_ns();
	const struct io_fetch fetch = {
		.addr = &target->addr,
		.host = target->host,
		.path = path,
		.body = body,
		.body_len = strlen(body),
		.timeout_ns = left_ns,
	};

	if (left_ns <= 0)
		return pl_err_set(err, PL_ERR_NETWORK, "could not read all results within %d s",
				  (int)(ALL_NS / PL_NS_PER_S));
	if (io_fetch(&fetch, ret, err) < 0)
		return -1;
	if (ret->status == 200)
		return 0;
	auto_free char *words = upload_words_of(ret);
	return pl_err_set(err, PL_ERR_NETWORK, "%s returned %s, expected the rows of a dashboard",
			  path, words);
}

static int ask_all(struct sweep_history *history, const struct run_target *target,
		   struct pl_err *err)
{
	int64_t end_ns = pl_clock_now_ns() + ALL_NS;
	size_t taken = 0;
	auto_json json_t *question = json_pack("{s:o, s:o, s:[{s:s, s:s}], s:i}", "filter",
					       sweep_history_filter(history), "columns",
					       sweep_history_columns(history), "sort", "field",
					       "run.timestamp", "dir", "desc", "limit", PAGE_ROWS);

	for (bool is_more = true; is_more && taken < SWEEP_HISTORY_MAX;) {
		auto_reply reply = { 0 };
		auto_free char *cursor = NULL;
		size_t rows;
		if (ask(target, question, end_ns, &reply, err) < 0 ||
		    sweep_history_page(history, reply.body, reply.body_len, &cursor, &rows, err) <
			    0)
			return -1;
		taken += rows;
		is_more = cursor != NULL;
		if (is_more)
			json_object_set_new(question, "cursor", json_string(cursor));
	}
	return 0;
}

int sweep_history_fetch(struct sweep_history *history, const char *url,
			const struct io_tls_trust *trust, struct pl_err *err)
{
	struct run_target target = { 0 };
	int done = -1;

	if (run_target_from_dashboard(url, &target, err) < 0)
		done = -1;
	else if (target.unknown != NULL)
		pl_err_set(err, PL_ERR_NETWORK, "%s", target.unknown);
	else if (!target.https || run_target_use_tls(&target, trust, err) == 0)
		done = ask_all(history, &target, err);
	run_target_done(&target);
	return done;
}
