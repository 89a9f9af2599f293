/*
 * Sends files to a dashboard as one upload, and waits until it has read them (api/openapi.yaml):
 *
 *	sha256 of each ── POST known ──> skip files whose results exist
 *	POST jobs ──> POST raw?job_id= for each other file ──> POST close ──> GET status, until it has finished
 *	then the artifacts of each existing result, as its document names them and as they are next to
 *	the file: only those that the dashboard lacks
 *
 * - Repeating the call sends the remaining files: received ones are recognized by their bytes.
 * - If the dashboard is unreachable or full, requests are retried at increasing intervals, for a limited time. After a
 *   broken connection, the dashboard is asked what it has received before anything is sent again.
 * - A received file belongs to the dashboard: it will be read even if no client waits.
 */
#pragma once

#include "base/clock.h"
#include "base/json.h"

struct io_reply;
struct run_target;

/* The maximum size of one body. */
#define UPLOAD_BYTES_MAX (64u << 20)
/* The default time to wait for an unreachable dashboard. */
#define UPLOAD_WAIT_NS (30 * PL_NS_PER_S)

struct upload_file {
	const char *path;
	const char *name; /* the name on the dashboard */
};

enum upload_state {
	UPLOAD_WAITING,  /* to be sent */
	UPLOAD_SENT,     /* on the dashboard's disk */
	UPLOAD_RECEIVED, /* received earlier, and its result exists: not sent */
	UPLOAD_SAME,     /* an earlier file has the same bytes: not sent */
	UPLOAD_FAILED,
};

/* The outcome of one file. */
struct upload_result {
	enum upload_state state;
	char sha256[65];
	size_t same_as;      /* SAME: index of that file */
	char *status_url;    /* of the upload that contains it; NULL: none */
	char *failure;       /* why there is no outcome: unreadable, not sent, or refused */
	bool is_unreachable; /* the failure concerns the connection: other files would fail, too */
	json_t *items;       /* its content: [{name, state, message, faults, deleted, …}] */
	/*
	 * The artifacts of its existing results: [{kind, name, run_id, bytes, state, message}], where state is stored,
	 * duplicate (the dashboard has it), missing or changed (locally; not sent), failed.
	 */
	json_t *artifacts;
};

struct upload {
	const struct run_target *target;
	const struct upload_file *files;
	size_t count;
	const char *name; /* of the upload; NULL: that of its first file */
	const char
		*on_conflict;  /* a name of STORE_CONFLICT_POLICY (tbl/store_words.h); NULL: skip */
	int64_t wait_ns;       /* how long to wait for an unreachable or full dashboard */
	int64_t wait_first_ns; /* the same before its first response */
	int64_t answer_first_ns; /* the time for that response; 0: as for the others */
	bool without_artifacts;  /* send only results */
	/* called after each step; or NULL */
	void (*on_progress)(const struct upload *upload);
	/* Called when the dashboard is unreachable, with the time to wait; or NULL. */
	void (*on_away)(const struct upload *upload, const char *why, int64_t wait_ns);

	struct upload_result *results; /* one per file */
	char *job_id;                  /* NULL: no upload was opened */
	json_t *job; /* Upload of api/openapi.yaml after its end, without its items; NULL: unknown */
	size_t sent; /* files that were sent or skipped, or failed */
	size_t over; /* files with a final outcome */
	size_t artifacts_sent;
	bool is_over;
	bool is_lost; /* the wait timed out: no more requests */
	bool is_reached;
	int64_t away_ns;   /* start time; 0: reachable */
	unsigned failures; /* consecutive failures */
};

/* Runs the complete upload. Failures are recorded per file. */
void upload_all(struct upload *upload);
/*
 * Returns the overall outcome after the end: NONE if every result exists with its artifacts; NETWORK takes precedence
 * over INVALID.
 */
enum pl_err_code upload_code(const struct upload *upload);
/* Returns a message about the first failure that determines upload_code(); NULL: none. free() */
char *upload_fault(const struct upload *upload);
/* Returns why the file at that index, or one of its artifacts, is not at the dashboard; NULL: all of it is. free() */
char *upload_file_fault(const struct upload *upload, size_t at);
/* Returns why an item is not a stored result; NULL: it is one. free() */
char *upload_item_fault(const json_t *item);
/* Returns the URL of the upload in the web UI; NULL: none. free() */
char *upload_page(const struct upload *upload);
void upload_done(struct upload *upload);
/* Returns the reason in an unsuccessful response: the detail of a problem, or its status. free() */
char *upload_words_of(const struct io_reply *reply);
