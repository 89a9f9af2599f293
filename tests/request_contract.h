/*
 * Checks a request by api/openapi.yaml, as the dashboard does before a query sees it: tests and fuzz targets of
 * queries ask this first.
 */
#pragma once

#include <pthread.h>
#include <stdlib.h>

#include "dash/contract.h"

#define REQUEST_FAULTS_MAX 20

static struct dash_contract *request_contract;

static void request_contract_free(void)
{
	dash_contract_free(request_contract);
}

static void request_contract_open(void)
{
	struct pl_err err = PL_ERR_INIT;

	if (dash_contract_open(&request_contract, &err) < 0 || atexit(request_contract_free) != 0)
		abort();
}

/* The method follows from the route: POST takes a body, GET a query. Any thread may ask. */
static inline bool request_fits(const char *path, const json_t *request,
				struct schema_faults *faults)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, request_contract_open);
	const struct dash_operation *post = dash_contract_find(request_contract, "POST", path);
	const struct dash_operation *get = dash_contract_find(request_contract, "GET", path);
	const struct schema *schema = post != NULL ? dash_operation_schema(post, "application/json")
						   : dash_operation_members(get);

	return schema_check(schema, request, REQUEST_FAULTS_MAX, faults);
}

#define REQUEST_APPLY   "/api/filters/apply"
#define REQUEST_OPTIONS "/api/filters/options"
#define REQUEST_VALUES  "/api/filters/values"
#define REQUEST_POINTS  "/api/data/points"
#define REQUEST_SUMMARY "/api/data/summary"
#define REQUEST_COMPARE "/api/data/compare"
