/*
 *	on_target ──> on_request (head) ──> on_request (body, in pieces) … ──> on_request (end) ──> on_over
 *	 exchange       dash_routes_begin     kept, or read and forgotten,       dash_routes_read     freed
 *	                                      or a handler's own (dash_sink)     dash_routes_answer
 *
 * All calls for one exchange come from one thread of the library. For a slow response, on_request (end) suspends the
 * connection and queues the exchange (dash/work.h). A thread of the queue makes the response and resumes the
 * connection, and on_request (end) is called again. So only one thread at a time uses an exchange. It is in flight from
 * its request line to the last byte of its response; a stop waits for these. Here: connections, queues, start and stop;
 * the exchange itself is in dash/exchange.c.
 */
#include "dash/server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/clock.h"
#include "base/text.h"
#include "dash/exchange_priv.h"
#include "dash/live/live.h"
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
#define STOP_TICK_NS     (10 * PL_NS_PER_MS)
/*
 * Time for the connections of a server that stops: until all are accepted and have sent their first request, of those
 * that do so within NEW_NS. QUIET_NS without any is the time of a handshake that is in progress.
 */
#define ACCEPT_NS (2 * PL_NS_PER_S)
#define NEW_NS    PL_NS_PER_S
#define QUIET_NS  (20 * PL_NS_PER_MS)
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

static const struct {
	const char *name;
	unsigned threads;
	size_t room; /* number of queued responses */
	size_t cache_bytes;
	bool ends_with_client;
	int nice;
} works_table[DASH_WORKS_COUNT] = {
	[DASH_WORKS_LONG] = { "long", 4, 64, CACHE_BYTES, true, 0 },
	[DASH_WORKS_READS] = { "reads", 2, CONNECTIONS_MAX, 0, false, 0 },
	[DASH_WORKS_WRITES] = { "writes", 4, CONNECTIONS_MAX, 0, false, 0 },
	[DASH_WORKS_ANALYSES] = { "analyses", 2, 64, ANALYSES_BYTES, true, 10 },
};

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
	struct dash_client *client = *at;

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
		dash_exchange_free(client->exchange);
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
	struct dash_client *client = context->socket_context;

	(void)info;
	return dash_tls_get(client->certificate, ret_chain, ret_count, ret_ocsp, ret_ocsp_count,
			    ret_key, ret_flags);
}

static void *on_target(void *data, const char *text, struct MHD_Connection *connection)
{
	struct dash_server *server = data;
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct dash_client *client = info->socket_context;

	if (client->exchange != NULL)
		dash_exchange_free(client->exchange);
	return dash_exchange_new(server, client, text);
}

static enum MHD_Result on_request(void *data, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *bytes,
				  size_t *len, void **at)
{
	struct dash_server *server = data;

	(void)url;
	(void)version;
	dash_alive_enter(&server->alive);
	enum MHD_Result result = dash_exchange_go_on(*at, connection, method, bytes, len);
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
		dash_exchange_free(pl_take(*at));
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
	for (size_t i = 0; i < DASH_WORKS_COUNT && server->works[i] != NULL; i++)
		dash_work_stop(server->works[i]);
}

static void free_works(struct dash_server *server)
{
	for (size_t i = 0; i < DASH_WORKS_COUNT && server->works[i] != NULL; i++)
		dash_work_free(server->works[i]);
}

static int start_works(struct dash_server *server, struct pl_err *err)
{
	for (size_t i = 0; i < DASH_WORKS_COUNT; i++) {
		const struct dash_work_options options = {
			.threads = works_table[i].threads,
			.room = works_table[i].room,
			.cache_bytes = works_table[i].cache_bytes,
			.nice = works_table[i].nice,
			.make = dash_exchange_answer,
			.done = dash_exchange_wake,
			.is_gone = works_table[i].ends_with_client ? dash_exchange_is_gone : NULL
		};
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
	for (size_t i = 0; i < DASH_WORKS_COUNT; i++) {
		ret->queues[i].name = works_table[i].name;
		ret->queues[i].has_cache = works_table[i].cache_bytes > 0;
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

/* Returns whether a connection waits to be accepted. A Unix socket does not say so. */
static bool has_waiting(int listener)
{
	struct tcp_info info = { 0 };
	socklen_t len = sizeof(info);

	return getsockopt(listener, IPPROTO_TCP, TCP_INFO, &info, &len) == 0 &&
	       info.tcpi_unacked > 0;
}

/*
 * Stops listening without a reset of clients that are connected: from now on, no one can connect, and those that are
 * connected send their first request. Returns the listener, for close() after the end of the library's threads.
 */
static int stop_listening(struct dash_server *server, bool (*hurry)(void))
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemon,
							       MHD_DAEMON_INFO_LISTEN_FD);
	int64_t now_ns = pl_clock_now_ns(), end_ns = now_ns + ACCEPT_NS;
	int64_t quiet_ns = now_ns;
	int fd = info != NULL ? info->listen_fd : -1;

	/* without it, those who connect during the next milliseconds are reset */
	if (!server->is_local)
		io_sock_drop_new(fd);
	while (now_ns < end_ns && now_ns - quiet_ns < QUIET_NS && (hurry == NULL || !hurry())) {
		pl_clock_sleep_until(now_ns + PL_NS_PER_MS);
		now_ns = pl_clock_now_ns();
		if (has_waiting(fd) || dash_peers_has_new(server->peers, NEW_NS))
			quiet_ns = now_ns;
	}
	int listener = MHD_quiesce_daemon(server->daemon);
	/* an open listener would have the kernel connect clients that are never accepted */
	(void)shutdown(listener, SHUT_RDWR);
	return listener;
}

void dash_server_stop(struct dash_server *server, int64_t patience_ns, bool (*hurry)(void))
{
	int listener = stop_listening(server, hurry);

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
