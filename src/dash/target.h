/*
 * Parses the target of a request: a decoded path and the members of its query string. Parsing is strict, because a
 * lenient parser could read a target differently from a proxy before the server: '%' needs two digits, decoded text must
 * be UTF-8 without NUL, and a path starts with '/'. '+' is a space in the query (as in forms) and literal in the path.
 */
#pragma once

#include "base/err.h"

#include <stddef.h>

#define DASH_MEMBERS_MAX 100

struct dash_member {
	char *name;
	char *value; /* "" without '=' */
};

struct dash_target {
	char *path;
	struct dash_member *members; /* in order; names may repeat */
	size_t count;
	size_t room;
};

/* Overwrites *ret. Returns -1 with INVALID, and *ret is empty. */
int dash_target_read(const char *text, struct dash_target *ret, struct pl_err *err) PL_MUST_CHECK;
void dash_target_done(struct dash_target *target);
#define auto_target __attribute__((cleanup(dash_target_done), unused)) struct dash_target
