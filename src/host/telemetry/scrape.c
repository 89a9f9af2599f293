#include "host/telemetry/scrape.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/http.h"

#define READ_BYTES     65536
#define HEAD_BYTES_MAX 65536

/*
 * One exchange at a time on a connection that stays:
 *
 *    ask ──> begin ──> (connect) ──> send_head ──> receive … ──> finish ──> fn(sample)
 *              ^                         |             |
 *              └── once, where a kept ───┴── failed ───┘      deadline ──> finish: a gap
 *                  connection was stale
 *
 * fn is called exactly once for each ask().
 */
struct host_scrape {
	struct io_loop *loop;
	struct host_metrics_source source;
	host_scrape_fn *fn;
	void *data;
	struct io_watch watch; /* fd -1: no connection */
	struct io_timer timer;
	struct io_http *http;
	struct pl_buf head;
	struct pl_buf body;
	size_t sent;
	bool busy;
	bool connected;
	bool reused; /* an exchange went well on the connection before */
	bool heard;  /* bytes of this exchange's answer have come */
	bool done;   /* the answer is whole */
	bool keep_alive;
	int status;
	struct host_metrics_sample sample;
	char read[READ_BYTES];
};

static int on_head(void *data, const struct io_http_head *head)
{
	struct host_scrape *scrape = data;

	scrape->status = head->status;
	scrape->keep_alive = head->keep_alive;
	return 0;
}

static int on_body(void *data, const char *bytes, size_t len)
{
	struct host_scrape *scrape = data;

	/* A page above the ceiling is a gap: what it sums up would be cut. */
	return pl_buf_add(&scrape->body, bytes, len) ? 0 : -1;
}

static int on_done(void *data)
{
	struct host_scrape *scrape = data;

	scrape->done = true;
	return 0;
}

static void disconnect(struct host_scrape *scrape)
{
	if (scrape->watch.fd < 0)
		return;
	io_loop_unwatch(scrape->loop, &scrape->watch);
	pl_fd_close(&scrape->watch.fd);
	scrape->connected = false;
	scrape->reused = false;
}

/* The exchange is over, well or not. */
static void finish(struct host_scrape *scrape)
{
	struct pl_err ignored = PL_ERR_INIT;
	struct host_metrics_sample *sample = &scrape->sample;

	io_timer_stop(scrape->loop, &scrape->timer);
	scrape->busy = false;
	sample->answered_ns = pl_clock_now_ns();
	sample->known = scrape->done && scrape->status == 200 &&
			host_metrics_parse(pl_buf_text(&scrape->body), scrape->body.len,
					   &sample->metrics, &ignored) == 0;
	if (!scrape->done || !scrape->keep_alive)
		disconnect(scrape);
	else
		scrape->reused = true;
	scrape->fn(scrape->data, sample);
}

static int begin(struct host_scrape *scrape);

/* A kept connection may be closed at any time: what was not begun to be answered is asked again. */
static void fail(struct host_scrape *scrape)
{
	bool again = scrape->reused && !scrape->heard;

	scrape->done = false;
	disconnect(scrape);
	if (!again || begin(scrape) < 0)
		finish(scrape);
}

static int send_head(struct host_scrape *scrape)
{
	while (scrape->sent < scrape->head.len) {
		ssize_t len = send(scrape->watch.fd, scrape->head.data + scrape->sent,
				   scrape->head.len - scrape->sent, MSG_NOSIGNAL);
		if (len < 0 && errno == EAGAIN)
			return 0;
		if (len < 0)
			return -1;
		scrape->sent += (size_t)len;
	}
	io_loop_rewatch(scrape->loop, &scrape->watch, EPOLLIN);
	return 0;
}

/* The parser is told of the end too: a page without a length is whole only then. */
static int receive(struct host_scrape *scrape)
{
	struct pl_err ignored = PL_ERR_INIT;
	int64_t stamp_ns;
	size_t used;
	ssize_t len = io_sock_recv(scrape->watch.fd, scrape->read, READ_BYTES, &stamp_ns);

	if (len < 0)
		return errno == EAGAIN ? 0 : -1;
	/* bytes or an end while nothing was asked */
	if (!scrape->busy)
		return -1;
	if (len == 0) {
		scrape->keep_alive = false;
		return scrape->heard ? io_http_end(scrape->http, &ignored) : -1;
	}
	scrape->heard = true;
	if (io_http_feed(scrape->http, scrape->read, (size_t)len, true, &used, &ignored) != 0)
		return -1;
	if (scrape->done && used < (size_t)len)
		scrape->keep_alive = false;
	return 0;
}

static int work(struct host_scrape *scrape, uint32_t events)
{
	if (!scrape->connected && io_sock_connect_result(scrape->watch.fd) != 0)
		return -1;
	scrape->connected = true;
	if ((events & EPOLLOUT) && send_head(scrape) < 0)
		return -1;
	return events & (EPOLLIN | EPOLLERR | EPOLLHUP) ? receive(scrape) : 0;
}

static void on_events(struct io_loop *loop, struct io_watch *watch, uint32_t events)
{
	struct host_scrape *scrape = watch->data;

	(void)loop;
	bool failed = work(scrape, events) < 0;
	if (failed && !scrape->busy)
		disconnect(scrape);
	else if (failed)
		fail(scrape);
	else if (scrape->busy && scrape->done)
		finish(scrape);
}

static void on_deadline(struct io_loop *loop, struct io_timer *timer)
{
	struct host_scrape *scrape = timer->data;

	(void)loop;
	scrape->done = false;
	finish(scrape);
}

static int connect_begin(struct host_scrape *scrape)
{
	struct pl_err ignored = PL_ERR_INIT;
	auto_fd int fd = -1;

	if (io_sock_new(scrape->source.addr, &fd, &ignored) < 0 ||
	    io_sock_connect_begin(fd, scrape->source.addr, &ignored) < 0)
		return -1;
	scrape->watch.fd = fd;
	scrape->watch.events = EPOLLIN | EPOLLOUT;
	if (io_loop_watch(scrape->loop, &scrape->watch, &ignored) < 0) {
		scrape->watch.fd = -1;
		return -1;
	}
	/* The watch has it now. */
	fd = -1;
	return 0;
}

static int begin(struct host_scrape *scrape)
{
	scrape->heard = false;
	scrape->done = false;
	scrape->status = 0;
	scrape->sent = 0;
	pl_buf_clear(&scrape->body);
	io_http_reset(scrape->http);
	if (scrape->watch.fd < 0)
		return connect_begin(scrape);
	io_loop_rewatch(scrape->loop, &scrape->watch, EPOLLIN | EPOLLOUT);
	return 0;
}

bool host_scrape_ask(struct host_scrape *scrape)
{
	if (scrape->busy)
		return false;
	scrape->busy = true;
	scrape->sample = (struct host_metrics_sample){ .asked_ns = pl_clock_now_ns() };
	io_timer_start(scrape->loop, &scrape->timer,
		       scrape->sample.asked_ns + HOST_METRICS_TIMEOUT_NS);
	if (begin(scrape) < 0)
		fail(scrape);
	return true;
}

static void write_request(struct host_scrape *scrape)
{
	const struct host_metrics_source *source = &scrape->source;
	const char *prefix = source->prefix != NULL ? source->prefix : "";
	char addr[160];

	io_addr_text(source->addr, addr, sizeof(addr));
	if (source->addr->u.any.sa_family == AF_UNIX)
		pl_buf_addf(&scrape->head, "GET %s/metrics HTTP/1.1\r\nHost: localhost\r\n",
			    prefix);
	else
		pl_buf_addf(&scrape->head, "GET %s/metrics HTTP/1.1\r\nHost: %s\r\n", prefix,
			    source->host != NULL ? source->host : addr);
	pl_buf_addf(&scrape->head,
		    "User-Agent: profllm/%s\r\nAccept: */*\r\nAccept-Encoding: identity\r\n%s\r\n",
		    PROFLLM_VERSION, source->headers != NULL ? source->headers : "");
}

struct host_scrape *host_scrape_new(struct io_loop *loop, const struct host_metrics_source *source,
				    host_scrape_fn *fn, void *data)
{
	static const struct io_http_calls calls = { on_head, on_body, on_done };
	struct host_scrape *scrape = pl_alloc(sizeof(*scrape));

	scrape->loop = loop;
	scrape->source = *source;
	scrape->fn = fn;
	scrape->data = data;
	scrape->watch = (struct io_watch){ .fd = -1, .fn = on_events, .data = scrape };
	scrape->timer = (struct io_timer){ .fn = on_deadline, .data = scrape };
	scrape->http = io_http_new(IO_HTTP_RESPONSE, &calls, scrape);
	pl_buf_init(&scrape->head, HEAD_BYTES_MAX);
	pl_buf_init(&scrape->body, HOST_METRICS_BYTES_MAX);
	write_request(scrape);
	return scrape;
}

void host_scrape_free(struct host_scrape *scrape)
{
	if (scrape == NULL)
		return;
	io_timer_stop(scrape->loop, &scrape->timer);
	disconnect(scrape);
	io_http_free(scrape->http);
	pl_buf_done(&scrape->head);
	pl_buf_done(&scrape->body);
	free(scrape);
}
