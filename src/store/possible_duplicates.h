/*
 * Possible duplicates: results of one run, such as two exports of the same raw data, or a copy under another run_id.
 * They are marked and still stored, because only the user knows whether they are the same run.
 *
 * Results with equal metrics, to nine digits, have the same key. Two measurements never agree to nine digits. If a
 * result has the metrics that every form contains (duration, tokens, mean latencies), the key is made of these alone.
 * Otherwise it is made of the inputs (derived.input_key) and all metrics.
 *
 * Two results with the same key are from one run unless they have the same form and different inputs. Forms differ in
 * the inputs they contain, so the inputs of two different forms, or unknown inputs, prove nothing.
 *
 * The mark of a row (benchmark_runs.near) is the oldest such result that is older than the row and not deleted. Exactly
 * one of the results of a run has no mark (store_duplicates_settle()).
 */
#pragma once

struct res_values;

/* key "": the result has no metrics to compare. */
void store_duplicates_key(const struct res_values *values, char key[65]);
