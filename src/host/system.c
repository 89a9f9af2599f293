#include "host/system.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"

#define PROC_BYTES_MAX (4u << 20)

static char *read_text(const char *path)
{
	struct pl_err err = PL_ERR_INIT;
	char *text = NULL;

	if (pl_file_read(path, PROC_BYTES_MAX, &text, NULL, &err) < 0)
		return NULL;
	return text;
}

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
	auto_free char *text = read_text(path);
	auto_free char *value = text == NULL ? NULL : line_value(text, name);

	return pl_json_text(value);
}

static json_t *numa_nodes(void)
{
	DIR *dir = opendir("/sys/devices/system/node");
	struct dirent *entry;
	json_int_t count = 0;

	if (dir == NULL)
		return json_null();
	while ((entry = readdir(dir)) != NULL) {
		if (strncmp(entry->d_name, "node", 4) == 0 &&
		    isdigit((unsigned char)entry->d_name[4]))
			count++;
	}
	closedir(dir);
	return count > 0 ? json_integer(count) : json_null();
}

json_t *host_system_facts(void)
{
	json_t *facts = json_object();
	struct utsname name;
	char hostname[256] = "";
	long pages = sysconf(_SC_PHYS_PAGES);

	gethostname(hostname, sizeof(hostname) - 1);
	json_object_set_new(facts, "hostname", pl_json_text(hostname[0] != '\0' ? hostname : NULL));
	json_object_set_new(facts, "kernel", pl_json_text(uname(&name) == 0 ? name.release : NULL));
	json_object_set_new(facts, "os", file_line("/etc/os-release", "PRETTY_NAME"));
	json_object_set_new(facts, "cpu", file_line("/proc/cpuinfo", "model name"));
	json_object_set_new(facts, "cpu_count", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
	json_object_set_new(facts, "numa_nodes", numa_nodes());
	json_object_set_new(facts, "memory_bytes",
			    pages > 0 ? json_integer((json_int_t)pages * sysconf(_SC_PAGESIZE))
				      : json_null());
	return facts;
}

/* user nice system idle iowait irq softirq steal; guest times are within user and nice. */
static void read_steal(struct host_stolen *ret)
{
	auto_free char *text = read_text("/proc/stat");
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

double host_throttled_us(void)
{
	auto_free char *groups = read_text("/proc/self/cgroup");
	const char *unified = groups == NULL ? NULL : strstr(groups, "0::/");
	double parsed;

	if (unified == NULL)
		return NAN;
	auto_free char *path = pl_asprintf("/sys/fs/cgroup%.*s/cpu.stat",
					   (int)strcspn(unified + 3, "\n"), unified + 3);
	auto_free char *text = read_text(path);
	auto_free char *value = text == NULL ? NULL : line_value(text, "throttled_usec");
	return value != NULL && pl_text_to_f64(value, &parsed) ? parsed : NAN;
}

void host_stolen_read(struct host_stolen *ret)
{
	*ret = (struct host_stolen){ .t_ns = pl_clock_now_ns(),
				     .steal = NAN,
				     .total = NAN,
				     .throttled_us = host_throttled_us() };
	read_steal(ret);
}

double host_stolen_share(const struct host_stolen *before, const struct host_stolen *after)
{
	double ticks = after->total - before->total;
	double steal = ticks > 0 ? (after->steal - before->steal) / ticks : NAN;
	double elapsed_us = (double)(after->t_ns - before->t_ns) / 1e3;
	double throttled = elapsed_us > 0
				   ? (after->throttled_us - before->throttled_us) / elapsed_us
				   : NAN;

	/* fmax() takes the number where the other is NaN */
	return fmax(steal, throttled);
}
