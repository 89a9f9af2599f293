/*
 * A sweep's summary among files: what there was to run, kept as PUT /api/data/sweeps/ID keeps it, by the same
 * contract.
 */
#pragma once

#include "dash/contract.h"
#include "store/store.h"

/*
 * *ret_id: the sweep's, free(); NULL: the file holds none, and is to be read as any other. *ret_message: why
 * it is not kept, free(); NULL: it is. -1: the store has failed.
 */
int dash_import_sweep(struct store *store, const struct dash_contract *contract, const char *path,
		      char **ret_id, char **ret_message, struct pl_err *err) PL_MUST_CHECK;
