#include "host/system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "host/gpu/numa.h"
#include "host/throttled.h"

#define PROC_BYTES_MAX (4u << 20)

/*
 * Returns the rest of the first line that starts with `name`, without ':', '=' and blanks before
 * it. Free with free().
 */
static char *line_value(const char *text, const char *name)
{
	size_t name_len = strlen(name);

	for (const char *line = text; line != NULL && *line != '\0';) {
		size_t len = strcspn(line, "\n");
		if (len > name_len && strncmp(line, name, name_len) == 0 &&
		    strchr(":= \t", line[name_len]) != NULL) {
			const char *value = line + name_len;
			value += strspn(value, ":= \t\"");
			char *copy = pl_strndup(value, (size_t)(line + len - value));
			copy[strcspn(copy, "\"")] = '\0';
			return copy;
		}
		line += len;
		if (*line == '\n')
			line++;
	}
	return NULL;
}

static json_t *file_line(const char *path, const char *name)
{
	auto_free char *text = pl_file_text(path, PROC_BYTES_MAX, NULL);
	auto_free char *value = text == NULL ? NULL : line_value(text, name);

	return pl_json_text(value);
}

json_t *host_system_facts(void)
{
	json_t *facts = json_object();
	struct utsname name;
	char hostname[256] = "";
	/* The memory available to the kernel, slightly less than installed. */
	long pages = sysconf(_SC_PHYS_PAGES);
	json_int_t nodes = (json_int_t)host_numa_count(HOST_NUMA_FOLDER);

	gethostname(hostname, sizeof(hostname) - 1);
	json_object_set_new(facts, "hostname", pl_json_text(hostname[0] != '\0' ? hostname : NULL));
	json_object_set_new(facts, "kernel", pl_json_text(uname(&name) == 0 ? name.release : NULL));
	json_object_set_new(facts, "os", file_line("/etc/os-release", "PRETTY_NAME"));
	json_object_set_new(facts, "cpu", file_line("/proc/cpuinfo", "model name"));
	/* The host's CPUs, not our affinity: this is a fact about the machine. */
	json_object_set_new(facts, "cpu_count", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
	json_object_set_new(facts, "numa_nodes", pl_json_i64(nodes, nodes > 0));
	json_object_set_new(facts, "memory_bytes",
			    pl_json_i64((int64_t)pages * sysconf(_SC_PAGESIZE), pages > 0));
	return facts;
}

void host_stolen_read(struct host_stolen *ret)
{
	PL_AUTO(host_throttled_free) struct host_throttled *throttled = host_throttled_new();

	*ret = (struct host_stolen){ .t_ns = pl_clock_now_ns(),
				     .steal = NAN,
				     .total = NAN,
				     .throttled_us = host_throttled_us(throttled) };
	/* user nice system idle iowait irq softirq steal; guest times are within user and nice. */
	auto_free char *text = pl_file_text("/proc/stat", PROC_BYTES_MAX, NULL);
	double ticks[8] = { 0 };
	if (text == NULL ||
	    sscanf(text, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &ticks[0], &ticks[1], &ticks[2],
		   &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]) != 8)
		return;
	ret->steal = ticks[7];
	ret->total = 0;
	for (size_t i = 0; i < PL_ARRAY_SIZE(ticks); i++)
		ret->total += ticks[i];
}

/* A share of all CPUs together: if one busy CPU of sixteen loses time, the share is small. */
double host_stolen_share(const struct host_stolen *before, const struct host_stolen *after)
{
	double ticks = after->total - before->total;

	return ticks > 0 ? (after->steal - before->steal) / ticks : NAN;
}

double host_withheld_share(const struct host_stolen *before, const struct host_stolen *after)
{
	double elapsed_us = (double)(after->t_ns - before->t_ns) / 1e3;
	double share = elapsed_us > 0 ? (after->throttled_us - before->throttled_us) / elapsed_us
				      : NAN;

	/* groups count each processor's time */
	return share > 1 ? 1 : share;
}
