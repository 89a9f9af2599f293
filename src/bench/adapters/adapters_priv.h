/*
 * The protocols' structs, one a file; bench/adapters/adapter.c lists them.
 */
#ifndef BENCH_ADAPTERS_PRIV_H
#define BENCH_ADAPTERS_PRIV_H

#include "bench/adapters/adapter.h"

extern const struct bench_adapter bench_adapter_openai;
extern const struct bench_adapter bench_adapter_vllm;
extern const struct bench_adapter bench_adapter_openai_chat;
extern const struct bench_adapter bench_adapter_openai_responses;
extern const struct bench_adapter bench_adapter_null;

#endif
