/*
 * JSON values as a schema compares them: numbers by what they are worth, objects without order.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Below, at or above 0, exactly, of whole numbers and others alike. */
int schema_value_compare(const json_t *a, const json_t *b);
bool schema_value_is_whole(const json_t *number);
/* Is the number that many times the other, which is above 0? As Python divides them. */
bool schema_value_is_multiple(const json_t *number, const json_t *of);
bool schema_value_same(const json_t *a, const json_t *b);
/*
 * Two equal items: true, and which. Work grows with the size of the array alone, however its items
 * were chosen but for one that makes their hashes equal; `work` says how much is allowed and goes
 * down to 0 there.
 */
bool schema_value_find_twice(const json_t *array, size_t *work, size_t *ret_first,
			     size_t *ret_second);
