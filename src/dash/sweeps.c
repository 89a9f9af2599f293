/* Sweeps: their plans and the outcome of their runs (store/sweeps/sweep.h). */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "dash/problem.h"
#include "dash/question.h"
#include "dash/request.h"
#include "dash/sweep_file.h"
#include "store/sweeps/sweep.h"

#define FILE_BYTES_MAX (256u << 20)

/* Returns false and sets the response if it is not the id of a sweep. */
static bool is_id(const char *id, struct dash_answer *answer)
{
	if (store_sweep_is_id(id))
		return true;
	dash_refuse(answer, 404, "sweep '%s' does not exist", id);
	return false;
}

void dash_put_sweep(const struct dash_request *request, struct dash_answer *answer)
{
	const char *id = request->words[0], *body_id = pl_json_get_text(request->body, "sweep");
	struct pl_err err = PL_ERR_INIT;
	bool fits = false;

	if (!is_id(id, answer))
		return;
	if (strcmp(body_id, id) != 0) {
		dash_problem_answer(
			answer,
			&(struct dash_problem){
				.status = 422,
				.detail = "/sweep: found another id, expected the one in the path",
				.pointer = "/sweep",
				.found = body_id,
				.expected = id });
		return;
	}
	if (store_sweep_put(request->context->store, id, request->body, &fits, &err) < 0)
		dash_refuse_stored(answer, &err);
	else if (!fits)
		dash_refuse(answer, 409, "the limit of %d sweeps is reached; delete one first",
			    STORE_SWEEPS_MAX);
	else
		answer->status = 204;
}

void dash_remove_sweep(const struct dash_request *request, struct dash_answer *answer)
{
	struct pl_err err = PL_ERR_INIT;
	bool found = false;

	if (store_sweep_remove(request->context->store, request->words[0], &found, &err) < 0)
		dash_refuse_stored(answer, &err);
	else if (!found)
		dash_refuse(answer, 404, "sweep '%s' has no plan", request->words[0]);
	else
		answer->status = 204;
}

void dash_list_sweeps(const struct dash_request *request, struct dash_answer *answer)
{
	struct pl_err err = PL_ERR_INIT;
	json_t *sweeps = NULL;

	if (store_sweep_list(request->context->store, &sweeps, &err) < 0)
		dash_refuse_stored(answer, &err);
	else
		dash_answer_json(answer, 200, json_pack("{s:o}", "sweeps", sweeps));
}

/* Returns NULL if the response is set. New reference. */
static json_t *find(const struct dash_request *request, const json_t *metrics,
		    struct dash_answer *answer)
{
	const char *id = request->words[0];
	auto_schema_faults faults = { 0 };
	struct pl_err err = PL_ERR_INIT;
	json_t *sweep = NULL;

	if (!is_id(id, answer))
		return NULL;
	if (store_sweep_get(request->context->store, id, metrics, &sweep, &faults, &err) < 0) {
		if (faults.count > 0)
			dash_refuse_faults(answer, &faults);
		else
			dash_refuse_stored(answer, &err);
	} else if (sweep == NULL) {
		dash_refuse(answer, 404, "sweep '%s' does not exist", id);
	}
	return sweep;
}

void dash_get_sweep(const struct dash_request *request, struct dash_answer *answer)
{
	json_t *sweep = find(request, json_object_get(request->query, "metrics"), answer);

	if (sweep != NULL)
		dash_answer_json(answer, 200, sweep);
}

void dash_get_sweep_file(const struct dash_request *request, struct dash_answer *answer)
{
	auto_json json_t *kinds = json_incref(json_object_get(request->query, "kinds"));
	auto_json json_t *sweep = find(request, NULL, answer);
	auto_buf text = PL_BUF(FILE_BYTES_MAX);

	if (sweep == NULL)
		return;
	if (kinds == NULL)
		kinds = json_pack("[s, s]", "failed", "missing");
	if (!json_is_object(json_object_get(sweep, "experiment"))) {
		dash_refuse(answer, 409,
			    "the plan of sweep '%s' was not uploaded; run 'profllm upload DIR'",
			    request->words[0]);
		return;
	}
	if (dash_sweep_file(sweep, kinds, &text) == 0) {
		dash_refuse(answer, 404, "sweep '%s' has no run of the requested kinds",
			    request->words[0]);
		return;
	}
	size_t len = text.len;
	answer->status = 200;
	/* "night-left.yaml" */
	const char *name = pl_json_get_text(sweep, "name");
	auto_free char *whole = pl_asprintf(
		"%s-left.yaml",
		name != NULL && name[0] != '\0' ? name : pl_json_get_text(sweep, "id"));
	answer->disposition = dash_disposition(whole);
	dash_answer_bytes(answer, "application/yaml", pl_buf_take(&text), len);
}
