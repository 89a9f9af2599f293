#include "host/proc/reaper.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "host/lock/folder.h"
#include "host/lock/lock.h"
#include "host/proc/container.h"
#include "host/proc/mark.h"
#include "host/proc/program.h"
#include "host/proc/stat.h"

#define NOTES        "runs" /* apart from the lock files, which are never removed */
#define ENTRY_BYTES  512
#define HEADS_MAX    8
#define RUN_ID_BYTES 64
#define KILL_WAIT_NS (5 * PL_NS_PER_S)
#define FOLDERS_MAX  2

typedef void reaper_report(const char *run_id, size_t killed, size_t left);

/*
 *    runs/RUN_ID:   pid-namespace  profllm start  guard start      one line, written whole
 *                   head start                                     a line more for each server
 *                   container docker                               and for its container
 *
 * A pid and its start time name one process for ever; the name space says by whose numbering.
 */
struct entry {
	uid_t owner;
	unsigned long long pids; /* which numbering of processes: inode of the pid namespace */
	struct host_proc parent; /* of these only pid and start_ticks */
	struct host_proc guard;
	struct host_proc heads[HEADS_MAX];
	size_t head_count;
	const char *runtime; /* of its container, a name of `runtimes`; NULL: none */
};

/* The file is another user's to write: it names one of these programs, and no path. */
static const char *const runtimes[] = { "docker", "podman" };

#define CONTAINER_WORD "container "

/*
 * Returns the possible directories of host/lock/folder.h without creating them; the caller frees
 * them with free().
 */
static size_t folders(char *ret[FOLDERS_MAX])
{
	const char *env_mark = getenv("PROFLLM_LOCK_DIR");
	const char *session = getenv("XDG_RUNTIME_DIR");
	size_t count = 0;

	if (env_mark != NULL && env_mark[0] != '\0') {
		ret[count++] = pl_strdup(env_mark);
		return count;
	}
	ret[count++] = pl_strdup(HOST_LOCK_FOLDER);
	if (session != NULL && session[0] == '/')
		ret[count++] = pl_asprintf("%s/profllm", session);
	return count;
}

static void free_folders(char *list[FOLDERS_MAX], size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(list[i]);
}

/* A link in a folder's place may lead anywhere: it is not followed. -1: none. */
static int open_notes(int folder)
{
	return openat(folder, NOTES, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int find_notes(const char *path)
{
	auto_fd int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return folder < 0 ? -1 : open_notes(folder);
}

/* Uses the mode of the lock directory, which belongs to all users or to one. */
static int make_notes(int folder)
{
	struct stat st;
	int notes = open_notes(folder);

	if (notes >= 0 || errno != ENOENT || fstat(folder, &st) < 0 ||
	    (mkdirat(folder, NOTES, 0700) < 0 && errno != EEXIST))
		return notes;
	notes = open_notes(folder);
	/* the mask of the process took bits away */
	if (notes >= 0)
		(void)!fchmod(notes, st.st_mode & 01777);
	return notes;
}

static unsigned long long pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? (unsigned long long)st.st_ino : 0;
}

/* Also ensures that a name is not a path. */
static bool is_run_id(const char *text)
{
	size_t len = strspn(text,
			    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return len > 0 && len < RUN_ID_BYTES && text[len] == '\0';
}

/* Writes the file under a temporary name first, so an entry is complete or missing. */
static bool write_entry(int folder, const char *run_id, const char *text)
{
	auto_free char *temporary = pl_asprintf(".%s.%d", run_id, (int)getpid());
	auto_fd int fd = openat(folder, temporary,
				O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	size_t len = strlen(text);

	if (fd < 0)
		return false;
	if (write(fd, text, len) == (ssize_t)len &&
	    renameat(folder, temporary, folder, run_id) == 0)
		return true;
	unlinkat(folder, temporary, 0);
	return false;
}

bool host_reaper_enter(const char *run_id, pid_t guard)
{
	auto_free char *path = NULL;
	auto_free char *warning = NULL;
	auto_fd int folder = -1;
	auto_fd int notes = -1;
	struct host_proc self, other;

	if (!is_run_id(run_id) || !host_proc_read(getpid(), &self) ||
	    !host_proc_read(guard, &other) ||
	    host_lock_folder_open(&folder, &path, &warning, PL_ERR_IGNORED) < 0)
		return false;
	auto_free char *text = pl_asprintf("%llu %d %llu %d %llu\n", pid_namespace(), (int)self.pid,
					   (unsigned long long)self.start_ticks, (int)other.pid,
					   (unsigned long long)other.start_ticks);
	notes = make_notes(folder);
	if (notes >= 0 && write_entry(notes, run_id, text))
		return true;
	pl_log(PL_LOG_WARNING,
	       "'%s/" NOTES "' is not usable (%s): processes of this run stay undetected if "
	       "profllm and its guard are both killed",
	       path, strerror(errno));
	return true;
}

static void add_line(const char *run_id, const char *text)
{
	char *list[FOLDERS_MAX];
	size_t count = folders(list);

	for (size_t i = 0; i < count; i++) {
		auto_fd int notes = find_notes(list[i]);
		auto_fd int file = notes < 0 ? -1
					     : openat(notes, run_id,
						      O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
		/* one that cannot be written costs only this */
		if (file >= 0)
			(void)!write(file, text, strlen(text));
	}
	free_folders(list, count);
}

void host_reaper_note_head(const char *run_id, pid_t head)
{
	struct host_proc proc;
	char text[64];

	if (!host_proc_read(head, &proc))
		return;
	snprintf(text, sizeof(text), "%d %llu\n", (int)proc.pid,
		 (unsigned long long)proc.start_ticks);
	add_line(run_id, text);
}

void host_reaper_note_container(const char *run_id, const char *runtime)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(runtimes); i++) {
		const char *slash = strrchr(runtime, '/');
		auto_free char *line = pl_asprintf(CONTAINER_WORD "%s\n", runtimes[i]);
		if (strcmp(slash != NULL ? slash + 1 : runtime, runtimes[i]) == 0)
			add_line(run_id, line);
	}
}

void host_reaper_leave(const char *run_id)
{
	char *list[FOLDERS_MAX];
	size_t count = folders(list);

	for (size_t i = 0; i < count; i++) {
		auto_fd int notes = find_notes(list[i]);
		if (notes >= 0)
			unlinkat(notes, run_id, 0);
	}
	free_folders(list, count);
}

static void read_runtime(const char *name, struct entry *entry)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(runtimes); i++) {
		size_t len = strlen(runtimes[i]);
		if (strncmp(name, runtimes[i], len) == 0 && name[len] == '\n')
			entry->runtime = runtimes[i];
	}
}

/* The lines after the first. */
static void read_lines(const char *text, struct entry *entry)
{
	unsigned long long start;
	int pid;

	entry->head_count = 0;
	entry->runtime = NULL;
	for (; *text != '\0'; text += strcspn(text, "\n"), text += *text == '\n') {
		if (pl_text_starts(text, CONTAINER_WORD))
			read_runtime(text + strlen(CONTAINER_WORD), entry);
		else if (entry->head_count < HEADS_MAX && *text >= '0' && *text <= '9' &&
			 sscanf(text, "%d %llu", &pid, &start) == 2)
			entry->heads[entry->head_count++] =
				(struct host_proc){ .pid = pid, .start_ticks = start };
	}
}

static bool read_entry(int notes, const char *name, struct entry *ret)
{
	auto_fd int fd = openat(notes, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char text[ENTRY_BYTES];
	unsigned long long parent_start, guard_start;
	int parent, guard, used = 0;
	struct stat st;

	/* The file is untrusted: O_NONBLOCK above prevents a FIFO from blocking. */
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	ssize_t got = read(fd, text, sizeof(text) - 1);
	if (got <= 0)
		return false;
	text[got] = '\0';
	if (sscanf(text, "%llu %d %llu %d %llu%n", &ret->pids, &parent, &parent_start, &guard,
		   &guard_start, &used) != 5)
		return false;
	read_lines(text + used, ret);
	ret->owner = st.st_uid;
	ret->parent = (struct host_proc){ .pid = parent, .start_ticks = parent_start };
	ret->guard = (struct host_proc){ .pid = guard, .start_ticks = guard_start };
	return true;
}

static bool is_alive(const struct host_proc *proc)
{
	struct host_proc now;

	return host_proc_read(proc->pid, &now) && now.start_ticks == proc->start_ticks &&
	       !host_proc_is_dead(&now);
}

/*
 * Counts the run's container in *done. Returns false if this command cannot know whether there is
 * one: another user's runtime shows it to that user only, or the runtime is not in PATH.
 */
static bool remove_container(const char *run_id, const struct entry *entry,
			     struct host_mark_killing *done)
{
	auto_free char *program = NULL;
	auto_free char *name = pl_asprintf(HOST_CONTAINER_PREFIX "%s", run_id);

	if (entry->runtime == NULL)
		return true;
	if (entry->owner != geteuid() ||
	    host_program_find(entry->runtime, &program, PL_ERR_IGNORED) < 0)
		return false;
	struct host_container container = { program, name };
	enum host_container_state state = host_container_look(&container);
	done->killed += state == HOST_CONTAINER_EXISTS;
	done->left += state != HOST_CONTAINER_GONE &&
		      !host_container_remove(&container, false, KILL_WAIT_NS);
	return true;
}

static void look_at(int notes, const char *name, reaper_report *report)
{
	struct entry entry;

	if (name[0] == '.') {
		/* ".RUN_ID.PID": its writer was killed before it had its name. */
		struct host_proc writer;
		pid_t pid = (pid_t)strtol(strrchr(name, '.') + 1, NULL, 10);
		if (pid > 0 && !host_proc_read(pid, &writer))
			unlinkat(notes, name, 0);
	}
	if (!is_run_id(name) || !read_entry(notes, name, &entry))
		return;
	/* another user's is not ours to end; numbers of another container mean nothing here */
	if ((geteuid() != 0 && entry.owner != geteuid()) || entry.pids != pid_namespace() ||
	    is_alive(&entry.parent) || is_alive(&entry.guard))
		return;
	struct host_mark_heads heads = { entry.heads, entry.head_count };
	struct host_mark_killing container = { 0 };
	bool known = remove_container(name, &entry, &container);
	struct host_mark_killing done = host_mark_kill_of(name, entry.owner, &heads, KILL_WAIT_NS);
	done.killed += container.killed;
	done.left += container.left;
	/* Keep the entry if processes could not be ended: the next command tries again. */
	if (known && done.left == 0)
		unlinkat(notes, name, 0);
	if (done.killed > 0 || done.left > 0)
		report(name, done.killed, done.left);
}

/*
 * One readdir() where nothing is wrong, which is nearly always: this runs at the start of every
 * command.
 */
void host_reaper_end_orphans(reaper_report *report)
{
	char *list[FOLDERS_MAX];
	size_t count = folders(list);

	for (size_t i = 0; i < count; i++) {
		int notes = find_notes(list[i]);
		auto_dir dir = notes < 0 ? NULL : fdopendir(notes);
		const char *name;

		if (dir == NULL)
			pl_fd_close(&notes);
		while ((name = pl_dir_next(dir)) != NULL)
			look_at(notes, name, report);
	}
	free_folders(list, count);
}
