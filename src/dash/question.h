/* Shared by all routes that query the results: from a request to a function of the store, and back. */
#pragma once

#include "dash/request.h"
#include "schema/schema.h"

struct mirror_snapshot;

/* The signature of the functions in query/query.h. */
typedef int dash_query_fn(const struct mirror_snapshot *snapshot, const json_t *request,
			  struct pl_buf *ret_json, struct schema_faults *faults,
			  struct pl_err *err);

/* Sets the response, or the reason for a failure. A response with entries in `incomplete` is partial. */
void dash_ask(const struct dash_request *request, dash_query_fn *query, const json_t *question,
	      struct dash_answer *answer);

/* Sets the response to the result of a query: its text, which is taken, or the reason for a failure. */
void dash_answer_found(struct dash_answer *answer, int result, struct pl_buf *found,
		       const struct schema_faults *faults, const struct pl_err *err);

/*
 * Starts the time limit of a query, for mirror_snapshot_limit(); 0: none. Required parts are limited only if the request
 * names budget_ms.
 */
void dash_read_budget(const struct dash_request *request, const json_t *question,
		      int64_t *ret_end_ns, int64_t *ret_refuse_ns);

/* Adds the contract's time limit to a query without one. Takes the reference. */
json_t *dash_with_budget(json_t *question);
