/* The session of a browser: sign in with a token, show the user, sign out. */
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "dash/access/access.h"
#include "dash/access/tokens.h"
#include "dash/problem.h"
#include "dash/request.h"

/* The members of Session in api/openapi.yaml. */
static json_t *describe(const struct dash_request *request, const struct dash_user *user)
{
	json_t *shown = json_null();

	if (user->role != DASH_ROLE_NONE) {
		char time[32];
		if (user->expires_s != DASH_EXPIRY_NEVER)
			pl_clock_rfc3339(user->expires_s * PL_NS_PER_S, time);
		shown = json_pack("{s:s, s:s, s:s, s:o}", "name", user->name, "role",
				  dash_role_name(user->role), "source",
				  user->is_of_proxy   ? "proxy"
				  : user->has_session ? "session"
						      : "token",
				  "expires_at",
				  user->expires_s != DASH_EXPIRY_NEVER ? json_string(time)
								       : json_null());
	}
	return json_pack("{s:b, s:b, s:o}", "required", request->context->access != NULL, "tokens",
			 dash_access_has_tokens(request->context->access), "user", shown);
}

void dash_get_session(const struct dash_request *request, struct dash_answer *answer)
{
	answer->cache = "no-store";
	dash_answer_json(answer, 200, describe(request, request->user));
}

void dash_start_session(const struct dash_request *request, struct dash_answer *answer)
{
	struct dash_user user;

	answer->cache = "no-store";
	if (!dash_access_has_tokens(request->context->access)) {
		dash_refuse(answer, 409, "this dashboard has no tokens; %s",
			    request->context->access == NULL ? "every client may use it"
							     : "its proxy authenticates users");
		return;
	}
	if (dash_access_sign_in(request->context->access, request->head,
				pl_json_get_text(request->body, "token"), &user, answer))
		dash_answer_json(answer, 201, describe(request, &user));
}

void dash_end_session(const struct dash_request *request, struct dash_answer *answer)
{
	answer->cache = "no-store";
	if (dash_access_sign_out(request->context->access, request->head, answer))
		answer->status = 204;
}
