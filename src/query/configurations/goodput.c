#include "query/configurations/goodput_priv.h"

#include <math.h>

/* A stored percentile this close to the limit says nothing: it may have been rounded. */
#define CLOSE 1e-9

/* Sets how many of the samples keep the limit at least and at most. */
static void bound_samples(const struct goodput_latency *latency, double samples, double *ret_least,
			  double *ret_most)
{
	*ret_least = 0;
	*ret_most = samples;
	for (size_t i = 0; i < latency->count; i++) {
		double value = latency->values[i], slack = CLOSE * fabs(latency->limit);
		double position = (samples - 1) * latency->percents[i] / 100;
		if (fabs(position - round(position)) < CLOSE * samples)
			position = round(position);
		if (isnan(value))
			continue;
		/* the sample at or below the position is at most the value */
		if (value <= latency->limit - slack)
			*ret_least = fmax(*ret_least, floor(position) + 1);
		/* and the one at or above it at least the value */
		if (value > latency->limit + slack)
			*ret_most = fmin(*ret_most, ceil(position));
	}
	*ret_least = fmin(fmax(*ret_least, 0), samples);
	*ret_most = fmax(*ret_most, *ret_least);
}

struct goodput_bounds query_goodput_bounds(const struct goodput_latency *latencies, size_t count,
					   double completed)
{
	double broken = 0, most = completed;

	if (!(completed > 0))
		return (struct goodput_bounds){ NAN, NAN };
	for (size_t i = 0; i < count; i++) {
		double least_kept, most_kept;
		bound_samples(&latencies[i], completed, &least_kept, &most_kept);
		broken += completed - least_kept;
		if (!latencies[i].is_partial)
			most = fmin(most, most_kept);
	}
	return (struct goodput_bounds){ fmax(0, completed - broken) / completed, most / completed };
}
