/*
 * What an option without a value holds, where its type has no natural "none": an int64_t (a
 * duration too). A double is NaN, a text, list or object NULL.
 */
#ifndef OPTION_NONE_H
#define OPTION_NONE_H

#include <stdint.h>

#define OPTION_NO_I64 INT64_MIN

#endif
