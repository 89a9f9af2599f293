/* Proves differences between groups of runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result/brief/brief.h"
#include "result/gate/evidence.h"

#define MORE_MAX       200
#define SENTENCE_BYTES 512
#define PERCENT        100.0

/* The runs of a side that count: completed ones, each run_id once. */
struct side {
	json_t **items; /* borrowed references, owned array */
	size_t count;
	size_t copies;
	size_t trusted;
	size_t client_limited;
	size_t simulated;
};

static size_t untrusted_of(const struct side *side)
{
	return side->count - side->trusted;
}

static bool has_id(const struct side *side, const json_t *document)
{
	const char *id = pl_json_get_text(document, "run_id");

	for (size_t i = 0; i < side->count && id != NULL; i++) {
		if (pl_text_equal(pl_json_get_text(side->items[i], "run_id"), id))
			return true;
	}
	return false;
}

static void side_init(struct side *side, const struct res_compare_documents *documents)
{
	*side = (struct side){ .items = pl_alloc_array(documents->count, sizeof(*side->items)) };
	for (size_t i = 0; i < documents->count; i++) {
		json_t *document = documents->items[i];
		const char *verdict = pl_json_path_text(document, "quality.verdict");
		const char *status = pl_json_get_text(document, "status");
		/* a file of another program has no status */
		if (status != NULL && strcmp(status, "completed") != 0)
			continue;
		if (has_id(side, document)) {
			side->copies++;
			continue;
		}
		side->trusted += pl_text_equal(verdict, "trusted");
		side->client_limited += pl_text_equal(verdict, "client_limited");
		side->simulated += json_is_true(
			pl_json_get_path(document, "environment.engine.simulated"));
		side->items[side->count++] = document;
	}
}

/* ---- one metric of two sides ------------------------------------------------------------------ */

enum finding { NO_VALUE, NOT_PROVEN, EQUAL, BETTER, WORSE };
static const char *const finding_names[] = { "no_value", "not_proven", "equal", "better", "worse" };

/* Logarithms, counted so that above 0 is worse. */
struct proof {
	enum finding finding;
	struct res_evidence evidence;
	struct res_interval interval;
	size_t n;    /* runs of the smaller side that have the metric */
	double more; /* further runs per side; NaN: unknown */
};

/* Returns the logarithms of the runs that have a value above 0; the array is free()d by the caller. */
static double *logs_of(const struct res_fields *fields, const struct res_field *field,
		       const struct side *side, size_t *ret_count)
{
	double sign = field->direction == RES_FIELD_HIGHER ? -1 : 1;
	double *logs = pl_alloc_array(side->count, sizeof(*logs));

	*ret_count = 0;
	for (size_t i = 0; i < side->count; i++) {
		auto_value value = { .state = RES_VALUE_NOT_RECORDED };
		res_field_value(fields, field, side->items[i], &value);
		if (value.state == RES_VALUE_PRESENT && value.kind == RES_VALUE_NUMBER &&
		    value.number > 0 && isfinite(value.number))
			logs[(*ret_count)++] = sign * log(value.number);
	}
	return logs;
}

static enum finding judge(const struct res_interval *interval, double effect)
{
	if (interval->high < 0)
		return BETTER;
	if (interval->low > 0)
		return WORSE;
	return interval->low > -effect && interval->high < effect ? EQUAL : NOT_PROVEN;
}

/* Supposes that mean and spread stay as they are. A mean near 0 is taken as 0, whose proof is equality. */
static double more_of(const struct res_evidence *evidence, double effect, double alpha)
{
	if (!(evidence->freedom > 0) || !isfinite(evidence->mean))
		return NAN;
	for (size_t more = 1; more <= MORE_MAX; more += 1 + more / 10) {
		double grown = (evidence->weight + (double)more / 2) / evidence->weight;
		struct res_evidence later = {
			.mean = fabs(evidence->mean) < effect / 2 ? 0 : evidence->mean,
			.sum_squares = evidence->sum_squares * grown,
			.weight = evidence->weight * grown,
			.freedom = evidence->freedom + 2 * (double)more,
		};
		struct res_interval interval = res_evidence_interval(&later, alpha, alpha);
		if (judge(&interval, effect) != NOT_PROVEN)
			return (double)more;
	}
	return NAN;
}

static struct proof prove(const struct res_fields *fields, const struct res_field *field,
			  const struct side *base, const struct side *candidate, double effect,
			  double alpha)
{
	struct proof proof = { .finding = NO_VALUE,
			       .evidence.mean = NAN,
			       .interval = { -INFINITY, INFINITY },
			       .more = NAN };
	size_t m, k;
	auto_free double *a = logs_of(fields, field, base, &m);
	auto_free double *b = logs_of(fields, field, candidate, &k);

	proof.n = m < k ? m : k;
	if (proof.n == 0)
		return proof;
	proof.evidence = res_evidence_of_groups(a, m, b, k);
	proof.finding = NOT_PROVEN;
	/* one run of a side would borrow the spread of the other */
	if (proof.n < 2)
		return proof;
	proof.interval = res_evidence_interval(&proof.evidence, alpha, alpha);
	proof.finding = judge(&proof.interval, effect);
	if (proof.finding == NOT_PROVEN)
		proof.more = more_of(&proof.evidence, effect, alpha);
	return proof;
}

static void add_change(const struct res_field *field, double worse, struct pl_buf *text)
{
	double ratio = exp(field->direction == RES_FIELD_HIGHER ? -worse : worse);

	pl_buf_addf(text, "%+.1f %%", PERCENT * (ratio - 1));
}

/* A disturbance of these runs may be the reason of a difference. */
static void add_untrusted(size_t count, struct pl_buf *text)
{
	if (count > 0)
		pl_buf_addf(text, "; %zu run%s not trusted", count, count == 1 ? " is" : "s are");
}

/* "better: -12.1 % (-15.0 % to -9.3 %), 6 runs" or "not proven: about 4 more runs of each side" */
static json_t *sentence_of(const struct res_field *field, const struct proof *proof,
			   const char *obstacle, size_t untrusted)
{
	auto_buf text = PL_BUF(SENTENCE_BYTES);
	bool is_rate = field->direction == RES_FIELD_HIGHER;

	if (proof->finding == NO_VALUE)
		return json_string("no value above 0 on one of the sides");
	if (obstacle != NULL)
		return json_sprintf("not proven: %s", obstacle);
	if (proof->finding == NOT_PROVEN) {
		if (proof->n < 2)
			pl_buf_addf(&text, "not proven: at least %d more run%s of each side",
				    proof->n == 1 ? 2 : 3, "s");
		else if (isfinite(proof->more))
			pl_buf_addf(&text, "not proven: about %.0f more run%s of each side",
				    proof->more, proof->more > 1 ? "s" : "");
		else
			pl_buf_addf(&text, "not proven: more than %d more runs of each side",
				    MORE_MAX);
		pl_buf_add_text(&text, "; so far ");
		add_change(field, proof->evidence.mean, &text);
		return json_string(pl_buf_text(&text));
	}
	pl_buf_addf(&text, "%s: ", finding_names[proof->finding]);
	add_change(field, proof->evidence.mean, &text);
	pl_buf_add_text(&text, " (");
	add_change(field, is_rate ? proof->interval.high : proof->interval.low, &text);
	pl_buf_add_text(&text, " to ");
	add_change(field, is_rate ? proof->interval.low : proof->interval.high, &text);
	pl_buf_addf(&text, "), %zu runs of each side", proof->n);
	add_untrusted(untrusted, &text);
	return json_string(pl_buf_text(&text));
}

/* A bound of the ratio; null while there is none. */
static json_t *bound_json(double log_ratio)
{
	return isfinite(log_ratio) ? pl_json_number(exp(log_ratio)) : json_null();
}

static json_t *proof_json(const struct res_field *field, const struct proof *proof,
			  const char *obstacle, size_t untrusted)
{
	double sign = field->direction == RES_FIELD_HIGHER ? -1 : 1;
	double one = sign * proof->interval.low, other = sign * proof->interval.high;
	enum finding finding = proof->finding;
	double more = proof->n == 0 ? NAN : proof->n == 1 ? 2 : proof->more;

	if (obstacle != NULL && finding > NOT_PROVEN)
		finding = NOT_PROVEN;
	return json_pack(
		"{s:o, s:o, s:o, s:I, s:s, s:b, s:o, s:o}", "ratio",
		bound_json(sign * proof->evidence.mean), "low",
		bound_json(one < other ? one : other), "high",
		bound_json(one < other ? other : one), "n", (json_int_t)proof->n, "finding",
		finding_names[finding], "proven", finding > NOT_PROVEN, "more_runs_count",
		finding == NOT_PROVEN && obstacle == NULL ? pl_json_count(more) : json_null(),
		"sentence", sentence_of(field, proof, obstacle, untrusted));
}

/* ---- the answer ------------------------------------------------------------------------------ */

struct brief {
	const struct res_fields *fields;
	const struct res_brief_options *options;
	struct res_compare_documents *documents;
	struct side sides[RES_COMPARE_SIDES_MAX];
	size_t count;
	/* why no run of the baseline and this side proves anything; NULL: it may. Owned */
	char *obstacles[RES_COMPARE_SIDES_MAX];
	size_t proven; /* findings */
	size_t tests;
	double most_more; /* the largest number of missing runs; infinite: above MORE_MAX */
};

/* ---- what no number of runs can prove ---------------------------------------------------------- */

/* Returns whether the sides of a caution's field record two different values, null among them. */
static bool differs(const json_t *field)
{
	const json_t *first = NULL;
	bool has_null = false;

	PL_JSON_EACH(side, json_object_get(field, "sides")) {
		has_null = has_null || pl_json_get_i64(side, "null") > 0;
		PL_JSON_EACH(item, json_object_get(side, "values")) {
			const json_t *value = json_object_get(item, "value");
			if (first != NULL && !json_equal(first, value))
				return true;
			first = value;
		}
	}
	return has_null && first != NULL;
}

/*
 * Returns the first field of the load that differs among the runs of two sides; NULL: none. Runs that do not record it
 * may have the same load. free()
 */
static char *load_difference(const struct brief *brief, size_t candidate)
{
	static const char *const kinds[] = { "dataset", "lengths", "load", "client" };
	struct res_compare_documents pair[] = { brief->documents[0], brief->documents[candidate] };
	const struct res_compare_options how = { .metrics = brief->options->metrics,
						 .metric_count = 1,
						 .effect = brief->options->effect };

	if (brief->sides[0].count == 0 || brief->sides[candidate].count == 0)
		return NULL;
	for (size_t i = 0; i < PL_ARRAY_SIZE(pair); i++) {
		const struct side *side = &brief->sides[i == 0 ? 0 : candidate];
		pair[i].items = side->items;
		pair[i].count = side->count;
	}
	auto_json json_t *comparison = res_compare_of_documents(brief->fields, pair,
								PL_ARRAY_SIZE(pair), &how);
	PL_JSON_EACH(caution, json_object_get(comparison, "cautions")) {
		const char *kind = pl_json_get_text(caution, "kind");
		bool is_load = PL_TEXT_IS_ONE_OF(kind, kinds);
		PL_JSON_EACH(field, json_object_get(caution, "fields")) {
			if (is_load && differs(field))
				return pl_strdup(pl_json_get_text(field, "field"));
		}
	}
	return NULL;
}

/* The reason why no run of the pair proves anything; NULL: none. free() */
static char *obstacle_of(const struct brief *brief, size_t candidate)
{
	const struct side *base = &brief->sides[0], *other = &brief->sides[candidate];
	size_t limited = base->client_limited + other->client_limited;
	size_t simulated = base->simulated + other->simulated;
	size_t count = base->count + other->count;
	auto_free char *load = load_difference(brief, candidate);

	for (size_t i = 0; i < other->count; i++) {
		if (has_id(base, other->items[i]))
			return pl_strdup("a run is on both sides");
	}
	if (limited > 0)
		return pl_asprintf("the load generator, not the server, limited %zu of %zu runs",
				   limited, count);
	if (simulated > 0 && simulated < count)
		return pl_asprintf("%zu of %zu runs are simulated", simulated, count);
	return load != NULL ? pl_asprintf("the load differs in '%s'", load) : NULL;
}

static json_t *side_json(const struct brief *brief, size_t at)
{
	const struct side *side = &brief->sides[at];
	const struct res_compare_documents *documents = &brief->documents[at];
	size_t not_completed = documents->count - side->count - side->copies;

	return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "name",
			 pl_json_text(documents->side.name), "n", (json_int_t)side->count,
			 "trusted", (json_int_t)side->trusted, "client_limited",
			 (json_int_t)side->client_limited, "not_completed",
			 (json_int_t)not_completed, "copies", (json_int_t)side->copies, "simulated",
			 (json_int_t)side->simulated);
}

static json_t *metric_json(struct brief *brief, const struct res_field *field)
{
	const struct res_brief_options *options = brief->options;
	double effect = log1p(options->effect);
	double tests = (double)options->metric_count * (double)(brief->count - 1);
	json_t *sides = json_array(), *against = json_array();

	for (size_t i = 0; i < brief->count; i++) {
		const struct side *side = &brief->sides[i];
		auto_sample sample = { 0 };
		struct res_interval interval;
		for (size_t k = 0; k < side->count; k++) {
			auto_value value = { .state = RES_VALUE_NOT_RECORDED };
			res_field_value(brief->fields, field, side->items[k], &value);
			res_sample_add(&sample, &value);
		}
		res_sample_settle(&sample);
		bool has = sample.count > 1 && res_sample_interval(&sample, &interval);
		json_array_append_new(
			sides, json_pack("{s:I, s:o, s:o, s:o}", "n", (json_int_t)sample.count,
					 "value", pl_json_number(res_sample_value(&sample)), "low",
					 pl_json_number(has ? interval.low : NAN), "high",
					 pl_json_number(has ? interval.high : NAN)));
	}
	for (size_t i = 1; i < brief->count; i++) {
		const char *obstacle = brief->obstacles[i];
		struct proof proof = prove(brief->fields, field, &brief->sides[0], &brief->sides[i],
					   effect, options->error / tests);
		if (proof.finding == NO_VALUE) {
			json_array_append_new(against, proof_json(field, &proof, NULL, 0));
			continue;
		}
		brief->tests++;
		brief->proven += proof.finding > NOT_PROVEN && obstacle == NULL;
		if (proof.finding == NOT_PROVEN && obstacle == NULL)
			brief->most_more = fmax(brief->most_more, proof.n < 2 ? 2
								  : isfinite(proof.more)
									  ? proof.more
									  : INFINITY);
		json_array_append_new(against, proof_json(field, &proof, obstacle,
							  untrusted_of(&brief->sides[0]) +
								  untrusted_of(&brief->sides[i])));
	}
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "field", field->id, "label",
			 field->label, "unit", field->unit, "direction",
			 field->direction == RES_FIELD_HIGHER ? "higher" : "lower", "sides", sides,
			 "against", against);
}

/* The cautions as sentences: "Load form: the load differs …". */
static json_t *cautions_of(const json_t *comparison)
{
	json_t *list = json_array();

	PL_JSON_EACH(caution, json_object_get(comparison, "cautions"))
		json_array_append_new(list,
				      json_sprintf("%s: %s", pl_json_get_text(caution, "title"),
						   pl_json_get_text(caution, "text")));
	return list;
}

static json_t *proof_of(const struct brief *brief)
{
	char more[SENTENCE_BYTES] = "";

	if (brief->tests == 0)
		return json_string("not proven: no metric has a value on both sides");
	if (brief->proven == brief->tests) {
		auto_buf text = PL_BUF(SENTENCE_BYTES);
		size_t untrusted = 0;
		for (size_t i = 0; i < brief->count; i++)
			untrusted += untrusted_of(&brief->sides[i]);
		pl_buf_addf(&text, "proven: %zu of %zu findings", brief->proven, brief->tests);
		add_untrusted(untrusted, &text);
		return json_string(pl_buf_text(&text));
	}
	if (isinf(brief->most_more))
		snprintf(more, sizeof(more), ": more than %d more runs of each side", MORE_MAX);
	else if (brief->most_more > 0)
		snprintf(more, sizeof(more), ": about %.0f more run%s of each side",
			 brief->most_more, brief->most_more > 1 ? "s" : "");
	return json_sprintf("not proven%s; %zu of %zu findings are proven", more, brief->proven,
			    brief->tests);
}

json_t *res_brief_compare(const struct res_fields *fields, struct res_compare_documents *sides,
			  size_t count, const struct res_brief_options *options)
{
	struct brief brief = {
		.fields = fields, .options = options, .documents = sides, .count = count
	};
	const struct res_compare_options how = { .metrics = options->metrics,
						 .metric_count = options->metric_count,
						 .effect = options->effect };
	auto_json json_t *comparison = res_compare_of_documents(fields, sides, count, &how);
	json_t *side_list = json_array(), *metrics = json_array();
	const char *verdict = "trusted";
	size_t n = SIZE_MAX;

	for (size_t i = 0; i < count; i++) {
		side_init(&brief.sides[i], &sides[i]);
		json_array_append_new(side_list, side_json(&brief, i));
		n = brief.sides[i].count < n ? brief.sides[i].count : n;
		const char *own = res_brief_verdict(brief.sides[i].items, brief.sides[i].count);
		if (own == NULL || verdict == NULL)
			verdict = NULL;
		else if (strcmp(verdict, "trusted") == 0 || strcmp(own, "client_limited") == 0)
			verdict = own;
	}
	for (size_t i = 1; i < count; i++)
		brief.obstacles[i] = obstacle_of(&brief, i);
	for (size_t i = 0; i < options->metric_count; i++)
		json_array_append_new(metrics, metric_json(&brief, &options->metrics[i]));
	json_t *answer = json_pack(
		"{s:s?, s:I, s:o, s:f, s:f, s:o, s:o, s:o}", "verdict", verdict, "n", (json_int_t)n,
		"sides", side_list, "effect", options->effect, "error", options->error, "cautions",
		cautions_of(comparison), "metrics", metrics, "proof", proof_of(&brief));
	for (size_t i = 0; i < count; i++) {
		free(brief.sides[i].items);
		free(brief.obstacles[i]);
	}
	return answer;
}
