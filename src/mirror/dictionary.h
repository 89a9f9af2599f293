/*
 * The distinct values of one column, each with a code. A code is never reused and a value never moves, so readers that
 * know the count may read the values while one writer adds more.
 * - Code 0 is "not recorded", code 1 null. The others are assigned in order of appearance. A value set by the user has
 *   another code than the same value by default.
 * - JSON values that are equal have one code: {"a":3.0} is {"a":3} (unify.h).
 * - Numbers have codes, too (-0 that of 0), up to a limit of distinct numbers. All later numbers share one code, and
 *   chunk.h stores them in an array. A number is never in both.
 */
#pragma once

#include "mirror/ranks.h"
#include "mirror/row.h"
#include "mirror/value.h"

#define DICTIONARY_MISSING     0
#define DICTIONARY_NULL        1
#define DICTIONARY_NUMBERS_MAX 1024 /* distinct numbers with codes */
#define DICTIONARY_BLOCK       16 /* values in the first block; each further block doubles the total */
#define DICTIONARY_BLOCKS      29

struct dictionary_slot {
	uint32_t next; /* code + 1; 0: free */
	uint32_t hash; /* of the value, so that most others need not be compared */
};

struct dictionary {
	struct mirror_value *blocks[DICTIONARY_BLOCKS];
	uint32_t count;
	struct dictionary_slot *slots; /* hash table */
	size_t slot_count;
	uint32_t numbers;     /* distinct numbers */
	bool refuses_numbers; /* new numbers get no code */
	uint32_t elsewhere
		[2]; /* shared codes of the numbers in arrays: not set, set by the user; 0: none yet */
	unsigned classes;       /* bit c: a value of class c occurred */
	bool has_times;         /* the field is a time */
	bool has_odd_times;     /* some text of a time field is not a time */
	struct pl_arena *arena; /* memory of texts */
	size_t bytes;
	struct rank_keeper *ranks; /* used by readers */
};

void mirror_dictionary_init(struct dictionary *values, enum res_field_type type);
/* From now on, new numbers get no code of their own. Call it before the first number has one. */
void mirror_dictionary_refuse_numbers(struct dictionary *values);
void mirror_dictionary_done(struct dictionary *values);

/*
 * Restores a dictionary that was saved: from an empty one, without even the first two values, by its values in order of
 * their codes. Copies the text. mirror_dictionary_restored() makes it usable; it returns false if a value occurs twice.
 */
void mirror_dictionary_init_empty(struct dictionary *values, enum res_field_type type);
void mirror_dictionary_restore(struct dictionary *values, const struct mirror_value *value);
bool mirror_dictionary_restored(struct dictionary *values);

/* Returns the code of the cell's value. */
uint32_t mirror_dictionary_code(struct dictionary *values, const struct mirror_cell *cell);
/* The same; `near` is a likely result, such as the code of the previous row. */
uint32_t mirror_dictionary_code_by_hint(struct dictionary *values, const struct mirror_cell *cell,
					uint32_t nearest);
/* Converts a value back to a cell, which borrows its text. */
struct mirror_cell mirror_dictionary_cell(const struct mirror_value *value);

static inline const struct mirror_value *dictionary_value(const struct dictionary *values,
							  uint32_t code)
{
	unsigned block = code < DICTIONARY_BLOCK ? 0 : 28 - (unsigned)__builtin_clz(code);

	return &values->blocks[block][block == 0 ? code : code - (8u << block)];
}
