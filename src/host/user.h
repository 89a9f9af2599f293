/*
 * Users of this host.
 */
#pragma once

#include <sys/types.h>

/* The user's name, or number where there is none. free(). From any thread, as getpwuid() is not. */
char *host_user_name(uid_t uid);
