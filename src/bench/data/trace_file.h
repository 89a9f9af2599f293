/*
 * Files of recorded requests, for dataset timed_trace. The form is recognized by the content:
 *
 *	{"timestamp": 0, "input_length": 6758, "output_length": 500, "hash_ids": [0, 1, …]}   per line: Mooncake's
 *	TIMESTAMP,ContextTokens,GeneratedTokens                                  a header, then rows: Azure's
 *	Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type     BurstGPT's
 *	arrived_at,num_prefill_tokens,num_decode_tokens                          Vidur's
 *	{"resourceSpans": [{"scopeSpans": [{"spans": […]}]}]}                    OpenTelemetry's, by OTLP as JSON
 *
 * - The names of Mooncake's fields are options, and also name columns.
 * - Requests without output (failed ones) and spans that are not of a model are skipped.
 */
#pragma once

#include "bench/data/dataset_priv.h"

/* Parses the text, which may be modified. Entries have a row, in the order of the file. */
int bench_trace_parse(const struct vllm_bench *bench, char *text, size_t len,
		      struct bench_entries *into, struct pl_err *err) PL_MUST_CHECK;
