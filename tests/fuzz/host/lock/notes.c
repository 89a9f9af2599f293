/*
 * Reads any bytes as the notes in a lock directory, which every user of the host may write. The
 * first part is the note of a held lock. The other parts, separated by lines "%%", are those of
 * waiters. A note is an object or nothing, its display is one line, and waiters are in the order of
 * their numbers.
 */
#include "host/lock/lock.h"

#include <string.h>
#include <sys/file.h>

#include "../../scratch.h"
#include "base/file.h"
#include "host/lock/queue.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define WAITERS_MAX    4
#define LINE_BYTES_MAX 1024

static void must(bool holds)
{
	if (!holds)
		abort();
}

static struct host_locks *locks;

static void open_locks(void)
{
	struct pl_err err = PL_ERR_INIT;

	if (locks != NULL)
		return;
	must(chmod(scratch_path(), 01777) == 0);
	setenv("PROFLLM_LOCK_DIR", scratch_path(), 1);
	must(host_locks_open(&locks, &err) == 0);
}

static size_t next_part(const char *data, size_t len, size_t *at)
{
	static const char mark[] = "\n%%\n";
	const char *found = memmem(data + *at, len - *at, mark, strlen(mark));
	size_t part = found != NULL ? (size_t)(found - data) - *at : len - *at;

	*at += part + (found != NULL ? strlen(mark) : 0);
	return part;
}

static void check_shown(const json_t *note)
{
	auto_free char *text = host_lock_holder_text(note);

	must(text[0] != '\0' && strlen(text) < LINE_BYTES_MAX);
	for (const char *at = text; *at != '\0'; at++)
		must((unsigned char)*at >= ' ' && *at != 127);
}

/* Each waiter's file is held by a descriptor of its own, as by another process. */
static size_t write_waiters(const char *data, size_t size, size_t at, int fds[WAITERS_MAX])
{
	size_t count = 0;

	for (; count < WAITERS_MAX && at < size; count++) {
		char name[32];
		size_t begin = at, len = next_part(data, size, &at);
		snprintf(name, sizeof(name), "waiter-%04zu.lock", count);
		fds[count] = open(scratch_write(name, data + begin, len), O_RDWR | O_CLOEXEC);
		must(fds[count] >= 0 && flock(fds[count], LOCK_EX) == 0);
	}
	return count;
}

static void check_waiters(size_t count)
{
	auto_json json_t *before = host_queue_before(locks, NULL);
	int64_t last = 0;

	must(json_array_size(before) <= count);
	PL_JSON_EACH(cancel_token, before) {
		int64_t number = pl_json_get_i64(cancel_token, "number");
		/* a number that no queue reaches counts as 0 */
		number = number > 0 && number < 1LL << 50 ? number : 0;
		must(json_is_object(cancel_token) && number >= last);
		last = number;
		check_shown(cancel_token);
	}
}

static void check_ticket(void)
{
	const struct host_lock_owner who = { .run_id = "r" };
	auto_json json_t *claim = json_object();
	struct host_ticket *ticket = NULL;
	struct pl_err err = PL_ERR_INIT;

	must(host_ticket_take(locks, &who, claim, &ticket, &err) == 0);
	host_ticket_leave(ticket);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = size > 0 ? (const char *)data : "";
	int fds[WAITERS_MAX];
	size_t at = 0;

	open_locks();
	size_t len = next_part(bytes, size, &at);
	scratch_write("gpu-x.lock", bytes, len);
	auto_json json_t *holder = host_lock_holder(locks, "gpu-x");
	must(holder == NULL || json_is_object(holder));
	check_shown(holder);
	size_t count = write_waiters(bytes, size, at, fds);
	check_waiters(count);
	check_ticket();
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
	return 0;
}
