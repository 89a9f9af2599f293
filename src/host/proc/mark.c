#include "host/proc/mark.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "host/proc/stat.h"

#define ENVIRON_BYTES_MAX (16u << 20)
#define POLL_NS           (10 * PL_NS_PER_MS)

/* Between fork() and the end of execve() a process may show no environment for a moment. */
#define LOOKS_IN_VAIN 2

/*
 * Returns NULL for a zombie, whose environment is empty, and for another user's process, which
 * cannot be read and is not ours. The caller frees it.
 */
static char *read_environment(pid_t pid, size_t *ret_len)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	return pl_file_text(path, ENVIRON_BYTES_MAX, ret_len);
}

/* Returns whether the process title has overwritten the environment: it then starts with zeros. */
static bool is_wiped(pid_t pid)
{
	size_t len = 0;
	auto_free char *env = read_environment(pid, &len);

	return env != NULL && len > 0 && env[0] == '\0';
}

/* *ret_apart: HOST_MARK_APART_NAME is also set. */
static bool find_mark(pid_t pid, const char *run_id, bool *ret_apart)
{
	auto_free char *mark = pl_asprintf("%s=%s", HOST_MARK_NAME, run_id);
	size_t len = 0;
	auto_free char *env = read_environment(pid, &len);
	bool found = false;

	*ret_apart = false;
	for (size_t at = 0; env != NULL && at < len; at += strlen(env + at) + 1) {
		found = found || strcmp(env + at, mark) == 0;
		*ret_apart = *ret_apart || pl_text_starts(env + at, HOST_MARK_APART_NAME "=");
	}
	return found;
}

bool host_mark_is_on(pid_t pid, const char *run_id)
{
	bool apart;

	return find_mark(pid, run_id, &apart);
}

bool host_mark_is_on_server(pid_t pid, const char *run_id)
{
	bool apart;

	return find_mark(pid, run_id, &apart) && !apart;
}

/* Checks the owner of its directory in /proc, which is the process's effective user. */
static bool is_owned_by(pid_t pid, uid_t owner)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return owner == HOST_MARK_ANYBODY || (stat(path, &st) == 0 && st.st_uid == owner);
}

/*
 * One scan of all processes. Processes with the mark belong to the run, and so do their descendants
 * and the members of sessions that they lead: vLLM's engine overwrites its environment with its
 * title.
 */
struct look {
	struct host_proc *list; /* in order of the pids */
	bool *ours;
	size_t count;
};

/*
 * Sessions whose leader was seen to belong to the run: the leader may have ended by the next scan.
 */
struct sessions {
	pid_t *ids;
	size_t count;
	size_t room;
};

static bool is_ours(const struct look *look, pid_t pid)
{
	size_t at = host_proc_find(look->list, look->count, pid);

	return at < look->count && look->ours[at];
}

static bool is_known(const struct sessions *sessions, pid_t id)
{
	for (size_t i = 0; i < sessions->count; i++) {
		if (sessions->ids[i] == id)
			return true;
	}
	return false;
}

static void remember(struct sessions *sessions, pid_t id)
{
	if (id == getsid(0) || is_known(sessions, id))
		return;
	*PL_PUSH(sessions->ids, sessions->count, sessions->room) = id;
}

/* A session's id is not reused while the session has members. */
static bool is_in_session_of(const struct host_proc *proc, const struct host_proc *head)
{
	struct host_proc now;

	return proc->session == head->pid && proc->start_ticks >= head->start_ticks &&
	       (!host_proc_read(head->pid, &now) || now.start_ticks == head->start_ticks) &&
	       is_wiped(proc->pid);
}

static bool is_below_heads(const struct host_proc *proc, const struct host_mark_heads *heads)
{
	for (size_t i = 0; i < heads->count; i++) {
		if (is_in_session_of(proc, &heads->list[i]))
			return true;
	}
	return false;
}

struct wanted {
	const char *run_id;
	uid_t owner;
	const struct host_mark_heads *heads;
};

/* Signal 0 only counts; *killed: how many took the signal. */
static size_t for_each_marked(const struct wanted *wanted, int signal_number,
			      struct sessions *sessions, size_t *killed)
{
	/*
	 * Lists all processes again in each scan: in between, processes fork and change their
	 * session.
	 */
	auto_free struct host_proc *list = NULL;
	size_t listed = host_proc_list(&list);
	auto_free bool *ours = pl_alloc_array(listed + 1, sizeof(*ours));
	struct look look = { list, ours, listed };
	size_t count = 0;

	for (size_t i = 0; i < listed; i++)
		ours[i] = list[i].pid != getpid() &&
			  (host_mark_is_on(list[i].pid, wanted->run_id) ||
			   is_below_heads(&list[i], wanted->heads));
	/* Repeats until nothing changes: pids wrap around, so a child may precede its parent. */
	bool changed;
	do {
		changed = false;
		for (size_t i = 0; i < look.count; i++) {
			const struct host_proc *proc = &look.list[i];
			if (look.ours[i] && proc->session == proc->pid)
				remember(sessions, proc->session);
			if (look.ours[i] || proc->pid == getpid() ||
			    (!is_ours(&look, proc->parent) && !is_known(sessions, proc->session)))
				continue;
			look.ours[i] = true;
			changed = true;
		}
	} while (changed);
	for (size_t i = 0; i < listed; i++) {
		if (!ours[i] || host_proc_is_dead(&list[i]) ||
		    !is_owned_by(list[i].pid, wanted->owner))
			continue;
		count++;
		if (signal_number != 0)
			*killed += host_proc_signal(&list[i], signal_number);
	}
	return count;
}

static const struct host_mark_heads no_heads = { NULL, 0 };

size_t host_mark_count(const char *run_id)
{
	struct sessions sessions = { 0 };
	struct wanted wanted = { run_id, HOST_MARK_ANYBODY, &no_heads };
	size_t ignored = 0;
	size_t count = for_each_marked(&wanted, 0, &sessions, &ignored);

	free(sessions.ids);
	return count;
}

struct host_mark_killing host_mark_kill_of(const char *run_id, uid_t owner,
					   const struct host_mark_heads *heads, int64_t timeout_ns)
{
	struct wanted wanted = { run_id, owner, heads };
	int64_t due_ns = pl_clock_now_ns() + timeout_ns;
	struct host_mark_killing done = { 0 };
	struct sessions sessions = { 0 };
	size_t retry = 0;
	int in_vain = 0;

	done.left = for_each_marked(&wanted, SIGKILL, &sessions, &done.killed);
	/* If the first scan finds nothing, no process can be forking. */
	while (done.killed + done.left > 0 && in_vain < LOOKS_IN_VAIN &&
	       pl_clock_now_ns() < due_ns) {
		pl_clock_sleep_until(pl_clock_now_ns() + POLL_NS);
		done.left = for_each_marked(&wanted, SIGKILL, &sessions, &retry);
		in_vain = done.left == 0 ? in_vain + 1 : 0;
	}
	free(sessions.ids);
	return done;
}

size_t host_mark_kill(const char *run_id, int64_t timeout_ns)
{
	return host_mark_kill_of(run_id, HOST_MARK_ANYBODY, &no_heads, timeout_ns).left;
}
