/*
 * A worker process: a copy of this process that runs a unit's experiments in sequence on one server, and reports each.
 * So servers that run in parallel share no process state, and a crash affects only one of them.
 *
 *	sweep                             worker (fork)                     its guard, server
 *	START in the journal  ────────>   slot, experiment, result written
 *	row into the journal  <────────   {"row": …}
 *	                      ────────>   (continue) send to the dashboard
 *	                      <────────   {"sent": KEY}
 *	                                  next experiment …                 server ended
 *	                      <────────   closes: finished
 *
 * - It is in a process group of its own: signals of the terminal reach it only through the sweep.
 * - It dies with the sweep (PR_SET_PDEATHSIG), and its guard then ends the server.
 * - It ends when its server has ended, even if runs of the unit remain: another server needs another worker.
 * - The sweep shows its standard error.
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
	const struct sweep_tasks *all; /* of the sweep */
	const struct sweep_task *tasks;
	size_t count;
	const char *log_path;
	struct run_live *live; /* shared */
};

struct sweep_worker {
	pid_t pid; /* 0: none */
	int socket;
	int log_fd; /* its standard error */
	struct pl_buf messages;
	struct pl_buf log;
};

/*
 * `close_fds`: descriptors of the sweep that the worker must not inherit. Signals are blocked, and stay so in the
 * worker.
 */
int sweep_worker_start(const struct sweep_work *work, const int *close_fds, size_t close_count,
		       struct sweep_worker *ret, struct pl_err *err) PL_MUST_CHECK;
/*
 * Reads available messages. Returns 1 and *ret, a message (new reference), after which there may be more; 0: no
 * complete message; -1: the worker has closed the socket. Never waits.
 */
int sweep_worker_receive(struct sweep_worker *worker, json_t **ret);
/* The same for lines of text; `show` gets each with its line end. */
void sweep_worker_show(struct sweep_worker *worker,
		       void (*show)(void *user, const char *text, size_t len), void *user);
/* Lets it continue after its row was written to the journal. */
void sweep_worker_go_on(struct sweep_worker *worker);
void sweep_worker_signal(const struct sweep_worker *worker, int number);
/* Waits for its end. Returns true if it ended by itself; else *ret_signal is the signal that killed it, or 0. */
bool sweep_worker_end(struct sweep_worker *worker, int *ret_signal);
