/*
 * What a filter can ask of one field (docs/reference/filters.md). What it says of null and of what is not
 * recorded: query/filter.h.
 *
 * FILTER_OP(ID, name, about, value)
 *   about  EQUAL of any field; ORDER and WORD of those whose values have that; STATE: of the cell, not its value
 *   value  NONE, ONE, LIST (one at least), PAIR ([low, high]), WORD (a text)
 */
FILTER_OP(EQ, eq, EQUAL, ONE)
FILTER_OP(NE, ne, EQUAL, ONE)
FILTER_OP(IN, in, EQUAL, LIST)
FILTER_OP(NOT_IN, not_in, EQUAL, LIST)
FILTER_OP(LT, lt, ORDER, ONE)
FILTER_OP(LE, le, ORDER, ONE)
FILTER_OP(GT, gt, ORDER, ONE)
FILTER_OP(GE, ge, ORDER, ONE)
FILTER_OP(BETWEEN, between, ORDER, PAIR)
FILTER_OP(CONTAINS, contains, WORD, WORD)
FILTER_OP(STARTS_WITH, starts_with, WORD, WORD)
FILTER_OP(IS_NULL, is_null, STATE, NONE)
FILTER_OP(NOT_NULL, not_null, STATE, NONE)
FILTER_OP(IS_RECORDED, is_recorded, STATE, NONE)
FILTER_OP(IS_EXPLICIT, is_explicit, STATE, NONE)
