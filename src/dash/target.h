/*
 * The target of a request taken apart: a decoded path and the members of its query string.
 *
 * Strict, for whoever reads it leniently reads something else than a proxy in front: a '%' needs its
 * two digits, what is decoded has to be UTF-8 without NUL, a path begins with '/'. '+' is a blank in the
 * query (as forms write it) and itself in the path.
 */
#pragma once

#include "base/err.h"

#include <stddef.h>

#define DASH_MEMBERS_MAX 100

struct dash_member {
	char *name;
	char *value; /* "" where there is no '=' */
};

struct dash_target {
	char *path;
	struct dash_member *members; /* in their order, also twice the same name */
	size_t count;
	size_t room;
};

/* Overwrites *ret. -1: INVALID, and *ret holds nothing. */
int dash_target_read(const char *text, struct dash_target *ret, struct pl_err *err) PL_MUST_CHECK;
void dash_target_done(struct dash_target *target);
#define auto_target __attribute__((cleanup(dash_target_done), unused)) struct dash_target
