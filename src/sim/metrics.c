#include "sim/metrics.h"

#include "base/text.h"

/*
 * The buckets of vLLM 0.32.0 (vllm/v1/metrics/loggers.py), so that what reads its page can be tried
 * on ours.
 */
static const double counts[] = { 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 0 };
static const double powers[] = {
	1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 0
};
static const double few[] = { 1, 2, 5, 10, 20, 0 };
static const double preempted[] = { 1, 2, 3, 4, 5, 10, 20, 0 };
static const double first[] = { 0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1,
				0.25,  0.5,   0.75, 1,    2.5,  5,    7.5,  10,
				20,    40,    80,   160,  640,  2560, 0 };
static const double gaps[] = { 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5,
			       0.75, 1,     2.5,  5,     7.5, 10,   20,  40,  80,  0 };
static const double whole[] = { 0.3, 0.5, 0.8, 1,  1.5, 2,   2.5, 5,   10,   15,   20,
				30,  40,  50,  60, 120, 240, 480, 960, 1920, 7680, 0 };
static const double late[] = { 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3,
			       3e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1,  1,    0 };

static const struct {
	const char *family;
	const double *bounds; /* ended by 0 */
	const char *help;
} rows[] = {
#define HISTOGRAM(id, family, bounds, help) { family, bounds, help },
#include "tbl/sim_metrics.h"
};

static size_t bound_count(const double *bounds)
{
	size_t n = 0;

	while (bounds[n] > 0)
		n++;
	return n;
}

static void observe(struct sim_histogram *histogram, const double *bounds, double value)
{
	size_t i = 0;

	/* "le" is less or equal: a value on a bound belongs below it. */
	while (bounds[i] > 0 && value > bounds[i])
		i++;
	histogram->buckets[i]++;
	histogram->count++;
	histogram->sum += value;
}

void sim_metrics_observe(struct sim_metrics *metrics, enum sim_histogram_id id, double value)
{
	observe(&metrics->histograms[id], rows[id].bounds, value);
}

void sim_metrics_observe_lateness(struct sim_metrics *metrics, double seconds)
{
	observe(&metrics->lateness, late, seconds);
}

static void write_one(const struct sim_histogram *histogram, const char *family, const char *help,
		      const double *bounds, const char *labels, double created_s,
		      struct pl_buf *out)
{
	const char *comma = labels[0] != '\0' ? "," : "";
	uint64_t sum = 0;
	char text[PL_F64_TEXT_BYTES];

	pl_buf_addf(out, "# HELP %s %s\n# TYPE %s histogram\n", family, help, family);
	for (size_t i = 0; i < bound_count(bounds); i++) {
		/* Kept one by one and summed here: on the page each bucket holds all below it. */
		sum += histogram->buckets[i];
		pl_text_from_f64(bounds[i], text);
		pl_buf_addf(out, "%s_bucket{%s%sle=\"%s\"} %llu.0\n", family, labels, comma, text,
			    (unsigned long long)sum);
	}
	pl_buf_addf(out, "%s_bucket{%s%sle=\"+Inf\"} %llu.0\n", family, labels, comma,
		    (unsigned long long)histogram->count);
	pl_text_from_f64(histogram->sum, text);
	pl_buf_addf(out, "%s_count{%s} %llu.0\n%s_sum{%s} %s\n", family, labels,
		    (unsigned long long)histogram->count, family, labels, text);
	/*
	 * The Python client gives each histogram a gauge that says since when it counts: a reader
	 * may find a restart by it.
	 */
	pl_text_from_f64(created_s, text);
	pl_buf_addf(out, "# HELP %s_created %s\n# TYPE %s_created gauge\n%s_created{%s} %s\n",
		    family, help, family, family, labels, text);
}

void sim_metrics_write(const struct sim_metrics *metrics, const char *labels, double created_s,
		       struct pl_buf *out)
{
	for (size_t i = 0; i < SIM_HIST_COUNT; i++)
		write_one(&metrics->histograms[i], rows[i].family, rows[i].help, rows[i].bounds,
			  labels, created_s, out);
	write_one(&metrics->lateness, "profllm_sim_step_lateness_seconds",
		  "How late a step ended by the simulator's own clock.", late, "", created_s, out);
}
