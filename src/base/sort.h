/* Sorts many numbers by their bits, in time that grows with their number only. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns an integer in the order of the numbers: -0 is before 0, NaN is the largest, and no number has 0. */
uint64_t pl_sort_key(double number);
/* Returns the number of a key. Every NaN becomes the same NaN. */
double pl_sort_number(uint64_t key);

struct pl_sort_item {
	uint64_t key;
	size_t at; /* the caller's, such as an index */
};

/* Sorts by key, the lowest first. Items with the same key stay in their order. */
void pl_sort_items(struct pl_sort_item *items, size_t count);
