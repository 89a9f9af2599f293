/* Names that users give to what they save: unique, ignoring case. */
#pragma once

#include <stdbool.h>

struct query_needle;

/* `needle` is that of `name` (query_needle_new(name, true)), so that one serves for a list of others. */
bool store_name_is(const struct query_needle *needle, const char *name, const char *other);
