/* Splits groups by one field after the other: rows of one group with the same cell stay together. */
#include "query/groups/group_priv.h"

#include <stdlib.h>
#include <string.h>

#include "query/groups/cells_priv.h"
#include "query/order.h"

#define HASH_MULTIPLIER 0x9e3779b97f4a7c15u
#define CLASS_SHIFT     56

void query_groups_done(struct groups *groups)
{
	free(groups->of_row);
	free(groups->row);
	free(groups->rows);
	*groups = (struct groups){ 0 };
}

/* ---- splitting ----------------------------------------------------------------------------------- */

/* A slot of a hash table: free if group is 0; else group is the new group + 1. */
struct slot {
	uint32_t before;
	uint32_t group;
	unsigned char class;
	uint64_t value;
};

struct table {
	struct slot *slots;
	unsigned bits;
	uint32_t count; /* number of new groups */
};

static uint64_t value_of(const struct cell *cell)
{
	uint64_t bits;

	if (cell->class != MIRROR_NUMBER)
		return cell->class > MIRROR_NUMBER ? cell->code : 0;
	memcpy(&bits, &cell->number, sizeof(bits));
	return bits;
}

/* Returns the new group of a row that was in `before`. */
static uint32_t split(struct table *table, uint32_t before, const struct cell *cell)
{
	uint64_t value = value_of(cell), mask = (1ull << table->bits) - 1;
	uint64_t key = (value ^ ((uint64_t)cell->class << CLASS_SHIFT)) * HASH_MULTIPLIER ^ before;

	for (uint64_t at = key * HASH_MULTIPLIER >> (64 - table->bits);; at++) {
		struct slot *slot = &table->slots[at & mask];
		if (slot->group == 0)
			*slot = (struct slot){ before, ++table->count, cell->class, value };
		if (slot->before == before && slot->class == cell->class && slot->value == value)
			return slot->group - 1;
	}
}

static uint32_t split_all(const struct mirror_view *view, const struct mirror_column *column,
			  const uint64_t *rows, struct cell *cells, struct groups *groups)
{
	struct table table = { .bits = 4 };

	while ((1ull << table.bits) < groups->row_count * 2)
		table.bits++;
	table.slots = pl_alloc_array(1ull << table.bits, sizeof(*table.slots));
	query_cells_read(view, column, rows, cells);
	for (size_t i = 0; i < groups->row_count; i++)
		groups->of_row[i] = split(&table, groups->of_row[i], &cells[i]);
	free(table.slots);
	return table.count;
}

/* ---- sorting ------------------------------------------------------------------------------------- */

struct ordering {
	const struct mirror_column *const *columns;
	size_t column_count;
	const size_t *row; /* by group */
};

/* Missing values come last, null before not recorded. */
static int compare_cells(const struct mirror_column *column, size_t one, size_t other)
{
	struct mirror_value a = mirror_column_at(column, one), b = mirror_column_at(column, other);
	bool is_a = a.class > MIRROR_NULL, is_b = b.class > MIRROR_NULL;

	if (is_a != is_b)
		return is_a ? -1 : 1;
	if (!is_a)
		return (int)b.class - (int)a.class;
	return query_order_values(query_order_words(column->field->id), &a, &b);
}

static int compare_groups(const void *a, const void *b, void *context)
{
	const struct ordering *ordering = context;
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

	for (size_t i = 0; i < ordering->column_count; i++) {
		int difference = compare_cells(ordering->columns[i], ordering->row[one],
					       ordering->row[other]);
		if (difference != 0)
			return difference;
	}
	return (one > other) - (one < other);
}

/* Determines one row of each group, and the number of its rows. */
static void count_rows(const uint64_t *rows, size_t words, struct groups *groups, uint32_t count)
{
	size_t at = 0;

	groups->row = pl_alloc_array(count, sizeof(*groups->row));
	groups->rows = pl_alloc_array(count, sizeof(*groups->rows));
	for (size_t word = 0; word < words; word++) {
		for (uint64_t bits = rows[word]; bits != 0; bits &= bits - 1) {
			uint32_t group = groups->of_row[at++];
			if (groups->rows[group]++ == 0)
				groups->row[group] = word * MIRROR_WORD_ROWS +
						     (size_t)__builtin_ctzll(bits);
		}
	}
}

static void put_in_order(const struct ordering *ordering, size_t limit, struct groups *groups,
			 uint32_t count)
{
	auto_free uint32_t *order = pl_alloc_array(count, sizeof(*order));
	auto_free uint32_t *position = pl_alloc_array(count, sizeof(*position));
	size_t *row = pl_alloc_array(count, sizeof(*row));
	size_t *rows = pl_alloc_array(count, sizeof(*rows));

	groups->count = count < limit ? count : limit;
	groups->more = count - groups->count;
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), compare_groups, (void *)ordering);
	for (uint32_t i = 0; i < count; i++) {
		position[order[i]] = i < groups->count ? i : (uint32_t)groups->count;
		row[i] = groups->row[order[i]];
		rows[i] = groups->rows[order[i]];
	}
	for (size_t i = 0; i < groups->row_count; i++)
		groups->of_row[i] = position[groups->of_row[i]];
	free(groups->row);
	free(groups->rows);
	groups->row = row;
	groups->rows = rows;
}

void query_groups_of(const struct mirror_view *view, const struct mirror_column *const *columns,
		     size_t column_count, const uint64_t *rows, size_t limit, struct groups *ret)
{
	size_t words = mirror_view_words(view);
	uint32_t count = 1;

	*ret = (struct groups){ .row_count = mirror_kernels()->count(rows, words) };
	ret->of_row = pl_alloc_array(ret->row_count, sizeof(*ret->of_row));
	auto_free struct cell *cells = pl_alloc_array(ret->row_count, sizeof(*cells));
	for (size_t i = 0; i < column_count; i++)
		count = split_all(view, columns[i], rows, cells, ret);
	count_rows(rows, words, ret, count);
	put_in_order(&(struct ordering){ columns, column_count, ret->row }, limit, ret, count);
}
