/* Presets: saved filters of the web UI (store/saved/preset.h). */
#include "dash/problem.h"
#include "dash/saved/saved.h"
#include "store/saved/preset.h"

static const struct dash_saved preset_kind = { "preset", "presets", "/api/filters/presets",
					       STORE_PRESETS_MAX };

static void put(const struct dash_request *request, int64_t id, int status,
		struct dash_answer *answer)
{
	enum store_saved_outcome outcome;
	struct pl_err err = PL_ERR_INIT;
	json_t *preset = NULL;

	if (store_preset_put(request->context->store, id, request->body,
			     dash_request_author(request), &outcome, &preset, &err) < 0)
		dash_refuse_stored(answer, &err);
	else
		dash_saved_answer(&preset_kind, request, outcome, status, preset, answer);
}

void dash_list_presets(const struct dash_request *request, struct dash_answer *answer)
{
	struct pl_err err = PL_ERR_INIT;
	json_t *presets = NULL;

	if (store_preset_list(request->context->store, &presets, &err) < 0)
		dash_refuse_stored(answer, &err);
	else
		dash_answer_json(answer, 200, json_pack("{s:o}", "presets", presets));
}

void dash_add_preset(const struct dash_request *request, struct dash_answer *answer)
{
	put(request, 0, 201, answer);
}

void dash_get_preset(const struct dash_request *request, struct dash_answer *answer)
{
	struct pl_err err = PL_ERR_INIT;
	json_t *preset = NULL;
	int64_t id = dash_request_id(request);

	if (id > 0 && store_preset_get(request->context->store, id, &preset, &err) < 0)
		dash_refuse_stored(answer, &err);
	else if (preset == NULL)
		dash_saved_refuse_none(&preset_kind, request, answer);
	else
		dash_answer_json(answer, 200, preset);
}

void dash_replace_preset(const struct dash_request *request, struct dash_answer *answer)
{
	int64_t id = dash_request_id(request);

	if (id > 0)
		put(request, id, 200, answer);
	else
		dash_saved_refuse_none(&preset_kind, request, answer);
}

void dash_remove_preset(const struct dash_request *request, struct dash_answer *answer)
{
	enum store_saved_outcome outcome = STORE_SAVED_NONE;
	struct pl_err err = PL_ERR_INIT;
	int64_t id = dash_request_id(request);

	if (id > 0 && store_preset_remove(request->context->store, id, &outcome, &err) < 0)
		dash_refuse_stored(answer, &err);
	else
		dash_saved_answer(&preset_kind, request, outcome, 204, NULL, answer);
}
