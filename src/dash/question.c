#include "dash/question.h"

#include <string.h>

#include "base/clock.h"
#include "dash/problem.h"
#include "mirror/mirror.h"
#include "store/store.h"

#define BUDGET_MS 2000
/* For the required parts of a response, however small the budget is. */
#define REQUIRED_MIN_NS (250 * PL_NS_PER_MS)

/* Returns whether a response is incomplete because time ran out. Only numbers follow `incomplete` in it. */
static bool is_partial(const char *json)
{
	static const char member[] = "\"incomplete\":[";
	const char *last = NULL;

	for (const char *at = json; (at = strstr(at, member)) != NULL; at++)
		last = at;
	return last != NULL && last[strlen(member)] != ']';
}

static void answer_text(struct dash_answer *answer, struct pl_buf *json)
{
	size_t len = json->len;

	answer->status = 200;
	answer->is_partial = is_partial(pl_buf_text(json));
	dash_answer_bytes(answer, "application/json", pl_buf_take(json), len);
}

static int ask_once(const struct dash_request *request, dash_query_fn *query,
		    const json_t *question, int64_t end_ns, int64_t refuse_ns, struct pl_buf *ret,
		    struct schema_faults *faults, struct pl_err *err)
{
	auto_snapshot struct mirror_snapshot *of_all = NULL;

	if (store_snapshot_get(request->context->store, &of_all, err) < 0)
		return -1;
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_for(of_all,
									     request->cancel_token);
	mirror_snapshot_limit(snapshot, end_ns, refuse_ns);
	return query(snapshot, question, ret, faults, err);
}

void dash_answer_found(struct dash_answer *answer, int result, struct pl_buf *found,
		       const struct schema_faults *faults, const struct pl_err *err)
{
	if (result == 0)
		answer_text(answer, found);
	else if (faults->count > 0)
		dash_refuse_faults(answer, faults);
	else
		dash_refuse_stored(answer, err);
}

void dash_ask(const struct dash_request *request, dash_query_fn *query, const json_t *question,
	      struct dash_answer *answer)
{
	auto_schema_faults faults = { 0 };
	auto_buf found = PL_BUF(DASH_ANSWER_BYTES_MAX);
	struct pl_err err = PL_ERR_INIT;
	unsigned tries = 0;
	int64_t end_ns, refuse_ns;
	int result;

	dash_read_budget(request, question, &end_ns, &refuse_ns);
	do {
		found.len = 0;
		result = ask_once(request, query, question, end_ns, refuse_ns, &found, &faults,
				  &err);
	} while (result < 0 && faults.count == 0 && store_should_retry(&err, &tries));
	dash_answer_found(answer, result, &found, &faults, &err);
}

void dash_read_budget(const struct dash_request *request, const json_t *question,
		      int64_t *ret_end_ns, int64_t *ret_refuse_ns)
{
	int64_t began_ns = pl_clock_now_ns();
	int64_t budget_ns = json_integer_value(json_object_get(question, "budget_ms")) *
			    PL_NS_PER_MS;
	int64_t most_ns = budget_ns + budget_ns / 10;
	bool is_asked_for = json_object_get(request->body, "budget_ms") != NULL ||
			    json_object_get(request->query, "budget_ms") != NULL;

	most_ns = most_ns < REQUIRED_MIN_NS ? REQUIRED_MIN_NS : most_ns;
	*ret_end_ns = budget_ns > 0 ? began_ns + budget_ns : 0;
	*ret_refuse_ns = budget_ns > 0 && is_asked_for ? began_ns + most_ns : 0;
}

json_t *dash_with_budget(json_t *question)
{
	if (json_object_get(question, "budget_ms") == NULL)
		json_object_set_new(question, "budget_ms", json_integer(BUDGET_MS));
	return question;
}
