/*
 * What a request is answered with: nothing of sockets, nothing of the HTTP library. It begins as { 0 }
 * and is given back by dash_answer_done().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Answers of this program are in memory as a whole; the largest is a facet of every field. */
#define DASH_ANSWER_BYTES_MAX (256u << 20)

struct dash_answer {
	const char *path; /* that was asked for */
	int status;
	const char *type;  /* Content-Type; static */
	char *bytes;       /* its own; NULL: fixed */
	const char *fixed; /* not its own, for as long as the program runs */
	size_t len;
	const char *allow;    /* methods, of a 405; static */
	const char *cache;    /* Cache-Control; NULL: to be asked for each time */
	char tag[80];         /* ETag with its quotes; "": none */
	const char *encoding; /* Content-Encoding; NULL: as it is */
	bool varies;          /* another encoding would have been another answer */
	char *location;       /* its own, or NULL */
	char *disposition;    /* its own, or NULL */
	bool closes;          /* the connection ends behind it */
	unsigned retry_s;     /* Retry-After; 0: none */
};

void dash_answer_done(struct dash_answer *answer);
#define auto_answer __attribute__((cleanup(dash_answer_done), unused)) struct dash_answer

/* Takes the bytes. */
void dash_answer_bytes(struct dash_answer *answer, const char *type, char *bytes, size_t len);

/* What was a 200 with a tag: 304, without a body. */
void dash_answer_unchanged(struct dash_answer *answer);
