/* JSON values compared by the rules of schemas: numbers by value, objects without order. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Compares exactly, integers and others alike; below, at or above 0. */
int schema_value_compare(const json_t *a, const json_t *b);
bool schema_value_is_whole(const json_t *number);
/* Returns whether the number is a multiple of the other, which is above 0, by Python's division. */
bool schema_value_is_multiple(const json_t *number, const json_t *of);
bool schema_value_same(const json_t *a, const json_t *b);
/*
 * Returns whether two items are equal, and which. The work grows only with the size of the array,
 * except for items chosen to have equal hashes; `work` limits it and then reaches 0.
 */
bool schema_value_find_twice(const json_t *array, size_t *work, size_t *ret_first,
			     size_t *ret_second);
