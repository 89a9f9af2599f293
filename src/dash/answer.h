/* A response, independent of sockets and of the HTTP library. It starts as { 0 }; call dash_answer_done(). */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A response is in memory as a whole unless it is a stream. The largest is a facet of every field. */
#define DASH_ANSWER_BYTES_MAX (256u << 20)

struct dash_access;
struct dash_peer;
struct dash_user;

/* Codings of a body (Content-Encoding). */
enum dash_coding {
	DASH_CODING_PLAIN,
	DASH_CODING_GZIP,
	DASH_CODING_ZSTD,
	DASH_CODING_BROTLI,
	DASH_CODING_COUNT
};

/* Bytes shared by several responses, plain and in the codings that a client has requested. The last user frees them. */
struct dash_shared {
	atomic_uint users;
	char *bytes;
	size_t len;
	bool is_lasting; /* lives as long as the program, so it is compressed once, at a high level */
	pthread_mutex_t lock; /* protects the fields below */
	struct dash_packed {
		char *bytes; /* NULL: not requested yet */
		size_t len;
	} packed[DASH_CODING_COUNT];
};
void dash_shared_release(struct dash_shared *shared);

/* Returned by a stream's read that has called pause. */
#define DASH_STREAM_PAUSED (-2)

/*
 * Bytes that are generated while they are sent. Embedded in its owner. A stream that has no bytes yet calls pause in
 * read, and any thread calls resume once, when there are some; its owner makes sure that pause has returned by then.
 */
struct dash_stream {
	/*
	 * Writes at most `room` bytes. Returns 0 at the end, -1 on failure, which the client sees as an aborted response,
	 * or DASH_STREAM_PAUSED.
	 */
	ptrdiff_t (*read)(struct dash_stream *stream, char *bytes, size_t room);
	/* Called exactly once, also if the client left early, and maybe in another thread. */
	void (*free)(struct dash_stream *stream);
	size_t *sent;           /* set by the sender: number of bytes sent */
	struct dash_peer *peer; /* set by the sender: the receiver */

	/* set by the sender */
	void (*pause)(struct dash_stream *stream);
	void (*resume)(struct dash_stream *stream);
	void *connection;
	int fd; /* of the connection, to see whether a client has left while it waits */
	struct dash_access *access; /* ends the stream when the user loses access */
	struct dash_user *user;     /* freed by the sender after the stream */
};

struct dash_answer;

/* Receives a body while it arrives. Embedded in its owner. */
struct dash_sink {
	/*
	 * Takes the next bytes. Returns false if they are refused, with the reason in the response; then only free is
	 * called.
	 */
	bool (*take)(struct dash_sink *sink, const char *bytes, size_t len,
		     struct dash_answer *answer);
	/* Called after the last byte: makes the response. Maybe in another thread. */
	void (*end)(struct dash_sink *sink, struct dash_answer *answer);
	/* Called exactly once, also if the client left early. */
	void (*free)(struct dash_sink *sink);
};

#define DASH_REQUEST_ID_BYTES 65 /* the longest id, with its NUL */

struct dash_answer {
	const char *path;       /* of the request */
	const char *request_id; /* X-Request-Id; borrowed; NULL: none */
	int status;
	const char *type;  /* Content-Type; static */
	char *bytes;       /* owned; NULL: `fixed` */
	const char *fixed; /* borrowed; lives as long as the program */
	size_t len;
	struct dash_shared *shared; /* NULL: the bytes are its own */
	struct dash_stream *stream; /* instead of bytes; or NULL */
	struct dash_sink *sink;     /* of a handler with turn STREAM; or NULL */
	bool has_fd; /* instead of bytes: `len` bytes of the file `fd` from `fd_at` on */
	int fd;      /* owned */
	uint64_t fd_at;
	bool takes_ranges; /* Accept-Ranges */
	char range[80];    /* Content-Range, for 206 and 416; "": none */
	bool is_inert;  /* bytes from users: sets headers so that a browser runs nothing in them */
	char allow[32]; /* methods, for 405; "": none */
	const char *cache;       /* Cache-Control; NULL: revalidate each time */
	char tag[80];            /* ETag with its quotes; "": none */
	int64_t data_version;    /* X-Data-Version; 0: none */
	const char *encoding;    /* Content-Encoding; NULL: none */
	enum dash_coding coding; /* of the shared bytes that are sent */
	bool varies;             /* the response depends on Accept-Encoding */
	bool is_unbuffered;      /* asks proxies to forward each part at once */
	bool is_partial;         /* a later response to the same request may be more complete */
	char *location;          /* owned, or NULL */
	char *disposition;       /* owned, or NULL */
	bool is_strict;          /* tells browsers to use only https for this host (HSTS) */
	bool closes;             /* close the connection after it */
	unsigned retry_s;        /* Retry-After; 0: none */
	const char *challenge;   /* WWW-Authenticate; static; NULL: none */
	char *cookie;            /* Set-Cookie; owned, or NULL */
	char *user_name;         /* of a user that signed in, for the audit log; owned, or NULL */
};

void dash_answer_done(struct dash_answer *answer);
#define auto_answer __attribute__((cleanup(dash_answer_done), unused)) struct dash_answer

/* Takes ownership of the bytes. */
void dash_answer_bytes(struct dash_answer *answer, const char *type, char *bytes, size_t len);

/* Allows other responses to share its bytes. */
void dash_answer_make_shared(struct dash_answer *answer);
/* Returns the memory of a shared response's bytes. */
size_t dash_answer_held(const struct dash_answer *answer);
/* Copies status, type and plain bytes of a shared response. */
void dash_answer_share(const struct dash_answer *from, struct dash_answer *to);

/*
 * Returns a Content-Disposition for saving a file (RFC 6266), with an ASCII name for every client and the exact name,
 * both without directories. free()
 */
char *dash_disposition(const char *name);

/* Turns a 200 with a tag into a 304 without a body. */
void dash_answer_unchanged(struct dash_answer *answer);
