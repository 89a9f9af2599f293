/*
 * Sends files to a dashboard as one upload, and waits until it has read them (api/openapi.yaml):
 *
 *	sha256 of each ── POST known ──> what is there need not be sent
 *	POST jobs ──> POST raw?job_id= for each other file ──> POST close ──> GET status, until it is over
 *	then the artifacts of each result that is there, as its document names them and as they lie beside
 *	the file: only those that the dashboard lacks
 *
 * - The same call again takes the rest: what came is known by its bytes.
 * - A dashboard that is away, or has no room, is asked again, ever more rarely, for a bounded time. After a
 *   connection that broke it is asked what came before anything is sent again.
 * - What was accepted once is the dashboard's: it will be read even if nobody waits.
 */
#pragma once

#include "base/clock.h"
#include "base/json.h"

struct io_reply;
struct run_target;

/* The most that a dashboard takes in one body. */
#define UPLOAD_BYTES_MAX (64u << 20)
/* How long one is waited for that went away, where nobody says it. */
#define UPLOAD_WAIT_NS (30 * PL_NS_PER_S)

struct upload_file {
	const char *path;
	const char *name; /* what the dashboard shall call it */
};

enum upload_state {
	UPLOAD_WAITING, /* it is to be sent */
	UPLOAD_SENT,    /* the dashboard has it on its disk */
	UPLOAD_KNOWN,   /* it came before, and its result is there: not sent */
	UPLOAD_SAME,    /* another file in front of it has the same bytes: not sent */
	UPLOAD_FAILED,
};

/* What became of one file. */
struct upload_result {
	enum upload_state state;
	char sha256[65];
	size_t same_as;   /* SAME: as that file */
	char *status_url; /* of the upload that has it; NULL: none has */
	char *failure;    /* why there is no outcome: it cannot be read or sent, it was refused */
	bool is_unreachable; /* the failure is of the way there: others would fail alike */
	json_t *items;       /* what is in it: [{name, state, message, faults, deleted, …}] */
	/*
	 * Of those of its results that are there: [{kind, name, run_id, bytes, state, message}], where state is stored,
	 * duplicate (the dashboard has it), missing or changed (here; not sent), failed.
	 */
	json_t *artifacts;
};

struct upload {
	const struct run_target *target;
	const struct upload_file *files;
	size_t count;
	const char *name;        /* of the upload; NULL: its first file's */
	const char *on_conflict; /* a name of STORE_KNOWN (tbl/store_words.h); NULL: skip */
	int64_t wait_ns;         /* how long one that is away or has no room is waited for */
	int64_t wait_first_ns;   /* the same of one that has not answered yet */
	bool without_artifacts;  /* the results alone */
	/* after each step; NULL: nobody asks */
	void (*on_progress)(const struct upload *upload);
	/* It is away, and is waited for so long; NULL: nobody asks. */
	void (*on_away)(const struct upload *upload, const char *why, int64_t wait_ns);

	struct upload_result *results; /* one a file */
	char *job_id;                  /* NULL: none was opened */
	json_t *job; /* Upload of api/openapi.yaml when it is over, without its items; NULL: not known */
	size_t sent; /* files that were sent, need not be, or cannot be */
	size_t over; /* files of which all is known */
	size_t artifacts_sent;
	bool is_over;
	bool is_lost; /* it was waited for, and did not come back: nothing more is asked */
	bool is_reached;
	int64_t away_ns;   /* since when; 0: it is there */
	unsigned failures; /* since then */
};

/* All of it. Failures are told file by file. */
void upload_all(struct upload *upload);
/* Of all of it, once it is over: NONE where every result is there with its artifacts, NETWORK before INVALID. */
enum pl_err_code upload_code(const struct upload *upload);
/* The first of what upload_code() is about, in words; NULL: there is none. free() */
char *upload_fault(const struct upload *upload);
/* What an item of a result says beside its state: why it is not there; NULL: nothing, it is. free() */
char *upload_item_fault(const json_t *item);
/* Where a browser shows the upload; NULL: there is none. free() */
char *upload_page(const struct upload *upload);
void upload_done(struct upload *upload);
/* What an answer that is no success says of itself: the detail of a problem, or its status. free() */
char *upload_words_of(const struct io_reply *reply);
