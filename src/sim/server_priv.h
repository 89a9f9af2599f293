/*
 * What the server's files share.
 *
 *   bytes -> conn.c -> routes.c -> job.c -> engine
 *   engine -> server.c (steps) -> job.c -> events.c (bytes) -> conn.c -> send()
 *
 * Lifetime: a connection or job that ends inside a callback is only marked; sim_server_reap(),
 * called last in every callback of the loop, frees it. So pointers stay good all through a
 * callback.
 */
#ifndef SIM_SERVER_PRIV_H
#define SIM_SERVER_PRIV_H

#include "base/buf.h"
#include "io/http.h"
#include "io/loop.h"
#include "sim/engine.h"
#include "sim/event_log.h"
#include "sim/faults.h"
#include "sim/metrics.h"
#include "sim/options.h"
#include "sim/request.h"

#include <stdio.h>

#define SIM_BODY_BYTES_MAX (64u << 20)
#define SIM_SERVER_NAME    "profllm-sim"
#define SIM_FINGERPRINT    "profllm-sim-" PROFLLM_VERSION

struct sim_server;
struct sim_job;

struct sim_conn {
	struct sim_server *server;
	struct sim_conn *before;
	struct sim_conn *after;
	struct io_watch watch;
	struct io_http *http;
	struct io_tls *tls; /* NULL: plain http */
	struct pl_buf body;
	struct pl_buf out;   /* could not be sent yet */
	struct pl_buf later; /* arrived behind a request that is still being answered */
	struct pl_buf raw;   /* the request's bytes, kept for --sim-capture */
	char peer[80];
	int64_t arrival_ns; /* of the last byte read, by the kernel */
	/* the request being read or answered: */
	char *method;
	char *target;        /* without the query */
	char *query;         /* or NULL */
	char *request_id;    /* x-request-id or NULL */
	char *authorization; /* or NULL */
	int64_t answered;    /* requests, by this connection */
	size_t route;        /* sim_route_count(): none */
	bool keep_alive;
	bool too_large;
	bool whole; /* read to its end, not answered yet */
	bool halve; /* half of the answer's body is sent, then the connection ends */
	struct sim_job *job;
	bool closing; /* when all is sent */
	bool dead;
};

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
struct sim_held {
	uint32_t choice;
	uint32_t tokens;
	uint32_t bytes;
};

struct sim_job {
	struct sim_server *server;
	struct sim_conn *conn; /* NULL: the client is gone */
	struct sim_job *before;
	struct sim_job *after;
	struct sim_request request;
	struct sim_event_id *log_id;
	char id[40];
	int64_t created_s;
	struct sim_choice *choices;
	uint32_t choice_count;
	uint32_t open_choices;
	uint32_t tokens;        /* said by all choices */
	uint32_t cached_tokens; /* of the prompts, found in the prefix cache */
	uint32_t events;        /* of /v1/responses: numbered */
	bool begun;             /* a first token came */
	bool over;
	bool counted;         /* by the faults that count requests */
	enum sim_fault fault; /* to come, behind fault_at tokens */
	uint64_t fault_at;
	bool spoiled;       /* an event of it was no JSON */
	struct pl_buf held; /* --sim-merge-sends: events to be sent as one */
	struct sim_held *helds;
	uint32_t held_count;
};

struct sim_server {
	const struct sim_options *options;
	struct io_loop *loop;
	struct sim_engine *engine;
	struct sim_engine_config engine_config;
	struct sim_limits limits;
	struct sim_event_log *log;
	FILE *capture;
	struct sim_metrics metrics;
	struct io_watch listener;
	struct io_watch signals;
	struct io_timer step_timer;
	int64_t step_due_ns; /* by the clock of steps, even when the timer is set later */
	struct io_timer stats_timer;
	struct sim_conn *conns;
	struct sim_job *jobs;
	int64_t clock_offset_ns; /* realtime - monotonic */
	int64_t clock_offset_at_ns;
	int64_t started_s;
	struct sim_engine_stats last_stats;
	int64_t last_stats_ns;
	bool was_idle;
	bool any_dead;
	int64_t listening_ns; /* since when */
	int exit_status;
	int sleep_level; /* 0: awake; no step begins while it sleeps */
	uint64_t scrapes;
	struct sim_engine_stats scrape_zero; /* what the counters of /metrics begin at */
	struct sim_fault_count faults;
	uint64_t completed;    /* of the requests that faults count */
	bool odd_events;       /* events are not sent as they are made */
	bool faulty;           /* the engine died or stands still */
	struct pl_buf scratch; /* events and answers are built here */
	char *input;           /* reads go here */
	char *plain;           /* what a read was before TLS; NULL: none is spoken */
	struct io_tls_server *tls;
	char date[40];
	int64_t date_s;
};

/* conn.c */
io_watch_fn sim_conn_on_listener;
void sim_conn_free(struct sim_conn *conn);
/* Closed with a reset, if `reset`; the job on it is aborted. */
void sim_conn_drop(struct sim_conn *conn, bool reset);
/* Sends or keeps for later; false: the connection is dead. */
bool sim_conn_send(struct sim_conn *conn, const char *data, size_t len);
/* A whole answer; type NULL: none. Ends the request. */
void sim_conn_answer(struct sim_conn *conn, int status, const char *type, const char *body,
		     size_t len);
/* The head of a stream. */
void sim_conn_begin_stream(struct sim_conn *conn);
/* The request has been answered: its parts are forgotten. */
void sim_conn_end_request(struct sim_conn *conn);
/* Reads what came behind a request that has been answered. */
void sim_conn_resume(struct sim_conn *conn);

/* routes.c */
void sim_route(struct sim_conn *conn);
void sim_answer_refusal(struct sim_conn *conn, const struct sim_refusal *refusal);
/* The body as JSON; false: answered with an error. */
bool sim_body_json(struct sim_conn *conn, json_t **ret);
void sim_answer_text(struct sim_conn *conn, int status, const char *json);
void sim_answer_json(struct sim_conn *conn, int status, const struct pl_buf *body);
size_t sim_route_count(void);
const char *sim_route_path(size_t i);
const char *sim_route_method(size_t i);

/* tools.c */
void sim_tokenize(struct sim_conn *conn);
void sim_detokenize(struct sim_conn *conn);
void sim_tokenizer_info(struct sim_conn *conn);

/* admin.c */
void sim_list_models(struct sim_conn *conn);
void sim_show_server_info(struct sim_conn *conn);
void sim_sleep(struct sim_conn *conn);
void sim_wake_up(struct sim_conn *conn);
void sim_is_sleeping(struct sim_conn *conn);
void sim_start_profile(struct sim_conn *conn);
void sim_stop_profile(struct sim_conn *conn);

/* job.c */
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

/* faulty.c */
/* A fault that refuses the request before it begins, answered; false: none. */
bool sim_fault_refuse(struct sim_conn *conn, const struct sim_request *request,
		      enum sim_fault fault);
/* Is it time? The fault takes the place of what would be sent now; true: the job goes no
 * further. */
bool sim_fault_strikes(struct sim_job *job);
/* Sends an event in the form that was asked for; false: the client is gone. */
#define SIM_NO_TOKEN UINT32_MAX /* for `tokens`: not an event of the log */
bool sim_send_event(struct sim_job *job, const char *bytes, size_t len, uint32_t choice,
		    uint32_t tokens);
bool sim_send_held(struct sim_job *job);
/* Asked behind every counted answer and before every step; true: it does no step more. */
bool sim_engine_fails(struct sim_server *server);
/* Would it? */
bool sim_engine_is_due(const struct sim_server *server);
void sim_job_free(struct sim_job *job);

/* events.c: each puts one chunk, frame included, into the scratch; returns its first byte. */
const char *sim_event_role(struct sim_choice *choice, size_t *ret_len);
/* The tokens said and not sent. */
const char *sim_event_tokens(struct sim_choice *choice, size_t *ret_len);
/* Usage, [DONE] and the last chunk. */
const char *sim_event_end(struct sim_job *job, size_t *ret_len);
void sim_event_prepare(struct sim_choice *choice);
/* What a stream of /v1/responses begins with, before anything is computed. */
const char *sim_event_begin(struct sim_job *job, size_t *ret_len);
/* A choice's text so far, in quotes. */
void sim_event_add_text(struct pl_buf *out, const struct sim_choice *choice);
/* What usage says for so many tokens. */
uint32_t sim_event_claimed_tokens(const struct sim_job *job, uint32_t tokens);
/* Whole chunks, each written in another form; `text` is a message's data. */
void sim_event_reform(enum sim_event_form form, const char *chunks, size_t len, struct pl_buf *out);
/* An error object behind a stream's 200, and the stream's end. */
void sim_event_error(const struct sim_refusal *refusal, enum sim_api api, struct pl_buf *out);
/* The body of an answer that is not streamed. */
void sim_answer_write(const struct sim_job *job, struct pl_buf *out);

/* responses.c: the events of /v1/responses, without frames, and its answer */
void sim_responses_begin(struct sim_job *job, struct pl_buf *out);
void sim_responses_open(struct sim_job *job, struct pl_buf *out);
void sim_responses_delta_head(struct pl_buf *out);
void sim_responses_delta_end(struct sim_job *job, struct pl_buf *out);
void sim_responses_end(struct sim_job *job, struct pl_buf *out);
void sim_responses_answer(const struct sim_job *job, struct pl_buf *out);

/* server.c */
void sim_server_wake_engine(struct sim_server *server);
void sim_server_reap(struct sim_server *server);
int64_t sim_server_to_monotonic(struct sim_server *server, int64_t real_ns, int64_t now_ns);

/* scrape.c */
void sim_scrape(struct sim_server *server, struct pl_buf *out);

/* startup.c */
/* The phases of a start, over --sim-start-delay; 1: over, by a signal or with exit_status set. */
int sim_startup(struct sim_server *server);
/* Dies by this signal, without a core file. */
_Noreturn void sim_die_by(int64_t signal_number);

/* serve_log.c */
void sim_log_line(const char *level, const char *where, const char *format, ...) PL_PRINTF(3, 4);
void sim_log_routes(void);
void sim_log_access(const struct sim_conn *conn, int status);
void sim_log_stats(struct sim_server *server, int64_t now_ns);
void sim_log_stop(void);

#endif
