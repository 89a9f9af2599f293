/* Imports a sweep's summary: its plan, stored as PUT /api/data/sweeps/ID does, with the same contract. */
#pragma once

#include "dash/contract.h"
#include "store/store.h"

/*
 * *ret_id: id of the sweep, free(); NULL: the file is not a summary, so read it as any other. *ret_message: why it was
 * not stored, free(); NULL: it was stored. Returns -1 if the store failed.
 */
int dash_import_sweep(struct store *store, const struct dash_contract *contract, const char *path,
		      char **ret_id, char **ret_message, struct pl_err *err) PL_MUST_CHECK;
