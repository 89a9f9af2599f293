#include "result/impact/impact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "result/change/rank.h"
#include "result/impact/forest.h"
#include "result/impact/work_priv.h"

#define NEAREST_ROWS 300 /* evenly spaced rows, of which the nearest pairs are sought */
#define Q_MAX        0.05

const char *res_impact_finding_name(enum res_impact_finding finding)
{
	static const char *const names[] = { "unknown", "unclear", "none", "lower", "higher" };

	return names[finding];
}

const char *res_impact_reason_name(enum res_impact_reason reason)
{
	static const char *const names[] = { "constant", "together", "derived",
					     "each_run", "no_pairs", "no_values" };

	return names[reason];
}

/* ---- rows ---------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

struct row {
	uint64_t hash; /* of all codes */
	double value;
	int64_t id;
	size_t at;
};

static int compare_rows(const void *a, const void *b)
{
	const struct row *one = a, *other = b;

	if (one->hash != other->hash)
		return one->hash < other->hash ? -1 : 1;
	if (one->value != other->value)
		return one->value < other->value ? -1 : 1;
	return one->id < other->id ? -1 : one->id > other->id;
}

static void order_rows(struct impact_work *work, const struct res_impact_question *question)
{
	size_t rows = work->row_count;
	auto_free struct row *sorted = pl_alloc_array(rows + 1, sizeof(*sorted));

	for (size_t i = 0; i < rows; i++)
		sorted[i] = (struct row){ 0, question->values[i], question->ids[i], i };
	for (size_t k = 0; k < work->factor_count; k++) {
		struct impact_factor *factor = &work->factors[k];
		const struct res_impact_factor *about = &work->about[k];
		uint64_t name = pl_hash_text(PL_HASH_NONE, about->id);
		factor->hashes = pl_alloc_array(about->level_count + 1, sizeof(*factor->hashes));
		factor->counts = pl_alloc_array(about->level_count + 1, sizeof(*factor->counts));
		for (uint32_t code = 0; code < about->level_count; code++)
			factor->hashes[code] = mix(mix(name) + code);
		for (size_t i = 0; i < rows; i++) {
			sorted[i].hash += factor->hashes[about->codes[i]];
			factor->counts[about->codes[i]]++;
		}
	}
	qsort(sorted, rows, sizeof(*sorted), compare_rows);
	for (size_t i = 0; i < rows; i++) {
		work->order[i] = sorted[i].at;
		work->ids[i] = sorted[i].id;
		work->values[i] = sorted[i].value;
		work->logs[i] = log(sorted[i].value);
	}
}

/* ---- inputs -------------------------------------------------------------------------------------- */

static void count_levels(struct impact_work *work)
{
	for (size_t k = 0; k < work->factor_count; k++) {
		struct impact_factor *factor = &work->factors[k];
		for (uint32_t code = 0; code < work->about[k].level_count; code++)
			factor->distinct += factor->counts[code] > 0;
		factor->recorded = factor->distinct - (factor->counts[0] > 0);
		factor->lead = k;
		if (factor->distinct < 2)
			continue;
		factor->is_part = factor->is_key =
			work->row_count < RES_IMPACT_EVERY_LEAST || work->about[k].is_host ||
			(double)factor->distinct < RES_IMPACT_EVERY_RUN * (double)work->row_count;
		factor->codes = pl_alloc_array(work->row_count + 1, sizeof(*factor->codes));
		for (size_t i = 0; i < work->row_count; i++)
			factor->codes[i] = work->about[k].codes[work->order[i]];
	}
}

static void add_keys(struct impact_work *work)
{
	memset(work->cells, 0, work->row_count * sizeof(*work->cells));
	for (size_t k = 0; k < work->factor_count; k++) {
		const struct impact_factor *factor = &work->factors[k];
		for (size_t i = 0; i < work->row_count && factor->is_key; i++)
			work->cells[i] += factor->hashes[factor->codes[i]];
	}
}

static bool is_over(const struct res_impact_question *question)
{
	return question->goes_on != NULL && !question->goes_on(question->data);
}

/* Removes derived inputs that have no pairs of their own. */
static void drop_derived(struct impact_work *work)
{
	for (size_t k = 0; k < work->factor_count; k++) {
		struct impact_factor *factor = &work->factors[k];
		struct impact_cells cells;
		bool has_pairs = false;

		if (!work->about[k].is_derived || !factor->is_key)
			continue;
		res_impact_cells_make(work, &k, 1, &cells);
		for (size_t i = 0; i < cells.count; i++) {
			for (size_t row = cells.starts[i]; row < cells.starts[i + 1]; row++)
				has_pairs |= factor->codes[cells.rows[row]] !=
					     factor->codes[cells.rows[cells.starts[i]]];
		}
		res_impact_cells_done(&cells);
		if (!has_pairs) {
			factor->is_key = factor->is_part = false;
			add_keys(work);
		}
	}
}

/* Returns whether each value of one comes with a single value of the other. `seen` is all 0, and is so again. */
static bool determines(const struct impact_work *work, size_t one, size_t other, uint32_t *seen)
{
	const uint32_t *from = work->factors[one].codes, *to = work->factors[other].codes;
	size_t end = 0;
	bool does = true;

	for (; end < work->row_count && does; end++) {
		if (seen[from[end]] == 0)
			seen[from[end]] = to[end] + 1;
		does = seen[from[end]] == to[end] + 1;
	}
	for (size_t i = 0; i < end; i++)
		seen[from[i]] = 0;
	return does;
}

/* Joins an input to the first one that divides the runs in the same way. */
static void join_input(struct impact_work *work, size_t k, uint32_t *seen)
{
	struct impact_factor *factor = &work->factors[k];

	factor->has_host = work->about[k].is_host;
	for (size_t i = 0; i < k && factor->is_key; i++) {
		struct impact_factor *lead = &work->factors[i];
		/* of two inputs with equally many values, each determines the other, or neither does */
		if (!lead->is_key || lead->distinct != factor->distinct ||
		    !determines(work, i, k, seen))
			continue;
		factor->is_key = false;
		factor->lead = i;
		lead->has_host |= factor->has_host;
	}
}

static void find_determined(struct impact_work *work, size_t k, uint32_t *seen)
{
	struct impact_factor *factor = &work->factors[k];

	for (size_t i = 0; i < work->factor_count && factor->is_key; i++)
		factor->determines[i] = i != k && work->factors[i].is_key &&
					work->factors[i].distinct < factor->distinct &&
					determines(work, k, i, seen);
}

/*
 * Joins inputs that divide the runs in the same way: the first one of each group is a key. Compares all inputs in pairs, each
 * at the cost of one pass over the runs at most. Returns false if the time is over: nothing can be credited then.
 */
static bool group_inputs(struct impact_work *work, const struct res_impact_question *question)
{
	uint32_t most = 0;
	bool is_complete = true;

	for (size_t k = 0; k < work->factor_count; k++)
		most = work->about[k].level_count > most ? work->about[k].level_count : most;
	auto_free uint32_t *seen = pl_alloc_array((size_t)most + 1, sizeof(*seen));
	for (size_t k = 0; k < work->factor_count; k++) {
		work->factors[k].determines = pl_alloc_array(work->factor_count + 1,
							     sizeof(*work->factors[k].determines));
		is_complete = is_complete && !is_over(question);
		if (is_complete)
			join_input(work, k, seen);
	}
	for (size_t k = 0; k < work->factor_count && is_complete; k++) {
		is_complete = !is_over(question);
		if (is_complete)
			find_determined(work, k, seen);
	}
	add_keys(work);
	return is_complete;
}

static struct impact_work *work_new(const struct res_impact_question *question)
{
	struct impact_work *work = pl_alloc(sizeof(*work));
	size_t rows = question->row_count + 1;

	work->about = question->factors;
	work->factor_count = question->factor_count;
	work->row_count = question->row_count;
	work->factors = pl_alloc_array(question->factor_count + 1, sizeof(*work->factors));
	work->order = pl_alloc_array(rows, sizeof(*work->order));
	work->ids = pl_alloc_array(rows, sizeof(*work->ids));
	work->values = pl_alloc_array(rows, sizeof(*work->values));
	work->logs = pl_alloc_array(rows, sizeof(*work->logs));
	work->cells = pl_alloc_array(rows, sizeof(*work->cells));
	order_rows(work, question);
	count_levels(work);
	add_keys(work);
	drop_derived(work);
	work->is_grouped = group_inputs(work, question);
	return work;
}

static void work_free(struct impact_work *work)
{
	if (work == NULL)
		return;
	for (size_t k = 0; k < work->factor_count; k++) {
		free(work->factors[k].codes);
		free(work->factors[k].hashes);
		free(work->factors[k].counts);
		free(work->factors[k].determines);
	}
	free(work->factors);
	free(work->order);
	free(work->ids);
	free(work->values);
	free(work->logs);
	free(work->cells);
	free(work);
}

/* ---- inputs without an effect -------------------------------------------------------------------- */

static struct res_impact_rest *add_rest(const struct impact_work *work,
					struct res_impact_analysis *analysis, size_t factor,
					enum res_impact_reason reason)
{
	struct res_impact_rest *rest = &analysis->rests[analysis->rest_count++];
	size_t rows[2] = { 0 };

	*rest = (struct res_impact_rest){
		.factor = factor, .reason = reason, .plain_ratio = NAN, .means = { NAN, NAN }
	};
	for (uint32_t code = 1; code < work->about[factor].level_count; code++) {
		size_t count = work->factors[factor].counts[code];
		if (count > rows[0]) {
			rest->to = rest->from;
			rows[1] = rows[0];
			rest->from = code;
			rows[0] = count;
		} else if (count > rows[1]) {
			rest->to = code;
			rows[1] = count;
		}
	}
	if (rest->to == 0 || reason == RES_IMPACT_EACH_RUN) {
		rest->from = rest->to = 0;
		return rest;
	}
	if (rest->from > rest->to) {
		uint32_t code = rest->from;
		rest->from = rest->to;
		rest->to = code;
	}
	res_impact_plain(work, factor, rest->from, rest->to, rest->means, rest->run_counts,
			 &rest->plain_ratio);
	return rest;
}

static void name_with(struct res_impact_rest *rest, size_t factor)
{
	if (factor == rest->factor)
		return;
	if (rest->with_count < RES_IMPACT_WITH_MAX)
		rest->with[rest->with_count++] = factor;
	else
		rest->with_more++;
}

/* Names the inputs that determine the lead, hosts first, or else those of its own group. */
static void name_determining(const struct impact_work *work, size_t lead,
			     struct res_impact_rest *rest)
{
	for (int hosts = 1; hosts >= 0; hosts--) {
		for (size_t i = 0; i < work->factor_count; i++) {
			const struct impact_factor *other = &work->factors[i];
			if (other->is_part && work->about[i].is_host == (hosts == 1) &&
			    (other->lead == lead || work->factors[other->lead].determines[lead]))
				name_with(rest, i);
		}
	}
}

/* Adds the lead and all inputs of its group. */
static void add_together(const struct impact_work *work, struct res_impact_analysis *analysis,
			 size_t lead)
{
	for (size_t i = 0; i < work->factor_count; i++) {
		if (work->factors[i].is_part && work->factors[i].lead == lead)
			name_determining(work, lead,
					 add_rest(work, analysis, i, RES_IMPACT_TOGETHER));
	}
}

/* The host inputs that a lead determines, whose pairs are therefore omitted. */
static void add_host_pairs(const struct impact_work *work, struct res_impact_analysis *analysis,
			   size_t lead)
{
	for (size_t i = 0; i < work->factor_count; i++) {
		if (!work->factors[i].is_part || work->factors[i].lead != lead)
			continue;
		struct res_impact_rest *rest = add_rest(work, analysis, i, RES_IMPACT_TOGETHER);
		for (size_t k = 0; k < work->factor_count; k++) {
			if (work->factors[k].is_part && work->about[k].is_host &&
			    work->factors[lead].determines[work->factors[k].lead])
				name_with(rest, k);
		}
	}
}

static bool is_determined(const struct impact_work *work, size_t lead)
{
	for (size_t i = 0; i < work->factor_count; i++) {
		if (work->factors[i].is_key && work->factors[i].determines[lead])
			return true;
	}
	return false;
}

/* Host inputs and others that cannot be separated from each other. */
static bool is_mixed(const struct impact_work *work, size_t lead)
{
	size_t hosts = 0, others = 0;

	for (size_t i = 0; i < work->factor_count; i++) {
		if (!work->factors[i].is_part || work->factors[i].lead != lead)
			continue;
		hosts += work->about[i].is_host;
		others += !work->about[i].is_host;
	}
	return hosts > 0 && others > 0;
}

/* Names the fewest other inputs in which two rows with two values of the input differ. */
static void find_nearest(const struct impact_work *work, struct res_impact_analysis *analysis)
{
	size_t rows = work->row_count < NEAREST_ROWS ? work->row_count : NEAREST_ROWS, keys = 0;
	auto_free size_t *leads = pl_alloc_array(work->factor_count + 1, sizeof(*leads));
	auto_free size_t *fewest = pl_alloc_array(work->factor_count + 1, sizeof(*fewest));
	auto_free size_t(*pairs)[2] = pl_alloc_array(work->factor_count + 1, sizeof(*pairs));
	auto_free size_t *differing = pl_alloc_array(work->factor_count + 1, sizeof(*differing));

	for (size_t k = 0; k < work->factor_count; k++) {
		if (work->factors[k].is_key)
			leads[keys++] = k;
	}
	for (size_t i = 0; i < rows; i++) {
		for (size_t j = 0; j < i; j++) {
			size_t one = i * work->row_count / rows, other = j * work->row_count / rows,
			       count = 0;
			for (size_t k = 0; k < keys; k++) {
				const uint32_t *codes = work->factors[leads[k]].codes;
				if (codes[one] != codes[other])
					differing[count++] = leads[k];
			}
			for (size_t k = 0; k < count; k++) {
				size_t lead = differing[k];
				if (work->factors[lead].codes[one] == 0 ||
				    work->factors[lead].codes[other] == 0 ||
				    (fewest[lead] != 0 && fewest[lead] <= count))
					continue;
				fewest[lead] = count;
				pairs[lead][0] = one;
				pairs[lead][1] = other;
			}
		}
	}
	for (size_t i = 0; i < analysis->rest_count; i++) {
		struct res_impact_rest *rest = &analysis->rests[i];
		size_t lead = work->factors[rest->factor].lead;
		for (size_t k = 0; k < keys && rest->reason == RES_IMPACT_NO_PAIRS; k++) {
			const uint32_t *codes = work->factors[leads[k]].codes;
			if (fewest[lead] != 0 && leads[k] != lead &&
			    codes[pairs[lead][0]] != codes[pairs[lead][1]])
				name_with(rest, leads[k]);
		}
	}
}

static int compare_rests(const void *a, const void *b)
{
	const struct res_impact_rest *one = a, *other = b;

	return one->factor < other->factor ? -1 : 1;
}

/* ---- effects ------------------------------------------------------------------------------------- */

static void add_effect(const struct impact_work *work, struct res_impact_analysis *analysis,
		       size_t lead, struct res_impact_effect *effect)
{
	size_t room = 0;

	effect->importance = NAN;
	for (size_t i = 0; i < work->factor_count; i++) {
		if (work->factors[i].is_part && work->factors[i].lead == lead)
			*PL_PUSH(effect->factors, effect->factor_count, room) = i;
	}
	analysis->effects[analysis->effect_count++] = *effect;
}

static void divide(const struct impact_work *work, const struct res_impact_question *question,
		   struct res_impact_analysis *analysis)
{
	bool has_none = false;

	for (size_t k = 0; k < work->factor_count; k++) {
		const struct impact_factor *factor = &work->factors[k];
		struct res_impact_effect effect = { 0 };

		if (factor->distinct < 2) {
			add_rest(work, analysis, k, RES_IMPACT_CONSTANT);
		} else if (!factor->is_part) {
			add_rest(work, analysis, k,
				 work->about[k].is_derived ? RES_IMPACT_DERIVED
							   : RES_IMPACT_EACH_RUN);
		} else if (analysis->are_effects_cut || !work->is_grouped) {
			analysis->are_effects_cut = true;
		} else if (!factor->is_key) {
			continue;
		} else if (is_mixed(work, k) || is_determined(work, k)) {
			add_together(work, analysis, k);
		} else if (is_over(question)) {
			analysis->are_effects_cut = true;
		} else {
			bool is_dropped = res_impact_contrasts_make(work, k, &effect);
			if (effect.contrast_count > 0) {
				add_effect(work, analysis, k, &effect);
			} else if (is_dropped) {
				add_host_pairs(work, analysis, k);
			} else {
				enum res_impact_reason reason = factor->recorded < 2
									? RES_IMPACT_NO_VALUES
									: RES_IMPACT_NO_PAIRS;
				has_none = has_none || reason == RES_IMPACT_NO_PAIRS;
				for (size_t i = k; i < work->factor_count; i++) {
					if (work->factors[i].is_part && work->factors[i].lead == k)
						add_rest(work, analysis, i, reason);
				}
			}
		}
	}
	if (analysis->rest_count > 0)
		qsort(analysis->rests, analysis->rest_count, sizeof(*analysis->rests),
		      compare_rests);
	if (has_none)
		find_nearest(work, analysis);
}

static enum res_impact_finding find(const struct res_impact_effect *effect, double least)
{
	const struct res_impact_ratio *ratio = &effect->contrasts[0].effect;

	if (ratio->method == RES_IMPACT_NO_INTERVAL)
		return RES_IMPACT_UNKNOWN;
	if (effect->q <= Q_MAX && ratio->interval.low > 1)
		return RES_IMPACT_HIGHER;
	if (effect->q <= Q_MAX && ratio->interval.high < 1)
		return RES_IMPACT_LOWER;
	return ratio->interval.low >= 1 / (1 + least) && ratio->interval.high <= 1 + least
		       ? RES_IMPACT_NONE
		       : RES_IMPACT_UNCLEAR;
}

static void judge(struct res_impact_analysis *analysis, double least)
{
	auto_free double *p = pl_alloc_array(analysis->effect_count + 1, sizeof(*p));
	auto_free double *q = pl_alloc_array(analysis->effect_count + 1, sizeof(*q));
	size_t count = 0;

	for (size_t i = 0; i < analysis->effect_count; i++) {
		const struct res_impact_effect *effect = &analysis->effects[i];
		double of = effect->contrasts[0].effect.p;
		if (isfinite(of))
			p[count++] = of;
	}
	res_rank_discoveries(p, count, q);
	count = 0;
	for (size_t i = 0; i < analysis->effect_count; i++) {
		struct res_impact_effect *effect = &analysis->effects[i];
		effect->q = isfinite(effect->contrasts[0].effect.p) ? q[count++] : NAN;
		effect->finding = find(effect, least);
	}
}

static int rank_of(const struct res_impact_effect *effect)
{
	static const int ranks[] = { [RES_IMPACT_HIGHER] = 0,
				     [RES_IMPACT_LOWER] = 0,
				     [RES_IMPACT_UNCLEAR] = 1,
				     [RES_IMPACT_NONE] = 2,
				     [RES_IMPACT_UNKNOWN] = 3 };

	return ranks[effect->finding];
}

static int compare_effects(const void *a, const void *b)
{
	const struct res_impact_effect *one = a, *other = b;
	double x = fabs(log(one->contrasts[0].effect.ratio)),
	       y = fabs(log(other->contrasts[0].effect.ratio));

	if (rank_of(one) != rank_of(other))
		return rank_of(one) - rank_of(other);
	if (x != y)
		return x > y ? -1 : 1;
	return one->factors[0] < other->factors[0] ? -1 : 1;
}

/* ---- the model ----------------------------------------------------------------------------------- */

static void rank_importances(const struct impact_work *work,
			     const struct res_impact_question *question,
			     struct res_impact_analysis *analysis)
{
	auto_free struct impact_forest_input *inputs = pl_alloc_array(work->factor_count + 1,
								      sizeof(*inputs));
	auto_free size_t *place = pl_alloc_array(work->factor_count + 1, sizeof(*place));
	auto_free double *found = pl_alloc_array(work->factor_count + 1, sizeof(*found));
	size_t count = 0;

	for (size_t k = 0; k < work->factor_count; k++) {
		if (!work->factors[k].is_key)
			continue;
		place[k] = count;
		inputs[count++] = (struct impact_forest_input){ work->factors[k].codes,
								work->about[k].level_count,
								work->about[k].is_ordered };
	}
	analysis->explained = res_impact_forest_importances(
		&(struct impact_forest_question){ inputs, count, work->logs, work->row_count,
						  question->goes_on, question->data },
		found);
	for (size_t i = 0; i < analysis->effect_count; i++)
		analysis->effects[i].importance = found[place[analysis->effects[i].factors[0]]];
}

void res_impact_analyze(const struct res_impact_question *question, struct res_impact_analysis *ret)
{
	struct impact_work *work = work_new(question);

	*ret = (struct res_impact_analysis){ .work = work, .explained = NAN };
	ret->effects = pl_alloc_array(question->factor_count + 1, sizeof(*ret->effects));
	ret->rests = pl_alloc_array(question->factor_count + 1, sizeof(*ret->rests));
	divide(work, question, ret);
	ret->omitted_count = work->factor_count - ret->rest_count;
	for (size_t i = 0; i < ret->effect_count; i++)
		ret->omitted_count -= ret->effects[i].factor_count;
	judge(ret, question->effect);
	if (!question->without_forest)
		rank_importances(work, question, ret);
	if (ret->effect_count > 0)
		qsort(ret->effects, ret->effect_count, sizeof(*ret->effects), compare_effects);
	res_impact_interactions_make(work, ret);
	ret->are_importances_cut = !question->without_forest && isnan(ret->explained) &&
				   is_over(question);
}

void res_impact_analysis_done(struct res_impact_analysis *analysis)
{
	for (size_t i = 0; i < analysis->effect_count; i++) {
		free(analysis->effects[i].factors);
		free(analysis->effects[i].contrasts);
	}
	free(analysis->effects);
	free(analysis->rests);
	free(analysis->interactions);
	work_free(analysis->work);
}

/* ---- cells of a contrast ------------------------------------------------------------------------- */

static int compare_cell_rows(const void *a, const void *b, void *context)
{
	const struct impact_work *work = context;
	int64_t one = work->ids[*(const size_t *)a], other = work->ids[*(const size_t *)b];

	return one < other ? -1 : one > other;
}

void res_impact_cells(const struct res_impact_analysis *analysis, size_t effect, size_t contrast,
		      struct res_impact_cell **ret_cells, size_t *ret_count)
{
	const struct impact_work *work = analysis->work;
	const struct res_impact_contrast *about = &analysis->effects[effect].contrasts[contrast];
	size_t lead = analysis->effects[effect].factors[0], room = 0;
	auto_free double *numbers = pl_alloc_array(work->row_count + 1, sizeof(*numbers));
	struct impact_cells cells;

	*ret_cells = NULL;
	*ret_count = 0;
	res_impact_cells_of(work, lead, SIZE_MAX, &cells);
	for (size_t i = 0; i < cells.count; i++) {
		size_t count = cells.starts[i + 1] - cells.starts[i];
		struct res_impact_cell cell = { .rows = pl_alloc_array(count, sizeof(size_t)) };
		for (size_t side = 0; side < 2; side++) {
			size_t before = cell.counts[0], at = before;
			for (size_t k = 0; k < count; k++) {
				size_t row = cells.rows[cells.starts[i] + k];
				uint32_t code = work->factors[lead].codes[row];
				if (code == (side == 0 ? about->from : about->to))
					cell.rows[at++] = row;
			}
			cell.counts[side] = at - (side == 0 ? 0 : before);
			if (cell.counts[side] == 0)
				break;
			size_t *rows = cell.rows + (side == 0 ? 0 : before);
			cell.medians[side] = exp(
				res_impact_median(work, rows, cell.counts[side], numbers));
			qsort_r(rows, cell.counts[side], sizeof(*rows), compare_cell_rows,
				(void *)work);
		}
		if (cell.counts[0] == 0 || cell.counts[1] == 0) {
			free(cell.rows);
			continue;
		}
		for (size_t k = 0; k < cell.counts[0] + cell.counts[1]; k++)
			cell.rows[k] = work->order[cell.rows[k]];
		*PL_PUSH(*ret_cells, *ret_count, room) = cell;
	}
	res_impact_cells_done(&cells);
}

void res_impact_cells_free(struct res_impact_cell *cells, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(cells[i].rows);
	free(cells);
}

size_t res_impact_row_with(const struct res_impact_analysis *analysis, size_t factor, uint32_t code)
{
	const struct impact_work *work = analysis->work;

	for (size_t i = 0; i < work->row_count; i++) {
		if (work->about[factor].codes[i] == code)
			return i;
	}
	return 0;
}
