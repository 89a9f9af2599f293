/*
 * What a journal's lines say. Any bytes may come: a torn last line is cut off, and from a line on
 * that is damaged nothing is believed.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "result/record.h"
#include "result/document.h"

enum run_journal_look {
	RUN_JOURNAL_EMPTY,         /* nothing had begun */
	RUN_JOURNAL_RUN,           /* holds a run */
	RUN_JOURNAL_OTHER_VERSION, /* a journal that is not read here */
	RUN_JOURNAL_FOREIGN,       /* no journal */
};

struct run_journal_glance {
	char run_id[RES_RUN_ID_BYTES]; /* of RUN_JOURNAL_RUN */
	bool beside;                   /* of RUN_JOURNAL_RUN: where its files lie */
	int64_t pid;                   /* of RUN_JOURNAL_RUN: the process that wrote it */
	int64_t version;               /* of RUN_JOURNAL_OTHER_VERSION */
};

/* Looks at the first three lines only. */
enum run_journal_look run_journal_look(const void *data, size_t len,
				       struct run_journal_glance *ret);

/* Times are CLOCK_MONOTONIC ns of the host that ran, RES_NO_TIME where there is none. */
struct run_journal_state {
	char run_id[RES_RUN_ID_BYTES];
	bool beside; /* its files do not lie at its output (run/paths.h) */
	int64_t pid;
	int64_t started_real_ns;
	int64_t started_ns;
	int64_t last_ns; /* the last moment that it tells of */
	enum res_stage stage;
	json_t *document;           /* of the last stage */
	json_t *load;               /* how figures are made; NULL: nothing was planned */
	int64_t start_ns;           /* of sending */
	struct res_record *records; /* [count], plan order: those that were not over say so */
	size_t count;
	struct res_record **tries; /* [try_count] failed ones that another followed, in order */
	size_t try_count;
	size_t over;         /* records that were */
	size_t cut_bytes;    /* at the end, which were not believed */
	size_t damaged_line; /* the first of these is no torn one: its number in the file; else 0 */
};

/* -1: empty, of another version, or no journal. */
int run_journal_read(const void *data, size_t len, struct run_journal_state **ret,
		     struct pl_err *err) PL_MUST_CHECK;
void run_journal_state_free(struct run_journal_state *state);
PL_AUTO_DEFINE(struct run_journal_state, run_journal_state_free);
#define auto_journal_state PL_AUTO(run_journal_state_free)
