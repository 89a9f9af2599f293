/*
 * The struct member with an option's value, by its row's type and offset:
 *
 *   BOOL bool · TRI int (-1: unset, 0, 1) · INT, DURATION (ns) int64_t (OPTION_NO_I64: none) ·
 *   FLOAT double (NaN: none) · STRING char * (NULL: none) · JSON, LIST json_t * (NULL: none)
 */
#pragma once

#include "option/row.h"

#define OPTION_MEMBER_BOOL        bool
#define OPTION_MEMBER_TRI         int
#define OPTION_MEMBER_INT         int64_t
#define OPTION_MEMBER_DURATION    int64_t
#define OPTION_MEMBER_FLOAT       double
#define OPTION_MEMBER_STRING      char *
#define OPTION_MEMBER_JSON        json_t *
#define OPTION_MEMBER_LIST_STRING json_t *

/* Returns the row's default, for option_member_set(). New reference. */
json_t *option_member_default(const struct option_row *row);
/*
 * Sets it from a validated JSON value: durations as ns, infinities as "inf", null for none. The
 * member must hold a value, or zeros.
 */
void option_member_set(void *object, const struct option_row *row, const json_t *value);
/* Returns the value for display: durations "30s", infinities "inf". New reference. */
json_t *option_member_get(const void *object, const struct option_row *row);
void option_member_done(void *object, const struct option_row *row);
