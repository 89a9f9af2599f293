/* Information about the server itself. */
#include "dash/contract.h"
#include "dash/problem.h"
#include "dash/request.h"
#include "query/series/cache.h"
#include "store/store.h"

void dash_get_health(const struct dash_request *request, struct dash_answer *answer)
{
	struct store *store = request->context->store;
	struct pl_err err = PL_ERR_INIT;
	int64_t count, version;

	/* for load balancers; the rest is for users */
	if (request->context->access != NULL && request->user->role < DASH_ROLE_READ) {
		dash_answer_json(answer, 200, json_pack("{s:s}", "status", "ok"));
		return;
	}
	if (store_count(store, &count, &err) < 0 || store_data_version(store, &version, &err) < 0) {
		dash_refuse_stored(answer, &err);
		return;
	}
	struct query_series_counts counts = query_series_cache_counts(request->context->series);
	dash_answer_json(answer, 200,
			 json_pack("{s:s, s:s, s:I, s:I, s:{s:I, s:I}}", "status", "ok", "version",
				   PROFLLM_VERSION, "total", (json_int_t)count, "data_version",
				   (json_int_t)version, "analysis", "analyzed_count",
				   (json_int_t)counts.analyzed, "cached_count",
				   (json_int_t)counts.cached));
}

void dash_get_contract(const struct dash_request *request, struct dash_answer *answer)
{
	(void)request;
	answer->status = 200;
	answer->type = "application/yaml";
	answer->fixed = dash_contract_text(&answer->len);
}
