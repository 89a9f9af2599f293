/*
 * Users of this host.
 */
#pragma once

#include <sys/types.h>

/*
 * Returns the user's name, or the number if it has none. Free with free(). Thread-safe, unlike
 * getpwuid().
 */
char *host_user_name(uid_t uid);
