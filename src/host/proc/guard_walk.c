#include "host/proc/guard_priv.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "host/proc/guard_proc.h"
#include "host/proc/mark.h"

struct walk {
	struct host_proc *list;
	bool *below; /* descends from us */
	size_t count;
};

/* The list is in the order of its numbers, as the kernel shows them. */
static bool is_below(const struct walk *walk, pid_t parent)
{
	size_t at = host_proc_find(walk->list, walk->count, parent);

	return at < walk->count && walk->below[at];
}

/* A child may be listed before its parent (numbers wrap around): again until nothing changes. */
static void find_below(struct walk *walk, pid_t self)
{
	bool changed;

	do {
		changed = false;
		for (size_t i = 0; i < walk->count; i++) {
			if (walk->below[i] ||
			    (walk->list[i].parent != self && !is_below(walk, walk->list[i].parent)))
				continue;
			walk->below[i] = true;
			changed = true;
		}
	} while (changed);
}

static void send(const struct host_proc *proc, bool below, int signal_number, pid_t own_group)
{
	if (signal_number == 0 || !host_proc_signal(proc, signal_number))
		return;
	/* what descends from us made its own groups, so nobody else is in them */
	if (signal_number == SIGKILL && below && proc->group > 1 && proc->group != own_group)
		kill(-proc->group, SIGKILL);
}

size_t host_guard_signal_all(const char *run_id, int signal_number)
{
	struct walk walk = { 0 };
	pid_t self = getpid();
	size_t found = 0;

	walk.count = host_proc_list(&walk.list);
	walk.below = pl_alloc_array(walk.count + 1, sizeof(*walk.below));
	find_below(&walk, self);
	for (size_t i = 0; i < walk.count; i++) {
		const struct host_proc *proc = &walk.list[i];

		if (proc->pid == self || host_proc_is_dead(proc) ||
		    (!walk.below[i] && !host_mark_is_on(proc->pid, run_id)))
			continue;
		found++;
		send(proc, walk.below[i], signal_number, getpgrp());
	}
	free(walk.below);
	free(walk.list);
	return found;
}
