#include "host/proc/guard_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmocka.h>

struct scene {
	int here;
	int there;
	/* its writing end is sent: its reader sees whether a process still holds one */
	int pipe[2];
};

static void open_all(struct scene *scene)
{
	int sockets[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	assert_int_equal(pipe2(scene->pipe, O_CLOEXEC | O_NONBLOCK), 0);
	scene->here = sockets[0];
	scene->there = sockets[1];
}

static void close_all(const struct scene *scene)
{
	close(scene->here);
	close(scene->there);
	close(scene->pipe[0]);
}

static bool is_held(const struct scene *scene)
{
	char byte;

	return read(scene->pipe[0], &byte, 1) < 0 && errno == EAGAIN;
}

static void test_host_proc_guard_wire__descriptors_go_along(void **state)
{
	struct host_guard_msg sent = { .word = HOST_GUARD_STARTED, .a = 17 }, got;
	int fds[HOST_GUARD_FDS_MAX];
	struct scene scene;

	(void)state;
	open_all(&scene);
	assert_int_equal(host_guard_take(scene.there, &got, fds), 0);
	assert_int_equal(host_guard_send(scene.here, &sent, &scene.pipe[1], 1), 0);
	close(scene.pipe[1]);
	assert_int_equal(host_guard_take(scene.there, &got, fds), 1);
	assert_int_equal(got.word, HOST_GUARD_STARTED);
	assert_int_equal(got.a, 17);
	assert_true(fds[0] >= 0);
	assert_int_equal(fds[1], -1);
	assert_true(is_held(&scene));
	close(fds[0]);
	assert_false(is_held(&scene));
	close_all(&scene);
}

/* `len` bytes and a descriptor, in one packet. */
static void send_broken(const struct scene *scene, size_t len)
{
	char bytes[sizeof(struct host_guard_msg)] = "";
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { .bytes = "" };
	struct iovec part = { .iov_base = bytes, .iov_len = len };
	struct msghdr head = { .msg_iov = &part,
			       .msg_iovlen = 1,
			       .msg_control = control.bytes,
			       .msg_controllen = sizeof(control.bytes) };
	struct cmsghdr *item = CMSG_FIRSTHDR(&head);

	item->cmsg_level = SOL_SOCKET;
	item->cmsg_type = SCM_RIGHTS;
	item->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(item), &scene->pipe[1], sizeof(int));
	assert_int_equal(sendmsg(scene->here, &head, 0), len);
}

static void test_host_proc_guard_wire__a_broken_message_leaves_no_descriptor(void **state)
{
	struct host_guard_msg got;
	int fds[HOST_GUARD_FDS_MAX];
	struct scene scene;

	(void)state;
	open_all(&scene);
	send_broken(&scene, sizeof(got) - 1);
	close(scene.pipe[1]);
	assert_int_equal(host_guard_take(scene.there, &got, fds), -1);
	assert_int_equal(fds[0], -1);
	assert_false(is_held(&scene));
	close_all(&scene);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_proc_guard_wire__descriptors_go_along),
		cmocka_unit_test(test_host_proc_guard_wire__a_broken_message_leaves_no_descriptor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
