#include "dash/exchange_priv.h"

#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "dash/access/access.h"
#include "dash/observe/counters.h"
#include "dash/problem.h"
#include "dash/request_log.h"
#include "dash/response_priv.h"

#define BODIES_BYTES_MAX ((size_t)512 << 20)
/* The limit for reading a refused body. A browser sends a complete form before it reads the response. */
#define FORGET_BYTES_MAX ((uint64_t)256 << 20)

static const enum dash_works work_of_lane[] = {
	[DASH_LANE_NOW] = DASH_WORKS_LONG, /* never queued */
	[DASH_LANE_READ] = DASH_WORKS_READS,    [DASH_LANE_WRITE] = DASH_WORKS_WRITES,
	[DASH_LANE_QUEUE] = DASH_WORKS_LONG,    [DASH_LANE_SHARED] = DASH_WORKS_LONG,
	[DASH_LANE_STREAM] = DASH_WORKS_WRITES, [DASH_LANE_ANALYSIS] = DASH_WORKS_ANALYSES,
};

static bool logs_requests(const struct dash_server *server)
{
	return server->verbose || pl_log_has(PL_LOG_DEBUG);
}

struct dash_exchange *dash_exchange_new(struct dash_server *server, struct dash_client *client,
					const char *text)
{
	struct dash_exchange *exchange = pl_alloc(sizeof(*exchange));

	client->exchange = exchange;
	atomic_fetch_add(&server->in_flight, 1);
	exchange->server = server;
	exchange->client = client;
	exchange->peer = client->peer;
	exchange->begun_ns = pl_clock_now_ns();
	exchange->text = pl_strdup(text);
	return exchange;
}

/* ---- responses ----------------------------------------------------------------------------- */

/* A paused stream has nothing to send, so its client is not slow. The library no longer looks at the connection. */
static void pause_stream(struct dash_stream *stream)
{
	dash_peer_set_state(stream->peer, DASH_PEER_WAITS);
	MHD_suspend_connection(stream->connection);
}

static void resume_stream(struct dash_stream *stream)
{
	dash_peer_set_state(stream->peer, DASH_PEER_TAKES);
	MHD_resume_connection(stream->connection);
}

static void prepare_stream(struct dash_stream *stream, struct dash_exchange *exchange,
			   struct MHD_Connection *connection)
{
	stream->sent = &exchange->sent;
	stream->peer = exchange->peer;
	stream->access = exchange->server->context->access;
	stream->user = (void *)pl_memdup(&exchange->match.user, sizeof(exchange->match.user));
	stream->pause = pause_stream;
	stream->resume = resume_stream;
	stream->connection = connection;
	stream->fd =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

static enum MHD_Result send_answer(struct dash_exchange *exchange,
				   struct MHD_Connection *connection)
{
	struct MHD_Response *response;
	enum MHD_Result result;

	exchange->answer.request_id = exchange->id;
	dash_problem_sign(&exchange->answer);
	exchange->status = exchange->answer.status;
	exchange->sent = exchange->answer.len;
	if (exchange->answer.stream != NULL)
		prepare_stream(exchange->answer.stream, exchange, connection);
	exchange->answer.is_strict = exchange->head.is_strict;
	exchange->answer.closes |= atomic_load(&exchange->server->is_stopping) ||
				   dash_monitor_is_draining(exchange->server->context->monitor);
	dash_peer_set_state(exchange->peer, DASH_PEER_TAKES);
	response = dash_response_new(&exchange->answer);
	if (response == NULL)
		return MHD_NO;
	result = MHD_queue_response(connection, (unsigned)exchange->status, response);
	MHD_destroy_response(response);
	return result;
}

/* ---- the header ---------------------------------------------------------------------------- */

/* Returns false if refused. */
static bool read_head(struct dash_exchange *exchange, struct MHD_Connection *connection)
{
	struct dash_answer *answer = &exchange->answer;

	if (atomic_load(&exchange->server->is_stopping)) {
		answer->retry_s = 1;
		dash_refuse(answer, 503, "the server is shutting down");
		return false;
	}
	if (exchange->client->is_foreign) {
		dash_refuse(answer, 403,
			    "this socket accepts only the user who started the server");
		return false;
	}
	const struct dash_head_options options = {
		.hosts = exchange->server->context->hosts,
		.proxies = exchange->server->context->proxies,
		.is_secure = exchange->server->certificate != NULL,
	};
	if (!dash_head_read(connection, &options, exchange->method, exchange->text,
			    &exchange->target, &exchange->head, answer))
		return false;
	if (exchange->head.is_forwarded)
		dash_head_client(&exchange->head, exchange->from);
	return dash_routes_begin(exchange->server->context, &exchange->head, &exchange->match,
				 answer);
}

static void drop_sink(struct dash_exchange *exchange)
{
	struct dash_sink *sink = pl_take(exchange->sink);

	if (sink != NULL)
		sink->free(sink);
}

static void forget_body(struct dash_exchange *exchange)
{
	drop_sink(exchange);
	atomic_fetch_sub(&exchange->server->body_bytes, exchange->body.len);
	pl_buf_done(&exchange->body);
	exchange->body = (struct pl_buf){ 0 };
}

static void refuse_size(struct dash_exchange *exchange)
{
	char size[PL_BYTES_TEXT_BYTES];

	exchange->is_refused = true;
	forget_body(exchange);
	if (exchange->match.bytes_max == 0)
		dash_refuse(&exchange->answer, 413, "found a body, expected none");
	else
		dash_refuse(&exchange->answer, 413,
			    "the body is larger than %s, the limit of this route",
			    pl_text_from_bytes(exchange->match.bytes_max, size));
}

/* Lets the handler receive the body, or refuse it. */
static void open_sink(struct dash_exchange *exchange)
{
	struct dash_answer *answer = &exchange->answer;

	exchange->is_requested = true;
	if (dash_routes_read(exchange->server->context, &exchange->head, &exchange->match, "", 0,
			     &exchange->call, answer))
		dash_routes_answer(&exchange->match, &exchange->call, answer);
	exchange->sink = pl_take(answer->sink);
	exchange->is_refused = exchange->sink == NULL;
}

/*
 * Sends a refusal at once and closes the connection if the client has not begun to send its body (it waits for "100
 * Continue"), or if the body is long or of unknown length; otherwise the refusal follows the body.
 */
static enum MHD_Result begin(struct dash_exchange *exchange, struct MHD_Connection *connection)
{
	uint64_t length = dash_head_body_length(connection);

	exchange->has_begun = true;
	exchange->answer.path = exchange->text;
	dash_head_request_id(connection, exchange->id);
	if (exchange->server->context->access != NULL || logs_requests(exchange->server))
		dash_head_address(connection, exchange->from);
	if (!read_head(exchange, connection))
		exchange->is_refused = true;
	else if (length != UINT64_MAX && length > exchange->match.bytes_max)
		refuse_size(exchange);
	else if (exchange->match.is_stream)
		open_sink(exchange);
	if (!exchange->is_refused) {
		pl_buf_init(&exchange->body, exchange->match.bytes_max + 1);
		return MHD_YES;
	}
	if (exchange->answer.closes || (length != UINT64_MAX && length > FORGET_BYTES_MAX) ||
	    dash_head_awaits(connection)) {
		exchange->answer.closes = true;
		return send_answer(exchange, connection);
	}
	return MHD_YES;
}

/* ---- the body ------------------------------------------------------------------------------ */

/* MHD_NO closes the connection: the library cannot respond during a body. */
static enum MHD_Result take(struct dash_exchange *exchange, const char *bytes, size_t len)
{
	struct dash_server *server = exchange->server;

	exchange->came += len;
	if (exchange->is_refused)
		return exchange->came <= FORGET_BYTES_MAX ? MHD_YES : MHD_NO;
	if (exchange->came > exchange->match.bytes_max) {
		refuse_size(exchange);
		return MHD_YES;
	}
	if (exchange->sink != NULL) {
		if (!exchange->sink->take(exchange->sink, bytes, len, &exchange->answer)) {
			exchange->is_refused = true;
			drop_sink(exchange);
		}
		return MHD_YES;
	}
	if (atomic_fetch_add(&server->body_bytes, len) + len > BODIES_BYTES_MAX) {
		atomic_fetch_sub(&server->body_bytes, len);
		exchange->is_refused = true;
		forget_body(exchange);
		exchange->answer.retry_s = 1;
		dash_refuse(&exchange->answer, 503, "too many uploads in progress; retry later");
		return MHD_YES;
	}
	pl_buf_add(&exchange->body, bytes, len);
	return MHD_YES;
}

/* ---- the response -------------------------------------------------------------------------- */

static struct dash_exchange *exchange_of(const struct dash_asker *asker)
{
	return PL_CONTAINER_OF(asker, struct dash_exchange, asker);
}

void dash_exchange_answer(struct dash_asker *asker, struct mirror_cancel_token *cancel_token)
{
	struct dash_exchange *exchange = exchange_of(asker);

	exchange->call.request.cancel_token = cancel_token;
	if (exchange->sink != NULL)
		exchange->sink->end(exchange->sink, &exchange->answer);
	else
		dash_routes_answer(&exchange->match, &exchange->call, &exchange->answer);
	drop_sink(exchange);
}

void dash_exchange_wake(struct dash_asker *asker)
{
	MHD_resume_connection(exchange_of(asker)->connection);
}

/*
 * Returns whether the client has closed the connection or its sending side; for a suspended connection, the library
 * treats both alike. Further received bytes, the next request, do not count.
 */
bool dash_exchange_is_gone(const struct dash_asker *asker)
{
	struct pollfd peer = { .fd = exchange_of(asker)->fd, .events = POLLRDHUP };

	return poll(&peer, 1, 0) > 0;
}

static void wait_for_slot(struct dash_exchange *exchange, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct dash_call *call = &exchange->call;
	struct dash_work *work = exchange->server->works[work_of_lane[call->lane]];

	exchange->connection = connection;
	exchange->fd = info->connect_fd;
	exchange->asker = (struct dash_asker){ .answer = &exchange->answer };
	/* suspend it before any thread can resume it */
	MHD_suspend_connection(connection);
	if (dash_work_add(work, call->version, call->question, &exchange->asker))
		return;
	exchange->answer.retry_s = 1;
	dash_refuse(&exchange->answer, 503, "too many requests in progress; retry later");
	MHD_resume_connection(connection);
}

/* Returns false if the response is pending; another thread may already own the exchange. */
static bool ask(struct dash_exchange *exchange, struct MHD_Connection *connection)
{
	struct dash_server *server = exchange->server;
	struct dash_call *call = &exchange->call;

	exchange->is_requested = true;
	dash_peer_set_state(exchange->peer, DASH_PEER_WAITS);
	if (!dash_routes_read(server->context, &exchange->head, &exchange->match,
			      pl_buf_text(&exchange->body), exchange->body.len, call,
			      &exchange->answer) ||
	    (call->question != NULL &&
	     dash_work_find(server->works[work_of_lane[call->lane]], call->version, call->question,
			    &exchange->answer)))
		return true;
	if (call->lane == DASH_LANE_NOW) {
		dash_routes_answer(&exchange->match, call, &exchange->answer);
		return true;
	}
	wait_for_slot(exchange, connection);
	return false;
}

/*
 * A client that sends its body slowly must not change anything after its token was revoked. An empty body may be slow, too:
 * a client can delay its last chunk.
 */
static void check_again(struct dash_exchange *exchange)
{
	if (exchange->is_refused || exchange->connection != NULL)
		return;
	exchange->is_refused = !dash_access_confirm(exchange->server->context->access,
						    &exchange->match.user, &exchange->answer);
}

static enum MHD_Result end(struct dash_exchange *exchange, struct MHD_Connection *connection)
{
	check_again(exchange);
	if (!exchange->is_refused && !exchange->is_requested && !ask(exchange, connection))
		return MHD_YES;
	if (!exchange->is_refused && exchange->sink != NULL && exchange->connection == NULL) {
		wait_for_slot(exchange, connection);
		return MHD_YES;
	}
	if (exchange->is_requested)
		dash_routes_end(&exchange->head, &exchange->match, &exchange->answer);
	forget_body(exchange);
	return send_answer(exchange, connection);
}

enum MHD_Result dash_exchange_go_on(struct dash_exchange *exchange,
				    struct MHD_Connection *connection, const char *method,
				    const char *bytes, size_t *len)
{
	size_t came = *len;

	if (!exchange->has_begun) {
		exchange->method = pl_strdup(method);
		return begin(exchange, connection);
	}
	*len = 0;
	return came > 0 ? take(exchange, bytes, came) : end(exchange, connection);
}

static void count_request(const struct dash_exchange *exchange)
{
	int64_t duration_ns = exchange->answer.is_unbuffered
				      ? -1
				      : pl_clock_now_ns() - exchange->begun_ns;

	dash_counters_request(exchange->server->context->counters,
			      dash_route_index(&exchange->match, exchange->status),
			      exchange->status, duration_ns, exchange->sent);
}

static void log_exchange(const struct dash_exchange *exchange)
{
	static const char *const ends[] = { [DASH_WORK_MADE] = ", which was complete",
					    [DASH_WORK_DROPPED] = ", which was not started",
					    [DASH_WORK_GIVEN_UP] = ", which was canceled" };
	const struct dash_request_record record = {
		.id = exchange->id,
		.method = exchange->method,
		.target = exchange->text,
		.from = exchange->from,
		.end = exchange->connection != NULL ? ends[exchange->asker.end] : "",
		.match = &exchange->match,
		.answer = &exchange->answer,
		.status = exchange->status,
		.sent = exchange->sent,
		.duration_ns = pl_clock_now_ns() - exchange->begun_ns,
		.is_requested = exchange->is_requested,
	};

	if (logs_requests(exchange->server))
		dash_log_request(&record);
	if (exchange->server->context->access != NULL)
		dash_log_audit(&record);
}

void dash_exchange_free(struct dash_exchange *exchange)
{
	struct dash_server *server = exchange->server;

	dash_peer_set_state(exchange->peer, DASH_PEER_SENDS);
	count_request(exchange);
	log_exchange(exchange);
	if (exchange->has_begun)
		forget_body(exchange);
	dash_answer_done(&exchange->answer);
	dash_call_done(&exchange->call);
	dash_match_done(&exchange->match);
	dash_target_done(&exchange->target);
	exchange->client->exchange = NULL;
	free(exchange->method);
	free(exchange->text);
	free(exchange);
	atomic_fetch_sub(&server->in_flight, 1);
}
