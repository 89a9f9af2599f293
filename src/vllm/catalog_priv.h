/*
 * The rows of a release: those of tbl/engine_args.h and tbl/engine_fields.h, changed by its history
 * (tbl/engine_args_history.h, tbl/engine_fields_history.h).
 */
#pragma once

#include "base/mem.h"
#include "option/row.h"
#include "vllm/version.h"

size_t vllm_rows_arg_count(void);
/*
 * Fills `args`, which has vllm_rows_arg_count() entries. `arena` owns the keys of their objects, to
 * which they point, and all texts and lists that are not constants. `release` NULL: the reference
 * release.
 */
void vllm_rows_make(const struct vllm_version *release, struct option_row *args,
		    struct pl_arena *arena);
