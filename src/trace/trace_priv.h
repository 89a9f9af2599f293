/* Private to trace/. */
#pragma once

#include "base/buf.h"
#include "trace/trace.h"

#define TRACE_NAME_BYTES     500       /* of the text of a name; longer ones are cut */
#define TRACE_CATEGORY_BYTES 40        /* with the NUL */
#define TRACE_ITEM_MAX       (1 << 20) /* bytes of one event; longer ones are skipped */

/* ---- cut.c: the bytes -> values ---- */

enum trace_place {
	TRACE_AT_START,
	TRACE_BEFORE_KEY, /* of the object around the events */
	TRACE_IN_KEY,
	TRACE_AFTER_KEY,
	TRACE_BEFORE_VALUE,
	TRACE_IN_VALUE,
	TRACE_AFTER_VALUE,
	TRACE_BEFORE_EVENT,
	TRACE_IN_EVENT,
	TRACE_AFTER_EVENT,
	TRACE_AT_END,
};

struct trace_cut {
	enum trace_place place;
	bool is_bare;    /* an array without an object around it */
	bool has_events; /* the array of events was found */
	bool in_text;    /* within the current value */
	bool escaped;    /* the next byte of the text is escaped */
	bool too_long;   /* the current value is not in `item` */
	size_t depth;    /* of brackets within the current value */
	struct pl_buf key;
	struct pl_buf item;
	/* Called with each value. key NULL: an event. */
	void (*take)(struct trace_cut *cut, const char *key, const char *text, size_t len);
	void (*skip)(struct trace_cut *cut); /* called for an event that is too long */
};

void trace_cut_init(struct trace_cut *cut);
void trace_cut_done(struct trace_cut *cut);
int trace_cut_add(struct trace_cut *cut, const char *bytes, size_t len,
		  struct pl_err *err) PL_MUST_CHECK;

/* ---- event.c: one event ---- */

/* `name` is in the scratch buffer of its reader. */
struct trace_event {
	bool is_complete; /* "ph": "X" with a name, a begin and a duration */
	char category[TRACE_CATEGORY_BYTES];
	const char *name;
	size_t name_len;
	int64_t begin_ns;
	int64_t duration_ns;
	int64_t device; /* its process: the GPU's index for work of a GPU; -1: none */
};

/* Returns false if the text is not an event. */
bool trace_event_read(const char *text, size_t len, struct pl_buf *scratch,
		      struct trace_event *ret);
/* Converts a decimal number of microseconds, at least 0, to nanoseconds. Returns false for other texts. */
bool trace_ns_of_us(const char *text, size_t len, int64_t *ret);

/* ---- summary.c ---- */

enum trace_group { TRACE_KERNELS, TRACE_OPERATIONS, TRACE_GROUPS };

struct trace_name {
	char *text; /* NULL: a free place of the table */
	size_t len; /* before it was cut */
	uint64_t hash;
	enum trace_group group;
	int64_t count;
	int64_t total_ns;
	int64_t max_ns;
};

struct trace_busy {
	int64_t device;
	int64_t begin_ns;
	int64_t end_ns;
};

struct trace_longest {
	char *name;
	char category[TRACE_CATEGORY_BYTES];
	int64_t begin_ns;
	int64_t duration_ns;
};

struct trace_category {
	char name[TRACE_CATEGORY_BYTES];
	int64_t count;
	int64_t total_ns;
};

#define TRACE_CATEGORIES 64
#define TRACE_NAMES_ROOM 32768 /* places of the table; a power of 2 */

struct trace_reader {
	struct trace_cut cut;
	struct pl_buf scratch;
	int64_t events;   /* all values in the array of events */
	int64_t complete; /* of them, complete events */
	int64_t skipped;  /* of them, not an event, or too long */
	int64_t rank;     /* of distributedInfo; -1: none */
	bool has_span;
	int64_t begin_ns;
	int64_t end_ns;
	uint64_t seed;
	struct trace_name *names;
	size_t name_count;
	struct trace_name others[TRACE_GROUPS]; /* sums of names without a place; text is NULL */
	struct trace_name totals[TRACE_GROUPS];
	struct trace_category categories[TRACE_CATEGORIES];
	size_t category_count;
	struct trace_longest longest[TRACE_TOP]; /* the longest first */
	size_t longest_count;
	struct trace_busy *busy;
	size_t busy_count;
	size_t busy_room;
	bool busy_lost; /* more separate intervals than the limit */
};

/* Sorts the intervals by device and time, and joins those that touch. */
void trace_busy_join(struct trace_reader *reader);
