#include "host/telemetry/host.h"

#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "host/proc/stat.h"
#include "host/telemetry/sums.h"
#include "host/throttled.h"

#define FILE_BYTES_MAX (1u << 20)
/* The first line of /proc/stat is all that is wanted, however many processors follow. */
#define STAT_BYTES   512
#define DISK_BYTES   512
#define SECTOR_BYTES 512.0
#define DEVICES_MAX  64
#define NAME_BYTES   32
#define KIB          1024.0
#define CPU_VALUES   8

#define AT(source, name)    (HOST_Q_##source##_##name - HOST_Q_##source##_FIRST)
#define HOST_Q_host_FIRST   HOST_Q_host_cpu_share
#define HOST_Q_client_FIRST HOST_Q_client_cpu_s

/* user nice system idle iowait irq softirq steal: as /proc/stat has them. */
enum { CPU_IDLE = 3, CPU_IOWAIT, CPU_STEAL = 7 };

struct devices {
	char names[DEVICES_MAX][NAME_BYTES];
	size_t count;
};

/* One file per disk: /proc/diskstats also lists partitions and loop devices, often many more. */
struct disks {
	int fds[DEVICES_MAX];
	size_t count;
};

/*
 * Files stay open and are read again from the start: /proc generates their text at each read at
 * offset 0.
 */
struct host_counters {
	int stat_fd, load_fd, memory_fd, network_fd;
	struct pl_buf text;
	struct disks disks;
	struct devices interfaces; /* empty: use all but loopback */
	/* of the read before; NaN: none */
	int64_t t_ns;
	double cpu[CPU_VALUES];
	struct host_throttled *throttled;
	double throttled_us;
	double read_bytes, written_bytes;
	double received_bytes, sent_bytes;
};

double host_rate(double before, double now, int64_t elapsed_ns)
{
	/* written so that NaN gives NaN */
	if (!(now >= before) || elapsed_ns <= 0)
		return NAN;
	return (now - before) / ((double)elapsed_ns / 1e9);
}

/* Finds the hardware devices of a class: those with an entry `device`. */
static void find_devices(const char *class, struct devices *ret)
{
	auto_dir dir = opendir(class);
	const char *name;
	char path[512];

	ret->count = 0;
	while (ret->count < DEVICES_MAX && (name = pl_dir_next(dir)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s/device", class, name);
		if (strlen(name) < NAME_BYTES && access(path, F_OK) == 0)
			strcpy(ret->names[ret->count++], name);
	}
}

static bool is_one_of(const struct devices *devices, const char *name)
{
	for (size_t i = 0; i < devices->count; i++) {
		if (strcmp(devices->names[i], name) == 0)
			return true;
	}
	return false;
}

static int open_file(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC);
}

struct host_counters *host_counters_new(void)
{
	struct host_counters *counters = pl_alloc(sizeof(*counters));

	counters->stat_fd = open_file("/proc/stat");
	counters->load_fd = open_file("/proc/loadavg");
	counters->memory_fd = open_file("/proc/meminfo");
	counters->network_fd = open_file("/proc/net/dev");
	pl_buf_init(&counters->text, FILE_BYTES_MAX);
	struct devices devices;
	char path[64];
	counters->disks.count = 0;
	find_devices("/sys/block", &devices);
	for (size_t i = 0; i < devices.count; i++) {
		snprintf(path, sizeof(path), "/sys/block/%s/stat", devices.names[i]);
		int fd = open_file(path);
		if (fd >= 0)
			counters->disks.fds[counters->disks.count++] = fd;
	}
	find_devices("/sys/class/net", &counters->interfaces);
	for (size_t i = 0; i < CPU_VALUES; i++)
		counters->cpu[i] = NAN;
	counters->throttled = host_throttled_new();
	counters->throttled_us = NAN;
	counters->read_bytes = counters->written_bytes = NAN;
	counters->received_bytes = counters->sent_bytes = NAN;
	return counters;
}

/*
 * A read of /proc returns early if the kernel's next record does not fit into its page. After at
 * least half a page there may be more, and another read makes the kernel generate the text again
 * from the start.
 */
#define MAY_GO_ON 2048

/* The whole file, or at most `most` bytes of it; "" where it cannot be read. */
static char *reread(struct host_counters *counters, int fd, size_t most)
{
	struct pl_buf *text = &counters->text;
	ssize_t len = 0;

	pl_buf_clear(text);
	do {
		size_t room = most < 8192 ? most : 8192;
		char *into = fd >= 0 ? pl_buf_reserve(text, room) : NULL;
		if (into == NULL)
			break;
		len = pread(fd, into, room, (off_t)text->len);
		if (len > 0)
			text->len += (size_t)len;
	} while (len >= MAY_GO_ON && text->len < most);
	/* the buffer's text is ours to cut until the next read */
	pl_buf_add_char(text, '\n');
	return text->data;
}

static void read_cpu(struct host_counters *counters, double *values)
{
	double now[CPU_VALUES], all = 0, grown[CPU_VALUES];
	const char *text = reread(counters, counters->stat_fd, STAT_BYTES);

	bool known = sscanf(text, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &now[0], &now[1], &now[2],
			    &now[3], &now[4], &now[5], &now[6], &now[7]) == CPU_VALUES;
	for (size_t i = 0; i < CPU_VALUES; i++) {
		/* idle and iowait may step back a little where CPUs rest: nothing, then */
		grown[i] = known ? fmax(now[i] - counters->cpu[i], 0) : NAN;
		if (known && isnan(counters->cpu[i]))
			grown[i] = NAN;
		counters->cpu[i] = known ? now[i] : NAN;
		all += grown[i];
	}
	/* No time has passed since the previous reading, or one of the values is unknown. */
	if (!(all > 0))
		return;
	values[AT(host, cpu_share)] =
		(all - grown[CPU_IDLE] - grown[CPU_IOWAIT] - grown[CPU_STEAL]) / all;
	values[AT(host, iowait_share)] = grown[CPU_IOWAIT] / all;
	values[AT(host, steal_share)] = grown[CPU_STEAL] / all;
}

static double line_value(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at != NULL ? strtod(at + strlen(name), NULL) : NAN;
}

static void read_disks(struct host_counters *counters, int64_t elapsed_ns, double *values)
{
	double read_bytes = NAN, written_bytes = NAN;

	for (size_t i = 0; i < counters->disks.count; i++) {
		const char *text = reread(counters, counters->disks.fds[i], DISK_BYTES);
		double sectors_read, sectors_written;
		/*
		 * Sectors are of 512 bytes here whatever the device has:
		 * Documentation/block/stat.rst.
		 */
		if (sscanf(text, "%*u %*u %lf %*u %*u %*u %lf", &sectors_read, &sectors_written) !=
		    2)
			continue;
		/* NaN becomes 0 with the first device that is found; without any it stays NaN. */
		read_bytes = fmax(read_bytes, 0) + sectors_read * SECTOR_BYTES;
		written_bytes = fmax(written_bytes, 0) + sectors_written * SECTOR_BYTES;
	}
	values[AT(host, disk_read_bytes_per_s)] = host_rate(counters->read_bytes, read_bytes,
							    elapsed_ns);
	values[AT(host, disk_written_bytes_per_s)] = host_rate(counters->written_bytes,
							       written_bytes, elapsed_ns);
	counters->read_bytes = read_bytes;
	counters->written_bytes = written_bytes;
}

static bool counts(const struct host_counters *counters, const char *name)
{
	/* A container has no hardware interfaces: use all but loopback. */
	if (counters->interfaces.count > 0)
		return is_one_of(&counters->interfaces, name);
	return strcmp(name, "lo") != 0;
}

static void read_network(struct host_counters *counters, int64_t elapsed_ns, double *values)
{
	char *text = reread(counters, counters->network_fd, FILE_BYTES_MAX / 2);
	double received = NAN, sent = NAN;

	for (char *line; (line = strsep(&text, "\n")) != NULL;) {
		double in, out;
		/* The last one: names of interfaces may have one themselves ("eth0:1"). */
		char *colon = strrchr(line, ':');
		if (colon == NULL)
			continue;
		*colon = '\0';
		line += strspn(line, " ");
		if (!counts(counters, line) ||
		    sscanf(colon + 1, "%lf %*u %*u %*u %*u %*u %*u %*u %lf", &in, &out) != 2)
			continue;
		received = fmax(received, 0) + in;
		sent = fmax(sent, 0) + out;
	}
	values[AT(host, network_received_bytes_per_s)] = host_rate(counters->received_bytes,
								   received, elapsed_ns);
	values[AT(host, network_sent_bytes_per_s)] = host_rate(counters->sent_bytes, sent,
							       elapsed_ns);
	counters->received_bytes = received;
	counters->sent_bytes = sent;
}

void host_counters_read(struct host_counters *counters, int64_t t_ns, double *values)
{
	int64_t elapsed_ns = counters->t_ns != 0 ? t_ns - counters->t_ns : 0;
	size_t count;

	host_source_first(HOST_SOURCE_host, &count);
	for (size_t i = 0; i < count; i++)
		values[i] = NAN;
	read_cpu(counters, values);
	double now_us = host_throttled_us(counters->throttled);
	/* Groups count the time of each CPU, so several throttled at once could exceed 1. */
	values[AT(host, throttled_share)] = fmin(
		host_rate(counters->throttled_us, now_us, elapsed_ns) / 1e6, 1);
	if (isnan(now_us) || isnan(counters->throttled_us))
		values[AT(host, throttled_share)] = NAN;
	counters->throttled_us = now_us;
	values[AT(host, load_1m)] =
		counters->load_fd < 0
			? NAN
			: strtod(reread(counters, counters->load_fd, STAT_BYTES), NULL);
	const char *text = reread(counters, counters->memory_fd, FILE_BYTES_MAX / 2);
	double available = line_value(text, "\nMemAvailable:") * KIB;
	values[AT(host, memory_available_bytes)] = available;
	/* Uses MemAvailable: reclaimable page cache does not count as used. */
	values[AT(host, memory_used_bytes)] = line_value(text, "MemTotal:") * KIB - available;
	values[AT(host, swap_used_bytes)] =
		(line_value(text, "\nSwapTotal:") - line_value(text, "\nSwapFree:")) * KIB;
	read_disks(counters, elapsed_ns, values);
	read_network(counters, elapsed_ns, values);
	counters->t_ns = t_ns;
}

void host_counters_free(struct host_counters *counters)
{
	if (counters == NULL)
		return;
	pl_fd_close(&counters->stat_fd);
	pl_fd_close(&counters->load_fd);
	pl_fd_close(&counters->memory_fd);
	pl_fd_close(&counters->network_fd);
	for (size_t i = 0; i < counters->disks.count; i++)
		pl_fd_close(&counters->disks.fds[i]);
	pl_buf_done(&counters->text);
	host_throttled_free(counters->throttled);
	free(counters);
}

struct host_self {
	int stat_fd;
	int64_t t_ns;
	double cpu_s;
};

struct host_self *host_self_new(void)
{
	struct host_self *self = pl_alloc(sizeof(*self));

	self->stat_fd = open_file("/proc/self/stat");
	self->cpu_s = NAN;
	return self;
}

void host_self_read(struct host_self *self, int64_t t_ns, double *values)
{
	double cpu_s = (double)pl_clock_cpu_process_ns() / 1e9;
	struct rusage usage;
	struct host_proc stat;

	getrusage(RUSAGE_SELF, &usage);
	values[AT(client, cpu_s)] = cpu_s;
	values[AT(client, cpu_share)] = host_rate(self->cpu_s, cpu_s, t_ns - self->t_ns);
	bool known = host_proc_read_fd(self->stat_fd, getpid(), &stat);
	values[AT(client, threads)] = known ? stat.threads : NAN;
	values[AT(client, memory_bytes)] = known ? stat.resident_pages *
							   (double)sysconf(_SC_PAGESIZE)
						 : NAN;
	values[AT(client, voluntary_switches)] = (double)usage.ru_nvcsw;
	values[AT(client, involuntary_switches)] = (double)usage.ru_nivcsw;
	self->cpu_s = cpu_s;
	self->t_ns = t_ns;
}

void host_self_free(struct host_self *self)
{
	if (self == NULL)
		return;
	pl_fd_close(&self->stat_fd);
	free(self);
}
