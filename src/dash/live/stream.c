/*
 * A listener sends one frame after the other. When it has sent what there is, it pauses, and the clock thread resumes
 * it. It never has more than one frame; it compares serials to find news.
 */
#include "dash/live/live_priv.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "dash/access/access.h"
#include "dash/live/history.h"

#define BEAT_S 15
/* The list, a history or a snapshot. */
#define FRAME_BYTES_MAX (4u << 20)
/* An older frame is made again for a listener that has just come: it contains ages. */
#define FRESH_S 1
/* How long a browser waits before it connects again. */
#define RETRY "retry: 1000\n"

/* ---- frames -------------------------------------------------------------------------------- */

static struct live_frame *frame_of(const char *bytes, size_t len)
{
	struct live_frame *frame = pl_alloc(sizeof(*frame) + len);

	frame->users = 1;
	frame->made_ns = pl_clock_now_ns();
	frame->len = len;
	memcpy(frame->bytes, bytes, len);
	return frame;
}

/* JSON in compact form contains no line break, so the data is one line. */
struct live_frame *dash_live_frame_new(const char *event, const char *data, size_t len)
{
	auto_buf text = PL_BUF(FRAME_BYTES_MAX);

	pl_buf_addf(&text, "event: %s\ndata: ", event);
	pl_buf_add(&text, data, len);
	pl_buf_add_text(&text, "\n\n");
	return frame_of(pl_buf_text(&text), text.len);
}

void dash_live_frame_release(struct live_frame *frame)
{
	if (frame != NULL && --frame->users == 0)
		free(frame);
}

static struct live_frame *share(struct live_frame *frame)
{
	if (frame != NULL)
		frame->users++;
	return frame;
}

static struct live_frame *first_frame(const struct live_listener *listener)
{
	auto_buf text = PL_BUF(FRAME_BYTES_MAX);

	pl_buf_add_text(&text, RETRY);
	if (listener->run != NULL) {
		pl_buf_add_text(&text, "event: history\ndata: ");
		dash_live_history_write(listener->run->history, &text);
		pl_buf_add_text(&text, "\n\n");
	}
	return frame_of(pl_buf_text(&text), text.len);
}

/* Releases a frame that is no longer right. Returns whether it still is. */
static bool is_fresh(const struct dash_live *live, struct live_frame **frame)
{
	if (*frame == NULL)
		return false;
	if (pl_clock_now_ns() - (*frame)->made_ns <= FRESH_S * live->options.second_ns)
		return true;
	dash_live_frame_release(pl_take(*frame));
	return false;
}

static struct live_frame *list_frame(struct dash_live *live)
{
	auto_buf text = PL_BUF(FRAME_BYTES_MAX);

	if (is_fresh(live, &live->list))
		return live->list;
	dash_live_list_write(live, pl_clock_now_ns(), &text);
	live->list = dash_live_frame_new("runs", pl_buf_text(&text), text.len);
	return live->list;
}

static struct live_frame *snapshot_frame(struct dash_live *live, struct live_run *run)
{
	auto_buf text = PL_BUF(FRAME_BYTES_MAX);

	if (is_fresh(live, &run->snapshot))
		return run->snapshot;
	dash_live_run_write(live, run, pl_clock_now_ns(), &text);
	run->snapshot = dash_live_frame_new("snapshot", pl_buf_text(&text), text.len);
	return run->snapshot;
}

/* Returns NULL if the run reports again. */
static struct live_frame *event_frame(struct dash_live *live, struct live_run *run)
{
	auto_buf text = PL_BUF(FRAME_BYTES_MAX);

	if (is_fresh(live, &run->event))
		return run->event;
	const char *name = dash_live_event_write(live, run, pl_clock_now_ns(), &text);
	if (name != NULL)
		run->event = dash_live_frame_new(name, pl_buf_text(&text), text.len);
	return run->event;
}

/* ---- a listener ---------------------------------------------------------------------------- */

static bool has_news(const struct live_listener *listener)
{
	const struct live_run *run = listener->run;

	if (!listener->has_begun || listener->is_beat_due)
		return true;
	return run == NULL ? listener->serial != listener->live->list_serial
			   : listener->serial != run->serial ||
				     listener->event_serial != run->event_serial;
}

static bool is_over(const struct live_listener *listener)
{
	return listener->live->is_ending || listener->is_gone ||
	       (listener->run != NULL && listener->run->is_forgotten);
}

/* Returns NULL if there is nothing to send. */
static struct live_frame *next_frame(struct live_listener *listener)
{
	struct dash_live *live = listener->live;
	struct live_run *run = listener->run;

	if (!listener->has_begun) {
		listener->has_begun = true;
		return first_frame(listener);
	}
	if (run == NULL && listener->serial != live->list_serial) {
		listener->serial = live->list_serial;
		return share(list_frame(live));
	}
	if (run != NULL && listener->serial != run->serial) {
		listener->serial = run->serial;
		return share(snapshot_frame(live, run));
	}
	if (run != NULL && listener->event_serial != run->event_serial) {
		listener->event_serial = run->event_serial;
		struct live_frame *event = share(event_frame(live, run));
		if (event != NULL)
			return event;
	}
	if (!listener->is_beat_due)
		return NULL;
	listener->is_beat_due = false;
	return frame_of(":\n\n", strlen(":\n\n"));
}

static ptrdiff_t read_locked(struct live_listener *listener, char *bytes, size_t room)
{
	if (is_over(listener))
		return 0;
	if (listener->frame == NULL) {
		listener->frame = next_frame(listener);
		listener->at = 0;
		listener->sent_ns = pl_clock_now_ns();
	}
	if (listener->frame == NULL) {
		listener->is_paused = true;
		listener->stream.pause(&listener->stream);
		return DASH_STREAM_PAUSED;
	}
	size_t len = listener->frame->len - listener->at;
	len = len < room ? len : room;
	memcpy(bytes, listener->frame->bytes + listener->at, len);
	listener->at += len;
	if (listener->at == listener->frame->len)
		dash_live_frame_release(pl_take(listener->frame));
	return (ptrdiff_t)len;
}

static struct live_listener *listener_of(struct dash_stream *stream)
{
	return PL_CONTAINER_OF(stream, struct live_listener, stream);
}

static ptrdiff_t read_stream(struct dash_stream *stream, char *bytes, size_t room)
{
	struct live_listener *listener = listener_of(stream);

	pthread_mutex_lock(&listener->live->lock);
	ptrdiff_t got = read_locked(listener, bytes, room);
	pthread_mutex_unlock(&listener->live->lock);
	return got;
}

static void free_stream(struct dash_stream *stream)
{
	struct live_listener *listener = listener_of(stream);
	struct dash_live *live = listener->live;

	pthread_mutex_lock(&live->lock);
	*listener->link = listener->next;
	if (listener->next != NULL)
		listener->next->link = listener->link;
	live->listener_count--;
	dash_live_frame_release(listener->frame);
	if (listener->run != NULL) {
		listener->run->listeners--;
		dash_live_run_release(listener->run);
	}
	pthread_mutex_unlock(&live->lock);
	free(listener->user);
	free(listener);
}

static unsigned streams_of(const struct dash_live *live, const char *user)
{
	unsigned count = 0;

	for (const struct live_listener *one = live->listeners; user != NULL && one != NULL;
	     one = one->next)
		count += pl_text_equal(one->user, user);
	return count;
}

static struct live_listener *add(struct dash_live *live, struct live_run *run, const char *user)
{
	struct live_listener *listener = pl_alloc(sizeof(*listener));

	*listener = (struct live_listener){
		.stream = { .read = read_stream, .free = free_stream },
		.live = live,
		.run = run,
		.user = pl_strdup(user),
		.next = live->listeners,
		.link = &live->listeners,
		/* differs, so the current state is sent */
		.serial = (run != NULL ? run->serial : live->list_serial) - 1,
		.sent_ns = pl_clock_now_ns(),
	};
	if (run != NULL) {
		listener->event_serial = run->event_serial - 1;
		run->listeners++;
	}
	if (listener->next != NULL)
		listener->next->link = &listener->next;
	live->listeners = listener;
	if (live->listener_count++ == 0)
		pthread_cond_signal(&live->wake);
	return listener;
}

enum dash_live_listen_result dash_live_listen(struct dash_live *live, const char *run_id,
					      const char *user, struct dash_stream **ret)
{
	enum dash_live_listen_result result = DASH_LIVE_LISTENS;
	struct live_run *run = NULL;

	pthread_mutex_lock(&live->lock);
	if (run_id != NULL) {
		for (run = live->runs; run != NULL; run = run->next) {
			if (strcmp(run->run_id, run_id) == 0)
				break;
		}
	}
	if (run_id != NULL && run == NULL)
		result = DASH_LIVE_UNKNOWN;
	else if (live->listener_count >= DASH_LIVE_LISTENERS_MAX)
		result = DASH_LIVE_CROWDED;
	else if (streams_of(live, user) >= DASH_LIVE_USER_LISTENERS_MAX)
		result = DASH_LIVE_GREEDY;
	else
		*ret = &add(live, run, user)->stream;
	pthread_mutex_unlock(&live->lock);
	return result;
}

/* ---- all listeners ------------------------------------------------------------------------- */

/* The library does not look at the connection of a paused stream. */
static void find_gone(struct live_listener **paused, size_t count)
{
	struct pollfd peers[DASH_LIVE_LISTENERS_MAX];

	for (size_t i = 0; i < count; i++)
		peers[i] = (struct pollfd){ .fd = paused[i]->stream.fd, .events = POLLRDHUP };
	if (count == 0 || poll(peers, count, 0) <= 0)
		return;
	for (size_t i = 0; i < count; i++)
		paused[i]->is_gone |= peers[i].revents != 0;
}

void dash_live_wake_listeners(struct dash_live *live, int64_t now_ns)
{
	struct live_listener *paused[DASH_LIVE_LISTENERS_MAX];
	size_t count = 0;

	for (struct live_listener *listener = live->listeners; listener != NULL;
	     listener = listener->next) {
		if (listener->is_paused)
			paused[count++] = listener;
	}
	find_gone(paused, count);
	for (size_t i = 0; i < count; i++) {
		struct live_listener *listener = paused[i];
		listener->is_gone |= !dash_access_allows(listener->stream.access,
							 listener->stream.user);
		listener->is_beat_due = now_ns - listener->sent_ns >=
					BEAT_S * live->options.second_ns;
		if (!is_over(listener) && !has_news(listener))
			continue;
		listener->is_paused = false;
		listener->stream.resume(&listener->stream);
	}
}
