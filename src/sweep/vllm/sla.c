#include "sweep/vllm/sla.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/pchip.h"
#include "base/text.h"
#include "sweep/vllm/estimate.h"
#include "sweep/vllm/params.h"

#define NAME_BYTES_MAX 65536
/* Distinguishes a metric that equals its limit from one below or above it. */
#define STRICT 1e-8

/* ---- limits ---- */

static const struct op {
	const char *text;
	double sign;   /* of metric - limit, so that more is worse */
	double strict; /* margin of an equal metric */
} ops[] = {
	{ "<=", 1, 0 },
	{ ">=", -1, 0 },
	{ "<", 1, STRICT },
	{ ">", -1, STRICT },
};

/* Reads the limit of a key. Returns NULL for a value that has none and for the combination's name. */
static const struct op *read_limit(const char *key, const json_t *value, double *ret_limit)
{
	const char *text = strcmp(key, SWEEP_VLLM_NAME) != 0 ? json_string_value(value) : NULL;

	for (size_t i = 0; text != NULL && i < PL_ARRAY_SIZE(ops); i++) {
		if (pl_text_starts(text, ops[i].text)) {
			bool is_number = pl_text_to_f64(text + strlen(ops[i].text), ret_limit);
			return is_number && isfinite(*ret_limit) ? &ops[i] : NULL;
		}
	}
	return NULL;
}

char *sweep_vllm_sla_name(const json_t *limits)
{
	auto_buf name = PL_BUF(NAME_BYTES_MAX);
	double limit;

	PL_JSON_EACH_MEMBER(key, value, limits) {
		const struct op *op = read_limit(key, value, &limit);
		if (op != NULL)
			pl_buf_addf(&name, "%s%s%s%.2f", name.len > 0 ? "-" : "", key, op->text,
				    limit);
	}
	return pl_strdup(pl_buf_text(&name));
}

static int check_limits(const json_t *limits, const char *path, struct pl_err *err)
{
	double limit;

	PL_JSON_EACH_MEMBER(key, value, limits) {
		if (strcmp(key, SWEEP_VLLM_NAME) == 0 || read_limit(key, value, &limit) != NULL)
			continue;
		auto_free char *found = pl_json_to_text(value, PL_JSON_PYTHON);
		return pl_err_invalid(err,
				      "%s: '%s': found %.60s, expected a string such as \"<=500\": "
				      "<=, >=, < or >, then a number",
				      path, key, found);
	}
	auto_free char *name = sweep_vllm_sla_name(limits);
	if (name[0] == '\0')
		return pl_err_invalid(err, "%s: a combination has no limit", path);
	return 0;
}

/* Names have two decimals: otherwise one search would overwrite the result of another. */
static int check_names(const json_t *all, const char *path, struct pl_err *err)
{
	auto_json json_t *known = json_object();

	PL_JSON_EACH(limits, all) {
		auto_free char *name = sweep_vllm_sla_name(limits);
		auto_free char *file = sweep_vllm_file_name(name);
		if (json_object_get(known, file) != NULL)
			return pl_err_invalid(err,
					      "%s: two combinations would write the same file "
					      "'SLA--%.300s.json'; limits must differ in their "
					      "first two decimals",
					      path, file);
		json_object_set_new(known, file, json_true());
	}
	return 0;
}

int sweep_vllm_sla_read(const char *path, json_t **ret, struct pl_err *err)
{
	auto_json json_t *all = NULL;

	if (sweep_vllm_params_read(path, &all, err) < 0)
		return -1;
	PL_JSON_EACH(limits, all) {
		if (check_limits(limits, path, err) < 0)
			return -1;
	}
	if (check_names(all, path, err) < 0)
		return -1;
	*ret = pl_take(all);
	return 0;
}

int sweep_vllm_sla_margin(const json_t *limits, const json_t *runs, double *ret, struct pl_err *err)
{
	double worst = -INFINITY, limit, mean;

	PL_JSON_EACH_MEMBER(key, value, limits) {
		const struct op *op = read_limit(key, value, &limit);
		if (op == NULL)
			continue;
		if (sweep_vllm_mean(runs, key, &mean, err) < 0)
			return -1;
		worst = fmax(worst,
			     op->sign > 0 ? mean + op->strict - limit : limit + op->strict - mean);
	}
	*ret = worst;
	return 0;
}

/* ---- the search ---- */

void sweep_vllm_search_done(struct sweep_vllm_search *search)
{
	free(search->values);
	free(search->margins);
	*search = (struct sweep_vllm_search){ 0 };
}

/* Returns the index of the value, or where to insert it. */
static size_t position_of(const struct sweep_vllm_search *search, double value)
{
	size_t at = 0;

	while (at < search->count && search->values[at] < value)
		at++;
	return at;
}

static bool is_known(const struct sweep_vllm_search *search, int64_t value)
{
	size_t at = position_of(search, (double)value);

	return at < search->count && !(search->values[at] > (double)value);
}

void sweep_vllm_search_add(struct sweep_vllm_search *search, int64_t value, double margin)
{
	size_t at = position_of(search, (double)value);
	size_t room = search->room;

	if (is_known(search, value)) {
		search->margins[at] = margin;
		return;
	}
	pl_grow((void **)&search->values, &room, search->count + 1, sizeof(*search->values));
	pl_grow((void **)&search->margins, &search->room, search->count + 1,
		sizeof(*search->margins));
	for (size_t i = search->count; i > at; i--) {
		search->values[i] = search->values[i - 1];
		search->margins[i] = search->margins[i - 1];
	}
	search->values[at] = (double)value;
	search->margins[at] = margin;
	search->count++;
}

void sweep_vllm_search_begin(struct sweep_vllm_search *search, bool by_spline, double estimate)
{
	search->by_spline = by_spline;
	search->next = (int64_t)fmin(fmax(ceil(estimate), 1), SWEEP_VLLM_UNLIMITED);
	search->best = by_spline;
}

/* Finds the largest value within the limits and the smallest one beyond; by default, the ends of the range. */
static void find_bounds(const struct sweep_vllm_search *search, int64_t *ret_pass,
			int64_t *ret_fail)
{
	*ret_pass = 1;
	*ret_fail = SWEEP_VLLM_MOST;
	for (size_t i = search->count; i > 0; i--) {
		if (search->margins[i - 1] > 0)
			*ret_fail = (int64_t)search->values[i - 1];
	}
	for (size_t i = 0; i < search->count; i++) {
		if (search->margins[i] <= 0)
			*ret_pass = (int64_t)search->values[i];
	}
}

static int64_t next_by_spline(struct sweep_vllm_search *search)
{
	int64_t pass, fail;

	find_bounds(search, &pass, &fail);
	search->best = pass;
	if (pass + 1 >= fail)
		return 0;
	if (!is_known(search, SWEEP_VLLM_MOST))
		return SWEEP_VLLM_MOST;
	if (!is_known(search, 1))
		return 1;
	double root = pl_pchip_first_root(search->values, search->margins, search->count);
	int64_t middle = (pass + fail) / 2;
	int64_t next = isnan(root) ? middle : (int64_t)root;
	if (is_known(search, next))
		next++;
	/* a known value would be tried forever */
	return next < 1 || next > SWEEP_VLLM_MOST || is_known(search, next) ? middle : next;
}

/* Doubles until one fails, and then halves between the last that passed and the first that did not. */
static int64_t next_by_halves(struct sweep_vllm_search *search)
{
	if (is_known(search, search->next)) {
		bool passes = search->margins[position_of(search, (double)search->next)] <= 0;
		*(passes ? &search->left : &search->right) = search->next;
		search->best = search->left;
		if (search->right == 0 && search->left >= SWEEP_VLLM_UNLIMITED)
			return 0;
		if (search->right != 0 && search->right - search->left <= 1)
			return 0;
		search->next = search->right != 0 ? (search->left + search->right) / 2
			       : search->left * 2 < SWEEP_VLLM_UNLIMITED ? search->left * 2
									 : SWEEP_VLLM_UNLIMITED;
	}
	return search->next;
}

int64_t sweep_vllm_search_next(struct sweep_vllm_search *search)
{
	return search->by_spline ? next_by_spline(search) : next_by_halves(search);
}
