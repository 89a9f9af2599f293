#include "bench/load/limits.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>

#include "bench/load/sessions.h"

/*
 * Descriptors that a run needs in addition to its connections and those open now: epoll and eventfd
 * per worker, telemetry's files in /proc, the journal, the server's log.
 */
#define FILES_BESIDES_SOCKETS 32

/* Connections open at once; 0: the arrivals decide, which cannot be known before. */
static uint64_t connections_needed(const struct bench_load *load)
{
	bool capped = load->max_concurrency != OPTION_NO_I64;

	if (!load->adapter->has_socket)
		return 0;
	/* later turns follow the response to an earlier one: one per session at a time */
	uint64_t most = load->session_count > 0 ? bench_sessions_starts(load) : load->count;
	if (capped && (uint64_t)load->max_concurrency < most)
		return (uint64_t)load->max_concurrency;
	/* of a trace, requests without a session are not limited */
	if (load->session_count > 0 && load->session_count == most &&
	    load->session_concurrency != OPTION_NO_I64 &&
	    (uint64_t)load->session_concurrency < most)
		return (uint64_t)load->session_concurrency;
	return capped || !load->finite_rate ? most : 0;
}

/* Counts the folder's own descriptor, "." and ".." too: three too many, on the safe side. */
static uint64_t files_open(void)
{
	DIR *dir = opendir("/proc/self/fd");
	uint64_t count = 0;

	if (dir == NULL)
		return 0;
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

static int read_numbers(const char *path, unsigned long *a, unsigned long *b)
{
	FILE *file = fopen(path, "re");
	int count;

	if (file == NULL)
		return 0;
	count = fscanf(file, "%lu %lu", a, b);
	fclose(file);
	return count;
}

/*
 * Both addresses and both ports identify a TCP connection. For one server only our address and port
 * differ, so each of our addresses has `ports` ports for it.
 */
static int check_ports(const struct bench_load *load, uint64_t needed, uint64_t ports,
		       struct pl_err *err)
{
	size_t addresses = load->source_count > 0 ? load->source_count : 1;
	char each[64] = "";

	if (needed <= ports * addresses)
		return 0;
	if (addresses > 1)
		snprintf(each, sizeof(each), " for each of %zu addresses", addresses);
	return pl_err_set(err, PL_ERR_INVALID,
			  "limit 'net.ipv4.ip_local_port_range' leaves %" PRIu64
			  " local ports%s, and %" PRIu64
			  " concurrent connections need one each; name more addresses of this "
			  "host ({benchmark.source_addresses}), widen the limit or lower "
			  "{benchmark.max_concurrency}",
			  ports, each, needed);
}

int bench_load_check_limits(const struct bench_load *load, struct pl_err *err)
{
	uint64_t needed = connections_needed(load);
	uint64_t files = io_sock_raise_nofile();
	uint64_t open = files_open();
	unsigned long low, high;

	if (needed == 0)
		return 0;
	if (files != 0 && needed + open + FILES_BESIDES_SOCKETS > files)
		return pl_err_set(err, PL_ERR_INVALID,
				  "limit 'nofile' is %" PRIu64 ", and %" PRIu64
				  " concurrent connections need %" PRIu64
				  " open files; raise it (ulimit -n) or lower "
				  "{benchmark.max_concurrency}",
				  files, needed, needed + open + FILES_BESIDES_SOCKETS);
	/* A socket of a path has no port to run out of. */
	if (load->addr.u.any.sa_family == AF_UNIX)
		return 0;
	if (read_numbers("/proc/sys/net/ipv4/ip_local_port_range", &low, &high) == 2)
		return check_ports(load, needed, high - low + 1, err);
	return 0;
}
