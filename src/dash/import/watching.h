/* Watches directories in a thread while the server runs (dash/import/watch.h). */
#pragma once

#include "base/opt.h"
#include "store/store.h"

struct dash_counters;
struct dash_watching;
/*
 * Borrows all. Reports failures on standard error, and imported results if `verbose`. `counters` counts the documents;
 * NULL: no one does.
 */
int dash_watching_start(const struct pl_opt_list *folders, struct store *store,
			const struct store_reader *reader, struct dash_counters *counters,
			bool verbose, struct dash_watching **ret, struct pl_err *err) PL_MUST_CHECK;
/* Returns when the current document is stored. Accepts NULL. */
void dash_watching_stop(struct dash_watching *watching);
