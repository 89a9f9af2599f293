#include "host/proc/tree.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "host/proc/mark.h"
#include "host/proc/stat.h"

#define PROCESSES_MAX 1024
#define IO_BYTES_MAX  1024
/* Until it loads its program, a child is a copy of its parent: it is checked for this long. */
#define LOOK_NS PL_NS_PER_S

/*
 * Files of /proc/PID stay open: reading costs one pread() without path lookup, and a descriptor of
 * an ended process fails even if its pid was reused.
 */
struct process {
	pid_t pid;
	int stat_fd;
	int io_fd; /* -1: may not be read */
	bool read_before;
	double cpu_s;
	double read_bytes;
	double written_bytes;
	double open_files;
};

/* A process that does not belong to the run, as far as known. */
struct other {
	pid_t pid;
	int64_t since_ns; /* first seen; INT64_MIN: existed before the tree */
	bool left_out;    /* and so are its children */
	bool seen;        /* by the scan under way */
};

struct host_proc_tree {
	char *run_id;
	struct process *processes;
	size_t count;
	size_t room;
	struct other *others; /* by rising pid */
	size_t other_count;
	size_t other_room;
	int64_t scan_ns; /* of the scan under way */
	double cpu_s;    /* all that was ever counted */
	bool overflow;   /* more than PROCESSES_MAX: sums are unknown */
	double tick_s;
	double page_bytes;
};

static int open_proc(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* A zombie uses nothing; its times are already its parent's to collect. */
static bool read_stat(int fd, pid_t pid, struct host_proc *ret)
{
	return host_proc_read_fd(fd, pid, ret) && !host_proc_is_dead(ret);
}

/* Returns the value of "name: 123" in /proc/PID/io; NaN if missing. */
static double io_value(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at != NULL ? strtod(at + strlen(name), NULL) : NAN;
}

static void read_io(int fd, double *ret_read, double *ret_written)
{
	char text[IO_BYTES_MAX];
	ssize_t len = fd >= 0 ? pread(fd, text, sizeof(text) - 1, 0) : -1;

	*ret_read = *ret_written = NAN;
	if (len <= 0)
		return;
	text[len] = '\0';
	*ret_read = io_value(text, "\nread_bytes: ");
	*ret_written = io_value(text, "\nwrite_bytes: ");
}

static double count_files(pid_t pid)
{
	char path[64];
	double count = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	auto_dir dir = opendir(path);
	while (pl_dir_next(dir) != NULL)
		count++;
	return dir != NULL ? count : NAN;
}

bool host_proc_tree_holds(const struct host_proc_tree *tree, pid_t pid)
{
	for (size_t i = 0; i < tree->count; i++) {
		if (tree->processes[i].pid == pid)
			return true;
	}
	return false;
}

/* Sorted, so that looking at some thousand processes twice a second costs next to nothing. */
static struct other *find_other(const struct host_proc_tree *tree, pid_t pid, size_t *ret_at)
{
	size_t low = 0, high = tree->other_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (tree->others[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	*ret_at = low;
	return low < tree->other_count && tree->others[low].pid == pid ? &tree->others[low] : NULL;
}

static void add_other(struct host_proc_tree *tree, size_t at, pid_t pid, int64_t since_ns)
{
	pl_grow((void **)&tree->others, &tree->other_room, tree->other_count + 1,
		sizeof(*tree->others));
	memmove(&tree->others[at + 1], &tree->others[at],
		(tree->other_count - at) * sizeof(*tree->others));
	tree->others[at] = (struct other){ .pid = pid, .since_ns = since_ns, .seen = true };
	tree->other_count++;
}

static bool is_left_out(const struct host_proc_tree *tree, pid_t pid)
{
	size_t at;
	const struct other *other = find_other(tree, pid, &at);

	return other != NULL && other->left_out;
}

static void leave_out(struct host_proc_tree *tree, pid_t pid)
{
	size_t at;
	struct other *other = find_other(tree, pid, &at);

	if (other == NULL) {
		add_other(tree, at, pid, INT64_MIN);
		other = &tree->others[at];
	}
	other->since_ns = INT64_MIN;
	other->left_out = true;
}

static bool add_process(struct host_proc_tree *tree, pid_t pid, int stat_fd)
{
	if (tree->count == PROCESSES_MAX) {
		tree->overflow = true;
		close(stat_fd);
		return false;
	}
	*PL_PUSH(tree->processes, tree->count, tree->room) = (struct process){
		.pid = pid,
		.stat_fd = stat_fd,
		.io_fd = open_proc(pid, "io"),
		.open_files = NAN,
	};
	return true;
}

/* Takes the process in where it is of the run. */
static bool adopt(struct host_proc_tree *tree, pid_t pid)
{
	struct host_proc stat;
	auto_fd int fd = open_proc(pid, "stat");

	if (!read_stat(fd, pid, &stat))
		return false;
	/* Its children too, as they come: they carry the same mark. */
	if (is_left_out(tree, stat.parent)) {
		leave_out(tree, pid);
		return false;
	}
	if (!host_proc_tree_holds(tree, stat.parent) && !host_mark_is_on_server(pid, tree->run_id))
		return false;
	return add_process(tree, pid, pl_take_fd(fd));
}

static void look_at(struct host_proc_tree *tree, pid_t pid)
{
	size_t at;

	if (host_proc_tree_holds(tree, pid))
		return;
	struct other *other = find_other(tree, pid, &at);
	if (other != NULL)
		other->seen = true;
	/*
	 * A process that did not belong to the run by then will not join it, so its environment is
	 * no longer read twice a second.
	 */
	if (other != NULL && other->since_ns < tree->scan_ns - LOOK_NS)
		return;
	bool ours = adopt(tree, pid);
	/* it may have been noted in the meantime */
	other = find_other(tree, pid, &at);
	if (!ours && other == NULL)
		add_other(tree, at, pid, tree->scan_ns);
	if (!ours)
		return;
	if (other != NULL) {
		tree->other_count--;
		memmove(other, other + 1, (tree->other_count - at) * sizeof(*other));
	}
}

/* Numbers that are free again may come back as anything. */
static void forget_gone(struct host_proc_tree *tree)
{
	size_t retained = 0;

	for (size_t i = 0; i < tree->other_count; i++) {
		if (!tree->others[i].seen)
			continue;
		tree->others[retained] = tree->others[i];
		tree->others[retained++].seen = false;
	}
	tree->other_count = retained;
}

static void for_each_process(struct host_proc_tree *tree,
			     void (*fn)(struct host_proc_tree *tree, pid_t pid))
{
	auto_dir dir = opendir("/proc");
	pid_t pid;

	while (host_proc_next(dir, &pid))
		fn(tree, pid);
}

static void note_earlier(struct host_proc_tree *tree, pid_t pid)
{
	size_t at;

	if (find_other(tree, pid, &at) == NULL)
		add_other(tree, at, pid, INT64_MIN);
}

void host_proc_tree_scan(struct host_proc_tree *tree)
{
	tree->overflow = false;
	tree->scan_ns = pl_clock_now_ns();
	/* a parent comes before its children but where numbers have come round: then the next scan
	 * finds them */
	for_each_process(tree, look_at);
	forget_gone(tree);
	for (size_t i = 0; i < tree->count; i++)
		tree->processes[i].open_files = count_files(tree->processes[i].pid);
}

struct host_proc_tree *host_proc_tree_new(const char *run_id)
{
	struct host_proc_tree *tree = pl_alloc(sizeof(*tree));

	tree->run_id = pl_strdup(run_id);
	tree->tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
	tree->page_bytes = (double)sysconf(_SC_PAGESIZE);
	for_each_process(tree, note_earlier);
	forget_gone(tree);
	return tree;
}

static void drop(struct host_proc_tree *tree, size_t at)
{
	pl_fd_close(&tree->processes[at].stat_fd);
	pl_fd_close(&tree->processes[at].io_fd);
	tree->processes[at] = tree->processes[--tree->count];
}

void host_proc_tree_leave_out(struct host_proc_tree *tree, pid_t pid)
{
	leave_out(tree, pid);
	for (size_t i = tree->count; i-- > 0;) {
		if (tree->processes[i].pid == pid)
			drop(tree, i);
	}
}

/* Returns the growth of a counter; NaN if a value is unknown. */
static double grown(bool read_before, double before, double now)
{
	return !read_before ? 0 : now >= before ? now - before : NAN;
}

static bool add_use(struct host_proc_tree *tree, struct process *process, struct host_proc_use *use)
{
	struct host_proc stat;
	double read_bytes, written_bytes;

	if (!read_stat(process->stat_fd, process->pid, &stat))
		return false;
	double cpu_s = stat.cpu_ticks * tree->tick_s;
	read_io(process->io_fd, &read_bytes, &written_bytes);
	/*
	 * Counts a newly found process from 0: its earlier use also belongs to the server.
	 * cpu_grown_s excludes that, because it is outside of the interval.
	 */
	tree->cpu_s += fmax(cpu_s - process->cpu_s, 0);
	use->processes++;
	use->cpu_grown_s += process->read_before ? fmax(cpu_s - process->cpu_s, 0) : 0;
	use->memory_bytes += stat.resident_pages * tree->page_bytes;
	use->threads += stat.threads;
	use->open_files += process->open_files;
	use->read_grown_bytes += grown(process->read_before, process->read_bytes, read_bytes);
	use->written_grown_bytes += grown(process->read_before, process->written_bytes,
					  written_bytes);
	process->cpu_s = cpu_s;
	process->read_bytes = read_bytes;
	process->written_bytes = written_bytes;
	process->read_before = true;
	return true;
}

void host_proc_tree_read(struct host_proc_tree *tree, struct host_proc_use *ret)
{
	*ret = (struct host_proc_use){ 0 };
	for (size_t i = 0; i < tree->count;) {
		if (add_use(tree, &tree->processes[i], ret))
			i++;
		else
			drop(tree, i);
	}
	ret->cpu_s = tree->cpu_s;
	if (tree->overflow || tree->count == 0)
		*ret = (struct host_proc_use){ .processes = tree->overflow ? NAN : 0,
					       .cpu_s = tree->overflow ? NAN : tree->cpu_s,
					       .cpu_grown_s = NAN,
					       .memory_bytes = NAN,
					       .threads = NAN,
					       .open_files = NAN,
					       .read_grown_bytes = NAN,
					       .written_grown_bytes = NAN };
}

void host_proc_tree_free(struct host_proc_tree *tree)
{
	if (tree == NULL)
		return;
	while (tree->count > 0)
		drop(tree, 0);
	free(tree->processes);
	free(tree->others);
	free(tree->run_id);
	free(tree);
}

/* They were seen before, as processes of others. */
static bool take_children(struct host_proc_tree *tree)
{
	bool changed = false;

	for (size_t i = tree->other_count; i-- > 0;) {
		struct other *other = &tree->others[i];
		auto_fd int fd = open_proc(other->pid, "stat");
		struct host_proc stat;
		if (other->left_out || !read_stat(fd, other->pid, &stat) ||
		    !host_proc_tree_holds(tree, stat.parent) ||
		    !add_process(tree, other->pid, pl_take_fd(fd)))
			continue;
		tree->other_count--;
		memmove(other, other + 1, (tree->other_count - i) * sizeof(*other));
		changed = true;
	}
	return changed;
}

void host_proc_tree_take_in(struct host_proc_tree *tree, pid_t pid)
{
	auto_fd int fd = open_proc(pid, "stat");
	struct host_proc stat;
	size_t at;

	if (!host_proc_tree_holds(tree, pid)) {
		if (!read_stat(fd, pid, &stat) || !add_process(tree, pid, pl_take_fd(fd)))
			return;
		struct other *other = find_other(tree, pid, &at);
		if (other != NULL) {
			tree->other_count--;
			memmove(other, other + 1, (tree->other_count - at) * sizeof(*other));
		}
	}
	while (take_children(tree)) {}
	host_proc_tree_scan(tree);
}
