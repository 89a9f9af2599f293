/* Watches: stored questions about regressions (store/analysis/watch.h). */
#include "dash/analysis/watches.h"
#include "dash/problem.h"
#include "dash/saved/saved.h"
#include "store/analysis/watch.h"

static const struct dash_saved watch_kind = { "watch", "watches", "/api/analysis/watches",
					      STORE_WATCHES_MAX };

void dash_list_watches(const struct dash_request *request, struct dash_answer *answer)
{
	struct pl_err err = PL_ERR_INIT;
	json_t *watches = NULL;

	if (store_watch_list(request->context->store, true, &watches, &err) < 0)
		dash_refuse_stored(answer, &err);
	else
		dash_answer_json(answer, 200, json_pack("{s:o}", "watches", watches));
}

void dash_add_watch(const struct dash_request *request, struct dash_answer *answer)
{
	enum store_saved_outcome outcome;
	struct pl_err err = PL_ERR_INIT;
	json_t *added = NULL;

	if (store_watch_add(request->context->store, request->body, &outcome, &added, &err) < 0) {
		dash_refuse_stored(answer, &err);
		return;
	}
	dash_saved_answer(&watch_kind, request, outcome, 201, added, answer);
	dash_watches_wake(request->context->watches);
}

void dash_change_watch(const struct dash_request *request, struct dash_answer *answer)
{
	int64_t id = dash_request_id(request), revision = dash_request_revision(request);
	enum store_saved_outcome outcome = STORE_SAVED_NONE;
	struct pl_err err = PL_ERR_INIT;
	json_t *changed = NULL;

	if (id > 0 && store_watch_change(request->context->store, id, revision, request->body,
					 &outcome, &changed, &err) < 0) {
		dash_refuse_stored(answer, &err);
		return;
	}
	dash_saved_answer(&watch_kind, request, outcome, 200, changed, answer);
	dash_watches_wake(request->context->watches);
}

void dash_remove_watch(const struct dash_request *request, struct dash_answer *answer)
{
	int64_t id = dash_request_id(request), revision = dash_request_revision(request);
	enum store_saved_outcome outcome = STORE_SAVED_NONE;
	struct pl_err err = PL_ERR_INIT;

	if (id > 0 && store_watch_remove(request->context->store, id, revision, &outcome, &err) < 0)
		dash_refuse_stored(answer, &err);
	else
		dash_saved_answer(&watch_kind, request, outcome, 204, NULL, answer);
}
