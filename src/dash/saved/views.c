/* States of the web UI that are too long for a URL (store/saved/link.h). */
#include <stdlib.h>

#include "base/json.h"
#include "dash/problem.h"
#include "dash/request.h"
#include "store/saved/link.h"

void dash_add_view(const struct dash_request *request, struct dash_answer *answer)
{
	const char *author = dash_request_author(request);
	enum store_link_outcome outcome;
	struct pl_err err = PL_ERR_INIT;
	auto_free char *id = NULL;

	if (store_link_put(request->context->store, pl_json_get_text(request->body, "state"),
			   author, &outcome, &id, &err) < 0) {
		dash_refuse_stored(answer, &err);
		return;
	}
	if (outcome == STORE_LINK_FULL) {
		dash_refuse(answer, 409, "the limit of %d views, or of %u bytes, is reached",
			    STORE_LINKS_MAX, STORE_LINKS_BYTES_MAX);
		return;
	}
	if (outcome == STORE_LINK_FULL_OF_USER) {
		dash_refuse(answer, 409,
			    "the limit of %d views, or of %u bytes, of the user '%s' is reached",
			    STORE_LINKS_OF_USER_MAX, STORE_LINKS_OF_USER_BYTES_MAX, author);
		return;
	}
	auto_free char *url = pl_asprintf("/?view=%s", id);
	answer->location = pl_asprintf("/api/views/%s", id);
	dash_answer_json(answer, 201, json_pack("{s:s, s:s}", "id", id, "url", url));
}

void dash_get_view(const struct dash_request *request, struct dash_answer *answer)
{
	const char *id = request->words[0];
	struct pl_err err = PL_ERR_INIT;
	auto_link link = { .state = NULL };

	if (store_link_get(request->context->store, id, &link, &err) < 0)
		dash_refuse_stored(answer, &err);
	else if (link.state == NULL)
		dash_refuse(answer, 404, "view '%s' does not exist", id);
	else
		dash_answer_json(answer, 200,
				 json_pack("{s:s, s:s, s:s}", "id", id, "state", link.state,
					   "created_at", link.created));
}
