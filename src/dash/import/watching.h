/* Folders that a server watches beside what it does: dash/import/watch.h on a thread of its own. */
#pragma once

#include "base/opt.h"
#include "store/store.h"

struct dash_watching;
/* Borrows all. What is stored is told on standard error where `verbose`, what cannot be always. */
int dash_watching_start(const struct pl_opt_list *folders, struct store *store,
			const struct store_reader *reader, bool verbose, struct dash_watching **ret,
			struct pl_err *err) PL_MUST_CHECK;
/* Returns when what is read just now is stored. NULL is nothing. */
void dash_watching_stop(struct dash_watching *watching);
