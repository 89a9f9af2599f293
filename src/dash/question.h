/*
 * What questions to all results have in common: from a request to a function of the store, and back.
 */
#pragma once

#include "dash/request.h"
#include "schema/schema.h"

struct mirror_snapshot;

/* As those of query/query.h. */
typedef int dash_query_fn(const struct mirror_snapshot *snapshot, const json_t *request,
			  struct pl_buf *ret_json, struct schema_faults *faults,
			  struct pl_err *err);

/* Its answer, or why there is none. An answer with something in incomplete is partial. */
void dash_ask(const struct dash_request *request, dash_query_fn *query, const json_t *question,
	      struct dash_answer *answer);

/* Who does not say how long it may take has the time that the contract says. Takes the reference. */
json_t *dash_with_budget(json_t *question);
