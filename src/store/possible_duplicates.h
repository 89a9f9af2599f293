/*
 * Results that tell of one run: two exports of the same raw data, or a copy under another run_id. They are marked and
 * stored all the same, for nobody but whoever ran them knows.
 *
 * A key is the same where the figures are, to nine digits. What was measured never comes out alike twice: where a
 * result has figures that every form of it tells (duration, tokens, means of the latencies), these alone are the
 * key, whatever else one form tells and another does not. Where it has not, its inputs (derived.input_key) and all of
 * its figures are.
 *
 * Two of one key tell of one run, unless they are of one form and have other inputs: what forms tell of the inputs
 * differs, so that those of two forms say nothing of each other, and nor do those that are not known.
 *
 * A row's mark (benchmark_runs.near) is the oldest such result that is older than it and not deleted: of those that
 * tell of one run exactly one has none (store_duplicates_settle()).
 */
#pragma once

struct res_values;

/* "": it has no figures to go by. */
void store_duplicates_key(const struct res_values *values, char key[65]);
