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

#define PROC_BYTES_MAX (4u << 20)

/* The rest of the first line that starts with `name`, behind ':', '=' or blanks; free(). */
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
	/* What the kernel has, and so a little less than what is built in. */
	long pages = sysconf(_SC_PHYS_PAGES);
	json_int_t nodes = (json_int_t)host_numa_count(HOST_NUMA_FOLDER);

	gethostname(hostname, sizeof(hostname) - 1);
	json_object_set_new(facts, "hostname", pl_json_text(hostname[0] != '\0' ? hostname : NULL));
	json_object_set_new(facts, "kernel", pl_json_text(uname(&name) == 0 ? name.release : NULL));
	json_object_set_new(facts, "os", file_line("/etc/os-release", "PRETTY_NAME"));
	json_object_set_new(facts, "cpu", file_line("/proc/cpuinfo", "model name"));
	/* Of the host, not of our affinity: the fact is about the machine. */
	json_object_set_new(facts, "cpu_count", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
	json_object_set_new(facts, "numa_nodes", pl_json_i64(nodes, nodes > 0));
	json_object_set_new(facts, "memory_bytes",
			    pl_json_i64((int64_t)pages * sysconf(_SC_PAGESIZE), pages > 0));
	return facts;
}

/* user nice system idle iowait irq softirq steal; guest times are within user and nice. */
static void read_steal(struct host_stolen *ret)
{
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

/* Microseconds by the cpu.stat of version 1 (in ns) or 2; NaN: none there. */
static double read_throttled_us(const char *folder)
{
	auto_free char *path = pl_asprintf("%s/cpu.stat", folder);
	auto_free char *text = pl_file_text(path, PROC_BYTES_MAX, NULL);
	auto_free char *v2_us = text == NULL ? NULL : line_value(text, "throttled_usec");
	auto_free char *v1_ns = text == NULL ? NULL : line_value(text, "throttled_time");
	double value;

	if (v2_us != NULL && pl_text_to_f64(v2_us, &value))
		return value;
	return v1_ns != NULL && pl_text_to_f64(v1_ns, &value) ? value / PL_NS_PER_US : NAN;
}

/*
 * A group's own limit only is counted in its file, so those of all groups above hold us too. Within
 * a container the path may be the host's and not be there: the mounted folder is the container's.
 */
static double sum_throttled_us(const char *mounted, const char *group)
{
	auto_free char *path = pl_asprintf("%s%s", mounted, pl_text_equal(group, "/") ? "" : group);
	size_t mounted_len = strlen(mounted);
	double sum = NAN;

	for (;;) {
		double one = read_throttled_us(path);
		if (!isnan(one))
			sum = isnan(sum) ? one : sum + one;
		char *slash = strrchr(path + mounted_len, '/');
		if (slash == NULL)
			return sum;
		*slash = '\0';
	}
}

/* Is `name` one of the controllers of a line "4:cpu,cpuacct:/group"? */
static bool has_controller(const char *list, const char *name)
{
	size_t name_len = strlen(name);

	for (;;) {
		size_t len = strcspn(list, ",:");
		if (len == name_len && strncmp(list, name, len) == 0)
			return true;
		if (list[len] != ',')
			return false;
		list += len + 1;
	}
}

double host_throttled_us(const char *groups, const char *mounted)
{
	auto_free char *lines = pl_strdup(groups);
	double unified = NAN, legacy = NAN;

	for (char *rest = lines, *line; (line = strsep(&rest, "\n")) != NULL;) {
		char *list = strchr(line, ':');
		char *group = list == NULL ? NULL : strchr(list + 1, ':');
		if (group == NULL)
			continue;
		if (pl_text_starts(line, "0::")) {
			unified = sum_throttled_us(mounted, group + 1);
		} else if (has_controller(list + 1, "cpu")) {
			/* mounted under the list of its controllers, with links of the single
			 * names */
			auto_free char *folder = pl_asprintf("%s/cpu", mounted);
			legacy = sum_throttled_us(folder, group + 1);
		}
	}
	return isnan(legacy) ? unified : legacy;
}

char *host_control_groups(void)
{
	return pl_file_text("/proc/self/cgroup", PROC_BYTES_MAX, NULL);
}

void host_stolen_read(struct host_stolen *ret)
{
	auto_free char *groups = host_control_groups();

	*ret = (struct host_stolen){ .t_ns = pl_clock_now_ns(),
				     .steal = NAN,
				     .total = NAN,
				     .throttled_us = host_throttled_us(groups,
								       HOST_CGROUP_FOLDER) };
	read_steal(ret);
}

/*
 * Of all processors together: a host with one busy of sixteen loses little of the whole when that
 * one is stolen from.
 */
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
