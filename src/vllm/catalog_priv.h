/*
 * The rows of a release: those of tbl/engine_args.h and tbl/engine_fields.h with what the history
 * says of it (tbl/engine_args_history.h, tbl/engine_fields_history.h).
 */
#pragma once

#include "base/mem.h"
#include "option/row.h"
#include "vllm/version.h"

size_t vllm_rows_arg_count(void);
/*
 * Fills `args`, vllm_rows_arg_count() of them. The keys of their objects, which they point to, texts
 * and lists that are no constants are in `arena`. `release` NULL: the reference release.
 */
void vllm_rows_make(const struct vllm_version *release, struct option_row *args,
		    struct pl_arena *arena);
