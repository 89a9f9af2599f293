#include "host/lock/lock.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "host/lock/queue.h"
#include "lock_folder.h"

#define RUN_ID "exp_20260102_030405_0a1b2c"

static int try_lock(const struct host_locks *locks, const char *name, int *ret_fd)
{
	struct pl_err err = PL_ERR_INIT;
	int done = host_lock_try(locks, name, HOST_LOCK_EXCLUSIVE, ret_fd, &err);

	assert_in_range(done, 0, 1);
	return done;
}

static void test_host_lock_lock__the_holder_is_named(void **state)
{
	(void)state;
	auto_locks struct host_locks *locks = open_locks();
	struct host_lock_owner who = { .run_id = RUN_ID, .name = "suite/name" };
	int fd = -1, other = -1;

	assert_int_equal(try_lock(locks, "gpu-A", &fd), 1);
	host_lock_write_owner(fd, &who, NULL);
	assert_int_equal(try_lock(locks, "gpu-A", &other), 0);
	assert_int_equal(other, -1);
	assert_int_equal(try_lock(locks, "gpu-B", &other), 1);
	close(other);

	auto_json json_t *holder = host_lock_holder(locks, "gpu-A");
	assert_int_equal(json_integer_value(json_object_get(holder, "pid")), getpid());
	auto_free char *text = host_lock_holder_text(holder);
	assert_non_null(strstr(text, "run " RUN_ID ", 'suite/name', user "));
	assert_non_null(strstr(text, ", since 20"));

	host_lock_release(fd);
	assert_null(host_lock_holder(locks, "gpu-A"));
	assert_int_equal(try_lock(locks, "gpu-A", &fd), 1);
	close(fd);
}

static void test_host_lock_lock__a_copy_holds_it_until_it_is_released(void **state)
{
	(void)state;
	auto_locks struct host_locks *locks = open_locks();
	int fd = -1, other = -1;

	assert_int_equal(try_lock(locks, "gpu-A", &fd), 1);
	int copy = dup(fd);
	close(fd);
	assert_int_equal(try_lock(locks, "gpu-A", &other), 0);
	host_lock_release(dup(copy));
	assert_int_equal(try_lock(locks, "gpu-A", &other), 1);
	close(other);
	close(copy);
}

static void test_host_lock_lock__a_dead_holder_is_none(void **state)
{
	(void)state;
	auto_locks struct host_locks *locks = open_locks();
	int fd = -1, ready[2];
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct pl_err err = PL_ERR_INIT;
		if (host_lock_try(locks, "port-1", HOST_LOCK_EXCLUSIVE, &fd, &err) == 1)
			(void)!write(ready[1], "x", 1);
		pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(try_lock(locks, "port-1", &fd), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(try_lock(locks, "port-1", &fd), 1);
	close(fd);
	close(ready[0]);
	close(ready[1]);
}

static void test_host_lock_lock__instances_share_their_gpu(void **state)
{
	(void)state;
	auto_locks struct host_locks *locks = open_locks();
	struct pl_err err = PL_ERR_INIT;
	int a = -1, b = -1, whole = -1;

	assert_int_equal(host_lock_try(locks, "gpu-P", HOST_LOCK_SHARED, &a, &err), 1);
	assert_int_equal(host_lock_try(locks, "gpu-P", HOST_LOCK_SHARED, &b, &err), 1);
	assert_int_equal(try_lock(locks, "gpu-P", &whole), 0);
	close(a);
	close(b);
	assert_int_equal(try_lock(locks, "gpu-P", &whole), 1);
	close(whole);
}

static void test_host_lock_lock__modes_and_names(void **state)
{
	(void)state;
	auto_locks struct host_locks *locks = open_locks();
	auto_free char *path = pl_asprintf("%s/.._.._etc_x.lock", folder);
	struct stat st;
	int fd = -1;

	/* no name leaves the folder */
	assert_int_equal(try_lock(locks, "../../etc/x", &fd), 1);
	close(fd);
	path[strlen(folder) + 1] = '_';
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0666);
}

static void test_host_lock_lock__a_symlink_is_not_followed(void **state)
{
	(void)state;
	auto_locks struct host_locks *locks = open_locks();
	auto_free char *link_path = pl_asprintf("%s/gpu-L.lock", folder);
	auto_free char *target = pl_asprintf("%s/victim", folder);
	struct pl_err err = PL_ERR_INIT;
	int fd = -1;

	close(open(target, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(symlink(target, link_path), 0);
	assert_int_equal(host_lock_try(locks, "gpu-L", HOST_LOCK_EXCLUSIVE, &fd, &err), -1);
	assert_int_equal(pl_err_exit_status(err.code), 2);
	assert_non_null(strstr(err.text, "symlink"));
	/* nor is a second name of another file written to */
	unlink(link_path);
	assert_int_equal(link(target, link_path), 0);
	assert_int_equal(host_lock_try(locks, "gpu-L", HOST_LOCK_EXCLUSIVE, &fd, &err), -1);
	assert_int_equal(fd, -1);
}

static void refuse_folder(const char *path, const char *why)
{
	struct host_locks *locks = NULL;
	struct pl_err err = PL_ERR_INIT;

	setenv("PROFLLM_LOCK_DIR", path, 1);
	assert_int_equal(host_locks_open(&locks, &err), -1);
	assert_null(locks);
	assert_int_equal(pl_err_exit_status(err.code), 2);
	assert_non_null(strstr(err.text, why));
}

static void test_host_lock_lock__folders_that_are_refused(void **state)
{
	(void)state;
	auto_free char *link_path = pl_asprintf("%s/link", folder);
	auto_free char *open_path = pl_asprintf("%s/open", folder);
	auto_free char *file_path = pl_asprintf("%s/file", folder);
	auto_free char *far_path = pl_asprintf("%s/a/b", folder);

	assert_int_equal(symlink("/tmp", link_path), 0);
	refuse_folder(link_path, "found a symlink");
	assert_int_equal(mkdir(open_path, 0700), 0);
	/* without the sticky bit others could rename our locks */
	assert_int_equal(chmod(open_path, 0777), 0);
	refuse_folder(open_path, "expected 1777");
	close(open(file_path, O_CREAT | O_WRONLY, 0600));
	refuse_folder(file_path, "found a file");
	refuse_folder(far_path, "could not open or create");
}

static void test_host_lock_lock__folder_is_made_for_everybody(void **state)
{
	(void)state;
	auto_free char *path = pl_asprintf("%s/new", folder);
	struct stat st;

	setenv("PROFLLM_LOCK_DIR", path, 1);
	mode_t mask = umask(077);
	auto_locks struct host_locks *locks = open_locks();
	umask(mask);
	assert_string_equal(host_locks_path(locks), path);
	assert_null(host_locks_warning(locks));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 01777);
}

static void test_host_lock_lock__what_others_wrote_is_only_text(void **state)
{
	(void)state;
	auto_json json_t *odd = json_pack("{s:s, s:i, s:s}", "run_id", "a\nb\x1b[31m", "name", 3,
					  "user", "");
	auto_free char *text = host_lock_holder_text(odd);
	auto_free char *none = host_lock_holder_text(NULL);

	assert_string_equal(text, "run a?b?[31m");
	assert_string_equal(none, "an unknown process");
}

/* Numbers of those before `ticket`, as the claims say them: "ab". */
static void assert_before(struct host_locks *locks, const struct host_ticket *ticket,
			  const char *expected)
{
	struct pl_err err = PL_ERR_INIT;
	char found[16] = "";
	size_t i;
	json_t *cancel_token;

	assert_int_equal(host_locks_enter(locks, &err), 0);
	auto_json json_t *before = host_queue_before(locks, ticket);
	host_locks_leave(locks);
	json_array_foreach(before, i, cancel_token)
		strcat(found, json_string_value(pl_json_get_path(cancel_token, "claim.id")));
	assert_string_equal(found, expected);
}

static struct host_ticket *join(struct host_locks *locks, const char *id)
{
	struct host_lock_owner who = { .run_id = RUN_ID };
	auto_json json_t *claim = json_pack("{s:s}", "id", id);
	struct host_ticket *ticket = NULL;
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(host_locks_enter(locks, &err), 0);
	assert_int_equal(host_ticket_take(locks, &who, claim, &ticket, &err), 0);
	host_locks_leave(locks);
	return ticket;
}

static void test_host_lock_lock__queue_keeps_the_order(void **state)
{
	(void)state;
	auto_locks struct host_locks *locks = open_locks();

	assert_before(locks, NULL, "");
	struct host_ticket *a = join(locks, "a");
	struct host_ticket *b = join(locks, "b");
	struct host_ticket *c = join(locks, "c");
	assert_before(locks, a, "");
	assert_before(locks, c, "ab");
	assert_before(locks, NULL, "abc");
	/* a free ticket before others is reused, and its new owner counts as the last */
	host_ticket_leave(a);
	struct host_ticket *d = join(locks, "d");
	assert_before(locks, b, "");
	assert_before(locks, d, "bc");
	host_ticket_leave(b);
	host_ticket_leave(c);
	host_ticket_leave(d);
	host_ticket_leave(NULL);
	assert_before(locks, NULL, "");
}

static void test_host_lock_lock__queue_survives_foreign_files(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"{\"number\": 9223372036854775807, \"claim\": {\"id\": \"x\"}}",
		"{\"number\": -5, \"claim\": {\"id\": \"x\"}}",
		"{\"number\": \"a\", \"claim\": {\"id\": \"x\"}}",
	};
	auto_locks struct host_locks *locks = open_locks();
	auto_free char *path = pl_asprintf("%s/waiter-0000.lock", folder);

	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		struct host_ticket *a = join(locks, "a");
		int fd = open(path, O_WRONLY | O_TRUNC);
		assert_int_equal(write(fd, texts[i], strlen(texts[i])), strlen(texts[i]));
		close(fd);
		struct host_ticket *b = join(locks, "b");
		struct host_ticket *c = join(locks, "c");
		assert_before(locks, c, "xb");
		host_ticket_leave(a);
		host_ticket_leave(b);
		host_ticket_leave(c);
	}
	/* not JSON: it is unknown what it waits for */
	struct host_ticket *a = join(locks, "a");
	assert_int_equal(truncate(path, 1), 0);
	struct host_ticket *b = join(locks, "b");
	assert_before(locks, b, "");
	host_ticket_leave(a);
	host_ticket_leave(b);
}

static void test_host_lock_lock__the_dead_do_not_wait(void **state)
{
	(void)state;
	auto_locks struct host_locks *locks = open_locks();
	int ready[2];
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct host_locks *own = open_locks();
		join(own, "x");
		(void)!write(ready[1], "x", 1);
		pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_before(locks, NULL, "x");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_before(locks, NULL, "");
	close(ready[0]);
	close(ready[1]);
}

static void test_host_lock_lock__a_release_wakes(void **state)
{
	(void)state;
	const int64_t patience_ns = 60 * PL_NS_PER_S;
	auto_locks struct host_locks *locks = open_locks();
	int fd = -1;

	assert_int_equal(try_lock(locks, "gpu-A", &fd), 1);
	/* the first call begins to watch, and has the caller look once more */
	host_locks_wait(locks, patience_ns);
	pid_t pid = fork();
	if (pid == 0) {
		host_lock_release(fd);
		_exit(0);
	}
	int64_t from_ns = pl_clock_now_ns();
	host_locks_wait(locks, patience_ns);
	assert_true(pl_clock_now_ns() - from_ns < patience_ns);
	waitpid(pid, NULL, 0);
	int retry = -1;
	assert_int_equal(try_lock(locks, "gpu-A", &retry), 1);
	close(retry);
	close(fd);
}

/* Users without an account, for root to act as. */
#define OWNER 64001
#define OTHER 64002

static void test_host_lock_lock__an_owner_who_can_remove_locks_is_named(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(folder, 01777), 0);
	assert_int_equal(chown(folder, OWNER, OWNER), 0);
	auto_locks struct host_locks *locks = open_locks();
	assert_non_null(
		strstr(host_locks_warning(locks), "belongs to user '64001', who can remove"));
	assert_int_equal(chown(folder, 0, 0), 0);
	auto_locks struct host_locks *trusted = open_locks();
	assert_null(host_locks_warning(trusted));
}

static void test_host_lock_lock__a_planted_file_is_named(void **state)
{
	auto_free char *path = pl_asprintf("%s/queue.lock", folder);
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(folder, 01777), 0);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(fchown(fd, OWNER, OWNER), 0);
	close(fd);
	auto_locks struct host_locks *locks = open_locks();
	assert_int_equal(seteuid(OTHER), 0);
	int done = host_locks_enter(locks, &err);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(done, -1);
	assert_non_null(strstr(err.text, "queue.lock': found mode 0600 of user '64001', expected "
					 "0666; that user or root has to remove the file"));
}

static void test_host_lock_lock__a_removed_file_blocks_no_process(void **state)
{
	auto_free char *path = pl_asprintf("%s/queue.lock", folder);
	auto_locks struct host_locks *locks = open_locks();
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_int_equal(host_locks_enter(locks, &err), 0);
	host_locks_leave(locks);
	assert_int_equal(unlink(path), 0);
	/* the lock is on the file that has the name */
	assert_int_equal(host_locks_enter(locks, &err), 0);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), -1);
	close(fd);
	host_locks_leave(locks);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(test_host_lock_lock__##name, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_holder_is_named),
		TEST(a_copy_holds_it_until_it_is_released),
		TEST(a_dead_holder_is_none),
		TEST(instances_share_their_gpu),
		TEST(modes_and_names),
		TEST(a_symlink_is_not_followed),
		TEST(folders_that_are_refused),
		TEST(folder_is_made_for_everybody),
		TEST(what_others_wrote_is_only_text),
		TEST(queue_keeps_the_order),
		TEST(queue_survives_foreign_files),
		TEST(the_dead_do_not_wait),
		TEST(a_release_wakes),
		TEST(an_owner_who_can_remove_locks_is_named),
		TEST(a_planted_file_is_named),
		TEST(a_removed_file_blocks_no_process),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
