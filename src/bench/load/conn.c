#include "bench/load/conn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/load/retry.h"
#include "bench/load/segments.h"
#include "bench/load/worker.h"
#include "io/tls.h"

/* Bytes of a request that are encrypted ahead of sending; a TLS record holds 16 KB. */
#define TLS_AHEAD_BYTES  131072
#define TLS_RECORD_BYTES 16384
#define TLS_OUT_BYTES    (2 * TLS_AHEAD_BYTES)
/* Limits of what one wake-up reads from one connection: a server that sends without pause must not
 * keep the timers and launches of the others waiting. */
#define WAKE_READS 16 /* of BENCH_READ_BYTES */
#define WAKE_NS    (2 * PL_NS_PER_MS)

#define TLS_PLAIN_BYTES (BENCH_READ_BYTES + IO_TLS_PLAIN_SLACK)

/*
 * Linux delays acknowledgements by 40 ms (TCP_DELACK_MIN). If that was too short, they are
 * immediate until the delay is requested again, which pays off only after this many reads without
 * such a pause.
 */
#define ACK_WAIT_NS (40 * PL_NS_PER_MS)
#define CALM_READS  8

/* For a connection that is established sooner, the system call is not worthwhile. */
#define HANDSHAKE_LOOK_NS 200000

/* An event that is less late than this does not wait with a next one. */
#define APART_NS PL_NS_PER_MS

/*
 * Edge-triggered: with level triggering, the next wait checks the socket again, which takes a tenth
 * of the cost of a token event. A wake-up consumes the edge, so reading continues until the socket
 * is known to be empty: a read shorter than its buffer, unless the peer has closed its side.
 */
#define CONN_EVENTS (EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET)

/*
 * A connection, and the request that it carries, if any.
 *
 *    spare ──open──> CONNECT ──> SEND ──> WAIT ──> ANSWER ──whole──> idle ──next request──> SEND …
 *      ^                |          |        |         |               |
 *      └────────────────┴── failed, or the server closes it ──────────┘
 *
 * In `open` while it has a socket; in `idle` too while it carries none; in `spare` without a
 * socket. Lists are linked through the struct, so that nothing is allocated but the struct itself;
 * a spare one keeps its stream's buffers.
 */
struct bench_conn {
	struct io_watch watch;
	struct io_timer timeout;
	struct bench_worker *worker;
	struct bench_conn *next; /* in open or spare */
	struct bench_conn *prev; /* in open */
	struct bench_conn *idle_next;
	struct bench_conn *idle_prev;
	struct bench_req *req; /* NULL: idle */
	struct bench_stream stream;
	struct io_tls *tls; /* NULL: plain http */
	size_t sent;        /* with TLS: encrypted */
	size_t total;       /* head, tail and body */
	size_t tail_len;
	bool sent_all;  /* the kernel has the whole request */
	bool in_pieces; /* and took it in several */
	bool reused;    /* carried a request before this one */
	struct bench_segments segments;
	unsigned sockets;   /* how many it has had */
	int cut_errno;      /* the peer takes no more of the request; 0: it does */
	int64_t blocked_ns; /* since then the kernel takes no more for now; RES_NO_TIME: it does */
	int64_t read_ns;    /* the last read of an answer */
	int64_t taken_ns;   /* of the bytes that were taken last; times never go back */
	int calm_reads;     /* since a pause of ACK_WAIT_NS, or the answer's first */
	char tail[];        /* [shared->tail_room] */
};

/*
 * Inserts at the front: the most recently used connection is furthest from a server's keep-alive
 * limit (5 s with uvicorn), and its buffers are in the CPU cache.
 */
static void idle_push(struct bench_conn *conn)
{
	struct bench_worker *worker = conn->worker;

	conn->idle_prev = NULL;
	conn->idle_next = worker->idle;
	if (worker->idle != NULL)
		worker->idle->idle_prev = conn;
	worker->idle = conn;
}

static void idle_remove(struct bench_conn *conn)
{
	if (conn->idle_prev != NULL)
		conn->idle_prev->idle_next = conn->idle_next;
	else if (conn->worker->idle == conn)
		conn->worker->idle = conn->idle_next;
	if (conn->idle_next != NULL)
		conn->idle_next->idle_prev = conn->idle_prev;
	conn->idle_next = NULL;
	conn->idle_prev = NULL;
}

/* Without a socket afterwards; its memory waits in `spare`. */
static void note_round_trip(const struct bench_conn *conn)
{
	struct bench_worker *worker = conn->worker;
	int64_t min_ns = conn->watch.fd >= 0 ? io_sock_min_round_trip_ns(conn->watch.fd) : 0;

	if (min_ns > 0 && (worker->min_round_trip_ns == 0 || min_ns < worker->min_round_trip_ns))
		worker->min_round_trip_ns = min_ns;
}

static void conn_close(struct bench_conn *conn)
{
	struct bench_worker *worker = conn->worker;

	note_round_trip(conn);
	io_loop_unwatch(worker->loop, &conn->watch);
	io_timer_stop(worker->loop, &conn->timeout);
	if (conn->tls != NULL) {
		/* Sends close_notify, or an alert with the error, if the socket accepts it at once. */
		io_tls_close(conn->tls);
		if (conn->watch.fd >= 0)
			(void)io_tls_flush(conn->tls, conn->watch.fd, 0);
		io_tls_free(pl_take(conn->tls));
	}
	pl_fd_close(&conn->watch.fd);
	idle_remove(conn);
	if (conn->prev != NULL)
		conn->prev->next = conn->next;
	else
		worker->open = conn->next;
	if (conn->next != NULL)
		conn->next->prev = conn->prev;
	conn->prev = NULL;
	conn->next = worker->spare;
	worker->spare = conn;
}

/* Ends the stream, whose record is complete. On return the connection may carry another request. */
static void conn_finish(struct bench_conn *conn, bool reusable)
{
	struct bench_worker *worker = conn->worker;
	struct bench_req *req = conn->req;

	bench_worker_count_tokens(worker, &conn->stream);
	conn->req = NULL;
	io_timer_stop(worker->loop, &conn->timeout);
	if (reusable)
		idle_push(conn);
	else
		conn_close(conn);
	if (!bench_retry_take(worker, req, &conn->stream))
		bench_worker_req_over(worker, req);
}

static void conn_fail(struct bench_conn *conn, const char *kind, const char *error)
{
	bench_stream_read(&conn->stream, pl_clock_now_ns(), false);
	bench_stream_fail(&conn->stream, kind, error);
	bench_stream_finish(&conn->stream);
	conn_finish(conn, false);
}

static bool conn_open(struct bench_worker *worker, struct bench_req *req);

/*
 * Handles a lost connection. If it was reused and no byte of a response arrived, the server likely
 * closed it before the request arrived: it is sent once more, while its clock continues.
 */
static void conn_lost(struct bench_conn *conn, const char *kind, const char *error)
{
	struct bench_worker *worker = conn->worker;
	struct bench_req *req = conn->req;

	if (!conn->reused || req->resent || conn->stream.head_seen || req->state == REQ_ANSWER) {
		conn_fail(conn, req->state == REQ_CONNECT ? "connect" : kind, error);
		return;
	}
	req->resent = true;
	conn->req = NULL;
	conn_close(conn);
	conn_open(worker, req);
}

/* Returns the remaining data to send, in at most three parts. */
static int left_to_send(const struct bench_conn *conn, struct iovec parts[3])
{
	const struct bench_shared *shared = conn->worker->shared;
	const struct iovec all[3] = {
		{ .iov_base = shared->head, .iov_len = shared->head_len },
		{ .iov_base = (void *)conn->tail, .iov_len = conn->tail_len },
		{ .iov_base = (void *)conn->req->body, .iov_len = conn->req->body_len },
	};
	size_t skip = conn->sent;
	int count = 0;

	for (int i = 0; i < 3; i++) {
		if (skip >= all[i].iov_len) {
			skip -= all[i].iov_len;
			continue;
		}
		parts[count].iov_base = (char *)all[i].iov_base + skip;
		parts[count++].iov_len = all[i].iov_len - skip;
		skip = 0;
	}
	return count;
}

static bool has_send_stamps(const struct bench_conn *conn)
{
	return conn->worker->load->addr.u.any.sa_family != AF_UNIX;
}

/*
 * Connect time beyond it was spent in this process. For a TLS handshake, in which the server
 * computes and packets go back and forth, our part is unknown: all of it counts as the network's.
 */
static void note_handshake(const struct bench_conn *conn, struct res_record *record)
{
	int64_t took_ns = record->connected_ns - conn->req->try_ns;
	int64_t handshake_ns = conn->tls == NULL ? io_sock_handshake_ns(conn->watch.fd) : took_ns;

	if (handshake_ns >= 0)
		record->handshake_ns = handshake_ns < took_ns ? handshake_ns : took_ns;
}

/* The peer, or the network, takes no more for now: the time until it does is not ours. */
static void note_blocked(struct bench_conn *conn)
{
	conn->in_pieces = true;
	if (conn->req->state == REQ_SEND)
		conn->blocked_ns = pl_clock_now_ns();
}

static void note_unblocked(struct bench_conn *conn)
{
	struct res_record *record = conn->req->recorder.record;

	if (conn->blocked_ns == RES_NO_TIME)
		return;
	record->handshake_ns = (record->handshake_ns > 0 ? record->handshake_ns : 0) +
			       pl_clock_now_ns() - conn->blocked_ns;
	conn->blocked_ns = RES_NO_TIME;
}

/*
 * Called when the kernel has accepted bytes (or TLS is established), not when connect() returns: on
 * loopback that is immediate, and a socket reported as writable may still have an error.
 */
static void note_connected(struct bench_conn *conn)
{
	if (conn->req->state != REQ_CONNECT)
		return;
	struct res_record *record = conn->req->recorder.record;
	bench_req_set_state(conn->worker, conn->req, REQ_SEND);
	record->connected_ns = pl_clock_now_ns();
	if (record->connected_ns - conn->req->try_ns > HANDSHAKE_LOOK_NS)
		note_handshake(conn, record);
	/* later timestamps belong to the request */
	if (conn->tls != NULL && has_send_stamps(conn))
		(void)io_sock_sent_stamp(conn->watch.fd);
}

/*
 * Returns when the network accepted the request, by the kernel's clock; a thread that waits for a
 * CPU would see a later time. Not used for a request sent in pieces: the last one may wait for the
 * peer, and the timestamp may be another piece's.
 */
static int64_t sent_ns_of(struct bench_conn *conn)
{
	int64_t now_ns = pl_clock_now_ns();
	int64_t real_ns = has_send_stamps(conn) ? io_sock_sent_stamp(conn->watch.fd) : 0;
	int64_t sent_ns = bench_stamps_monotonic(&conn->worker->stamps, real_ns);

	return real_ns != 0 && !conn->in_pieces && sent_ns >= conn->req->try_ns && sent_ns < now_ns
		       ? sent_ns
		       : now_ns;
}

static void note_sent(struct bench_conn *conn)
{
	struct bench_req *req = conn->req;
	struct res_record *record = req->recorder.record;

	if (conn->sent_all)
		return;
	conn->sent_all = true;
	record->sent_ns = sent_ns_of(conn);
	/* on loopback both are seen by one sendmsg() */
	if (record->connected_ns > record->sent_ns)
		record->connected_ns = record->sent_ns;
	if (req->state == REQ_SEND)
		bench_req_set_state(conn->worker, req, REQ_WAIT);
}

/* Encrypts the next part of the request: whole records, head and body together. */
static int encrypt_some(struct bench_conn *conn, struct pl_err *err)
{
	char record[TLS_RECORD_BYTES];
	size_t ahead = 0;

	while (conn->sent < conn->total && ahead < TLS_AHEAD_BYTES) {
		struct iovec parts[3];
		int count = left_to_send(conn, parts);
		size_t len = 0;
		for (int i = 0; i < count && len < sizeof(record); i++) {
			size_t room = sizeof(record) - len;
			size_t take = parts[i].iov_len < room ? parts[i].iov_len : room;
			memcpy(record + len, parts[i].iov_base, take);
			len += take;
		}
		if (io_tls_write(conn->tls, record, len, err) < 0)
			return -1;
		conn->sent += len;
		ahead += len;
	}
	return 0;
}

/*
 * Handles a failed send. A peer that accepts no more data may have sent the reason before: it is
 * read first, and an event for that is pending. False: the connection was lost.
 */
static bool conn_cut(struct bench_conn *conn, int error)
{
	if ((error == EPIPE || error == ECONNRESET) && conn->req->state != REQ_CONNECT) {
		conn->cut_errno = error;
		return true;
	}
	conn_lost(conn, "send", strerror(error));
	return false;
}

/* Like conn_send(), but first sends pending handshake data. */
static bool conn_send_tls(struct bench_conn *conn)
{
	struct pl_err err = PL_ERR_INIT;

	for (;;) {
		int flushed = io_tls_flush(conn->tls, conn->watch.fd, 0);
		if (flushed < 0)
			return conn_cut(conn, errno);
		if (flushed == 0)
			note_blocked(conn);
		if (flushed == 0 || !io_tls_is_established(conn->tls))
			return true;
		note_connected(conn);
		if (conn->sent == conn->total)
			break;
		conn->in_pieces |= conn->sent > 0;
		if (encrypt_some(conn, &err) < 0) {
			conn_lost(conn, "send", err.text);
			return false;
		}
	}
	note_sent(conn);
	return true;
}

/* False: the connection was lost, or carries another request. */
static bool conn_send(struct bench_conn *conn)
{
	if (conn->cut_errno != 0)
		return true;
	note_unblocked(conn);
	if (conn->tls != NULL)
		return conn_send_tls(conn);
	while (conn->sent < conn->total) {
		struct iovec parts[3];
		struct msghdr msg = { .msg_iov = parts };
		msg.msg_iovlen = (size_t)left_to_send(conn, parts);
		ssize_t len = sendmsg(conn->watch.fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0 && errno == EAGAIN) {
			note_blocked(conn);
			return true;
		}
		if (len < 0)
			return conn_cut(conn, errno);
		note_connected(conn);
		conn->sent += (size_t)len;
		conn->in_pieces |= conn->sent < conn->total;
	}
	note_sent(conn);
	return true;
}

/* The read brought nothing: the end (len 0) or an error. */
static void conn_ended(struct bench_conn *conn, ssize_t len, int error)
{
	bool nothing = conn->req->state != REQ_ANSWER;
	/* the end of a connection does not matter for a finished response */
	bool broken = len < 0 && !conn->stream.done_seen;

	if ((broken || nothing) && conn->cut_errno != 0) {
		char text[128];
		snprintf(text, sizeof(text), "the server received only a part of the request: %s",
			 strerror(conn->cut_errno));
		conn_lost(conn, "send", text);
		return;
	}
	if (broken || nothing) {
		const char *closed =
			conn->tls != NULL && !io_tls_is_established(conn->tls)
				? "the server closed the connection during the TLS handshake"
				: "the server closed the connection";
		conn_lost(conn, "reset", len < 0 ? strerror(error) : closed);
		return;
	}
	bench_stream_read(&conn->stream, pl_clock_now_ns(), false);
	bench_stream_end(&conn->stream);
	conn_finish(conn, false);
}

/*
 * Call it after reading bytes of a response; `begins`: before its first byte, Linux forgets the
 * setting.
 */
static void delay_acks(struct bench_conn *conn, bool begins, int64_t now_ns)
{
	bool paused = now_ns - conn->read_ns >= ACK_WAIT_NS;

	conn->calm_reads = begins || paused ? 0 : conn->calm_reads + 1;
	conn->read_ns = now_ns;
	if (begins || conn->calm_reads == CALM_READS)
		io_sock_delay_acks(conn->watch.fd);
}

/* When a read took place, by the kernel and by our own clock. */
struct read_time {
	int64_t stamp_real_ns;
	int64_t user_ns;
};

/*
 * Handles bytes of a response. `last`: none follow on this connection. Returns true if the request
 * continues; otherwise the connection may be closed or carry another request.
 */
static bool conn_take(struct bench_conn *conn, const char *bytes, size_t len,
		      const struct read_time *when, bool last)
{
	struct bench_worker *worker = conn->worker;
	size_t used;
	bool kernel;
	int64_t t_ns = bench_stamps_of(&worker->stamps, when->stamp_real_ns, when->user_ns,
				       &kernel);

	/* after a step of the wall clock some reads have a stamp and others our own clock's time */
	if (t_ns < conn->taken_ns)
		t_ns = conn->taken_ns;
	conn->taken_ns = t_ns;
	bool begins = conn->req->state != REQ_ANSWER;
	if (begins) {
		bench_req_set_state(worker, conn->req, REQ_ANSWER);
		conn->req->recorder.record->headers_ns = t_ns;
	}
	if (worker->load->delayed_acks)
		delay_acks(conn, begins, when->user_ns);
	bench_stream_read(&conn->stream, t_ns, kernel);
	int64_t sure_ns;
	int64_t since_ns = bench_wakes_since(&worker->wakes, worker->loop, t_ns, &sure_ns);
	bench_stream_since(&conn->stream, since_ns, sure_ns);
	enum bench_stream_result result = bench_stream_feed(&conn->stream, bytes, len, &used);
	if (result != BENCH_STREAM_MORE) {
		conn_finish(conn, conn->stream.body_done && conn->stream.keep_alive &&
					  conn->sent_all && used == len && !last);
		return false;
	}
	if (!conn->req->begun && conn->stream.any_output)
		bench_worker_begun(worker, conn->req);
	bench_worker_count_tokens(worker, &conn->stream);
	if (when->user_ns >= worker->launch_due_ns)
		bench_worker_pump(worker, when->user_ns);
	return true;
}

/* A read of TLS: its plain bytes share its stamp. Those of a record come with its last byte. */
static void conn_take_tls(struct bench_conn *conn, size_t len, const struct read_time *when)
{
	struct bench_worker *worker = conn->worker;
	struct pl_err err = PL_ERR_INIT;
	size_t plain_len;
	enum io_tls_result result = io_tls_receive(conn->tls, worker->read_buffer, len,
						   worker->plain_buffer, TLS_PLAIN_BYTES,
						   &plain_len, &err);

	if (conn->req == NULL) {
		if (plain_len > 0 || result != IO_TLS_OPEN ||
		    io_tls_flush(conn->tls, conn->watch.fd, 0) < 0)
			conn_close(conn);
		return;
	}
	bench_worker_heard(worker, when->user_ns);
	if (plain_len > 0 &&
	    !conn_take(conn, worker->plain_buffer, plain_len, when, result != IO_TLS_OPEN))
		return;
	if (result == IO_TLS_OPEN)
		conn_send(conn); /* sends pending handshake data and the data that waited for it */
	else if (result == IO_TLS_CLOSED || conn->stream.done_seen)
		conn_ended(conn, 0, 0);
	else
		conn_lost(conn, "reset", err.text);
}

/*
 * Peeking costs as much as reading, so it is only done if it can matter: for a response's first
 * token, which follows directly after the event with the role, and for later tokens if the next one
 * is overdue, judged by the last gap, because several may then be pending.
 */
static bool reads_apart(const struct bench_conn *conn)
{
	const struct bench_worker *worker = conn->worker;

	if (conn->tls != NULL || conn->req == NULL || worker->load->whole_answers)
		return false;
	const struct bench_recorder *recorder = &conn->req->recorder;
	int64_t gap_ns = recorder->last_ns - recorder->before_ns;
	if (conn->stream.tokens == 0 || recorder->before_ns == recorder->record->acted_ns)
		return true;
	int64_t late_ns = io_loop_now_ns(worker->loop) - recorder->last_ns - gap_ns;
	return late_ns > gap_ns / 2 && late_ns > APART_NS;
}

/*
 * Returns true if there may be more to read. `to_end`: the peer has closed its side, so there is.
 * `apart`: reads only as much as preserves the first event's timestamp.
 */
static bool conn_read(struct bench_conn *conn, bool to_end, bool apart)
{
	struct bench_worker *worker = conn->worker;
	unsigned socket = conn->sockets;
	struct read_time when = { 0, 0 };
	ssize_t room = BENCH_READ_BYTES;

	if (apart)
		room = bench_segments_first(conn->watch.fd, worker->read_buffer, (size_t)room);
	ssize_t len = room;
	if (room > 0)
		len = io_sock_recv(conn->watch.fd, worker->read_buffer, (size_t)room,
				   &when.stamp_real_ns);
	when.user_ns = pl_clock_now_ns();
	if (len < 0 && errno == EAGAIN)
		return false;
	if (len > 0)
		bench_segments_read(&conn->segments, (size_t)len, len == BENCH_READ_BYTES);
	if (conn->tls != NULL && len > 0) {
		conn_take_tls(conn, (size_t)len, &when);
	} else if (conn->req == NULL) { /* an idle connection that the server closes */
		conn_close(conn);
	} else if (len <= 0) {
		conn_ended(conn, len, errno);
	} else {
		bench_worker_heard(worker, when.user_ns);
		conn_take(conn, worker->read_buffer, (size_t)len, &when, false);
	}
	/* by now it may carry another request on a new socket with separate events */
	return conn->watch.active && conn->sockets == socket && len > 0 && (to_end || len == room);
}

static void on_ready(struct io_loop *loop, struct io_watch *watch, uint32_t events)
{
	struct bench_conn *conn = watch->data;

	conn->worker->awake_idle = false;
	if (conn->req != NULL && conn->req->state == REQ_CONNECT) {
		int error = io_sock_connect_result(watch->fd);
		if (error != 0) {
			conn_fail(conn, "connect", strerror(error));
			return;
		}
		if (conn->tls == NULL && !(events & EPOLLOUT))
			return;
		if (conn->tls == NULL)
			note_connected(conn);
	}
	if (conn->req != NULL && (events & EPOLLOUT) && (!conn->sent_all || conn->tls != NULL) &&
	    !conn_send(conn))
		return;
	/* a stamp that came late is of no use, and would show as an error again and again */
	if ((events & EPOLLERR) && has_send_stamps(conn))
		(void)io_sock_sent_stamp(watch->fd);
	bool to_end = events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR);
	bool more = to_end || (events & EPOLLIN), apart = more && reads_apart(conn);
	int64_t begin_ns = RES_NO_TIME;
	for (int reads = 1; more && conn_read(conn, to_end, apart); reads++) {
		int64_t now_ns = pl_clock_now_ns();
		if (begin_ns == RES_NO_TIME)
			begin_ns = now_ns;
		if (reads < WAKE_READS && now_ns - begin_ns < WAKE_NS)
			continue;
		/* the watch is edge-triggered: this call reports remaining data again */
		io_loop_rewatch(loop, watch, watch->events);
		return;
	}
}

static void on_timeout(struct io_loop *loop, struct io_timer *timer)
{
	(void)loop;
	conn_fail(timer->data, "timeout", "no complete response within request_timeout");
}

static bool came_in_one(void *user)
{
	struct bench_conn *conn = user;

	return bench_segments_was_one(&conn->segments, conn->watch.fd);
}

static struct bench_conn *conn_take_spare(struct bench_worker *worker)
{
	struct bench_conn *conn = worker->spare;

	if (conn != NULL) {
		worker->spare = conn->next;
		conn->next = NULL;
		return conn;
	}
	conn = pl_alloc(sizeof(*conn) + worker->shared->tail_room);
	conn->worker = worker;
	conn->watch =
		(struct io_watch){ .fd = -1, .events = CONN_EVENTS, .fn = on_ready, .data = conn };
	conn->timeout = (struct io_timer){ .fn = on_timeout, .data = conn };
	bench_stream_init(&conn->stream, worker->load->adapter, worker->load->whole_answers);
	conn->stream.output_chunks = worker->load->output_chunks;
	conn->stream.came_in_one = came_in_one;
	conn->stream.user = conn;
	return conn;
}

/* Prepares everything possible before the request's clock starts. */
static void conn_prepare(struct bench_conn *conn, struct bench_req *req, bool reused)
{
	const struct bench_request *request = req->request;
	const struct bench_shared *shared = conn->worker->shared;
	bool named = request->request_id.prefix != NULL;
	const char *prefix = named ? request->request_id.prefix : "";
	char id[RES_ID_BYTES];
	char session[RES_ID_BYTES + 32] = "";

	res_request_id_text(&request->request_id, id, sizeof(id));
	if (request->session != 0)
		snprintf(session, sizeof(session), "X-Session-ID: %ssession-%u\r\n", prefix,
			 request->session);
	conn->tail_len = (size_t)snprintf(
		conn->tail, shared->tail_room, "%s%s%s%s%sContent-Length: %zu\r\n%s\r\n",
		named ? "x-request-id: " : "", id, named ? "\r\n" : "", session, shared->head_rest,
		req->body_len, shared->head_end);
	conn->req = req;
	conn->reused = reused;
	conn->sent = 0;
	conn->cut_errno = 0;
	conn->blocked_ns = RES_NO_TIME;
	conn->sent_all = false;
	/* a conversation continues with the output */
	conn->stream.keeps_text = conn->worker->load->keeps_text || request->keeps_response;
	conn->in_pieces = false;
	conn->total = shared->head_len + conn->tail_len + req->body_len;
	bench_stream_start(&conn->stream, &req->recorder);
}

/* The first try sets the request's start; later ones keep it. */
static void conn_act(struct bench_conn *conn, int64_t now_ns, enum req_state state)
{
	struct bench_worker *worker = conn->worker;
	struct bench_req *req = conn->req;

	if (req->resent)
		bench_req_set_state(worker, req, state);
	else if (req->state == REQ_RETRY)
		bench_worker_reissue(worker, req, now_ns, state);
	else
		bench_worker_issue(worker, req, now_ns, state);
	/*
	 * request_timeout is over all tries and the wait between them, so each one's timer ends at
	 * the same moment.
	 */
	io_timer_start(worker->loop, &conn->timeout,
		       req->recorder.record->acted_ns + worker->load->request_timeout_ns);
}

/* Inserts it into `open` even if connect() has already failed: conn_fail() removes it. */
static void conn_link(struct bench_conn *conn)
{
	struct bench_worker *worker = conn->worker;

	conn->prev = NULL;
	conn->next = worker->open;
	if (worker->open != NULL)
		worker->open->prev = conn;
	worker->open = conn;
}

/* Its first words are made before the request's clock starts. */
static void prepare_tls(struct bench_conn *conn)
{
	struct bench_worker *worker = conn->worker;

	if (worker->plain_buffer == NULL)
		worker->plain_buffer = pl_alloc(TLS_PLAIN_BYTES);
	conn->tls = io_tls_new_client(worker->load->addr.tls, TLS_OUT_BYTES);
}

/* False: no connection could be started; the request has ended. */
static bool conn_open(struct bench_worker *worker, struct bench_req *req)
{
	struct bench_conn *conn = conn_take_spare(worker);
	struct pl_err err = PL_ERR_INIT;

	conn_prepare(conn, req, false);
	if (worker->load->addr.tls != NULL)
		prepare_tls(conn);
	conn->sockets++;
	conn->segments = (struct bench_segments){ 0 };
	int rc = bench_worker_new_socket(worker, &conn->watch.fd, &err);
	if (rc == 0 && has_send_stamps(conn))
		io_sock_stamp_sends(conn->watch.fd);
	/*
	 * Making and binding a socket is preparation; connect() is the first thing of the request
	 * that the server can notice.
	 */
	int64_t now_ns = pl_clock_now_ns();
	if (rc == 0)
		rc = io_sock_connect_begin(conn->watch.fd, &worker->load->addr, &err);
	conn_link(conn);
	conn_act(conn, now_ns, REQ_CONNECT);
	if (rc < 0) {
		conn_fail(conn, "connect", err.text);
		return false;
	}
	worker->connections++;
	/*
	 * on loopback the connection is usually established already; otherwise the kernel returns
	 * EAGAIN
	 */
	if (!conn_send(conn))
		return false;
	if (io_loop_watch(worker->loop, &conn->watch, &err) < 0) {
		conn_fail(conn, "connect", err.text);
		return false;
	}
	return true;
}

/*
 * Returns the most recently used idle connection, or NULL. Closes connections that the peer has
 * closed or on which it sent unrequested data, which would be taken for the next response.
 */
static struct bench_conn *take_idle(struct bench_worker *worker)
{
	struct bench_conn *conn;

	while ((conn = worker->idle) != NULL) {
		while (conn_read(conn, false, false))
			;
		if (!conn->watch.active)
			continue;
		idle_remove(conn);
		return conn;
	}
	return NULL;
}

void bench_conn_launch(struct bench_worker *worker, struct bench_req *req)
{
	struct bench_conn *conn = take_idle(worker);

	if (conn == NULL) {
		conn_open(worker, req);
		return;
	}
	conn_prepare(conn, req, true);
	conn_act(conn, pl_clock_now_ns(), REQ_SEND);
	conn_send(conn);
}

/* Ends because the caller has set worker->stopping: the end of one request begins no other. */
void bench_conn_close_all(struct bench_worker *worker, const char *kind, const char *error)
{
	while (worker->open != NULL) {
		if (worker->open->req != NULL)
			conn_fail(worker->open, kind, error);
		else
			conn_close(worker->open);
	}
}

void bench_conn_free_all(struct bench_worker *worker)
{
	struct bench_conn *conn;

	while ((conn = worker->spare) != NULL) {
		worker->spare = conn->next;
		bench_stream_done(&conn->stream);
		free(conn);
	}
	free(pl_take(worker->plain_buffer));
}
