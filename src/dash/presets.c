/* Presets: saved filters of the web UI (store/saved/preset.h). */
#include "base/text.h"
#include "dash/problem.h"
#include "dash/request.h"
#include "store/saved/preset.h"

#define PATH "/api/filters/presets"

static void refuse_none(const struct dash_request *request, struct dash_answer *answer)
{
	dash_refuse(answer, 404, "preset '%s' does not exist", request->words[0]);
}

static void refuse_name(const char *name, struct dash_answer *answer)
{
	auto_free char *detail = pl_asprintf("/name: preset '%s' already exists", name);

	dash_problem_answer(
		answer,
		&(struct dash_problem){
			.status = 409,
			.detail = detail,
			.pointer = "/name",
			.found = name,
			.expected = "a name that no other preset has (case does not matter)" });
}

static void put(const struct dash_request *request, int64_t id, int status,
		struct dash_answer *answer)
{
	enum store_preset_outcome outcome;
	struct pl_err err = PL_ERR_INIT;
	json_t *preset = NULL;

	if (store_preset_put(request->context->store, id, request->body, &outcome, &preset, &err) <
	    0) {
		dash_refuse_stored(answer, &err);
		return;
	}
	switch (outcome) {
	case STORE_PRESET_UNCHANGED:
		if (id == 0)
			answer->location = pl_asprintf(PATH "/%lld",
						       (long long)pl_json_get_i64(preset, "id"));
		dash_answer_json(answer, status, preset);
		return;
	case STORE_PRESET_NAMED:
		refuse_name(pl_json_get_text(request->body, "name"), answer);
		return;
	case STORE_PRESET_FULL:
		dash_refuse(answer, 409, "the limit of %d presets is reached; delete one first",
			    STORE_PRESETS_MAX);
		return;
	case STORE_PRESET_NONE:
		refuse_none(request, answer);
		return;
	}
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
		refuse_none(request, answer);
	else
		dash_answer_json(answer, 200, preset);
}

void dash_replace_preset(const struct dash_request *request, struct dash_answer *answer)
{
	int64_t id = dash_request_id(request);

	if (id > 0)
		put(request, id, 200, answer);
	else
		refuse_none(request, answer);
}

void dash_remove_preset(const struct dash_request *request, struct dash_answer *answer)
{
	enum store_preset_outcome outcome = STORE_PRESET_NONE;
	struct pl_err err = PL_ERR_INIT;
	int64_t id = dash_request_id(request);

	if (id > 0 && store_preset_remove(request->context->store, id, &outcome, &err) < 0)
		dash_refuse_stored(answer, &err);
	else if (outcome == STORE_PRESET_NONE)
		refuse_none(request, answer);
	else
		answer->status = 204;
}
