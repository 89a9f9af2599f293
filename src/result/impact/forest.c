#include "result/impact/forest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"

enum {
	TREES = 60,
	LEVELS = 10, /* of a tree */
	ROWS_MAX = 2000,
	ROWS_LEAST = 12,
	LEAF_LEAST = 2,
	LEAVES = 400, /* and a leaf has at least this part of the rows */
	BINS = 64,    /* values of an input are put into so many bins */
	SEED = 39,
};

/* A node of the current tree. `left`: the bins whose rows go to the left. Children are after their parent; 0: a leaf. */
struct node {
	size_t input;
	uint64_t left;
	size_t children[2];
	double mean;
};

struct forest {
	const struct impact_forest_question *question;
	size_t rows;
	size_t leaf_least;
	unsigned char *bins; /* by input, then by row */
	double *y;
	struct pl_pcg64 rng;
	struct node nodes[1u << (LEVELS + 1)];
	size_t node_count;
	size_t *tried; /* all inputs; the first ones are tried */
	bool *is_used; /* by the tree */
};

static size_t draw(struct forest *forest, size_t below)
{
	return (size_t)((uint64_t)pl_pcg64_next32(&forest->rng) * below >> 32);
}

/* ---- one split ----------------------------------------------------------------------------------- */

struct bin {
	unsigned char bin;
	size_t count;
	double sum;
};

static int compare_bins(const void *a, const void *b)
{
	const struct bin *one = a, *other = b;
	double x = one->sum / (double)one->count, y = other->sum / (double)other->count;

	if (x != y)
		return x < y ? -1 : 1;
	return one->bin < other->bin ? -1 : 1;
}

/* Returns by how much the sum of squares falls with the best split by this input; 0: it has none. */
static double try_input(const struct forest *forest, size_t input, const size_t *rows, size_t count,
			double total, uint64_t *ret_left)
{
	const unsigned char *bins = forest->bins + input * forest->rows;
	struct bin all[BINS], some[BINS];
	unsigned levels = forest->question->inputs[input].level_count;
	size_t found = 0, below = 0;
	double sum = 0, best = 0, before = total * total / (double)count;
	uint64_t left = 0;

	levels = levels < BINS ? levels : BINS;
	memset(all, 0, levels * sizeof(*all));
	for (size_t i = 0; i < count; i++) {
		struct bin *bin = &all[bins[rows[i]]];
		bin->count++;
		bin->sum += forest->y[rows[i]];
	}
	for (unsigned i = 0; i < levels; i++) {
		all[i].bin = (unsigned char)i;
		if (all[i].count > 0)
			some[found++] = all[i];
	}
	if (!forest->question->inputs[input].is_ordered)
		qsort(some, found, sizeof(*some), compare_bins);
	for (size_t i = 0; i + 1 < found; i++) {
		below += some[i].count;
		sum += some[i].sum;
		left |= UINT64_C(1) << some[i].bin;
		if (below < forest->leaf_least || count - below < forest->leaf_least)
			continue;
		double gain = sum * sum / (double)below +
			      (total - sum) * (total - sum) / (double)(count - below) - before;
		if (gain > best) {
			best = gain;
			*ret_left = left;
		}
	}
	return best;
}

/* ---- one tree ------------------------------------------------------------------------------------ */

static bool goes_left(const struct forest *forest, const struct node *node, size_t row)
{
	return node->left >> forest->bins[node->input * forest->rows + row] & 1;
}

static size_t grow(struct forest *forest, size_t *rows, size_t count, unsigned level)
{
	size_t at = forest->node_count++, inputs = forest->question->input_count;
	struct node *node = &forest->nodes[at];
	size_t tries = inputs / 3 + 1 < inputs ? inputs / 3 + 1 : inputs;
	double total = 0, best = 1e-12;
	bool is_split = false;

	for (size_t i = 0; i < count; i++)
		total += forest->y[rows[i]];
	*node = (struct node){ .mean = total / (double)count };
	if (level == LEVELS || count < 2 * forest->leaf_least)
		return at;
	for (size_t i = 0; i < tries; i++) {
		size_t other = i + draw(forest, inputs - i), input = forest->tried[other];
		uint64_t left = 0;
		forest->tried[other] = forest->tried[i];
		forest->tried[i] = input;
		double gain = try_input(forest, input, rows, count, total, &left);
		if (gain > best) {
			best = gain;
			node->input = input;
			node->left = left;
			is_split = true;
		}
	}
	if (!is_split)
		return at;
	forest->is_used[node->input] = true;
	size_t from = 0;
	for (size_t i = 0; i < count; i++) {
		size_t row = rows[i];
		if (goes_left(forest, node, row)) {
			rows[i] = rows[from];
			rows[from++] = row;
		}
	}
	node->children[0] = grow(forest, rows, from, level + 1);
	node->children[1] = grow(forest, rows + from, count - from, level + 1);
	return at;
}

/* Predicts a row; `input` has the bin of `other` instead of its own. SIZE_MAX: none. */
static double predict(const struct forest *forest, size_t row, size_t input, size_t other)
{
	const struct node *node = &forest->nodes[0];

	while (node->children[0] != 0)
		node = &forest->nodes[node->children[!goes_left(
			forest, node, node->input == input ? other : row)]];
	return node->mean;
}

/* ---- all trees ----------------------------------------------------------------------------------- */

struct sums {
	double *growth; /* of the squared error, by input */
	double *predicted;
	size_t *times; /* by row: trees that have not seen it */
	size_t rows;   /* of all trees */
};

static void add_tree(struct forest *forest, struct sums *sums)
{
	size_t rows = forest->rows, inputs = forest->question->input_count, unseen = 0;
	auto_free size_t *drawn = pl_alloc_array(rows, sizeof(*drawn));
	auto_free bool *is_seen = pl_alloc_array(rows, sizeof(*is_seen));
	auto_free size_t *others = pl_alloc_array(rows, sizeof(*others));
	auto_free size_t *shuffled = pl_alloc_array(rows, sizeof(*shuffled));
	auto_free double *errors = pl_alloc_array(rows, sizeof(*errors));

	for (size_t i = 0; i < rows; i++) {
		drawn[i] = draw(forest, rows);
		is_seen[drawn[i]] = true;
	}
	forest->node_count = 0;
	memset(forest->is_used, 0, inputs * sizeof(*forest->is_used));
	grow(forest, drawn, rows, 0);
	for (size_t i = 0; i < rows; i++) {
		if (is_seen[i])
			continue;
		double found = predict(forest, i, SIZE_MAX, i);
		errors[unseen] = (found - forest->y[i]) * (found - forest->y[i]);
		sums->predicted[i] += found;
		sums->times[i]++;
		others[unseen++] = i;
	}
	for (size_t input = 0; input < inputs; input++) {
		if (!forest->is_used[input])
			continue;
		memcpy(shuffled, others, unseen * sizeof(*others));
		for (size_t i = unseen; i > 1; i--) {
			size_t k = draw(forest, i), item = shuffled[i - 1];
			shuffled[i - 1] = shuffled[k];
			shuffled[k] = item;
		}
		for (size_t i = 0; i < unseen; i++) {
			double error = predict(forest, others[i], input, shuffled[i]) -
				       forest->y[others[i]];
			sums->growth[input] += error * error - errors[i];
		}
	}
	sums->rows += unseen;
}

static void fill(struct forest *forest)
{
	const struct impact_forest_question *question = forest->question;

	for (size_t i = 0; i < forest->rows; i++)
		forest->y[i] = question->y[i * question->row_count / forest->rows];
	for (size_t k = 0; k < question->input_count; k++) {
		const struct impact_forest_input *input = &question->inputs[k];
		forest->tried[k] = k;
		for (size_t i = 0; i < forest->rows; i++) {
			uint64_t code = input->codes[i * question->row_count / forest->rows];
			if (input->level_count > BINS)
				code = code * BINS / input->level_count;
			forest->bins[k * forest->rows + i] = (unsigned char)code;
		}
	}
	pl_pcg64_seed(&forest->rng, SEED);
}

static double explain(const struct forest *forest, const struct sums *sums, double *ret_variance)
{
	double mean = 0, squares = 0, errors = 0;
	size_t count = 0;

	for (size_t i = 0; i < forest->rows; i++)
		mean += forest->y[i] / (double)forest->rows;
	for (size_t i = 0; i < forest->rows; i++) {
		squares += (forest->y[i] - mean) * (forest->y[i] - mean);
		if (sums->times[i] == 0)
			continue;
		double error = sums->predicted[i] / (double)sums->times[i] - forest->y[i];
		errors += error * error;
		count++;
	}
	*ret_variance = squares / (double)forest->rows;
	return count > 0 && squares > 0 ? 1 - errors / (double)count / *ret_variance : NAN;
}

double res_impact_forest_importances(const struct impact_forest_question *question, double *ret)
{
	size_t rows = question->row_count < ROWS_MAX ? question->row_count : ROWS_MAX,
	       inputs = question->input_count;
	double variance, explained = NAN;
	bool is_over = false;

	for (size_t i = 0; i < inputs; i++)
		ret[i] = NAN;
	if (rows < ROWS_LEAST || inputs == 0)
		return NAN;
	auto_free struct forest *forest = pl_alloc(sizeof(*forest));
	auto_free unsigned char *bins = pl_alloc_array(rows * inputs, 1);
	auto_free double *y = pl_alloc_array(rows, sizeof(*y));
	auto_free size_t *tried = pl_alloc_array(inputs, sizeof(*tried));
	auto_free bool *is_used = pl_alloc_array(inputs, sizeof(*is_used));
	auto_free double *growth = pl_alloc_array(inputs, sizeof(*growth));
	auto_free double *predicted = pl_alloc_array(rows, sizeof(*predicted));
	auto_free size_t *times = pl_alloc_array(rows, sizeof(*times));
	struct sums sums = { growth, predicted, times, 0 };
	forest->question = question;
	forest->rows = rows;
	forest->leaf_least = rows / LEAVES > LEAF_LEAST ? rows / LEAVES : LEAF_LEAST;
	forest->bins = bins;
	forest->y = y;
	forest->tried = tried;
	forest->is_used = is_used;
	fill(forest);
	for (unsigned i = 0; i < TREES && !is_over; i++) {
		add_tree(forest, &sums);
		is_over = question->goes_on != NULL && !question->goes_on(question->data);
	}
	if (is_over || sums.rows == 0)
		return NAN;
	explained = explain(forest, &sums, &variance);
	for (size_t i = 0; i < inputs && variance > 0; i++)
		ret[i] = fmax(0, growth[i] / (double)sums.rows / 2 / variance);
	return explained;
}
