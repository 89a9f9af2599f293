/* Roles, and the user that sends a request. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/file.h"

enum dash_role {
#define ROLE(NAME, name, meaning) DASH_ROLE_##NAME,
#include "tbl/roles.h"
	DASH_ROLE_COUNT
};

/* "read" */
const char *dash_role_name(enum dash_role role);
/* Returns false if no role has this name. */
bool dash_role_find(const char *name, enum dash_role *ret);

#define DASH_USER_BYTES 65 /* the longest name, with its NUL */
#define DASH_SALT_BYTES 16

/* Zero-initialized: an unknown client, which has only the role NONE. */
struct dash_user {
	char name[DASH_USER_BYTES];
	enum dash_role role;
	int64_t expires_s; /* Unix time */
	bool is_of_proxy;  /* named by a trusted proxy; otherwise it has a token */
	bool has_session;  /* named by the cookie of a browser */
	char session_hash[PL_SHA256_HEX_BYTES]; /* if it has a session: which one */
	unsigned char salt
		[DASH_SALT_BYTES]; /* of the token: a new token of the same name has another one */
};

/* 1 to 64 letters, digits and "._@+-", the first a letter or digit. */
bool dash_user_is_valid(const char *name);
