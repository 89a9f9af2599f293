/* Runs in progress: snapshots in, server-sent events out (live/live.h). */
#include <string.h>

#include "dash/live/live.h"
#include "dash/problem.h"
#include "dash/request.h"
#include "dash/routes.h"

#define RETRY_S 5

void dash_put_live(const struct dash_request *request, struct dash_answer *answer)
{
	const char *run_id = request->words[0];
	const char *found = pl_json_path_text(request->body, "run.run_id");

	if (strcmp(found, run_id) != 0) {
		dash_problem_answer(
			answer, &(struct dash_problem){ .status = 422,
							.detail = "/run/run_id: found another id, "
								  "expected the one in the path",
							.pointer = "/run/run_id",
							.found = found,
							.expected = run_id });
		return;
	}
	switch (dash_live_put(request->context->live, request->body,
			      dash_request_author(request))) {
	case DASH_LIVE_FOREIGN:
		dash_refuse(answer, 403, "run '%s' is reported by another user", run_id);
		return;
	case DASH_LIVE_FULL:
		answer->retry_s = RETRY_S;
		dash_refuse(answer, 503, "the limit of %d runs in progress is reached",
			    DASH_LIVE_RUNS_MAX);
		return;
	case DASH_LIVE_TAKEN:
	case DASH_LIVE_OLD:
		answer->status = 204;
		return;
	}
}

static bool wants_stream(const struct dash_request *request)
{
	const char *accept = request->head->accept;

	return accept != NULL && strcasestr(accept, "text/event-stream") != NULL;
}

static void refuse_unknown(const char *run_id, struct dash_answer *answer)
{
	dash_refuse(answer, 404, "run '%s' does not report to this server", run_id);
}

/* run_id NULL: the list. */
static void send_stream(const struct dash_request *request, const char *run_id,
			struct dash_answer *answer)
{
	switch (dash_live_listen(request->context->live, run_id, dash_request_author(request),
				 &answer->stream)) {
	case DASH_LIVE_UNKNOWN:
		refuse_unknown(run_id, answer);
		return;
	case DASH_LIVE_CROWDED:
		answer->retry_s = RETRY_S;
		dash_refuse(answer, 503, "the limit of %d live streams is reached",
			    DASH_LIVE_LISTENERS_MAX);
		return;
	case DASH_LIVE_GREEDY:
		answer->retry_s = RETRY_S;
		dash_refuse(answer, 503, "the limit of %d live streams per user is reached",
			    DASH_LIVE_USER_LISTENERS_MAX);
		return;
	case DASH_LIVE_LISTENS:
		break;
	}
	answer->status = 200;
	answer->type = "text/event-stream";
	answer->cache = "no-store";
	answer->is_unbuffered = true;
}

static void send_json(char *text, struct dash_answer *answer)
{
	answer->status = 200;
	answer->cache = "no-store";
	dash_answer_bytes(answer, "application/json", text, strlen(text));
}

void dash_list_live(const struct dash_request *request, struct dash_answer *answer)
{
	if (wants_stream(request))
		send_stream(request, NULL, answer);
	else
		send_json(dash_live_list(request->context->live), answer);
}

void dash_get_live(const struct dash_request *request, struct dash_answer *answer)
{
	const char *run_id = request->words[0];
	char *text = NULL;

	if (wants_stream(request))
		send_stream(request, run_id, answer);
	else if ((text = dash_live_get(request->context->live, run_id)) == NULL)
		refuse_unknown(run_id, answer);
	else
		send_json(text, answer);
}
