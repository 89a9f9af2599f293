/*
 * The values of one column, each under a code. A code is never given anew and a value never moves, so
 * that those who know how many there were may read them while one writer adds more.
 *
 * - Code 0 is not recorded, code 1 null. Others come as they are first seen; a value that the user has
 *   set has a code beside that of the same value by default.
 * - Numbers have codes too, -0 that of 0, until there are many different ones: those that come then have
 *   one code together, and stand in an array of numbers (chunk.h). A number is never in both.
 */
#pragma once

#include "mirror/ranks.h"
#include "mirror/value.h"
#include "mirror/row.h"

#define DICTIONARY_MISSING     0
#define DICTIONARY_NULL        1
#define DICTIONARY_NUMBERS_MAX 1024 /* different ones that have codes */
#define DICTIONARY_BLOCK       16   /* values in the first block; each further one doubles all */
#define DICTIONARY_BLOCKS      29

struct dictionary {
	struct mirror_value *blocks[DICTIONARY_BLOCKS];
	uint32_t count;
	uint32_t *slots; /* a hash: code + 1; 0: free */
	size_t slot_count;
	uint32_t numbers;       /* different ones */
	bool refuses_numbers;   /* none of them has a code */
	uint32_t elsewhere[2];  /* codes of numbers in arrays: not set, set; 0: none yet */
	unsigned classes;       /* bit c: class c was there */
	bool has_times;         /* its field has */
	bool has_odd_times;     /* a text that is none was there */
	struct pl_arena *arena; /* of texts */
	size_t bytes;
	struct rank_keeper *ranks; /* readers' */
};

void mirror_dictionary_init(struct dictionary *values, enum res_field_type type);
/* No number gets a code of its own from now on: for one that has none yet. */
void mirror_dictionary_refuse_numbers(struct dictionary *values);
void mirror_dictionary_done(struct dictionary *values);

/* The code of what stands in the cell. */
uint32_t mirror_dictionary_code(struct dictionary *values, const struct mirror_cell *cell);
/* The same where it likely is this code: that of the row before. */
uint32_t mirror_dictionary_code_near(struct dictionary *values, const struct mirror_cell *cell,
				     uint32_t near);
/* The other way round: the text is the value's. */
struct mirror_cell mirror_dictionary_cell(const struct mirror_value *value);

static inline const struct mirror_value *dictionary_value(const struct dictionary *values,
							  uint32_t code)
{
	unsigned block = code < DICTIONARY_BLOCK ? 0 : 28 - (unsigned)__builtin_clz(code);

	return &values->blocks[block][block == 0 ? code : code - (8u << block)];
}
