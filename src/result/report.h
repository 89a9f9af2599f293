/*
 * What a person reads of a result: the console table in vLLM's form (width 50), with banner, verdict
 * and what went wrong around it. All append text to `buf`; colour: ANSI codes.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"
#include "vllm/bench_options.h"
#include "result/record.h"

/*
 * vLLM's table from `results` for the metrics and percentiles that `bench` asks for. Ours in it: the
 * exact peak of requests in flight beside a cap, and the TTFT from the planned send time where a
 * shown statistic of it lies more than 5 % from that of the TTFT.
 */
void res_report_table(const json_t *results, const struct vllm_bench *bench, struct pl_buf *buf);
/* Does the table, and vLLM's flat result, hold the statistics of the family `key` ("ttft_ms")? */
bool res_report_shows(const char *key, const struct vllm_bench *bench);
/*
 * Prints "Verdict: trusted", the three sentences and the other checks over their limits. "none"
 * without a verdict, and for runs whose status is not `completed`.
 */
void res_report_verdict(const json_t *result, bool colour, struct pl_buf *buf);
/*
 * Three sentences, one per line: whether to use the metrics, why, and what to do. For every result
 * document: without a verdict, of failed runs and of other versions, too.
 */
void res_report_sentences(const json_t *result, struct pl_buf *buf);
/* Up to ten failed requests by kind. */
void res_report_failures(const json_t *results, struct pl_buf *buf);
/* The first ten failed requests, in the lines that vLLM prints before its table. */
void res_report_first_failures(const struct res_record *records, size_t count, struct pl_buf *buf);

/*
 * A whole result document: banner, failures, table, verdict, what went wrong, and where the result
 * is. path: the result's, NULL: it was not written. `failures`: vLLM's lines in place of ours; NULL:
 * ours.
 */
void res_report_run(const json_t *result, const struct vllm_bench *bench, const char *path,
		    const char *failures, bool colour, struct pl_buf *buf);
