/* Parses a journal, from any bytes: ignores a torn last line, and everything from a damaged line on. */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "result/document.h"
#include "result/record.h"

enum run_journal_look {
	RUN_JOURNAL_EMPTY,         /* no content yet */
	RUN_JOURNAL_RUN,           /* contains a run */
	RUN_JOURNAL_OTHER_VERSION, /* a journal of an unsupported version */
	RUN_JOURNAL_FOREIGN,       /* not a journal */
};

struct run_journal_glance {
	char run_id[RES_RUN_ID_BYTES]; /* of RUN_JOURNAL_RUN */
	bool separate;   /* of RUN_JOURNAL_RUN: its files are not at its output (run/paths.h) */
	int64_t pid;     /* of RUN_JOURNAL_RUN: the writing process */
	int64_t version; /* of RUN_JOURNAL_OTHER_VERSION */
};

/* Reads only the first three lines. */
enum run_journal_look run_journal_look(const void *data, size_t len,
				       struct run_journal_glance *ret);

/* Times are CLOCK_MONOTONIC ns of the host that ran; RES_NO_TIME: none. */
struct run_journal_state {
	char run_id[RES_RUN_ID_BYTES];
	bool separate; /* its files are not at its output (run/paths.h) */
	int64_t pid;
	int64_t started_real_ns;
	int64_t started_ns;
	int64_t last_ns; /* the latest recorded time */
	enum res_stage stage;
	json_t *document; /* of the last stage */
	json_t *load;     /* how metrics are computed; NULL: nothing was planned */
	int64_t start_ns; /* start of sending */
	struct res_record
		*records; /* [count], in plan order, including unfinished ones, which are marked */
	size_t count;
	struct res_record **tries; /* [try_count] failed attempts that were retried, in order */
	size_t try_count;
	size_t over;         /* finished records */
	size_t cut_bytes;    /* ignored at the end */
	size_t damaged_line; /* line number of the damage; 0: none, or only a torn last line */
};

/* Returns -1 if it is empty, of another version, or not a journal. */
int run_journal_read(const void *data, size_t len, struct run_journal_state **ret,
		     struct pl_err *err) PL_MUST_CHECK;
void run_journal_state_free(struct run_journal_state *state);
PL_AUTO_DEFINE(struct run_journal_state, run_journal_state_free);
#define auto_journal_state PL_AUTO(run_journal_state_free)
