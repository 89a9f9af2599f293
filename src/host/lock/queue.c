#include "host/lock/queue.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>

#include "host/lock/lock_priv.h"

#define WAITERS_MAX    4096
#define NUMBER_MAX     (1LL << 50)
#define NAME_BYTES_MAX 32

/*
 *
 *     waiter-0000.lock  held  {number: 7, claim: …}     the number gives the order
 *     waiter-0001.lock  free                            a slot without a waiter
 *     waiter-0002.lock  held  {number: 5, claim: …}
 *
 * The kernel releases the file of a waiter that dies, so the queue needs no heartbeat.
 */
struct host_ticket {
	int fd;
	json_int_t number; /* smaller ones come first */
};

static void slot_name(unsigned slot, char name[NAME_BYTES_MAX])
{
	snprintf(name, NAME_BYTES_MAX, "waiter-%04u", slot);
}

/*
 * Returns whether a living process holds it. Valid only for other open file descriptions than fd's.
 */
static bool is_held(int fd)
{
	if (flock(fd, LOCK_SH | LOCK_NB) < 0)
		return errno == EWOULDBLOCK;
	flock(fd, LOCK_UN);
	return false;
}

/* The file is untrusted: numbers that a queue never reaches count as none. */
static json_int_t number_of(const json_t *content)
{
	json_int_t number = pl_json_get_i64(content, "number");

	return number > 0 && number < NUMBER_MAX ? number : 0;
}

/*
 * Reads what the waiters wrote, in order of their slots. Files are never removed, so the first
 * missing one is the end. *ret_free: the first free slot.
 */
static json_t *read_waiters(const struct host_locks *locks, unsigned *ret_free)
{
	json_t *waiters = json_array();
	unsigned slot;

	*ret_free = WAITERS_MAX;
	for (slot = 0; slot < WAITERS_MAX; slot++) {
		char name[NAME_BYTES_MAX];
		slot_name(slot, name);
		auto_fd int fd = host_lock_open_existing(locks, name);
		if (fd < 0 && errno == ENOENT)
			break;
		bool held = fd >= 0 && is_held(fd);
		auto_json json_t *content = held ? host_lock_read(fd) : NULL;
		if (content != NULL)
			json_array_append(waiters, content);
		else if (fd >= 0 && !held && *ret_free == WAITERS_MAX)
			*ret_free = slot;
	}
	if (*ret_free == WAITERS_MAX && slot < WAITERS_MAX)
		*ret_free = slot;
	return waiters;
}

int host_ticket_take(const struct host_locks *locks, const struct host_lock_owner *who,
		     json_t *claim, struct host_ticket **ret, struct pl_err *err)
{
	unsigned slot;
	auto_json json_t *waiters = read_waiters(locks, &slot);
	char name[NAME_BYTES_MAX];
	json_int_t number = 0;
	int fd = -1;

	PL_JSON_EACH(cancel_token, waiters) {
		if (number_of(cancel_token) > number)
			number = number_of(cancel_token);
	}
	/*
	 * One above all current waiters: numbers increase while there are waiters, and start again
	 * when the queue is empty.
	 */
	number++;
	slot_name(slot, name);
	int taken = slot < WAITERS_MAX ? host_lock_try(locks, name, HOST_LOCK_EXCLUSIVE, &fd, err)
				       : 0;
	if (taken < 0)
		return -1;
	if (taken == 0)
		return pl_err_set(err, PL_ERR_BUSY,
				  "'%s': the limit of waiting runs is reached; retry later",
				  host_locks_path(locks));
	auto_json json_t *more = json_pack("{s:I, s:O}", "number", number, "claim", claim);
	host_lock_write_owner(fd, who, more);
	struct host_ticket *ticket = pl_alloc(sizeof(*ticket));
	*ticket = (struct host_ticket){ .fd = fd, .number = number };
	*ret = ticket;
	return 0;
}

void host_ticket_leave(struct host_ticket *ticket)
{
	if (ticket == NULL)
		return;
	host_lock_release(ticket->fd);
	free(ticket);
}

/* Inserts it in order of its number. */
static void insert(json_t *sorted, json_t *cancel_token)
{
	size_t at = json_array_size(sorted);

	while (at > 0 && number_of(json_array_get(sorted, at - 1)) > number_of(cancel_token))
		at--;
	json_array_insert(sorted, at, cancel_token);
}

json_t *host_queue_before(const struct host_locks *locks, const struct host_ticket *ticket)
{
	unsigned slot;
	auto_json json_t *waiters = read_waiters(locks, &slot);
	json_t *before = json_array();

	/* our own number is not smaller than itself */
	PL_JSON_EACH(cancel_token, waiters) {
		if (ticket == NULL || number_of(cancel_token) < ticket->number)
			insert(before, cancel_token);
	}
	return before;
}
