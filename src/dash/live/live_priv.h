/* Runs and listeners, for the files of this directory. One lock protects all of it. */
#pragma once

#include "dash/live/live.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum live_state { LIVE_REPORTING, LIVE_SILENT, LIVE_ENDED };

/* One event as it is sent, shared by the listeners that send it. */
struct live_frame {
	unsigned users;
	int64_t made_ns;
	size_t len;
	char bytes[];
};

struct live_run {
	struct live_run *next;
	char *run_id;
	char *user;     /* who reports it; NULL: without access control */
	char *text;     /* the last snapshot, without its closing brace */
	json_t *listed; /* its members in the list that do not change between snapshots */
	int64_t sequence;
	int64_t received_ns;
	int64_t received_real_ns;
	bool has_ended;        /* by its last snapshot */
	bool is_dirty;         /* it changed since the last pass of the clock thread */
	enum live_state state; /* as of the last pass */
	int64_t ended_ns;      /* when it became ENDED */
	int64_t experiment_id; /* 0: not stored */
	bool was_looked_up;    /* in the stored results of the current version */
	struct dash_live_history *history;
	bool is_forgotten; /* not in the list of runs; its listeners still use it */
	unsigned listeners;

	/* grow with each snapshot, and with each change of state; a listener compares them with its own */
	uint64_t serial;
	uint64_t event_serial;
	struct live_frame *snapshot; /* NULL: made for the first listener that needs it */
	struct live_frame *event;
};

struct live_listener {
	struct dash_stream stream;
	struct dash_live *live;
	struct live_run *run; /* NULL: the list */
	char *user;           /* NULL: without access control */
	struct live_listener *next;
	struct live_listener **link;
	struct live_frame *frame; /* being sent, from `at` on; or NULL */
	size_t at;
	bool has_begun;
	bool is_paused;
	bool is_gone;
	bool is_beat_due;
	uint64_t serial;
	uint64_t event_serial;
	int64_t sent_ns; /* of the last event */
};

struct dash_live {
	struct dash_live_options options;
	pthread_t clock;
	pthread_t finder;
	pthread_mutex_t lock;
	pthread_cond_t wake;     /* of the clock thread */
	pthread_cond_t unstored; /* of the finder: a run does not report any more */
	bool is_ending;
	bool has_news; /* for the clock thread */
	struct live_run *runs;
	unsigned run_count;
	struct live_listener *listeners;
	unsigned listener_count;

	bool is_list_dirty; /* it changed since list_serial did */
	uint64_t list_serial;
	struct live_frame *list;
	int64_t list_ns; /* when list_serial changed */
	int64_t version; /* of the stored results */
};

struct live_frame *dash_live_frame_new(const char *event, const char *data, size_t len);
void dash_live_frame_release(struct live_frame *frame);
/* Frees a run that has no listener and is not in the list. */
void dash_live_run_release(struct live_run *run);
enum live_state dash_live_run_state(const struct dash_live *live, const struct live_run *run,
				    int64_t now_ns);
/* Append the list, and the last snapshot with the members that the server adds. */
void dash_live_list_write(const struct dash_live *live, int64_t now_ns, struct pl_buf *buf);
void dash_live_run_write(const struct dash_live *live, const struct live_run *run, int64_t now_ns,
			 struct pl_buf *buf);
/* Appends the data of the last event of a run; returns its name, or NULL if its state needs none. */
const char *dash_live_event_write(const struct dash_live *live, const struct live_run *run,
				  int64_t now_ns, struct pl_buf *buf);
/* Resumes the listeners for which there is something to send, and those whose client has left. */
void dash_live_wake_listeners(struct dash_live *live, int64_t now_ns);
