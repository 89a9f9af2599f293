#include "dash/peers.h"

#include <linux/tcp.h> /* <netinet/tcp.h> lacks the byte counts */
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/thread.h"

struct dash_peer {
	struct dash_peers *peers;
	struct dash_peer *next;
	struct dash_peer **link; /* the pointer to this element */
	int fd;
	enum dash_peer_state state;
	int64_t added_ns;
	int64_t marked_ns;
	uint64_t marked; /* transferred bytes at that time */
	bool has_moved;  /* enough in its present state */
	bool has_asked;  /* one request was read */
	bool is_cut;
};

struct dash_peers {
	struct dash_peers_options options;
	struct pl_pause pause;
	pthread_t thread;
	pthread_mutex_t lock; /* protects the fields below, and the state of each peer */
	struct dash_peer *first;
	unsigned count;
	unsigned cut_count; /* of these, closed by us */
};

/* Returns the bytes in both directions since the connection began. False: not TCP, so not counted. */
static bool bytes_moved(int fd, uint64_t *ret)
{
	struct tcp_info info = { 0 };
	socklen_t len = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0)
		return false;
	*ret = info.tcpi_bytes_received + info.tcpi_bytes_acked;
	return true;
}

/* Received bytes are waiting: the server is late, not the client. */
static bool has_unread(int fd)
{
	int bytes = 0;

	return ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0;
}

static void mark(struct dash_peer *peer, int64_t now_ns, uint64_t moved)
{
	peer->marked_ns = now_ns;
	peer->marked = moved;
}

static void set_cut(struct dash_peer *peer)
{
	peer->peers->cut_count += !peer->is_cut;
	peer->is_cut = true;
}

/* Returns whether enough was transferred since the last mark, and sets the next one. */
static bool has_moved(struct dash_peer *peer, int64_t now_ns, uint64_t moved)
{
	if (moved - peer->marked < peer->peers->options.bytes_min)
		return false;
	peer->has_moved = true;
	mark(peer, now_ns, moved);
	return true;
}

/* Dissolving the association resets it: nothing more is sent, not even an end. */
static void reset(struct dash_peer *peer)
{
	const struct sockaddr none = { .sa_family = AF_UNSPEC };

	set_cut(peer);
	(void)connect(peer->fd, &none, sizeof(none));
}

/* The library sees the end of the connection and closes it. */
static void cut(struct dash_peer *peer)
{
	if (peer->state == DASH_PEER_TAKES) {
		reset(peer);
		return;
	}
	set_cut(peer);
	(void)shutdown(peer->fd, SHUT_RDWR);
}

static void look_at(struct dash_peer *peer, int64_t now_ns, int64_t patience_ns)
{
	if (peer->is_cut || peer->state == DASH_PEER_WAITS)
		return;
	uint64_t moved;
	/* a client on a Unix socket belongs to the user: only the library's limits apply */
	if (!bytes_moved(peer->fd, &moved))
		return;
	if (has_moved(peer, now_ns, moved))
		return;
	if (peer->state == DASH_PEER_SENDS && has_unread(peer->fd))
		mark(peer, now_ns, moved);
	else if (now_ns - peer->marked_ns >= patience_ns)
		cut(peer);
}

/* Returns whether the client may send a request and has sent little of it. */
static bool has_sent_little(const struct dash_peer *peer)
{
	return peer->state == DASH_PEER_SENDS && !peer->has_moved;
}

/* Returns whether the client may be replaced, because it holds the connection and uses it little. */
static bool is_quiet(struct dash_peer *peer, int64_t now_ns)
{
	uint64_t moved;

	if (peer->is_cut || peer->state == DASH_PEER_WAITS ||
	    (peer->state == DASH_PEER_SENDS && has_unread(peer->fd)))
		return false;
	/* the last tick may be long ago */
	if (bytes_moved(peer->fd, &moved) && has_moved(peer, now_ns, moved))
		return false;
	const struct dash_peers_options *options = &peer->peers->options;
	return now_ns - peer->marked_ns >=
	       (has_sent_little(peer) ? options->fresh_ns : options->stalled_ns);
}

/*
 * A mark is the last change of the state, or the last time at which enough was transferred. So a client that trickles its
 * header is older than one that has just connected, or has just received a response. An upload that makes progress is
 * older than both, so it comes after them: otherwise, anyone could end it with new connections.
 */
static bool is_before(const struct dash_peer *peer, const struct dash_peer *other)
{
	if (has_sent_little(peer) != has_sent_little(other))
		return has_sent_little(peer);
	return peer->marked_ns < other->marked_ns;
}

/* Returns false if none is quiet. */
static bool cut_quietest(struct dash_peers *peers, int64_t now_ns)
{
	struct dash_peer *found = NULL;

	for (struct dash_peer *peer = peers->first; peer != NULL; peer = peer->next) {
		if ((found == NULL || is_before(peer, found)) && is_quiet(peer, now_ns))
			found = peer;
	}
	if (found != NULL)
		cut(found);
	return found != NULL;
}

/* Leaves at most max open, or those that are not quiet. */
static void cut_excess(struct dash_peers *peers, unsigned max, int64_t now_ns)
{
	while (peers->count - peers->cut_count > max && cut_quietest(peers, now_ns))
		;
}

static void check(struct dash_peers *peers, int64_t now_ns)
{
	const struct dash_peers_options *options = &peers->options;
	bool is_crowded = peers->count >= options->room - options->room / 4;

	for (struct dash_peer *peer = peers->first; peer != NULL; peer = peer->next)
		look_at(peer, now_ns, is_crowded ? options->crowded_ns : options->patience_ns);
}

static void *watch(void *data)
{
	struct dash_peers *peers = data;
	int64_t now_ns = pl_clock_now_ns();
	int64_t due_ns = now_ns + peers->options.tick_ns;
	int64_t next_ns = due_ns;

	while (pl_pause_until(&peers->pause, next_ns)) {
		pthread_mutex_lock(&peers->lock);
		now_ns = pl_clock_now_ns();
		if (now_ns >= due_ns) {
			check(peers, now_ns);
			due_ns = now_ns + peers->options.tick_ns;
		}
		cut_excess(peers, peers->options.room, now_ns);
		/* while it is full, new ones may come for which none is quiet yet */
		next_ns = due_ns;
		if (peers->count - peers->cut_count >= peers->options.room &&
		    now_ns + peers->options.fresh_ns < due_ns)
			next_ns = now_ns + peers->options.fresh_ns;
		pthread_mutex_unlock(&peers->lock);
	}
	return NULL;
}

int dash_peers_start(const struct dash_peers_options *options, struct dash_peers **ret,
		     struct pl_err *err)
{
	struct dash_peers *peers = pl_alloc(sizeof(*peers));

	peers->options = *options;
	pl_pause_init(&peers->pause);
	pthread_mutex_init(&peers->lock, NULL);
	if (pl_thread_start(&peers->thread, watch, peers, err) == 0) {
		*ret = peers;
		return 0;
	}
	pthread_mutex_destroy(&peers->lock);
	pl_pause_done(&peers->pause);
	free(peers);
	return -1;
}

void dash_peers_stop(struct dash_peers *peers)
{
	pl_pause_end(&peers->pause);
	pthread_join(peers->thread, NULL);
	pthread_mutex_destroy(&peers->lock);
	pl_pause_done(&peers->pause);
	free(peers);
}

void dash_peers_reset_taking(struct dash_peers *peers)
{
	pthread_mutex_lock(&peers->lock);
	for (struct dash_peer *peer = peers->first; peer != NULL; peer = peer->next) {
		if (peer->state == DASH_PEER_TAKES)
			reset(peer);
	}
	pthread_mutex_unlock(&peers->lock);
}

struct dash_peer *dash_peer_add(struct dash_peers *peers, int fd)
{
	struct dash_peer *peer = pl_alloc(sizeof(*peer));

	*peer = (struct dash_peer){ .peers = peers, .fd = fd, .state = DASH_PEER_SENDS };
	peer->added_ns = pl_clock_now_ns();
	mark(peer, peer->added_ns, 0);
	pthread_mutex_lock(&peers->lock);
	cut_excess(peers, peers->options.room - 1, peer->marked_ns);
	peer->next = peers->first;
	peer->link = &peers->first;
	if (peer->next != NULL)
		peer->next->link = &peer->next;
	peers->first = peer;
	peers->count++;
	pthread_mutex_unlock(&peers->lock);
	return peer;
}

void dash_peer_remove(struct dash_peer *peer)
{
	struct dash_peers *peers = peer->peers;

	pthread_mutex_lock(&peers->lock);
	*peer->link = peer->next;
	if (peer->next != NULL)
		peer->next->link = peer->link;
	peers->count--;
	peers->cut_count -= peer->is_cut;
	pthread_mutex_unlock(&peers->lock);
	free(peer);
}

void dash_peer_set_state(struct dash_peer *peer, enum dash_peer_state state)
{
	uint64_t moved = 0;
	(void)bytes_moved(peer->fd, &moved);
	int64_t now_ns = pl_clock_now_ns();

	pthread_mutex_lock(&peer->peers->lock);
	peer->state = state;
	peer->has_asked = true;
	peer->has_moved = false;
	mark(peer, now_ns, moved);
	pthread_mutex_unlock(&peer->peers->lock);
}

void dash_peer_reset(struct dash_peer *peer)
{
	pthread_mutex_lock(&peer->peers->lock);
	reset(peer);
	pthread_mutex_unlock(&peer->peers->lock);
}

unsigned dash_peers_count(struct dash_peers *peers)
{
	pthread_mutex_lock(&peers->lock);
	unsigned count = peers->count;
	pthread_mutex_unlock(&peers->lock);
	return count;
}

bool dash_peers_has_new(struct dash_peers *peers, int64_t max_ns)
{
	int64_t since_ns = pl_clock_now_ns() - max_ns;
	bool found = false;

	pthread_mutex_lock(&peers->lock);
	for (struct dash_peer *peer = peers->first; peer != NULL && !found; peer = peer->next)
		found = !peer->has_asked && !peer->is_cut && peer->added_ns > since_ns;
	pthread_mutex_unlock(&peers->lock);
	return found;
}
