/*
 * Measures the frontier of many points and its bootstrap. Prints CPU times of one core. Run it on a release build:
 *
 * frontier_times [POINTS [CONFIGURATIONS]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "base/rng.h"
#include "result/frontier/bootstrap.h"

enum { RUNS = 5 };

static double cpu_ms(void)
{
	return (double)clock() * 1e3 / CLOCKS_PER_SEC;
}

/* all: every point is on the frontier. */
static void find(size_t count, unsigned dimensions, bool all)
{
	const struct res_frontier_space space = { dimensions, { true, true, true } };
	auto_free double *points = pl_alloc_array(count * dimensions, sizeof(*points));
	auto_free enum res_frontier_state *states = pl_alloc_array(count, sizeof(*states));
	struct pl_nplegacy rng;

	pl_nplegacy_seed(&rng, 1);
	for (size_t i = 0; i < count * dimensions; i++)
		points[i] = pl_nplegacy_gauss(&rng);
	for (size_t i = 0; all && i < count; i++)
		points[i * dimensions] = 10 - points[i * dimensions + 1] -
					 (dimensions == 3 ? points[i * dimensions + 2] : 0);
	double start = cpu_ms();
	size_t on = res_frontier_find(&space, points, count, states);
	double found = cpu_ms();
	double volume = res_frontier_hypervolume(&space, points, count, (double[]){ 0, 0, 0 });
	printf("| %u | %zu | %zu | %.1f | %.1f (%g) |\n", dimensions, count, on, found - start,
	       cpu_ms() - found, volume);
}

static void analyze(size_t count)
{
	const struct res_frontier_space space = { 2, { true, true } };
	const double reference[] = { 0, 0 };
	auto_free double *runs = pl_alloc_array(count * RUNS * 2, sizeof(*runs));
	auto_free struct res_frontier_configuration *configurations = pl_alloc_array(
		count, sizeof(*configurations));
	auto_frontier_analysis analysis = { 0 };
	struct pl_nplegacy rng;

	pl_nplegacy_seed(&rng, 1);
	for (size_t i = 0; i < count; i++) {
		double x = 1 + pl_nplegacy_double(&rng);
		double y = (3 - x) * (0.6 + 0.4 * pl_nplegacy_double(&rng));
		for (size_t k = 0; k < RUNS; k++) {
			runs[(i * RUNS + k) * 2] = x * (1 + 0.05 * pl_nplegacy_gauss(&rng));
			runs[(i * RUNS + k) * 2 + 1] = y * (1 + 0.05 * pl_nplegacy_gauss(&rng));
		}
		configurations[i] = (struct res_frontier_configuration){ runs + i * RUNS * 2,
									 RUNS };
	}
	double start = cpu_ms();
	res_frontier_analyze(&(struct res_frontier_question){ .space = &space,
							      .configurations = configurations,
							      .count = count,
							      .reference = reference },
			     &analysis);
	printf("\n%zu configurations of %d runs: %.1f ms\n", count, RUNS, cpu_ms() - start);
}

int main(int argc, char **argv)
{
	size_t points = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
	size_t configurations = argc > 2 ? strtoul(argv[2], NULL, 10) : 2000;

	printf("| dimensions | points | on the frontier | frontier ms | hypervolume ms |\n"
	       "|---|---|---|---|---|\n");
	for (unsigned dimensions = 2; dimensions <= 3; dimensions++) {
		find(points, dimensions, false);
		find(points, dimensions, true);
	}
	analyze(configurations);
	return 0;
}
