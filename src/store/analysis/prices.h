/*
 * The prices of GPUs and the emissions of the electricity, for costs of configurations (docs/reference/slo.md).
 * - One table for all users: {prices: [{gpu, per_hour}], currency, carbon_g_per_kwh}, in the form of api/openapi.yaml (Prices). A new
 *   database has no prices, and null for the others.
 * - Its revision grows with each change. A change that names another revision than the current one is refused.
 * - Each change counts as one of the data: the mirror computes the fields with costs again (mirror/priced.h).
 */
#pragma once

#include "base/json.h"
#include "store/store.h"

#define STORE_PRICES_MAX   100
#define STORE_PRICES_UNSET INT64_MAX /* as a revision: those of a new database, which are 0 */

struct store_sql;

/* *ret: {prices, currency, carbon_g_per_kwh, revision, changed_at, changed_by}, a new reference. */
int store_prices_read(struct store_sql *sql, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
/* The same, from any thread. */
int store_prices_get(struct store *store, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
/*
 * Replaces all prices; a missing currency or carbon_g_per_kwh keeps its value. revision 0: any. `author`: the user, or NULL. *ret: as in store_prices_get(), on disk;
 * NULL if the revision is another one.
 */
int store_prices_set(struct store *store, int64_t revision, const json_t *prices,
		     const char *author, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
