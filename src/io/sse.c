#include "io/sse.h"

#include <string.h>

#define BOM       "\xef\xbb\xbf"
#define BOM_BYTES 3

/* Memory that a stream's largest event needed beyond this is freed before the next stream. */
#define KEEP_BYTES 65536

/*
 * One io_sse_feed(), and how few bytes it copies:
 *
 *    whole event in the piece, one data line ──> the callback gets the caller's bytes (`direct`)
 *    several data lines, or the piece ends   ──> sse->event collects them
 *    a line without its end                  ──> sse->line keeps it for the next piece
 *
 * Nearly all events of a token stream are of the first kind.
 */
struct feed {
	struct io_sse *sse;
	const char *at;
	const char *end;
	const char *lf;     /* the next LF at or after `at`, or `end`; stale once below `at` */
	const char *cr;     /* the next CR at or after `at` and before `lf`, or `lf`; likewise */
	const char *direct; /* the event's only data line so far, not yet copied; or NULL */
	size_t direct_len;
	struct pl_err *err;
};

static const char *find(const char *at, const char *end, char c)
{
	const char *hit = memchr(at, c, (size_t)(end - at));

	return hit != NULL ? hit : end;
}

/*
 * Returns the end of the line at `at`. Each byte is searched once for LF and once for CR, in any
 * mixture.
 */
static const char *line_end(struct feed *feed)
{
	if (feed->lf < feed->at) {
		feed->lf = find(feed->at, feed->end, '\n');
		feed->cr = find(feed->at, feed->lf, '\r');
	} else if (feed->cr < feed->at) {
		feed->cr = find(feed->at, feed->lf, '\r');
	}
	return feed->cr;
}

static int too_large(struct feed *feed)
{
	return pl_err_set(feed->err, PL_ERR_NETWORK,
			  "event %zu of the stream is larger than %u bytes", feed->sse->events + 1,
			  IO_SSE_EVENT_BYTES_MAX);
}

/* Copies a line from the caller's bytes before they become invalid or more is appended to it. */
static int keep_direct(struct feed *feed)
{
	const char *data = feed->direct;

	feed->direct = NULL;
	if (data != NULL && !pl_buf_add(&feed->sse->event, data, feed->direct_len))
		return too_large(feed);
	return 0;
}

static int add_data(struct feed *feed, const char *data, size_t len, bool borrowed)
{
	struct io_sse *sse = feed->sse;

	if (len > IO_SSE_EVENT_BYTES_MAX)
		return too_large(feed);
	if (!sse->has_data && !borrowed) {
		feed->direct = data;
		feed->direct_len = len;
		sse->has_data = true;
		return 0;
	}
	if (keep_direct(feed) < 0)
		return -1;
	if ((sse->has_data && !pl_buf_add_char(&sse->event, '\n')) ||
	    !pl_buf_add(&sse->event, data, len))
		return too_large(feed);
	sse->has_data = true;
	return 0;
}

static int pass_event(struct feed *feed)
{
	struct io_sse *sse = feed->sse;

	if (!sse->has_data) {
		sse->name[0] = '\0';
		return 0;
	}
	const char *data = feed->direct != NULL ? feed->direct : pl_buf_text(&sse->event);
	size_t len = feed->direct != NULL ? feed->direct_len : sse->event.len;
	feed->direct = NULL;
	sse->has_data = false;
	sse->events++;
	/*
	 * State is settled before the callback: it may fail the stream, and the next feed must not
	 * see the event again.
	 */
	int rc = sse->fn(sse->user, data, len);
	sse->name[0] = '\0';
	if (sse->event.len > 0)
		pl_buf_clear(&sse->event);
	return rc;
}

static void keep_name(struct io_sse *sse, const char *name, size_t len)
{
	if (len > 0 && *name == ' ') {
		name++;
		len--;
	}
	len = len < IO_SSE_NAME_BYTES - 1 ? len : IO_SSE_NAME_BYTES - 1;
	memcpy(sse->name, name, len);
	sse->name[len] = '\0';
}

/* `borrowed`: the line is in sse->line and becomes invalid afterwards. */
static int take_line(struct feed *feed, const char *line, size_t len, bool borrowed)
{
	struct io_sse *sse = feed->sse;

	if (!sse->started) {
		sse->started = true;
		if (len >= BOM_BYTES && memcmp(line, BOM, BOM_BYTES) == 0) {
			line += BOM_BYTES;
			len -= BOM_BYTES;
		}
	}
	if (len == 0)
		return pass_event(feed);
	if (len > 6 && memcmp(line, "event:", 6) == 0)
		keep_name(sse, line + 6, len - 6);
	/* `id`, `retry`, unknown fields and comments are ignored */
	if (len < 4 || memcmp(line, "data", 4) != 0)
		return 0;
	if (len == 4)
		return add_data(feed, line + 4, 0, borrowed);
	if (line[4] != ':')
		return 0;
	size_t skip = len > 5 && line[5] == ' ' ? 6 : 5;
	return add_data(feed, line + skip, len - skip, borrowed);
}

/*
 * Takes the bytes up to the end of the line, `stop`, and appends them to the start from earlier
 * pieces.
 */
static int end_line(struct feed *feed, const char *stop)
{
	struct pl_buf *line = &feed->sse->line;
	size_t len = (size_t)(stop - feed->at);

	if (line->len == 0)
		return take_line(feed, feed->at, len, false);
	if (!pl_buf_add(line, feed->at, len))
		return too_large(feed);
	int rc = take_line(feed, line->data, line->len, true);
	pl_buf_clear(line);
	return rc;
}

static int feed_lines(struct feed *feed)
{
	struct io_sse *sse = feed->sse;

	while (feed->at < feed->end) {
		/*
		 * A CR ends its line at once, because the LF after it may never arrive. If it does,
		 * in this piece or the next, it does not end a second line.
		 */
		if (sse->skip_lf) {
			sse->skip_lf = false;
			if (*feed->at == '\n') {
				feed->at++;
				continue;
			}
		}
		const char *stop = line_end(feed);
		if (stop == feed->end) {
			if (!pl_buf_add(&sse->line, feed->at, (size_t)(stop - feed->at)))
				return too_large(feed);
			break;
		}
		sse->skip_lf = *stop == '\r';
		int rc = end_line(feed, stop);
		if (rc != 0)
			return rc;
		feed->at = stop + 1;
	}
	return keep_direct(feed);
}

void io_sse_init(struct io_sse *sse, io_sse_fn *fn, void *user)
{
	*sse = (struct io_sse){ .fn = fn, .user = user };
	pl_buf_init(&sse->line, IO_SSE_EVENT_BYTES_MAX);
	pl_buf_init(&sse->event, IO_SSE_EVENT_BYTES_MAX);
}

void io_sse_done(struct io_sse *sse)
{
	pl_buf_done(&sse->line);
	pl_buf_done(&sse->event);
}

void io_sse_reset(struct io_sse *sse)
{
	pl_buf_forget(&sse->line, KEEP_BYTES);
	pl_buf_forget(&sse->event, KEEP_BYTES);
	sse->name[0] = '\0';
	sse->has_data = false;
	sse->skip_lf = false;
	sse->started = false;
	sse->events = 0;
}

int io_sse_feed(struct io_sse *sse, const char *bytes, size_t len, struct pl_err *err)
{
	if (len == 0)
		return 0;
	struct feed feed = { .sse = sse,
			     .at = bytes,
			     .end = bytes + len,
			     .lf = find(bytes, bytes + len, '\n'),
			     .err = err };
	feed.cr = find(bytes, feed.lf, '\r');
	return feed_lines(&feed);
}

static bool is_field(const char *name, size_t len)
{
	static const char *const names[] = { "data", "event", "id", "retry" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
			return true;
	}
	return false;
}

/* A line of a stream ends its field's name with a colon, or is that name alone. */
static enum io_sse_guess guess_field(const char *at, const char *end)
{
	static const size_t longest = sizeof("event") - 1;
	size_t len = 0;

	while (at + len < end && len <= longest && strchr(":\r\n", at[len]) == NULL)
		len++;
	if (at + len == end && len <= longest)
		return IO_SSE_SHORT;
	return is_field(at, len) ? IO_SSE_STREAM : IO_SSE_TEXT;
}

enum io_sse_guess io_sse_guess(const char *bytes, size_t len)
{
	const char *end = bytes + len;
	size_t mark = len < BOM_BYTES ? len : BOM_BYTES;

	if (len > 0 && memcmp(bytes, BOM, mark) == 0)
		bytes += mark;
	while (bytes < end && strchr(" \t\r\n", *bytes) != NULL && *bytes != '\0')
		bytes++;
	if (bytes == end)
		return IO_SSE_SHORT;
	switch (*bytes) {
	case ':':
		return IO_SSE_STREAM;
	case '{':
	case '[':
		return IO_SSE_JSON;
	case '<':
		return IO_SSE_HTML;
	default:
		return guess_field(bytes, end);
	}
}
