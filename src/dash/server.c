/*
 *	on_target ──> on_request (head) ──> on_request (body, in pieces) … ──> on_request (end) ──> on_over
 *	 exchange       dash_routes_begin     kept, or read and forgotten,       dash_routes_read     freed
 *	                                      or a handler's own (dash_sink)     dash_routes_answer
 *
 * All calls for one exchange come from one thread of the library. For a slow response, on_request (end) suspends the
 * connection and queues the exchange (dash/work.h). A thread of the queue makes the response and resumes the
 * connection, and on_request (end) is called again. So only one thread at a time uses an exchange. It is in flight from
 * its request line to the last byte of its response; a stop waits for these.
 */
#include "dash/server.h"

#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "dash/access/access.h"
#include "dash/access/proxies.h"
#include "dash/access/tls.h"
#include "dash/head_priv.h"
#include "dash/live/live.h"
#include "dash/local.h"
#include "dash/observe/alive.h"
#include "dash/observe/counters.h"
#include "dash/observe/monitor.h"
#include "dash/peers.h"
#include "dash/problem.h"
#include "dash/request_log.h"
#include "dash/response_priv.h"
#include "dash/routes.h"
#include "dash/work.h"
#include "store/store.h"

#define THREADS         4
#define CACHE_BYTES     ((size_t)64 << 20)
#define ANALYSES_BYTES  ((size_t)16 << 20)
#define CONNECTIONS_MAX 256
/* The library accepts more, of which each thread has an equal part, so that dash/peers.h closes another for a new one. */
#define CONNECTIONS_EXTRA 256
#define IDLE_S            60
/*
 * Connections that wait to be accepted: the kernel's default limit. Beyond it, the kernel sends SYN cookies and resets
 * a client whose handshake it can no longer verify, although the client considers itself connected and has sent its
 * request.
 */
#define BACKLOG 4096
/*
 * For this long, the kernel keeps a connection that has sent nothing. So one that is accepted has sent bytes, and is not
 * replaced before its request is read, however slow its client is between connecting and sending.
 */
#define SILENT_S 3
/* Twice the size of a header: the library keeps the received and the parsed form, and reads bodies into this memory. */
#define CONNECTION_BYTES (4 * DASH_HEAD_BYTES_MAX)
#define BODIES_BYTES_MAX ((size_t)512 << 20)
/* The limit for reading a refused body. A browser sends a complete form before it reads the response. */
#define FORGET_BYTES_MAX ((uint64_t)256 << 20)
#define STOP_TICK_NS     (10 * PL_NS_PER_MS)
/* Time for the last responses, which report the shutdown. */
#define LAST_NS (PL_NS_PER_S / 2)

/* At least 1 KiB per second, or 20 KiB if many clients want to connect. */
static const struct dash_peers_options movement = {
	.room = CONNECTIONS_MAX,
	.bytes_min = 65536,
	.patience_ns = IDLE_S * PL_NS_PER_S,
	.crowded_ns = 3 * PL_NS_PER_S,
	.fresh_ns = PL_NS_PER_S / 10,
	.stalled_ns = PL_NS_PER_S + PL_NS_PER_S / 2,
	.tick_ns = PL_NS_PER_S,
};

/*
 * Separate queues, so that none delays another: slow responses, some of which are cached; short database queries;
 * changes, which wait for other writers; and analyses, which compute for many seconds at a low priority. Those of queries
 * and changes have room for every connection, and all their requests are executed: a change counts even if its client
 * disconnects before the response.
 */
enum work_kind { WORK_LONG, WORK_READS, WORK_WRITES, WORK_ANALYSES, WORK_COUNT };
_Static_assert((int)WORK_COUNT == (int)DASH_QUEUE_COUNT, "one element per queue");

static const struct {
	const char *name;
	unsigned threads;
	size_t room; /* number of queued responses */
	size_t cache_bytes;
	bool ends_with_client;
	int nice;
} work_kinds[WORK_COUNT] = {
	[WORK_LONG] = { "long", 4, 64, CACHE_BYTES, true, 0 },
	[WORK_READS] = { "reads", 2, CONNECTIONS_MAX, 0, false, 0 },
	[WORK_WRITES] = { "writes", 4, CONNECTIONS_MAX, 0, false, 0 },
	[WORK_ANALYSES] = { "analyses", 2, 64, ANALYSES_BYTES, true, 10 },
};

static const enum work_kind work_of_lane[] = {
	[DASH_LANE_NOW] = WORK_LONG, /* never queued */
	[DASH_LANE_READ] = WORK_READS,    [DASH_LANE_WRITE] = WORK_WRITES,
	[DASH_LANE_QUEUE] = WORK_LONG,    [DASH_LANE_SHARED] = WORK_LONG,
	[DASH_LANE_STREAM] = WORK_WRITES, [DASH_LANE_ANALYSIS] = WORK_ANALYSES,
};

struct dash_server {
	const struct dash_context *context;
	struct dash_certificate *certificate; /* NULL: no TLS */
	bool verbose;
	struct io_addr addr;
	struct dash_local local; /* for a Unix socket */
	bool is_local; /* set before the first connection; `local` belongs to the main thread */
	struct MHD_Daemon *daemon;
	struct dash_work *works[WORK_COUNT];
	struct dash_peers *peers;
	atomic_bool is_stopping;
	atomic_int in_flight;
	atomic_size_t body_bytes; /* of all exchanges */
	struct dash_alive alive;
	struct dash_observed observed;
};

/* One connection. */
struct client {
	struct dash_certificate *certificate; /* of the server */
	struct dash_tls_socket tls;
	struct dash_peer *peer;
	struct exchange *exchange; /* the current one, or NULL */
	bool is_foreign;           /* another user, on a Unix socket */
};

struct exchange {
	struct dash_server *server;
	struct client *client;
	struct dash_peer *peer;
	int64_t begun_ns;
	char *text; /* the target as received */
	char *method;
	struct dash_target target;
	struct dash_head head;
	struct dash_match match;
	struct pl_buf body;
	struct dash_sink *sink; /* receives the body instead */
	uint64_t came;          /* received bytes of the body */
	bool has_begun;
	bool is_refused;   /* the response is set; further bytes are discarded */
	bool is_requested; /* a handler was called */
	struct dash_answer answer;
	int status;
	size_t sent;
	char from[DASH_ADDRESS_BYTES]; /* address of the client, for the log */
	char id[DASH_REQUEST_ID_BYTES];

	/* while suspended */
	struct MHD_Connection *connection;
	int fd;
	struct dash_call call;
	struct dash_asker asker;
};

static bool logs_requests(const struct dash_server *server)
{
	return server->verbose || pl_log_has(PL_LOG_DEBUG);
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

static void prepare_stream(struct dash_stream *stream, struct exchange *exchange,
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

static enum MHD_Result send_answer(struct exchange *exchange, struct MHD_Connection *connection)
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
static bool read_head(struct exchange *exchange, struct MHD_Connection *connection)
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

static void drop_sink(struct exchange *exchange)
{
	struct dash_sink *sink = pl_take(exchange->sink);

	if (sink != NULL)
		sink->free(sink);
}

static void forget_body(struct exchange *exchange)
{
	drop_sink(exchange);
	atomic_fetch_sub(&exchange->server->body_bytes, exchange->body.len);
	pl_buf_done(&exchange->body);
	exchange->body = (struct pl_buf){ 0 };
}

static void refuse_size(struct exchange *exchange)
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
static void open_sink(struct exchange *exchange)
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
static enum MHD_Result begin(struct exchange *exchange, struct MHD_Connection *connection)
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
static enum MHD_Result take(struct exchange *exchange, const char *bytes, size_t len)
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

static struct exchange *exchange_of(const struct dash_asker *asker)
{
	return PL_CONTAINER_OF(asker, struct exchange, asker);
}

static void make_answer(struct dash_asker *asker, struct mirror_cancel_token *cancel_token)
{
	struct exchange *exchange = exchange_of(asker);

	exchange->call.request.cancel_token = cancel_token;
	if (exchange->sink != NULL)
		exchange->sink->end(exchange->sink, &exchange->answer);
	else
		dash_routes_answer(&exchange->match, &exchange->call, &exchange->answer);
	drop_sink(exchange);
}

/* Returns the connection, and with it the exchange, to the library. */
static void wake(struct dash_asker *asker)
{
	MHD_resume_connection(exchange_of(asker)->connection);
}

/*
 * Returns whether the client has closed the connection or its sending side; for a suspended connection, the library
 * treats both alike. Further received bytes, the next request, do not count.
 */
static bool is_gone(const struct dash_asker *asker)
{
	struct pollfd peer = { .fd = exchange_of(asker)->fd, .events = POLLRDHUP };

	return poll(&peer, 1, 0) > 0;
}

static void wait_for_slot(struct exchange *exchange, struct MHD_Connection *connection)
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
static bool ask(struct exchange *exchange, struct MHD_Connection *connection)
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
static void check_again(struct exchange *exchange)
{
	if (exchange->is_refused || exchange->connection != NULL)
		return;
	exchange->is_refused = !dash_access_confirm(exchange->server->context->access,
						    &exchange->match.user, &exchange->answer);
}

static enum MHD_Result end(struct exchange *exchange, struct MHD_Connection *connection)
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

static void count_request(const struct exchange *exchange)
{
	int64_t duration_ns = exchange->answer.is_unbuffered
				      ? -1
				      : pl_clock_now_ns() - exchange->begun_ns;

	dash_counters_request(exchange->server->context->counters,
			      dash_route_index(&exchange->match, exchange->status),
			      exchange->status, duration_ns, exchange->sent);
}

static void log_exchange(const struct exchange *exchange)
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

/* Frees the exchange. */
static void exchange_done(struct exchange *exchange)
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

/* ---- callbacks of the library -------------------------------------------------------------- */

static gnutls_session_t session_of(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION)->tls_session;
}

/*
 * If the library itself refuses a request after on_target(), for example because it has too little memory for its query
 * members or cookies, it does not report the end of the request. So the connection keeps the exchange, which ends with
 * the connection at the latest.
 */
static void on_connection(void *data, struct MHD_Connection *connection, void **at,
			  enum MHD_ConnectionNotificationCode what)
{
	struct dash_server *server = data;
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct client *client = *at;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		client = pl_alloc(sizeof(*client));
		client->peer = dash_peer_add(server->peers, info->connect_fd);
		client->certificate = server->certificate;
		if (server->certificate != NULL)
			dash_tls_attach(&client->tls, info->connect_fd, session_of(connection));
		client->is_foreign = server->is_local && !dash_local_is_ours(info->connect_fd);
		*at = client;
		return;
	}
	if (client->exchange != NULL)
		exchange_done(client->exchange);
	dash_peer_remove(client->peer);
	free(client);
}

/* Called by GnuTLS in a handshake. The library has set the connection as the pointer of the session. */
static int on_hello(gnutls_session_t session, const struct gnutls_cert_retr_st *info,
		    gnutls_pcert_st **ret_chain, unsigned *ret_count,
		    gnutls_ocsp_data_st **ret_ocsp, unsigned *ret_ocsp_count,
		    gnutls_privkey_t *ret_key, unsigned *ret_flags)
{
	const union MHD_ConnectionInfo *context = MHD_get_connection_info(
		gnutls_session_get_ptr(session), MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct client *client = context->socket_context;

	(void)info;
	return dash_tls_get(client->certificate, ret_chain, ret_count, ret_ocsp, ret_ocsp_count,
			    ret_key, ret_flags);
}

static void *on_target(void *data, const char *text, struct MHD_Connection *connection)
{
	struct dash_server *server = data;
	struct exchange *exchange = pl_alloc(sizeof(*exchange));
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct client *client = info->socket_context;

	if (client->exchange != NULL)
		exchange_done(client->exchange);
	client->exchange = exchange;
	atomic_fetch_add(&server->in_flight, 1);
	exchange->server = server;
	exchange->client = client;
	exchange->peer = client->peer;
	exchange->begun_ns = pl_clock_now_ns();
	exchange->text = pl_strdup(text);
	return exchange;
}

static enum MHD_Result go_on(struct exchange *exchange, struct MHD_Connection *connection,
			     const char *method, const char *bytes, size_t *len)
{
	size_t came = *len;

	if (!exchange->has_begun) {
		exchange->method = pl_strdup(method);
		return begin(exchange, connection);
	}
	*len = 0;
	return came > 0 ? take(exchange, bytes, came) : end(exchange, connection);
}

static enum MHD_Result on_request(void *data, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *bytes,
				  size_t *len, void **at)
{
	struct dash_server *server = data;

	(void)url;
	(void)version;
	dash_alive_enter(&server->alive);
	enum MHD_Result result = go_on(*at, connection, method, bytes, len);
	dash_alive_leave(&server->alive);
	return result;
}

static void on_over(void *data, struct MHD_Connection *connection, void **at,
		    enum MHD_RequestTerminationCode why)
{
	(void)data;
	(void)connection;
	(void)why;
	if (*at != NULL)
		exchange_done(pl_take(*at));
}

static PL_PRINTF(2, 0) void on_library_line(void *data, const char *format, va_list args)
{
	const struct dash_server *server = data;

	if (!server->verbose)
		return;
	auto_free char *text = pl_vasprintf(format, args);
	auto_free char *line = pl_clean_line(text);
	fprintf(stderr, "libmicrohttpd: %s\n", pl_text_trim(line));
}

/* ---- start and stop ------------------------------------------------------------------------ */

static int start(struct dash_server *server, int listener, struct pl_err *err)
{
	struct MHD_OptionItem tls[DASH_TLS_OPTIONS] = { { .option = MHD_OPTION_END } };

	if (server->certificate != NULL)
		dash_tls_set_options(on_hello, tls);
	/*
	 * poll() instead of epoll: 0.9.75 uses edge-triggered epoll and misses the end of a connection that arrives
	 * with its last bytes, which then remains until it times out. The logger comes first because it reports faults
	 * of later options.
	 */
	server->daemon = MHD_start_daemon(
		MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME |
			MHD_USE_ERROR_LOG |
			(server->certificate != NULL ? (unsigned)MHD_USE_TLS : 0),
		0, NULL, NULL, on_request, server, MHD_OPTION_EXTERNAL_LOGGER, on_library_line,
		server, MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_THREAD_POOL_SIZE,
		(unsigned)THREADS, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)(CONNECTIONS_MAX + CONNECTIONS_EXTRA), MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)IDLE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_URI_LOG_CALLBACK, on_target, server,
		MHD_OPTION_NOTIFY_COMPLETED, on_over, server, MHD_OPTION_NOTIFY_CONNECTION,
		on_connection, server, MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
	if (server->daemon == NULL)
		return pl_err_set(err, PL_ERR_IO, "could not start the HTTP server");
	return 0;
}

/* Stops those that were started. */
static void stop_works(struct dash_server *server)
{
	for (size_t i = 0; i < WORK_COUNT && server->works[i] != NULL; i++)
		dash_work_stop(server->works[i]);
}

static void free_works(struct dash_server *server)
{
	for (size_t i = 0; i < WORK_COUNT && server->works[i] != NULL; i++)
		dash_work_free(server->works[i]);
}

static int start_works(struct dash_server *server, struct pl_err *err)
{
	for (size_t i = 0; i < WORK_COUNT; i++) {
		const struct dash_work_options options = { .threads = work_kinds[i].threads,
							   .room = work_kinds[i].room,
							   .cache_bytes = work_kinds[i].cache_bytes,
							   .nice = work_kinds[i].nice,
							   .make = make_answer,
							   .done = wake,
							   .is_gone = work_kinds[i].ends_with_client
									      ? is_gone
									      : NULL };
		if (dash_work_start(&options, &server->works[i], err) < 0)
			return -1;
	}
	return 0;
}

static int listen_on(struct dash_server *server, const struct io_addr *addr, int *ret_fd,
		     struct pl_err *err)
{
	if (addr->u.any.sa_family == AF_UNIX) {
		server->addr = *addr;
		server->is_local = true;
		return dash_local_listen(addr, BACKLOG, &server->local, ret_fd, err);
	}
	if (io_sock_listen(addr, BACKLOG, ret_fd, err) < 0)
		return -1;
	/* without it, the server works but for the case above */
	(void)setsockopt(*ret_fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &(int){ SILENT_S }, sizeof(int));
	return io_sock_local(*ret_fd, &server->addr, err);
}

static void count(void *data, struct dash_server_counts *ret)
{
	struct dash_server *server = data;

	*ret = (struct dash_server_counts){ .in_flight = atomic_load(&server->in_flight),
					    .connections = dash_peers_count(server->peers),
					    .body_bytes = atomic_load(&server->body_bytes) };
	for (size_t i = 0; i < WORK_COUNT; i++) {
		ret->queues[i].name = work_kinds[i].name;
		ret->queues[i].has_cache = work_kinds[i].cache_bytes > 0;
		dash_work_count(server->works[i], &ret->queues[i].work);
	}
}

/* A server that has many connections is not asked to accept another one. */
static bool works(void *data, int64_t max_ns)
{
	struct dash_server *server = data;

	if (!dash_alive_moves(&server->alive, max_ns))
		return false;
	return dash_peers_count(server->peers) >= CONNECTIONS_MAX / 2 ||
	       dash_alive_probe(&server->addr, max_ns / 4);
}

int dash_server_start(const struct dash_server_options *options, struct dash_server **ret,
		      struct pl_err *err)
{
	auto_free struct dash_server *server = pl_alloc(sizeof(*server));
	auto_fd int listener = -1;

	server->context = options->context;
	server->certificate = options->certificate;
	server->verbose = options->verbose;
	if (listen_on(server, &options->addr, &listener, err) < 0)
		return -1;
	if (dash_peers_start(&movement, &server->peers, err) < 0) {
		dash_local_done(&server->local);
		return -1;
	}
	server->observed = (struct dash_observed){ server, count, works };
	dash_monitor_attach(options->context->monitor, &server->observed);
	if (start_works(server, err) < 0 || start(server, listener, err) < 0) {
		dash_monitor_attach(options->context->monitor, NULL);
		stop_works(server);
		free_works(server);
		dash_peers_stop(server->peers);
		dash_local_done(&server->local);
		return -1;
	}
	(void)pl_take_fd(listener);
	*ret = pl_take(server);
	return 0;
}

const struct io_addr *dash_server_addr(const struct dash_server *server)
{
	return &server->addr;
}

static void wait_for_answers(struct dash_server *server, int64_t patience_ns, bool (*hurry)(void))
{
	int64_t end_ns = pl_clock_now_ns() + patience_ns;

	while (atomic_load(&server->in_flight) > 0 && pl_clock_now_ns() < end_ns &&
	       (hurry == NULL || !hurry()))
		pl_clock_sleep_until(pl_clock_now_ns() + STOP_TICK_NS);
}

void dash_server_stop(struct dash_server *server, int64_t patience_ns, bool (*hurry)(void))
{
	int listener = MHD_quiesce_daemon(server->daemon);

	dash_local_done(&server->local);
	atomic_store(&server->is_stopping, true);
	dash_live_end(server->context->live);
	wait_for_answers(server, patience_ns, hurry);
	dash_peers_reset_taking(server->peers);
	store_end_questions(server->context->store);
	/* the library must not stop while a connection is suspended */
	stop_works(server);
	wait_for_answers(server, LAST_NS, NULL);
	MHD_stop_daemon(server->daemon);
	dash_monitor_attach(server->context->monitor, NULL);
	dash_peers_stop(server->peers);
	free_works(server);
	pl_fd_close(&listener);
	free(server);
}
