#include "dash/peers.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "io/sock.h"

#define ROOM    8
#define PIECE   4096
#define LONG    (600 * PL_NS_PER_S) /* longer than the test is waited for */
#define SHORT   (20 * PL_NS_PER_MS)
#define FRESH   (2 * PL_NS_PER_MS)
#define STALLED (200 * PL_NS_PER_MS)

/* Both ends of a connection of TCP. */
struct pair {
	int server;
	int client;
	struct dash_peer *peer;
};

static struct dash_peers *begin_with(int64_t patience_ns, int64_t crowded_ns, int64_t fresh_ns)
{
	const struct dash_peers_options options = { .room = ROOM,
						    .bytes_min = PIECE,
						    .patience_ns = patience_ns,
						    .crowded_ns = crowded_ns,
						    .fresh_ns = fresh_ns,
						    .stalled_ns = STALLED,
						    .tick_ns = PL_NS_PER_MS };
	struct dash_peers *peers = NULL;
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(dash_peers_start(&options, &peers, &err), 0);
	return peers;
}

static struct dash_peers *begin(int64_t patience_ns, int64_t crowded_ns)
{
	return begin_with(patience_ns, crowded_ns, FRESH);
}

/* peers NULL: unknown to any yet. */
static struct pair connect_pair(struct dash_peers *peers)
{
	struct pair pair;
	struct pl_err err = PL_ERR_INIT;
	struct io_addr addr;
	int listener;

	assert_int_equal(io_addr_resolve("127.0.0.1", 0, &addr, &err), 0);
	assert_int_equal(io_sock_listen(&addr, 1, &listener, &err), 0);
	assert_int_equal(io_sock_local(listener, &addr, &err), 0);
	pair.client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(pair.client, &addr.u.any, addr.len), 0);
	pair.server = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	assert_true(pair.server >= 0);
	close(listener);
	pair.peer = peers != NULL ? dash_peer_add(peers, pair.server) : NULL;
	return pair;
}

static void leave(struct pair *pair)
{
	dash_peer_remove(pair->peer);
	close(pair->server);
	close(pair->client);
}

/* Returns what the client receives: bytes, 0 for an end, or a negative errno. */
static ssize_t client_reads(const struct pair *pair)
{
	char bytes[PIECE];
	ssize_t got = read(pair->client, bytes, sizeof(bytes));

	return got >= 0 ? got : -errno;
}

static bool is_open(const struct pair *pair)
{
	struct pollfd client = { .fd = pair->client, .events = POLLIN };

	return poll(&client, 1, 0) == 0;
}

static void move(int from, int to)
{
	char bytes[PIECE] = { 0 };

	assert_int_equal(write(from, bytes, sizeof(bytes)), sizeof(bytes));
	for (size_t got = 0; got < sizeof(bytes);) {
		ssize_t more = read(to, bytes, sizeof(bytes) - got);
		assert_true(more > 0);
		got += (size_t)more;
	}
}

static void receive(const struct pair *pair, size_t len)
{
	char bytes[PIECE];

	assert_int_equal(recv(pair->server, bytes, len, MSG_WAITALL), len);
}

static void rest(int64_t ns)
{
	pl_clock_sleep_until(pl_clock_now_ns() + ns);
}

static void test_dash_peers__a_silent_client_sees_an_end(void **state)
{
	struct dash_peers *peers = begin(SHORT, SHORT);
	struct pair idle = connect_pair(peers);

	(void)state;
	/* less than it has to, whatever it is */
	assert_int_equal(write(idle.client, "GET", 3), 3);
	receive(&idle, 3);
	assert_int_equal(client_reads(&idle), 0);
	leave(&idle);
	dash_peers_stop(peers);
}

static void test_dash_peers__a_client_that_waits_for_us_stays(void **state)
{
	struct dash_peers *peers = begin(SHORT, SHORT);
	struct pair pair = connect_pair(NULL);

	(void)state;
	/* before anybody looks */
	assert_int_equal(write(pair.client, "GET", 3), 3);
	pair.peer = dash_peer_add(peers, pair.server);
	rest(10 * SHORT);
	assert_true(is_open(&pair));
	receive(&pair, 3);
	assert_int_equal(client_reads(&pair), 0);
	leave(&pair);
	dash_peers_stop(peers);
}

static void test_dash_peers__a_client_that_reads_nothing_is_reset(void **state)
{
	struct dash_peers *peers = begin(SHORT, SHORT);
	struct pair pair = connect_pair(peers);

	(void)state;
	dash_peer_set_state(pair.peer, DASH_PEER_TAKES);
	assert_int_equal(client_reads(&pair), -ECONNRESET);
	/* after its lock is free: the checking thread has released the socket */
	dash_peer_set_state(pair.peer, DASH_PEER_WAITS);
	assert_int_equal(send(pair.server, "more", 4, MSG_NOSIGNAL), -1);
	leave(&pair);
	dash_peers_stop(peers);
}

static void test_dash_peers__a_waiting_client_has_no_limit(void **state)
{
	struct dash_peers *peers = begin(SHORT, SHORT);
	struct pair pair = connect_pair(peers);

	(void)state;
	dash_peer_set_state(pair.peer, DASH_PEER_WAITS);
	rest(10 * SHORT);
	assert_true(is_open(&pair));
	/* and then begins again */
	dash_peer_set_state(pair.peer, DASH_PEER_TAKES);
	assert_int_equal(client_reads(&pair), -ECONNRESET);
	leave(&pair);
	dash_peers_stop(peers);
}

static void test_dash_peers__a_client_stays_while_it_makes_progress(void **state)
{
	/* within one tick: each piece arrives long before the end of it, on a busy machine too */
	struct dash_peers *peers = begin(50 * SHORT, 50 * SHORT);
	struct pair sends = connect_pair(peers), takes = connect_pair(peers);

	(void)state;
	dash_peer_set_state(takes.peer, DASH_PEER_TAKES);
	for (int64_t end_ns = pl_clock_now_ns() + 75 * SHORT; pl_clock_now_ns() < end_ns;) {
		move(sends.client, sends.server);
		move(takes.server, takes.client);
		rest(SHORT);
	}
	assert_true(is_open(&sends) && is_open(&takes));
	assert_int_equal(client_reads(&takes), -ECONNRESET);
	assert_int_equal(client_reads(&sends), 0);
	leave(&sends);
	leave(&takes);
	dash_peers_stop(peers);
}

static void test_dash_peers__where_room_is_scarce_time_is_short(void **state)
{
	struct dash_peers *peers = begin(LONG, SHORT);
	struct pair pairs[ROOM];

	(void)state;
	for (size_t i = 0; i < ROOM - ROOM / 4 - 1; i++)
		pairs[i] = connect_pair(peers);
	dash_peer_set_state(pairs[1].peer, DASH_PEER_WAITS);
	rest(10 * SHORT);
	for (size_t i = 0; i < ROOM - ROOM / 4 - 1; i++)
		assert_true(is_open(&pairs[i]));
	pairs[ROOM - ROOM / 4 - 1] = connect_pair(peers);
	for (size_t i = 0; i < ROOM - ROOM / 4; i++) {
		if (i != 1)
			assert_int_equal(client_reads(&pairs[i]), 0);
	}
	assert_true(is_open(&pairs[1]));
	for (size_t i = 0; i < ROOM - ROOM / 4; i++)
		leave(&pairs[i]);
	dash_peers_stop(peers);
}

static void test_dash_peers__at_the_end_answers_are_reset(void **state)
{
	struct dash_peers *peers = begin(LONG, LONG);
	struct pair sends = connect_pair(peers), waits = connect_pair(peers);
	struct pair takes = connect_pair(peers), broken = connect_pair(peers);

	(void)state;
	dash_peer_set_state(waits.peer, DASH_PEER_WAITS);
	dash_peer_set_state(takes.peer, DASH_PEER_TAKES);
	dash_peers_reset_taking(peers);
	assert_int_equal(client_reads(&takes), -ECONNRESET);
	assert_true(is_open(&sends) && is_open(&waits) && is_open(&broken));
	dash_peer_reset(broken.peer);
	assert_int_equal(client_reads(&broken), -ECONNRESET);
	leave(&sends);
	leave(&waits);
	leave(&takes);
	leave(&broken);
	dash_peers_stop(peers);
}

static void test_dash_peers__a_new_client_replaces_the_quietest(void **state)
{
	struct dash_peers *peers = begin(LONG, LONG);
	struct pair pairs[ROOM + 3];

	(void)state;
	for (size_t i = 0; i < ROOM; i++)
		pairs[i] = connect_pair(peers);
	/* the first has sent what is not read yet, the second waits, the third takes, and the fourth has had a response */
	assert_int_equal(write(pairs[0].client, "GET", 3), 3);
	dash_peer_set_state(pairs[1].peer, DASH_PEER_WAITS);
	dash_peer_set_state(pairs[2].peer, DASH_PEER_TAKES);
	dash_peer_set_state(pairs[3].peer, DASH_PEER_SENDS);
	pairs[ROOM] = connect_pair(peers);
	assert_int_equal(client_reads(&pairs[4]), 0);
	/* one that trickles its request is no younger for it */
	assert_int_equal(write(pairs[5].client, "G", 1), 1);
	receive(&pairs[5], 1);
	pairs[ROOM + 1] = connect_pair(peers);
	assert_int_equal(client_reads(&pairs[5]), 0);
	/* the place of a closed one counts once */
	leave(&pairs[4]);
	pairs[ROOM + 2] = connect_pair(peers);
	assert_int_equal(client_reads(&pairs[6]), 0);
	for (size_t i = 0; i < ROOM + 3; i++) {
		if (i == 4)
			continue;
		assert_true((i == 5 || i == 6) || is_open(&pairs[i]));
		leave(&pairs[i]);
	}
	dash_peers_stop(peers);
}

static void test_dash_peers__a_request_that_is_being_read_is_not_replaced(void **state)
{
	struct dash_peers *peers = begin_with(LONG, LONG, STALLED);
	struct pair pairs[ROOM + 2];

	(void)state;
	for (size_t i = 0; i < ROOM + 2; i++) {
		pairs[i] = connect_pair(peers);
		assert_int_equal(write(pairs[i].client, "GET", 3), 3);
		receive(&pairs[i], 3);
	}
	for (size_t i = 0; i < ROOM + 2; i++)
		assert_true(is_open(&pairs[i]));
	/* the oldest two have not become requests */
	assert_int_equal(client_reads(&pairs[0]), 0);
	assert_int_equal(client_reads(&pairs[1]), 0);
	for (size_t i = 0; i < ROOM + 2; i++) {
		assert_true(i < 2 || is_open(&pairs[i]));
		leave(&pairs[i]);
	}
	dash_peers_stop(peers);
}

static void test_dash_peers__an_upload_that_makes_progress_is_not_replaced(void **state)
{
	struct dash_peers *peers = begin(LONG, LONG);
	struct pair pairs[2 * ROOM];

	(void)state;
	for (size_t i = 0; i < ROOM; i++)
		pairs[i] = connect_pair(peers);
	/* the oldest two */
	for (size_t i = 0; i < 2; i++) {
		char bytes[PIECE] = "";
		assert_int_equal(write(pairs[i].client, bytes, sizeof(bytes)), sizeof(bytes));
		receive(&pairs[i], sizeof(bytes));
	}
	rest(SHORT);
	/* a new request of its client begins */
	dash_peer_set_state(pairs[1].peer, DASH_PEER_SENDS);
	for (size_t i = ROOM; i < 2 * ROOM; i++)
		pairs[i] = connect_pair(peers);
	assert_true(is_open(&pairs[0]));
	assert_int_equal(client_reads(&pairs[1]), 0);
	for (size_t i = 0; i < 2 * ROOM; i++)
		leave(&pairs[i]);
	dash_peers_stop(peers);
}

static void test_dash_peers__a_stalled_client_is_replaced_last(void **state)
{
	struct dash_peers *peers = begin(LONG, LONG);
	struct pair pairs[ROOM + 2];

	(void)state;
	for (size_t i = 0; i < ROOM; i++) {
		pairs[i] = connect_pair(peers);
		dash_peer_set_state(pairs[i].peer, i == 0 ? DASH_PEER_WAITS : DASH_PEER_TAKES);
	}
	/* they have just begun to take: none is closed */
	pairs[ROOM] = connect_pair(peers);
	dash_peer_set_state(pairs[ROOM].peer, DASH_PEER_WAITS);
	for (size_t i = 0; i < ROOM; i++)
		assert_true(is_open(&pairs[i]));
	/* until they have stalled, and then for the one that was too many */
	assert_int_equal(client_reads(&pairs[1]), -ECONNRESET);
	rest(STALLED);
	pairs[ROOM + 1] = connect_pair(peers);
	assert_int_equal(client_reads(&pairs[2]), -ECONNRESET);
	for (size_t i = 0; i < ROOM + 2; i++) {
		assert_true(i == 1 || i == 2 || is_open(&pairs[i]));
		leave(&pairs[i]);
	}
	dash_peers_stop(peers);
}

static void test_dash_peers__a_new_client_has_sent_no_request(void **state)
{
	struct dash_peers *peers = begin(LONG, LONG);

	(void)state;
	assert_false(dash_peers_has_new(peers, LONG));
	struct pair pair = connect_pair(peers);
	assert_true(dash_peers_has_new(peers, LONG));
	rest(SHORT);
	assert_false(dash_peers_has_new(peers, SHORT));
	struct pair next = connect_pair(peers);
	dash_peer_set_state(pair.peer, DASH_PEER_WAITS);
	assert_true(dash_peers_has_new(peers, LONG));
	dash_peer_set_state(next.peer, DASH_PEER_WAITS);
	/* the end of a response does not make it new */
	dash_peer_set_state(next.peer, DASH_PEER_SENDS);
	assert_false(dash_peers_has_new(peers, LONG));
	leave(&pair);
	leave(&next);
	dash_peers_stop(peers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dash_peers__a_silent_client_sees_an_end),
		cmocka_unit_test(test_dash_peers__a_client_that_waits_for_us_stays),
		cmocka_unit_test(test_dash_peers__a_new_client_replaces_the_quietest),
		cmocka_unit_test(test_dash_peers__a_request_that_is_being_read_is_not_replaced),
		cmocka_unit_test(test_dash_peers__an_upload_that_makes_progress_is_not_replaced),
		cmocka_unit_test(test_dash_peers__a_stalled_client_is_replaced_last),
		cmocka_unit_test(test_dash_peers__a_client_that_reads_nothing_is_reset),
		cmocka_unit_test(test_dash_peers__a_waiting_client_has_no_limit),
		cmocka_unit_test(test_dash_peers__a_client_stays_while_it_makes_progress),
		cmocka_unit_test(test_dash_peers__where_room_is_scarce_time_is_short),
		cmocka_unit_test(test_dash_peers__at_the_end_answers_are_reset),
		cmocka_unit_test(test_dash_peers__a_new_client_has_sent_no_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
