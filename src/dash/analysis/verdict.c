#include "dash/analysis/verdict.h"

#include <string.h>

#include "base/text.h"
#include "dash/answer.h"
#include "dash/request.h"
#include "store/store.h"

#define ASKED_MAX 1000 /* the limit of the route */

/* The question, for all series that became worse. New reference. */
static json_t *request_of(const json_t *question)
{
	static const char *const pages[] = { "offset", "series", "budget_ms" };
	json_t *request = json_copy((json_t *)question);

	for (size_t i = 0; i < PL_ARRAY_SIZE(pages); i++)
		json_object_del(request, pages[i]);
	json_object_set_new(request, "limit", json_integer(ASKED_MAX));
	json_object_set_new(request, "states", json_pack("[s, s]", "regression", "suspect"));
	json_object_set_new(request, "direction", json_string("worse"));
	return request;
}

/* Returns the last change with this state on which no user has decided; NULL: there is none. */
static const json_t *open_change(const json_t *series, const char *state)
{
	const json_t *found = NULL;

	PL_JSON_EACH(change, json_object_get(series, "changes")) {
		const char *decision = pl_json_get_text(change, "decision");
		if (pl_text_equal(pl_json_get_text(change, "state"), state) &&
		    (decision == NULL || strcmp(decision, "none") == 0))
			found = change;
	}
	return found;
}

/* A suspect of the newest points has no change. */
static bool counts(const json_t *series, const char *state, const json_t **ret_change)
{
	*ret_change = open_change(series, state);
	return *ret_change != NULL ||
	       (strcmp(state, "suspect") == 0 &&
		pl_json_get_true(json_object_get(series, "tail"), "suspect"));
}

static json_t *entry_of(const json_t *series, const char *state, const json_t *change)
{
	const json_t *at = change != NULL ? change : json_object_get(series, "tail");
	json_t *entry = json_pack("{s:s}", "state", state);
	static const char *const keys[] = { "key", "metric", "metric_label", "label" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++)
		json_object_set_new(entry, keys[i],
				    pl_json_text(pl_json_get_text(series, keys[i])));
	json_object_set_new(entry, "ratio",
			    pl_json_or_null(json_incref(json_object_get(at, "ratio"))));
	json_object_set_new(entry, "since", pl_json_text(pl_json_get_text(change, "label")));
	return entry;
}

static json_t *verdict_of(const json_t *answer, const char *fail_on)
{
	auto_json json_t *entries = json_array();
	size_t regressions = 0, suspects = 0;

	PL_JSON_EACH(series, json_object_get(answer, "series")) {
		const char *state = pl_json_get_text(series, "state");
		const json_t *change;
		if (!counts(series, state, &change))
			continue;
		if (strcmp(state, "regression") == 0)
			regressions++;
		else
			suspects++;
		if (json_array_size(entries) < DASH_VERDICT_SERIES_MAX)
			json_array_append_new(entries, entry_of(series, state, change));
	}
	const char *state = regressions > 0 ? "regression" : suspects > 0 ? "suspect" : "stable";
	bool failed = regressions > 0 || (suspects > 0 && pl_text_equal(fail_on, "suspect"));
	json_int_t all = pl_json_get_i64(json_object_get(answer, "counts"), "series");
	return json_pack("{s:s, s:b, s:n, s:{s:I, s:I, s:I}, s:O}", "state", state, "failed",
			 (int)failed, "message", "counts", "series", all, "regression",
			 (json_int_t)regressions, "suspect", (json_int_t)suspects, "series",
			 entries);
}

/* A watch whose question cannot be asked is noticed, because it fails. */
static json_t *error_of(const struct schema_faults *faults)
{
	auto_buf message = PL_BUF(65536);

	schema_fault_text(&faults->items[0], &message);
	return json_pack("{s:s, s:b, s:s, s:{s:i, s:i, s:i}, s:[]}", "state", "error", "failed", 1,
			 "message", pl_buf_text(&message), "counts", "series", 0, "regression", 0,
			 "suspect", 0, "series");
}

int dash_verdict(const struct dash_context *context, const json_t *question, const char *fail_on,
		 json_t **ret, int64_t *ret_version, struct pl_err *err)
{
	auto_json json_t *request = request_of(question);
	auto_json json_t *answer = NULL;
	auto_schema_faults faults = { 0 };
	auto_buf text = PL_BUF(DASH_ANSWER_BYTES_MAX);

	if (dash_regression(context, NULL, request, &text, &faults, err) < 0) {
		if (faults.count == 0 || store_data_version(context->store, ret_version, err) < 0)
			return -1;
		*ret = error_of(&faults);
		return 0;
	}
	if (pl_json_parse(pl_buf_text(&text), text.len, "verdict", &answer, err) < 0)
		return -1;
	*ret_version = pl_json_get_i64(answer, "data_version");
	*ret = verdict_of(answer, fail_on);
	return 0;
}
