/*
 * Measures the cost of the kernel alone: sends all completions at once, and reads the responses
 * with epoll and recv() until the server closes, without looking at the bytes. No client that reads
 * each event on arrival can cost less; tests/perf/run compares the others with it. Shares no code
 * with the product.
 *
 * bare_reader --port PORT --requests N --tokens N
 *
 * Prints one line of JSON. It does not know events: the caller counts them in the server's log.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { READ_BYTES = 65536, BATCH = 512, WAIT_MS = 60000 };

static void fail(const char *what)
{
	fprintf(stderr, "bare_reader: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static long option(int argc, char **argv, const char *name)
{
	for (int i = 1; i + 1 < argc; i += 2)
		if (strcmp(argv[i], name) == 0)
			return atol(argv[i + 1]);
	fprintf(stderr, "bare_reader: %s is missing\n", name);
	exit(2);
}

/* Asks the server to close at the end, so that the end needs no search in the bytes. */
static int request_text(char *text, size_t size, long index, long tokens)
{
	char body[512];
	int length = snprintf(body, sizeof(body),
			      "{\"model\": \"perf\", \"prompt\": [1, 2, 3, 4, 5, 6, 7, 8], "
			      "\"repetition_penalty\": 1.0, \"max_tokens\": %ld, "
			      "\"logprobs\": null, \"stream\": true, "
			      "\"stream_options\": {\"include_usage\": true}, "
			      "\"ignore_eos\": true}",
			      tokens);

	return snprintf(text, size,
			"POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n"
			"Content-Type: application/json\r\nConnection: close\r\n"
			"x-request-id: perf-%ld\r\nContent-Length: %d\r\n\r\n%s",
			index, length, body);
}

static void open_stream(int loop, const struct sockaddr_in *server, long index, long tokens)
{
	char text[1024];
	int length = request_text(text, sizeof(text), index, tokens);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int on = 1;
	/* edge-triggered: a level-triggered socket is polled once more by the next wait */
	struct epoll_event event = { .events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data.fd = fd };

	if (fd < 0 || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) < 0)
		fail("socket");
	if (connect(fd, (const struct sockaddr *)server, sizeof(*server)) < 0)
		fail("connect");
	if (send(fd, text, (size_t)length, MSG_NOSIGNAL) != length)
		fail("send");
	if (epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event) < 0)
		fail("epoll_ctl");
}

/* Is the stream over? */
static int read_some(int fd, uint64_t *bytes, uint64_t *reads)
{
	static char buffer[READ_BYTES];

	for (;;) {
		ssize_t n = recv(fd, buffer, sizeof(buffer), MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return 0;
		if (n < 0)
			fail("recv");
		if (n == 0)
			return 1;
		*bytes += (uint64_t)n;
		*reads += 1;
		/* less than there was room for: the socket is empty, and the next edge will come */
		if (n < READ_BYTES)
			return 0;
	}
}

static void read_all(int loop, long streams, uint64_t *bytes, uint64_t *reads)
{
	struct epoll_event ready[BATCH];

	while (streams > 0) {
		int count = epoll_wait(loop, ready, BATCH, WAIT_MS);
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			fail("epoll_wait");
		for (int i = 0; i < count; i++) {
			/* the server's end may come with its last bytes, and makes no edge of its own */
			int over = read_some(ready[i].data.fd, bytes, reads);
			if (!over && (ready[i].events & EPOLLRDHUP) != 0)
				over = read_some(ready[i].data.fd, bytes, reads);
			if (over) {
				close(ready[i].data.fd);
				streams--;
			}
		}
	}
}

int main(int argc, char **argv)
{
	long streams = option(argc, argv, "--requests");
	long tokens = option(argc, argv, "--tokens");
	struct sockaddr_in server = { .sin_family = AF_INET,
				      .sin_port = htons((uint16_t)option(argc, argv, "--port")),
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct rlimit files;
	uint64_t bytes = 0, reads = 0;
	int loop = epoll_create1(EPOLL_CLOEXEC);

	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	if (loop < 0 || setrlimit(RLIMIT_NOFILE, &files) < 0)
		fail("start");
	double start_s = seconds_of(CLOCK_MONOTONIC);
	double start_cpu_s = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
	for (long i = 0; i < streams; i++)
		open_stream(loop, &server, i, tokens);
	read_all(loop, streams, &bytes, &reads);
	double duration_s = seconds_of(CLOCK_MONOTONIC) - start_s;
	double cpu_s = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start_cpu_s;
	printf("{\"requests\": %ld, \"completed\": %ld, \"duration_s\": %.6f, \"cpu_load_s\": "
	       "%.6f, "
	       "\"bytes\": %llu, \"reads\": %llu}\n",
	       streams, streams, duration_s, cpu_s, (unsigned long long)bytes,
	       (unsigned long long)reads);
	return 0;
}
