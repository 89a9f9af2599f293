/* Columns of telemetry: shared by the reader and the bins. */
#pragma once

#include "series/series.h"

#include <stdatomic.h>

enum series_kind { LEVEL, RATE, COUNT, BITS, HELD };

/* A row of tbl/telemetry.h, or the requests in flight. The rows of a source are consecutive. */
struct series_quantity {
	const char *source;
	const char *name;
	const char *full_name; /* "source.name" */
	const char *unit;
	const char *text;
	enum series_kind kind;
};

extern const struct series_quantity series_quantities[];
extern const size_t series_quantity_count;

/* The samples of one source and id, in the order of their times. */
struct series_track {
	size_t first;  /* of series_quantities */
	size_t width;  /* number of quantities of the source */
	char *id;      /* "": none */
	uint64_t hash; /* of the id */
	int64_t *t_ns;
	double *values; /* [count][width]; NaN: none */
	size_t count;
	size_t t_room;
	size_t values_room;
	bool is_unordered; /* while it is read */
	double interval_s; /* median; NaN below two samples */
};

struct series {
	atomic_uint references;
	struct series_track *tracks;
	size_t track_count;
	size_t track_room;
	size_t lines;
	size_t skipped;
};

static inline bool series_is_shown(const struct series_quantity *quantity)
{
	return quantity->kind != COUNT && quantity->kind != BITS;
}
