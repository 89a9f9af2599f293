/*
 * The server of a run: start, log, cause of its end, stop. A server that was already running is only known by its URL,
 * and is neither started nor ended.
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

/* Times are CLOCK_MONOTONIC ns, or RES_NO_TIME. */
struct run_server {
	const char *url;          /* of a server that is already running, borrowed; NULL: ours */
	const char *log_path;     /* borrowed */
	const char *called;       /* in messages, borrowed; NULL: "the server" */
	struct host_guard *guard; /* borrowed; NULL: we start no process */
	struct host_process *process;    /* NULL: not ours, or not started */
	struct host_container container; /* that it starts, borrowed from the launch plan */
	uint16_t port;                   /* assigned; 0: none */
	int64_t spawned_ns;              /* just before the start */
	int64_t running_ns;              /* the program was loaded */
	struct host_server_log *log;     /* NULL: we started none */
	int64_t oom_kills;               /* host_oom_kills() before the start */
	int64_t healthy_ns;
	int64_t ready_ns;
	int64_t stop_ns; /* duration of the stop */
	bool ready;
	bool died;     /* before it was asked to stop */
	bool killed;   /* it did not end within stop_timeout */
	bool stays_up; /* stays running after this run, for the next one */
	size_t left;   /* processes of the run that are still alive after that */
};

/* Resets it to the state before a start; url, log_path and guard stay. */
void run_server_reset(struct run_server *server);
/* Starts the server of `launch` under the guard, which holds the launch's locks from then on. */
int run_server_start(const struct run_context *run, struct run_launch *launch,
		     struct run_server *server);
/* Reads new lines of our server's log. */
void run_server_follow_log(struct run_server *server);
/* Reads the rest of the log, which is complete. */
void run_server_end_log(const struct run_server *server);
/* Marks it as ready: its end from here on ends a run, not a launch. */
void run_server_set_ready(struct run_server *server);

/* Waits at most wait_ns and returns whether our server has ended. */
bool run_server_ended(const struct run_server *server, int64_t wait_ns);
/* Waits ns, or until our server ends. */
void run_server_pause(const struct run_server *server, int64_t ns);
/* Ends the run: "the server ended: signal 9 (Killed)" with the cause from its log. */
int run_server_died(const struct run_context *run, struct run_server *server,
		    enum res_status status);

/* Stops the server and checks that no process remains. */
void run_server_stop(const struct run_context *run, struct run_server *server);
/* Ends all processes with the run's mark; returns how many could not be ended. */
size_t run_server_sweep(const struct run_context *run);
/* Frees what it owns, as reset does. */
void run_server_done(struct run_server *server);
