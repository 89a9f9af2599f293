/*
 * The protocols' structs, one per file: each backend of tbl/backends.h that is not LATER has its
 * own.
 */
#pragma once

#include "bench/adapters/adapter.h"

#define BACKEND(id, name, state, endpoint, suffix, traits) BENCH_ADAPTER_##state(id)
#define BENCH_ADAPTER_NOW(id)                              extern const struct bench_adapter bench_adapter_##id;
#define BENCH_ADAPTER_INNER(id)                            BENCH_ADAPTER_NOW(id)
#define BENCH_ADAPTER_LATER(id)
#include "tbl/backends.h"
