/*
 * The printed form of a result: the console table in vLLM's format (width 50), with banner, verdict
 * and failures around it. All functions append text to `buf`; colour: use ANSI codes.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"
#include "result/record.h"
#include "vllm/bench_options.h"

/*
 * Appends vLLM's table from `results` for the metrics and percentiles that `bench` requests.
 * Additional lines: the exact peak of requests in flight next to a concurrency limit, and the TTFT
 * from the planned send time if one of its shown statistics differs from that of the TTFT by more
 * than 5 %.
 */
void res_report_table(const json_t *results, const struct vllm_bench *bench, struct pl_buf *buf);
/*
 * Returns whether the table, and vLLM's flat result, contain the statistics of the family `key`
 * ("ttft_ms").
 */
bool res_report_shows(const char *key, const struct vllm_bench *bench);
/*
 * Prints "Verdict: trusted", the three sentences and the other checks over their limits. "none"
 * without a verdict, and for runs whose status is not `completed`.
 */
void res_report_verdict(const json_t *result, bool color, struct pl_buf *buf);
/*
 * Appends three sentences, one per line: whether to use the metrics, why, and what to do. Handles
 * every result document, including those without a verdict, of failed runs and of other versions.
 */
void res_report_sentences(const json_t *result, struct pl_buf *buf);
/* Appends up to ten failed requests by kind. */
void res_report_failures(const json_t *results, struct pl_buf *buf);
/* Appends the first ten failed requests, in the format that vLLM prints before its table. */
void res_report_first_failures(const struct res_record *records, size_t count, struct pl_buf *buf);

/*
 * Appends a whole result document: banner, failures, table, verdict, errors, and the result's path.
 * path NULL: it was not written. `failures`: vLLM's lines instead of ours; NULL: ours.
 */
void res_report_run(const json_t *result, const struct vllm_bench *bench, const char *path,
		    const char *failures, bool color, struct pl_buf *buf);
