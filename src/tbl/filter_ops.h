/*
 * What a filter can ask of one field.
 *
 * FILTER_OP(ID, name, value, text)
 *   value  NONE, ONE, LIST (one at least), PAIR ([low, high]), WORD (a text)
 *   text   what it says of the rows that it means: "FIELD …"
 */
FILTER_OP(EQ,          eq,          ONE,  "is the value")
FILTER_OP(NE,          ne,          ONE,  "is another value")
FILTER_OP(IN,          in,          LIST, "is one of the values")
FILTER_OP(NOT_IN,      not_in,      LIST, "is a value that is none of them")
FILTER_OP(LT,          lt,          ONE,  "is below the value")
FILTER_OP(LE,          le,          ONE,  "is at most the value")
FILTER_OP(GT,          gt,          ONE,  "is above the value")
FILTER_OP(GE,          ge,          ONE,  "is at least the value")
FILTER_OP(BETWEEN,     between,     PAIR, "lies between the two, or is one of them")
FILTER_OP(CONTAINS,    contains,    WORD, "contains the text, without regard to case")
FILTER_OP(STARTS_WITH, starts_with, WORD, "starts with the text, without regard to case")
FILTER_OP(IS_NULL,     is_null,     NONE, "is null")
FILTER_OP(NOT_NULL,    not_null,    NONE, "has a value")
FILTER_OP(IS_RECORDED, is_recorded, NONE, "has a value or is null")
FILTER_OP(IS_EXPLICIT, is_explicit, NONE, "was set by the user")
