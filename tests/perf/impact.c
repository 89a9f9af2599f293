/*
 * Measures effects of many inputs of many runs: impact_times [RUNS [INPUTS [nested]]]. All inputs vary: most runs have the
 * first value of most of them. nested: each input determines all before it, so that every comparison of two inputs reads all
 * runs. Fails if the default takes more than 1 s of CPU time.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "base/rng.h"
#include "result/impact/impact.h"

#define RUNS     10000
#define INPUTS   250
#define CHANGED  0.02 /* of the inputs of a run, in the mean */
#define SECONDS  1.0
#define ID_BYTES 32

static double cpu_s(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	size_t runs = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : RUNS;
	size_t inputs = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : INPUTS;
	struct res_impact_factor *factors = pl_alloc_array(inputs, sizeof(*factors));
	double *values = pl_alloc_array(runs, sizeof(*values));
	int64_t *ids = pl_alloc_array(runs, sizeof(*ids));
	char(*names)[ID_BYTES] = pl_alloc_array(inputs, sizeof(*names));
	struct res_impact_analysis analysis;
	struct pl_nplegacy rng;
	size_t contrasts = 0;
	bool is_nested = argc > 3;

	pl_nplegacy_seed(&rng, 1);
	for (size_t i = 0; i < runs; i++) {
		values[i] = 1000 * exp(0.03 * pl_nplegacy_gauss(&rng));
		ids[i] = (int64_t)i + 1;
	}
	for (size_t k = 0; k < inputs; k++) {
		uint32_t levels = is_nested ? 2 + (uint32_t)k : 2 + (uint32_t)(k % 7);
		uint32_t *codes = pl_alloc_array(runs, sizeof(*codes));
		snprintf(names[k], ID_BYTES, "input.%04zu", k);
		for (size_t i = 0; i < runs; i++) {
			double changed = k < 8 ? 1 : CHANGED;
			uint32_t finest = (uint32_t)(i % (inputs + 1)) + 1;
			codes[i] = 1;
			if (is_nested)
				codes[i] = finest < levels ? finest : levels;
			else if (pl_nplegacy_double(&rng) < changed)
				codes[i] += (uint32_t)((double)levels * pl_nplegacy_double(&rng));
			values[i] *= 1 + 0.01 * (double)(codes[i] - 1) / (double)(k + 1);
		}
		factors[k] = (struct res_impact_factor){ .id = names[k],
							 .codes = codes,
							 .level_count = levels + 1 };
	}
	double began = cpu_s();
	res_impact_analyze(&(struct res_impact_question){ .factors = factors,
							  .factor_count = inputs,
							  .values = values,
							  .ids = ids,
							  .row_count = runs,
							  .effect = RES_IMPACT_SMALL_EFFECT },
			   &analysis);
	double used = cpu_s() - began;
	for (size_t i = 0; i < analysis.effect_count; i++)
		contrasts += analysis.effects[i].contrast_count;
	printf("%zu runs, %zu inputs: %zu effects with %zu contrasts, %zu without, %.0f ms\n", runs,
	       inputs, analysis.effect_count, contrasts, analysis.rest_count, 1000 * used);
	res_impact_analysis_done(&analysis);
	return argc == 1 && used > SECONDS;
}
