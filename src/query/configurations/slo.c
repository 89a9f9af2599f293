#include "query/configurations/slo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/student.h"
#include "experiment/values.h"
#include "query/configurations/configurations_priv.h"
#include "query/configurations/goodput_priv.h"
#include "query/filter.h"
#include "query/groups/cells_priv.h"
#include "query/out_priv.h"
#include "tbl/request_bounds.h"

#define SURE 0.05

enum { LATENCY_TTFT, LATENCY_TPOT, LATENCY_E2EL, LATENCIES };

static const char *const latency_names[LATENCIES] = { "ttft", "tpot", "e2el" };
static const char *const percentiles[] = { "1", "5", "10", "25", "75", "90", "95", "99", "99.9" };

/* Fields that are read for every configuration. */
enum { DURATION, COMPLETED, GOODPUT, OUTPUT_PER_GPU, ENERGY, INPUT, GPU_COUNT, NUMBERS };

static const char *const number_fields[NUMBERS] = {
	[DURATION] = "results.duration",
	[COMPLETED] = "results.completed",
	[GOODPUT] = "results.request_goodput",
	[OUTPUT_PER_GPU] = "derived.output_throughput_per_gpu",
	[ENERGY] = "results.energy_per_token_j",
	[INPUT] = "results.input_throughput",
	[GPU_COUNT] = "derived.gpu_count",
};
#define GPU_FIELD    "system.hardware_info.gpu_name"
#define LIMITS_FIELD "benchmark.goodput"

struct limit {
	const struct mirror_column *column;
	double least;   /* NaN: none */
	double most;    /* NaN: none */
	double *values; /* of each run; NaN: none */
	size_t kept;    /* configurations */
	size_t known;
};

/* A latency whose limits apply to each request. */
struct latency {
	double limit; /* in ms; NaN: none */
	const struct mirror_column *columns[GOODPUT_PERCENTILES_MAX];
	double percents[GOODPUT_PERCENTILES_MAX];
	double *values[GOODPUT_PERCENTILES_MAX];
	size_t count;
};

enum feasible { UNKNOWN, NOT, PERHAPS, SURELY };

static const char *const feasible_names[] = { "unknown", "not", "perhaps", "surely" };

struct mean {
	double mean, low, high; /* NaN: unknown */
};

enum goodput_method { METHOD_NONE, METHOD_RECORDED, METHOD_PERCENTILES };

struct goodput {
	enum goodput_method method;
	struct mean value; /* requests per second */
	struct mean share; /* of the completed requests */
};

struct configuration {
	size_t at;
	struct mean *values; /* by limit; in the common array */
	bool is_kept;
	bool is_broken;
	enum feasible feasible;
	struct mean numbers[NUMBERS];
	double per_hour; /* of one GPU; NaN: unknown */
};

struct slo {
	struct query_pointer pointer;
	struct mirror_view *view;
	struct mirror_ids ids;
	char **made_ids; /* owned */
	size_t made_count;
	size_t made_room;
	struct query_filter *filter;
	struct configurations configurations;
	struct limit limits[BOUND_SLO_LIMITS_MAX];
	size_t limit_count;
	struct latency latencies[LATENCIES];
	double *numbers[NUMBERS];
	const json_t *prices;
	double carbon_g_per_kwh; /* NaN: unknown */
	struct mean *means;
	struct configuration *items;
	size_t *order;
	size_t limit; /* of configurations in the response */
	bool with_durations;
};

static void slo_done(struct slo *slo)
{
	for (size_t i = 0; i < slo->limit_count; i++)
		free(slo->limits[i].values);
	for (size_t i = 0; i < LATENCIES; i++) {
		for (size_t k = 0; k < slo->latencies[i].count; k++)
			free(slo->latencies[i].values[k]);
	}
	for (size_t i = 0; i < NUMBERS; i++)
		free(slo->numbers[i]);
	for (size_t i = 0; i < slo->made_count; i++)
		free(slo->made_ids[i]);
	free(slo->made_ids);
	free(slo->means);
	free(slo->items);
	free(slo->order);
	query_configurations_done(&slo->configurations);
	query_filter_free(slo->filter);
	mirror_view_free(slo->view);
	query_pointer_done(&slo->pointer);
	free(slo->ids.items);
}
#define auto_slo __attribute__((cleanup(slo_done), unused)) struct slo

/* ---- the request --------------------------------------------------------------------------------- */

static void add_id(struct slo *slo, char *id)
{
	*PL_PUSH(slo->made_ids, slo->made_count, slo->made_room) = id;
	*PL_PUSH(slo->ids.items, slo->ids.count, slo->ids.room) = id;
}

/* Returns the id of a percentile of a latency. The caller frees it with free(). */
static char *percentile_id(const char *latency, double percentile)
{
	char text[PL_F64_TEXT_BYTES];

	exp_percentile_text(percentile, text);
	return strcmp(text, "50") == 0 ? pl_asprintf("results.median_%s_ms", latency)
				       : pl_asprintf("results.p%s_%s_ms", text, latency);
}

/* Adds one id per limit, in their order, then those that every request needs. */
static void collect_ids(struct slo *slo, const json_t *request)
{
	PL_JSON_EACH(limit, json_object_get(request, "limits")) {
		const char *latency = json_string_value(json_object_get(limit, "latency"));
		const char *field = json_string_value(json_object_get(limit, "field"));
		double percentile = json_number_value(json_object_get(limit, "percentile"));
		add_id(slo, latency != NULL ? percentile_id(latency, percentile)
					    : pl_strdup(field != NULL ? field : ""));
	}
	for (size_t i = 0; i < NUMBERS; i++)
		add_id(slo, pl_strdup(number_fields[i]));
	query_configurations_ids(&slo->ids);
	query_filter_fields(query_request_member(request, "filter"), &slo->ids);
}

static int find_latency(const char *name)
{
	for (int i = 0; name != NULL && i < LATENCIES; i++) {
		if (strcmp(latency_names[i], name) == 0)
			return i;
	}
	return -1;
}

static bool read_limit(struct slo *slo, const json_t *json, size_t at)
{
	struct query_pointer *pointer = &slo->pointer;
	struct limit *limit = &slo->limits[slo->limit_count++];
	const json_t *least = query_request_member(json, "min"),
		     *most = query_request_member(json, "max");
	const char *name = json_string_value(query_request_member(json, "latency"));
	const json_t *percentile = query_request_member(json, "percentile");
	int latency = find_latency(name);
	bool fits = true;

	*limit = (struct limit){ .least = least != NULL ? json_number_value(least) : NAN,
				 .most = most != NULL ? json_number_value(most) : NAN };
	if ((name != NULL) == (query_request_member(json, "field") != NULL) ||
	    (name != NULL) != (percentile != NULL))
		return query_pointer_fault(pointer, "type", json,
					   "a latency with a percentile, or a field", NULL);
	if ((least != NULL) == (most != NULL) || (name != NULL && most == NULL))
		return query_pointer_fault(pointer, "type", json,
					   name != NULL ? "max" : "min or max, but not both", NULL);
	limit->column = mirror_view_column(slo->view, slo->made_ids[at]);
	if (limit->column == NULL) {
		size_t before = query_pointer_enter(pointer, "field");
		fits = query_request_column(pointer, slo->view, json_object_get(json, "field"),
					    &limit->column);
		query_pointer_leave(pointer, before);
	}
	/* of several percentiles of a latency, the strictest limit applies to each request */
	if (latency >= 0)
		slo->latencies[latency].limit = fmin(limit->most, slo->latencies[latency].limit);
	return fits;
}

static void add_percentile(struct slo *slo, struct latency *latency, const char *id, double percent)
{
	const struct mirror_column *column = mirror_view_column(slo->view, id);

	if (column == NULL || latency->count == GOODPUT_PERCENTILES_MAX)
		return;
	latency->percents[latency->count] = percent;
	latency->columns[latency->count++] = column;
}

/* Collects all stored percentiles of the limited latencies. */
static void find_percentiles(struct slo *slo)
{
	for (size_t i = 0; i < LATENCIES; i++) {
		struct latency *latency = &slo->latencies[i];
		auto_free char *median = percentile_id(latency_names[i], 50);
		if (isnan(latency->limit))
			continue;
		add_percentile(slo, latency, median, 50);
		for (size_t k = 0; k < PL_ARRAY_SIZE(percentiles); k++) {
			double percent = strtod(percentiles[k], NULL);
			auto_free char *id = percentile_id(latency_names[i], percent);
			add_percentile(slo, latency, id, percent);
		}
	}
}

static bool read_request(struct slo *slo, const json_t *request)
{
	const json_t *limits = json_object_get(request, "limits");
	bool fits = query_filter_new(slo->view, query_request_member(request, "filter"), "/filter",
				     &slo->filter, slo->pointer.faults) == 0;
	size_t before = query_pointer_enter(&slo->pointer, "limits");

	for (size_t i = 0; i < LATENCIES; i++)
		slo->latencies[i].limit = NAN;
	for (size_t i = 0; i < json_array_size(limits); i++) {
		size_t outside = query_pointer_enter_item(&slo->pointer, i);
		fits = read_limit(slo, json_array_get(limits, i), i) && fits;
		query_pointer_leave(&slo->pointer, outside);
	}
	query_pointer_leave(&slo->pointer, before);
	find_percentiles(slo);
	slo->prices = query_request_member(request, "prices");
	const json_t *carbon = query_request_member(request, "carbon_g_per_kwh");
	slo->carbon_g_per_kwh = carbon != NULL ? json_number_value(carbon) : NAN;
	slo->limit = (size_t)query_request_number(request, "limit", BOUND_SLO_DEFAULT);
	return fits;
}

/* ---- runs ---------------------------------------------------------------------------------------- */

/* Returns the number of each run; NaN: none. */
static double *read_column(const struct slo *slo, const struct mirror_column *column,
			   struct cell *cells)
{
	const struct configurations *configurations = &slo->configurations;
	size_t count = configurations->parts.row_count;
	double *values = pl_alloc_array(count + 1, sizeof(*values));

	query_cells_read(slo->view, column, configurations->rows, cells);
	for (size_t i = 0; i < count; i++) {
		const struct cell *cell = &cells[configurations->runs[i]];
		values[i] = cell->class == MIRROR_NUMBER ? cell->number : NAN;
	}
	return values;
}

static void read_columns(struct slo *slo)
{
	size_t count = slo->configurations.parts.row_count;
	auto_free struct cell *cells = pl_alloc_array(count + 1, sizeof(*cells));

	for (size_t i = 0; i < slo->limit_count; i++)
		slo->limits[i].values = read_column(slo, slo->limits[i].column, cells);
	for (size_t i = 0; i < LATENCIES; i++) {
		struct latency *latency = &slo->latencies[i];
		for (size_t k = 0; k < latency->count; k++)
			latency->values[k] = read_column(slo, latency->columns[k], cells);
	}
	for (size_t i = 0; i < NUMBERS; i++)
		slo->numbers[i] = read_column(slo, mirror_view_column(slo->view, number_fields[i]),
					      cells);
}

/* ---- one configuration --------------------------------------------------------------------------- */

/* Averages the finite numbers, sorted, so that the sum does not depend on the order of the runs. */
static struct mean mean_of(const double *values, size_t count)
{
	auto_free double *finite = pl_alloc_array(count + 1, sizeof(*finite));
	struct mean ret = { NAN, NAN, NAN };
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (isfinite(values[i]))
			finite[n++] = values[i];
	}
	if (n == 0)
		return ret;
	pl_stats_sort(finite, n);
	ret.mean = pl_stats_mean(finite, n);
	if (n > 1) {
		double half = pl_student_t(SURE, (double)n - 1) * pl_stats_std(finite, n) /
			      sqrt((double)n - 1);
		ret.low = ret.mean - half;
		ret.high = ret.mean + half;
	}
	return ret;
}

static bool keeps(const struct limit *limit, double value)
{
	return isnan(limit->least) ? value <= limit->most : value >= limit->least;
}

static enum feasible feasible_of(const struct limit *limit, const struct mean *value)
{
	if (isnan(value->low))
		return UNKNOWN;
	if (keeps(limit, value->low) && keeps(limit, value->high))
		return SURELY;
	return keeps(limit, value->low) || keeps(limit, value->high) ? PERHAPS : NOT;
}

/* Returns whether a run, perhaps one that failed, has no number: then the mean is that of the others. */
static bool lacks_any(const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!isfinite(values[i]))
			return true;
	}
	return false;
}

static void judge(struct slo *slo, struct configuration *item)
{
	size_t start = slo->configurations.starts[item->at];
	size_t count = configurations_runs(&slo->configurations, item->at);
	bool is_unknown = false, is_uncertain = false, is_surely_not = false;

	item->is_kept = true;
	for (size_t i = 0; i < slo->limit_count; i++) {
		struct limit *limit = &slo->limits[i];
		struct mean *value = &item->values[i];
		*value = mean_of(limit->values + start, count);
		enum feasible feasible = feasible_of(limit, value);
		if (feasible == SURELY && lacks_any(limit->values + start, count))
			feasible = PERHAPS;
		bool is_kept = !isnan(value->mean) && keeps(limit, value->mean);
		limit->known += !isnan(value->mean);
		limit->kept += is_kept;
		item->is_kept = item->is_kept && is_kept;
		item->is_broken = item->is_broken || (!isnan(value->mean) && !is_kept);
		is_unknown = is_unknown || feasible == UNKNOWN;
		is_uncertain = is_uncertain || feasible == PERHAPS;
		is_surely_not = is_surely_not || feasible == NOT;
	}
	item->feasible = is_surely_not  ? NOT
			 : is_unknown   ? UNKNOWN
			 : is_uncertain ? PERHAPS
					: SURELY;
	for (size_t i = 0; i < NUMBERS; i++)
		item->numbers[i] = mean_of(slo->numbers[i] + start, count);
}

static struct mirror_value value_at(const struct slo *slo, size_t at, const char *field)
{
	const struct mirror_column *column = mirror_view_column(slo->view, field);

	return mirror_column_at(column, slo->configurations.places[slo->configurations.starts[at]]);
}

static double price_of(const struct slo *slo, size_t at)
{
	struct mirror_value gpu = value_at(slo, at, GPU_FIELD);

	PL_JSON_EACH(price, slo->prices) {
		const char *name = json_string_value(json_object_get(price, "gpu"));
		if (gpu.class == MIRROR_TEXT && strcmp(name, gpu.text) == 0)
			return json_number_value(json_object_get(price, "per_hour"));
	}
	return NAN;
}

/* ---- goodput ------------------------------------------------------------------------------------- */

static bool equal_limits(double a, double b)
{
	return isnan(a) ? isnan(b) : a >= b && a <= b;
}

/* Returns whether the limits of the run's request_goodput are the requested ones. */
static bool has_these_limits(const struct slo *slo, size_t run)
{
	const struct mirror_column *column = mirror_view_column(slo->view, LIMITS_FIELD);
	struct mirror_value value = mirror_column_at(column, slo->configurations.places[run]);
	struct pl_err err = PL_ERR_INIT;
	struct exp_slo recorded;

	if (value.class != MIRROR_JSON)
		return false;
	auto_json json_t *list = json_loads(value.text, 0, NULL);
	return json_is_array(list) && exp_slo_parse(list, &recorded, &err) == 0 &&
	       equal_limits(recorded.ttft_ms, slo->latencies[LATENCY_TTFT].limit) &&
	       equal_limits(recorded.tpot_ms, slo->latencies[LATENCY_TPOT].limit) &&
	       equal_limits(recorded.e2el_ms, slo->latencies[LATENCY_E2EL].limit);
}

static struct goodput_bounds bounds_of(const struct slo *slo, size_t run)
{
	struct goodput_latency latencies[LATENCIES];
	size_t count = 0;

	for (size_t i = 0; i < LATENCIES; i++) {
		const struct latency *latency = &slo->latencies[i];
		if (isnan(latency->limit))
			continue;
		struct goodput_latency *into = &latencies[count++];
		*into = (struct goodput_latency){ .limit = latency->limit,
						  .count = latency->count,
						  .is_partial = i == LATENCY_TPOT };
		for (size_t k = 0; k < latency->count; k++) {
			into->percents[k] = latency->percents[k];
			into->values[k] = latency->values[k][run];
		}
	}
	return query_goodput_bounds(latencies, count, slo->numbers[COMPLETED][run]);
}

/* Computes the share of good requests and their rate, the mean over the runs. */
static struct goodput goodput_of(const struct slo *slo, size_t at)
{
	size_t start = slo->configurations.starts[at],
	       count = configurations_runs(&slo->configurations, at);
	struct goodput ret = { METHOD_NONE, { NAN, NAN, NAN }, { NAN, NAN, NAN } };
	double low = 0, high = 0, low_share = 0, high_share = 0;
	bool is_recorded = true, has_limit = false;

	for (size_t i = 0; i < LATENCIES; i++)
		has_limit = has_limit || !isnan(slo->latencies[i].limit);
	if (!has_limit)
		return ret;
	for (size_t run = start; is_recorded && run < start + count; run++)
		is_recorded = isfinite(slo->numbers[GOODPUT][run]) && has_these_limits(slo, run);
	if (is_recorded) {
		auto_free double *shares = pl_alloc_array(count, sizeof(*shares));
		for (size_t i = 0; i < count; i++)
			shares[i] = slo->numbers[GOODPUT][start + i] *
				    slo->numbers[DURATION][start + i] /
				    slo->numbers[COMPLETED][start + i];
		ret.method = METHOD_RECORDED;
		ret.value = mean_of(slo->numbers[GOODPUT] + start, count);
		ret.share = mean_of(shares, count);
		return ret;
	}
	for (size_t run = start; run < start + count; run++) {
		struct goodput_bounds bounds = bounds_of(slo, run);
		double rate = slo->numbers[COMPLETED][run] / slo->numbers[DURATION][run];
		low += bounds.low * rate;
		high += bounds.high * rate;
		low_share += bounds.low;
		high_share += bounds.high;
	}
	if (!isfinite(low) || !isfinite(high))
		return ret;
	ret.method = METHOD_PERCENTILES;
	ret.value = (struct mean){ NAN, low / (double)count, high / (double)count };
	ret.share = (struct mean){ NAN, low_share / (double)count, high_share / (double)count };
	return ret;
}

/* ---- order --------------------------------------------------------------------------------------- */

static int compare_items(const void *a, const void *b, void *context)
{
	const struct configuration *items = context;
	size_t one = *(const size_t *)a, other = *(const size_t *)b;
	double x = items[one].numbers[OUTPUT_PER_GPU].mean,
	       y = items[other].numbers[OUTPUT_PER_GPU].mean;

	if (items[one].is_kept != items[other].is_kept)
		return items[one].is_kept ? -1 : 1;
	if (isnan(x) != isnan(y))
		return isnan(x) ? 1 : -1;
	if (x > y || x < y)
		return x > y ? -1 : 1;
	return (one > other) - (one < other);
}

static void judge_all(struct slo *slo)
{
	size_t count = slo->configurations.parts.count;

	slo->means = pl_alloc_array(count * slo->limit_count + 1, sizeof(*slo->means));
	slo->items = pl_alloc_array(count + 1, sizeof(*slo->items));
	slo->order = pl_alloc_array(count + 1, sizeof(*slo->order));
	for (size_t i = 0; i < count; i++) {
		slo->items[i] = (struct configuration){ .at = i,
							.values = slo->means + i * slo->limit_count,
							.per_hour = price_of(slo, i) };
		judge(slo, &slo->items[i]);
		slo->order[i] = i;
	}
	qsort_r(slo->order, count, sizeof(*slo->order), compare_items, slo->items);
}

/* ---- the response -------------------------------------------------------------------------------- */

/* A sum or a product of large numbers may be infinite, which is not a number in JSON: it is null. */
static void out_f64(struct pl_buf *out, const char *key, double number)
{
	query_out_key(out, key);
	query_out_f64(out, isfinite(number) ? number : NAN);
}

static void out_truth(struct pl_buf *out, const char *key, bool is_known, bool yes)
{
	query_out_key(out, key);
	pl_buf_add_text(out, !is_known ? "null" : yes ? "true" : "false");
}

static void write_mean(const struct mean *mean, struct pl_buf *out)
{
	out_f64(out, "mean", mean->mean);
	out_f64(out, "low", mean->low);
	out_f64(out, "high", mean->high);
}

/* NaN: of a limit of 0, or an unknown mean. */
static double headroom_of(const struct limit *limit, double mean)
{
	bool is_least = isnan(limit->most);
	double value = is_least ? limit->least : limit->most;
	double room = is_least ? mean - value : value - mean;

	return fabs(value) > 0 ? room / fabs(value) : NAN;
}

static void write_values(const struct slo *slo, const struct configuration *item,
			 struct pl_buf *out)
{
	query_out_key(out, "values");
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < slo->limit_count; i++) {
		const struct mean *value = &item->values[i];
		query_out_next(out);
		pl_buf_add_char(out, '{');
		write_mean(value, out);
		out_f64(out, "headroom", headroom_of(&slo->limits[i], value->mean));
		out_truth(out, "kept", !isnan(value->mean), keeps(&slo->limits[i], value->mean));
		pl_buf_add_char(out, '}');
	}
	pl_buf_add_char(out, ']');
}

/* Writes the duration of each run, for the caller. */
static void write_durations(const struct slo *slo, const struct configuration *item,
			    struct pl_buf *out)
{
	const size_t *starts = slo->configurations.starts + item->at;

	if (!slo->with_durations)
		return;
	query_out_key(out, "durations");
	pl_buf_add_char(out, '[');
	for (size_t run = starts[0]; run < starts[1]; run++) {
		query_out_next(out);
		query_out_f64(out, slo->numbers[DURATION][run]);
	}
	pl_buf_add_char(out, ']');
}

static void write_goodput(const struct slo *slo, const struct configuration *item,
			  struct pl_buf *out)
{
	struct goodput made = goodput_of(slo, item->at);
	const struct goodput *goodput = &made;

	static const char *const methods[] = { NULL, "recorded", "percentiles" };

	query_out_key(out, "goodput");
	pl_buf_add_char(out, '{');
	query_out_key(out, "method");
	query_out_text_or_null(out, methods[goodput->method]);
	out_f64(out, "value", goodput->value.mean);
	out_f64(out, "low", goodput->value.low);
	out_f64(out, "high", goodput->value.high);
	query_out_key(out, "good_share");
	pl_buf_add_char(out, '{');
	write_mean(&goodput->share, out);
	pl_buf_add_text(out, "}");
	write_durations(slo, item, out);
	query_out_key(out, "note");
	query_out_text_or_null(out, goodput->method == METHOD_PERCENTILES
					    ? "bounds from stored percentiles: how many requests "
					      "break several limits at once is not stored"
					    : NULL);
	pl_buf_add_char(out, '}');
}

/* Returns the price of a million tokens at a rate per GPU. */
static double price_per_million(const struct configuration *item, double tokens_per_s_per_gpu)
{
	return tokens_per_s_per_gpu > 0 ? item->per_hour / 3600 / tokens_per_s_per_gpu * 1e6 : NAN;
}

static double output_price(const struct configuration *item)
{
	return price_per_million(item, item->numbers[OUTPUT_PER_GPU].mean);
}

static double energy(const struct configuration *item)
{
	return item->numbers[ENERGY].mean;
}

static double output_per_gpu(const struct configuration *item)
{
	return item->numbers[OUTPUT_PER_GPU].mean;
}

static void write_item(const struct slo *slo, const struct configuration *item, struct pl_buf *out)
{
	const size_t *starts = slo->configurations.starts + item->at;
	struct mirror_value gpu = value_at(slo, item->at, GPU_FIELD);

	query_out_next(out);
	pl_buf_add_char(out, '{');
	query_configurations_write_ids(&slo->configurations, starts[0], starts[1], out);
	query_out_key(out, "gpu");
	query_out_text_or_null(out, gpu.class == MIRROR_TEXT ? gpu.text : NULL);
	out_f64(out, "gpu_count", item->numbers[GPU_COUNT].mean);
	out_truth(out, "kept", item->is_kept || item->is_broken, item->is_kept);
	query_out_key(out, "feasible");
	query_out_text(out, feasible_names[item->feasible]);
	write_values(slo, item, out);
	write_goodput(slo, item, out);
	query_out_key(out, "costs");
	pl_buf_add_char(out, '{');
	out_f64(out, "output_throughput_per_gpu", output_per_gpu(item));
	out_f64(out, "energy_per_token_j", energy(item));
	out_f64(out, "price_per_million_output_tokens", output_price(item));
	out_f64(out, "price_per_million_input_tokens",
		price_per_million(item, item->numbers[INPUT].mean / item->numbers[GPU_COUNT].mean));
	/* J per token are MJ per million tokens; 3.6 MJ are a kWh */
	out_f64(out, "carbon_g_per_million_output_tokens",
		energy(item) / 3.6 * slo->carbon_g_per_kwh);
	pl_buf_add_text(out, "}}");
}

static void write_limits(const struct slo *slo, struct pl_buf *out)
{
	query_out_key(out, "limits");
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < slo->limit_count; i++) {
		const struct limit *limit = &slo->limits[i];
		query_out_next(out);
		pl_buf_add_char(out, '{');
		query_configurations_write_metric(limit->column->field, isnan(limit->most), out);
		out_f64(out, "min", limit->least);
		out_f64(out, "max", limit->most);
		out_count(out, "kept_count", limit->kept);
		out_count(out, "known_count", limit->known);
		pl_buf_add_char(out, '}');
	}
	pl_buf_add_char(out, ']');
}

/* Writes the configuration that keeps all limits and has the best value. */
static void write_cheapest(const struct slo *slo, const char *key,
			   double (*value)(const struct configuration *), bool higher,
			   struct pl_buf *out)
{
	const struct configuration *best = NULL;

	for (size_t i = 0; i < slo->configurations.parts.count; i++) {
		const struct configuration *item = &slo->items[slo->order[i]];
		if (!item->is_kept || !isfinite(value(item)))
			continue;
		if (best == NULL ||
		    (higher ? value(item) > value(best) : value(item) < value(best)))
			best = item;
	}
	query_out_key(out, key);
	if (best == NULL) {
		pl_buf_add_text(out, "null");
		return;
	}
	const size_t *starts = slo->configurations.starts + best->at;
	pl_buf_add_char(out, '{');
	query_configurations_write_ids(&slo->configurations, starts[0], starts[1], out);
	out_f64(out, "value", value(best));
	pl_buf_add_char(out, '}');
}

static int write_answer(const struct slo *slo, const struct mirror_snapshot *snapshot,
			struct pl_buf *out, struct pl_err *err)
{
	const struct configurations *configurations = &slo->configurations;
	size_t count = configurations->parts.count, shown = count < slo->limit ? count : slo->limit;
	size_t feasible = 0;

	for (size_t i = 0; i < count; i++)
		feasible += slo->items[i].is_kept;
	pl_buf_add_char(out, '{');
	out_count(out, "count", configurations->parts.row_count);
	out_count(out, "total", mirror_view_count(slo->view));
	out_count(out, "simulated", configurations->simulated);
	out_count(out, "excluded", configurations->simulated_excluded);
	out_count(out, "untrusted_excluded", configurations->untrusted_excluded);
	write_limits(slo, out);
	out_count(out, "configuration_count", count);
	out_count(out, "feasible_count", feasible);
	query_out_key(out, "configurations");
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < shown; i++)
		write_item(slo, &slo->items[slo->order[i]], out);
	pl_buf_add_char(out, ']');
	out_count(out, "more_count", count - shown);
	query_out_key(out, "cheapest");
	pl_buf_add_char(out, '{');
	write_cheapest(slo, "gpu", output_per_gpu, true, out);
	write_cheapest(slo, "watt", energy, false, out);
	write_cheapest(slo, "price", output_price, false, out);
	pl_buf_add_text(out, "}");
	query_out_key(out, "incomplete");
	pl_buf_add_text(out, "[]");
	return query_out_end(out, mirror_snapshot_version(snapshot),
			     "; request fewer configurations", err);
}

int query_slo(const struct mirror_snapshot *snapshot, const json_t *request,
	      struct pl_buf *ret_json, struct schema_faults *faults, struct pl_err *err)
{
	auto_slo slo = { .pointer = { .pointer = PL_BUF(POINTER_BYTES_MAX), .faults = faults } };
	struct configurations *configurations = &slo.configurations;

	collect_ids(&slo, request);
	if (mirror_view_new(snapshot, &slo.ids, &slo.view, err) < 0)
		return -1;
	configurations->view = slo.view;
	if (!read_request(&slo, request))
		return query_request_refuse(&slo.pointer, err);
	size_t bytes = mirror_view_words(slo.view) * sizeof(*configurations->rows);
	configurations->rows = pl_alloc(bytes);
	if (bytes > 0)
		memcpy(configurations->rows, query_filter_rows(slo.filter), bytes);
	query_configurations_choose(configurations,
				    json_is_true(json_object_get(request, "simulated")),
				    json_is_true(json_object_get(request, "untrusted")));
	if (query_configurations_make(configurations, err) < 0)
		return -1;
	slo.with_durations = json_is_true(json_object_get(request, "durations"));
	read_columns(&slo);
	judge_all(&slo);
	if (mirror_view_settle(slo.view, err) < 0)
		return -1;
	return write_answer(&slo, snapshot, ret_json, err);
}
