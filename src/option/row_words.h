/* Macros for rows of src/tbl/, for the files that build tables from them. */
#pragma once

#include "option/row.h"

#include <math.h>

#define INF           INFINITY
#define ARG_JSON(...) #__VA_ARGS__

#define MS   1e6 /* ns */
#define HOUR 3600e9
#define DAY  86400e9

#define NOTES(...) ((const struct option_note[]){ __VA_ARGS__, { NULL, OPTION_EQUAL, NULL } })
#define HINTS(...) ((const struct option_hint[]){ __VA_ARGS__, { NULL, NULL } })
