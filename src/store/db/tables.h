/* The tables of the store: those of its migration steps (store/migrate.c), and those that a driver adds. */
#pragma once

#include <stddef.h>

extern const char *const store_tables[]; /* NULL-ended */
