/*
 * A server life in a process of its own: a copy of this one that runs a unit's experiments, one after
 * the other on one server, and tells of each. So lives that go on at once share nothing that belongs to
 * a process, and one that crashes takes no other along.
 *
 *	sweep                            worker (fork)                     its guard, server
 *	START in the journal  ────────>  slot, experiment, result stands
 *	row into the journal  <────────  {"row": …}
 *	                      ────────>  (go on)   send to the dashboard
 *	                      <────────  {"sent": KEY} 
 *	                                 next experiment …                 server ended
 *	                      <────────  closes: over
 *
 * - It is in a process group of its own: a signal of the terminal comes to it through the sweep alone.
 * - It dies with the sweep (PR_SET_PDEATHSIG), and its guard then ends the server.
 * - It ends where its server has ended, though runs of the unit are left: another life is another worker.
 * - What it says on standard error is the sweep's to show.
 */
#pragma once

#include "base/buf.h"
#include "run/live.h"
#include "sweep/tasks.h"

#include <sys/types.h>

struct sweep_work {
	const struct sweep_plan *plan;
	const struct sweep_settings *settings;
	const char *sweep_id;
	const struct sweep_task *tasks;
	size_t count;
	const char *log_path;
	struct run_live *live; /* shared */
};

struct sweep_worker {
	pid_t pid; /* 0: none */
	int socket;
	int said_fd; /* its standard error */
	struct pl_buf told;
	struct pl_buf said;
};

/* `close_fds`: of the sweep, which the worker must not hold. Signals are blocked, and stay so here. */
int sweep_worker_start(const struct sweep_work *work, const int *close_fds, size_t close_count,
		       struct sweep_worker *ret, struct pl_err *err) PL_MUST_CHECK;
/*
 * Reads what there is. 1: *ret is a message (new reference), there may be more; 0: none is whole yet; -1:
 * it has told its last. Never waits.
 */
int sweep_worker_hear(struct sweep_worker *worker, json_t **ret);
/* The same of lines for people, as they come; `show` gets each with its end. */
void sweep_worker_show(struct sweep_worker *worker,
		       void (*show)(void *user, const char *text, size_t len), void *user);
/* Its row is in the journal: it may go on. */
void sweep_worker_go_on(struct sweep_worker *worker);
void sweep_worker_signal(const struct sweep_worker *worker, int number);
/* Waits for its end. True: it ended by itself; else *ret_signal is what killed it, or 0. */
bool sweep_worker_end(struct sweep_worker *worker, int *ret_signal);
