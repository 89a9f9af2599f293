/*
 * The server of a run: started, followed by its log, told why it ended, stopped. One that ran before
 * is only known by its URL: nothing of it is started or ended.
 */
#pragma once

#include "host/log/server_log.h"
#include "host/proc/guard.h"
#include "host/proc/process.h"
#include "result/document.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run_context;
struct run_launch;

/* Times are CLOCK_MONOTONIC ns, RES_NO_TIME where there is none. */
struct run_server {
	const char *url;              /* of one that runs already, borrowed; NULL: ours */
	const char *log_path;         /* borrowed */
	const char *called;           /* in messages, borrowed; NULL: "the server" */
	struct host_guard *guard;     /* borrowed; NULL: nothing of ours is started */
	struct host_process *process; /* NULL: not ours, or not started */
	uint16_t port;                /* that it was given; 0: none */
	int64_t spawned_ns;           /* just before the start */
	int64_t running_ns;           /* the program was loaded */
	struct host_server_log *log;  /* NULL: none of ours was started */
	int64_t oom_kills;            /* host_oom_kills() before the start */
	int64_t healthy_ns;
	int64_t ready_ns;
	int64_t stop_ns; /* what stopping took */
	bool ready;
	bool died;     /* before it was asked to stop */
	bool killed;   /* it did not end within stop_timeout */
	bool stays_up; /* behind this run: another one goes on with it */
	size_t left;   /* processes of the run alive after all that */
};

/* As before any start; url, log_path and guard stay. */
void run_server_reset(struct run_server *server);
/* Starts what `launch` says, under the guard, which holds the launch's locks from then on. */
int run_server_start(const struct run_context *run, struct run_launch *launch,
		     struct run_server *server);
/* Takes in what the log of ours has grown by. */
void run_server_follow_log(struct run_server *server);
/* All of the log was written: takes in the rest. */
void run_server_end_log(const struct run_server *server);
/* It answered as it should: what ends it from here on ends a run, not a launch. */
void run_server_set_ready(struct run_server *server);

/* Is a server of ours gone, after at most wait_ns? */
bool run_server_ended(const struct run_server *server, int64_t wait_ns);
/* Waits ns, no longer than a server of ours lives. */
void run_server_pause(const struct run_server *server, int64_t ns);
/* Ends the run: "the server ended: signal 9 (Killed)" with the cause that its log names. */
int run_server_died(const struct run_context *run, struct run_server *server,
		    enum res_status status);

/* Stops what was started and looks that nothing is left. */
void run_server_stop(const struct run_context *run, struct run_server *server);
/* Ends whatever carries the run's mark; how many processes could not be ended. */
size_t run_server_sweep(const struct run_context *run);
/* Frees what is its own; reset does so too. */
void run_server_done(struct run_server *server);
