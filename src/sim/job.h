/*
 * A request that is being answered: its sequences in the engine, its events on their way out.
 */
#pragma once

#include "base/buf.h"
#include "sim/engine.h"
#include "sim/faults.h"
#include "sim/request.h"

#include <sys/queue.h>

struct sim_conn;
struct sim_event_id;
struct sim_server;

struct sim_choice {
	struct sim_job *job;
	struct sim_sequence *sequence; /* NULL: not running any more */
	uint64_t seed;
	uint32_t index;
	uint32_t prompt; /* which of the request's */
	uint32_t said;
	uint32_t sent; /* of these, in events */
	uint32_t text_bytes;
	enum sim_finish finish;
	char *head; /* an event's bytes before its text */
	size_t head_len;
};

/* An event that waits for its send(), for the log. */
struct sim_held_event {
	uint32_t choice;
	uint32_t tokens;
	uint32_t bytes;
};

struct sim_job {
	struct sim_server *server;
	struct sim_conn *conn; /* NULL: the client is gone */
	LIST_ENTRY(sim_job) link;
	struct sim_request request;
	struct sim_event_id *log_id;
	char id[40];
	int64_t created_s;
	struct sim_choice *choices;
	uint32_t choice_count;
	uint32_t open_choices;
	uint32_t stalled_choices; /* by a fault: told as running, and gone from the engine */
	uint32_t tokens;          /* said by all choices */
	uint32_t cached_tokens;   /* of the prompts, found in the prefix cache */
	uint32_t events;          /* of /v1/responses: numbered */
	bool begun;               /* a first token came */
	bool over;
	bool counted;         /* by the faults that count requests */
	enum sim_fault fault; /* to come, behind fault_at tokens */
	uint64_t fault_at;
	bool spoiled;       /* an event of it was no JSON */
	struct pl_buf held; /* --sim-merge-sends: events to be sent as one */
	struct sim_held_event *held_events;
	uint32_t held_count;
};

void sim_job_completions(struct sim_conn *conn);
void sim_job_chat(struct sim_conn *conn);
void sim_job_responses(struct sim_conn *conn);
void sim_job_token(struct sim_choice *choice, const struct sim_output *output);
/* The client is gone or the server stops. */
void sim_job_abort(struct sim_job *job);
/* Takes the job's sequences from the engine. */
void sim_job_leave_engine(struct sim_job *job);
/* The job is answered or given up; returns its connection, free for the next request. */
struct sim_conn *sim_job_close(struct sim_job *job, const char *status);
/* Its memory; it must be over, or the server ending. */
void sim_job_free(struct sim_job *job);
