/*
 * Checks a request by api/openapi.yaml, as the dashboard does before a query sees it: tests and fuzz targets of
 * queries ask this first.
 */
#pragma once

#include <pthread.h>
#include <stdlib.h>

#include "dash/contract.h"

#define ASKED_FAULTS_MAX 20

static struct dash_contract *asked_contract;

static void asked_free(void)
{
	dash_contract_free(asked_contract);
}

static void asked_open(void)
{
	struct pl_err err = PL_ERR_INIT;

	if (dash_contract_open(&asked_contract, &err) < 0 || atexit(asked_free) != 0)
		abort();
}

/* The method follows from the route: POST takes a body, GET a query. Any thread may ask. */
static inline bool asked_fits(const char *path, const json_t *request, struct schema_faults *faults)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, asked_open);
	const struct dash_operation *post = dash_contract_find(asked_contract, "POST", path);
	const struct dash_operation *get = dash_contract_find(asked_contract, "GET", path);
	const struct schema *schema = post != NULL ? dash_operation_schema(post, "application/json")
						   : dash_operation_members(get);

	return schema_check(schema, request, ASKED_FAULTS_MAX, faults);
}

#define ASKED_APPLY   "/api/filters/apply"
#define ASKED_OPTIONS "/api/filters/options"
#define ASKED_VALUES  "/api/filters/values"
#define ASKED_POINTS  "/api/data/points"
#define ASKED_SUMMARY "/api/data/summary"
#define ASKED_COMPARE "/api/data/compare"
