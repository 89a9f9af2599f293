#include "dash/response_priv.h"

#include <stdio.h>

#include "base/mem.h"
#include "dash/access/access.h"
#include "dash/peers.h"

#define STREAM_BYTES ((size_t)128 << 10) /* per piece */

/*
 * The web UI loads only its own files and connects only to this server. No site may frame it or receive its address as
 * a referrer. (OWASP's list of security headers.)
 */
static const char *const headers_of_all[][2] = {
	{ "Content-Security-Policy",
	  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
	  "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
	  "frame-ancestors 'none'" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "X-Frame-Options", "DENY" },
	{ "Referrer-Policy", "no-referrer" },
	/* the page hands a trace to a window that it opens */
	{ "Cross-Origin-Opener-Policy", "same-origin-allow-popups" },
	{ "Cross-Origin-Resource-Policy", "same-origin" },
	{ "Permissions-Policy", "camera=(), geolocation=(), microphone=()" },
};

static void add_header(struct MHD_Response *response, const char *name, const char *value)
{
	/* a value with invalid bytes is omitted */
	if (value != NULL && value[0] != '\0')
		(void)MHD_add_response_header(response, name, value);
}

static void release_shared(void *data)
{
	dash_shared_release(data);
}

static ssize_t read_stream(void *data, uint64_t at, char *bytes, size_t room)
{
	struct dash_stream *stream = data;
	ptrdiff_t got = dash_access_allows(stream->access, stream->user)
				? stream->read(stream, bytes, room)
				: -1;

	(void)at;
	if (got == DASH_STREAM_PAUSED)
		return 0;
	*stream->sent += got > 0 ? (size_t)got : 0;
	if (got < 0)
		dash_peer_reset(stream->peer);
	return got > 0    ? got
	       : got == 0 ? MHD_CONTENT_READER_END_OF_STREAM
			  : MHD_CONTENT_READER_END_WITH_ERROR;
}

static void free_stream(void *data)
{
	struct dash_stream *stream = data;
	auto_free struct dash_user *user = stream->user;

	stream->free(stream);
}

/* Passes the bytes to the library, which frees them. */
static struct MHD_Response *make_body(struct dash_answer *answer)
{
	if (answer->stream != NULL)
		return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BYTES,
							 read_stream, pl_take(answer->stream),
							 free_stream);
	if (answer->has_fd) {
		answer->has_fd = false;
		return MHD_create_response_from_fd_at_offset64(answer->len, answer->fd,
							       answer->fd_at);
	}
	if (answer->shared != NULL) {
		struct dash_shared *shared = pl_take(answer->shared);
		char *bytes = answer->coding == DASH_CODING_PLAIN
				      ? shared->bytes
				      : shared->packed[answer->coding].bytes;
		return MHD_create_response_from_buffer_with_free_callback_cls(
			answer->len, bytes != NULL ? (void *)bytes : (void *)"", release_shared,
			shared);
	}
	if (answer->bytes != NULL)
		return MHD_create_response_from_buffer(answer->len, pl_take(answer->bytes),
						       MHD_RESPMEM_MUST_FREE);
	return MHD_create_response_from_buffer(answer->len,
					       (void *)(answer->fixed != NULL ? answer->fixed : ""),
					       MHD_RESPMEM_PERSISTENT);
}

struct MHD_Response *dash_response_new(struct dash_answer *answer)
{
	struct MHD_Response *response = make_body(answer);
	char retry[16], version[24];

	if (response == NULL)
		return NULL;
	for (size_t i = 0; i < PL_ARRAY_SIZE(headers_of_all); i++)
		add_header(response, headers_of_all[i][0], headers_of_all[i][1]);
	add_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->type);
	add_header(response, MHD_HTTP_HEADER_CACHE_CONTROL,
		   answer->cache != NULL ? answer->cache : "no-cache");
	add_header(response, MHD_HTTP_HEADER_ETAG, answer->tag);
	add_header(response, MHD_HTTP_HEADER_ALLOW, answer->allow);
	add_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, answer->challenge);
	add_header(response, MHD_HTTP_HEADER_SET_COOKIE, answer->cookie);
	if (answer->is_strict)
		add_header(response, "Strict-Transport-Security", "max-age=31536000");
	add_header(response, MHD_HTTP_HEADER_LOCATION, answer->location);
	add_header(response, MHD_HTTP_HEADER_CONTENT_DISPOSITION, answer->disposition);
	add_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, answer->encoding);
	add_header(response, MHD_HTTP_HEADER_CONTENT_RANGE, answer->range);
	add_header(response, "X-Request-Id", answer->request_id);
	if (answer->data_version > 0) {
		snprintf(version, sizeof(version), "%lld", (long long)answer->data_version);
		add_header(response, "X-Data-Version", version);
	}
	if (answer->takes_ranges)
		add_header(response, MHD_HTTP_HEADER_ACCEPT_RANGES, "bytes");
	if (answer->is_unbuffered)
		add_header(response, "X-Accel-Buffering", "no");
	if (answer->is_inert)
		add_header(response, "Content-Security-Policy", "sandbox");
	if (answer->varies)
		add_header(response, MHD_HTTP_HEADER_VARY, "Accept-Encoding");
	if (answer->retry_s > 0) {
		snprintf(retry, sizeof(retry), "%u", answer->retry_s);
		add_header(response, MHD_HTTP_HEADER_RETRY_AFTER, retry);
	}
	if (answer->closes)
		add_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	return response;
}
