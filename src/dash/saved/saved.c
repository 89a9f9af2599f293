#include "dash/saved/saved.h"

#include "base/json.h"
#include "base/text.h"
#include "dash/problem.h"

void dash_saved_refuse_none(const struct dash_saved *saved, const struct dash_request *request,
			    struct dash_answer *answer)
{
	dash_refuse(answer, 404, "%s '%s' does not exist", saved->noun, request->words[0]);
}

static void refuse_name(const struct dash_saved *saved, const char *name,
			struct dash_answer *answer)
{
	auto_free char *detail = pl_asprintf("/name: %s '%s' already exists", saved->noun, name);
	auto_free char *expected = pl_asprintf("a name that no other %s has (case does not matter)",
					       saved->noun);

	dash_problem_answer(answer, &(struct dash_problem){ .status = 409,
							    .detail = detail,
							    .pointer = "/name",
							    .found = name,
							    .expected = expected });
}

static void answer_written(const struct dash_saved *saved, int status, json_t *object,
			   struct dash_answer *answer)
{
	if (object == NULL) {
		answer->status = status;
		return;
	}
	if (status == 201)
		answer->location = pl_asprintf("%s/%lld", saved->path,
					       (long long)pl_json_get_i64(object, "id"));
	dash_answer_json(answer, status, object);
}

void dash_saved_answer(const struct dash_saved *saved, const struct dash_request *request,
		       enum store_saved_outcome outcome, int status, json_t *object,
		       struct dash_answer *answer)
{
	switch (outcome) {
	case STORE_SAVED_OK:
		answer_written(saved, status, object, answer);
		return;
	case STORE_SAVED_NONE:
		dash_saved_refuse_none(saved, request, answer);
		return;
	case STORE_SAVED_CHANGED:
		dash_refuse(answer, 412,
			    "%s '%s' has another revision than If-Match; read it again",
			    saved->noun, request->words[0]);
		return;
	case STORE_SAVED_NAMED:
		refuse_name(saved, pl_json_get_text(request->body, "name"), answer);
		return;
	case STORE_SAVED_FULL:
		dash_refuse(answer, 409, "the limit of %d %s is reached; delete one first",
			    saved->count_max, saved->plural);
		return;
	}
}
