/*
 * What a request is answered with: nothing of sockets, nothing of the HTTP library. It begins as { 0 }
 * and is given back by dash_answer_done().
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Answers are in memory as a whole, but for streams; the largest of them is a facet of every field. */
#define DASH_ANSWER_BYTES_MAX (256u << 20)

struct dash_peer;

/* Codings of a body (Content-Encoding). */
enum dash_coding {
	DASH_CODING_PLAIN,
	DASH_CODING_GZIP,
	DASH_CODING_ZSTD,
	DASH_CODING_BROTLI,
	DASH_CODING_COUNT
};

/* Bytes that several answers have, plain and as far as someone asked for it compressed; the last one frees them. */
struct dash_shared {
	atomic_uint users;
	char *bytes;
	size_t len;
	bool is_lasting;      /* for as long as the program runs: compressed once, and well */
	pthread_mutex_t lock; /* of what follows */
	struct dash_packed {
		char *bytes; /* NULL: no client asked for it yet */
		size_t len;
	} packed[DASH_CODING_COUNT];
};
void dash_shared_release(struct dash_shared *shared);

/* Bytes that are made while they are sent: part of its owner. */
struct dash_stream {
	/* At most so many; 0: that was all. -1: it cannot go on, and the client sees it break off. */
	ptrdiff_t (*read)(struct dash_stream *stream, char *bytes, size_t room);
	/* Exactly once, also where the client left before the end; maybe by another thread. */
	void (*free)(struct dash_stream *stream);
	size_t *sent;           /* the sender's: how many have gone */
	struct dash_peer *peer; /* the sender's: where they go */
};

struct dash_answer;

/* Takes a body as it comes: part of its owner. */
struct dash_sink {
	/* The next bytes. False: refused, and the answer says why; no more calls but free. */
	bool (*take)(struct dash_sink *sink, const char *bytes, size_t len,
		     struct dash_answer *answer);
	/* That was all of it: the answer. Maybe by another thread. */
	void (*end)(struct dash_sink *sink, struct dash_answer *answer);
	/* Exactly once, also where the client left before the end. */
	void (*free)(struct dash_sink *sink);
};

struct dash_answer {
	const char *path; /* that was asked for */
	int status;
	const char *type;  /* Content-Type; static */
	char *bytes;       /* its own; NULL: fixed */
	const char *fixed; /* not its own, for as long as the program runs */
	size_t len;
	struct dash_shared *shared; /* NULL: it has its bytes for itself */
	struct dash_stream *stream; /* in place of all bytes; or NULL */
	struct dash_sink *sink;     /* of a handler whose turn is STREAM; or NULL */
	bool has_fd;                /* in place of all bytes: `len` of the file, from `fd_at` on */
	int fd;                     /* its own */
	uint64_t fd_at;
	bool takes_ranges; /* Accept-Ranges */
	char range[80];    /* Content-Range, of a 206 and a 416; "": none */
	bool is_inert; /* bytes of others: nothing in them may run, whatever a browser takes them for */
	char allow[32];          /* methods, of a 405; "": none */
	const char *cache;       /* Cache-Control; NULL: to be asked for each time */
	char tag[80];            /* ETag with its quotes; "": none */
	const char *encoding;    /* Content-Encoding; NULL: as it is */
	enum dash_coding coding; /* of the shared bytes that are sent */
	bool varies;             /* another encoding would have been another answer */
	bool is_partial;         /* the next one to the same question may have more */
	char *location;          /* its own, or NULL */
	char *disposition;       /* its own, or NULL */
	bool closes;             /* the connection ends behind it */
	unsigned retry_s;        /* Retry-After; 0: none */
};

void dash_answer_done(struct dash_answer *answer);
#define auto_answer __attribute__((cleanup(dash_answer_done), unused)) struct dash_answer

/* Takes the bytes. */
void dash_answer_bytes(struct dash_answer *answer, const char *type, char *bytes, size_t len);

/* Its bytes can be had by others from here on. */
void dash_answer_make_shared(struct dash_answer *answer);
/* Bytes in memory of an answer that is shared. */
size_t dash_answer_held(const struct dash_answer *answer);
/* Status, type and plain bytes of the one, which has to be shared, are the other's, too. */
void dash_answer_share(const struct dash_answer *from, struct dash_answer *to);

/*
 * Content-Disposition of a file that is to be saved (RFC 6266): its name as every client reads it, and the name itself,
 * without folders. free()
 */
char *dash_disposition(const char *name);

/* What was a 200 with a tag: 304, without a body. */
void dash_answer_unchanged(struct dash_answer *answer);
