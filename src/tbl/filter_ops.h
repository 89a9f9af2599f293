/*
 * The operators of filters (docs/reference/filters.md). query/filter.h defines their results for null and for
 * values that are not recorded.
 *
 * FILTER_OP(ID, name, about, value)
 *   about  EQUAL: any field; ORDER: fields with ordered values; WORD: fields with texts; STATE: any field, ignoring its value
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
