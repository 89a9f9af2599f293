/* The prices of GPUs (store/analysis/prices.h). */
#include "store/analysis/prices.h"

#include <string.h>

#include "base/json.h"
#include "dash/problem.h"
#include "dash/request.h"
#include "dash/routes.h"

void dash_get_prices(const struct dash_request *request, struct dash_answer *answer)
{
	struct pl_err err = PL_ERR_INIT;
	json_t *prices = NULL;

	if (store_prices_get(request->context->store, &prices, &err) < 0)
		dash_refuse_stored(answer, &err);
	else
		dash_answer_json(answer, 200, prices);
}

/* Sets the response and returns false if two prices are of one GPU. */
static bool are_distinct(const json_t *prices, struct dash_answer *answer)
{
	auto_json json_t *seen = json_object();

	for (size_t i = 0; i < json_array_size(prices); i++) {
		const char *gpu = pl_json_get_text(json_array_get(prices, i), "gpu");
		if (json_object_get(seen, gpu) == NULL) {
			json_object_set_new(seen, gpu, json_true());
			continue;
		}
		auto_free char *pointer = pl_asprintf("/prices/%zu/gpu", i);
		auto_free char *detail = pl_asprintf(
			"%s: found '%s' twice, expected one price per GPU", pointer, gpu);
		dash_problem_answer(answer,
				    &(struct dash_problem){ .status = 422,
							    .detail = detail,
							    .pointer = pointer,
							    .found = gpu,
							    .expected = "one price per GPU" });
		return false;
	}
	return true;
}

/* Returns the revision of If-Match, which is "0" for a new database; 0: any. */
static int64_t revision_of(const struct dash_request *request)
{
	const char *text = request->head->if_match;

	return text != NULL && strcmp(text, "\"0\"") == 0 ? STORE_PRICES_UNSET
							  : dash_request_revision(request);
}

void dash_set_prices(const struct dash_request *request, struct dash_answer *answer)
{
	struct pl_err err = PL_ERR_INIT;
	json_t *prices = NULL;

	if (!are_distinct(json_object_get(request->body, "prices"), answer))
		return;
	if (store_prices_set(request->context->store, revision_of(request), request->body,
			     dash_request_author(request), &prices, &err) < 0)
		dash_refuse_stored(answer, &err);
	else if (prices == NULL)
		dash_refuse(answer, 412,
			    "the prices have another revision than If-Match; read them again");
	else
		dash_answer_json(answer, 200, prices);
}
