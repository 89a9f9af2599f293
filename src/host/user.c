#include "host/user.h"

#include <pwd.h>
#include <stddef.h>

#include "base/mem.h"

/* Size of a complete user database entry: names are short, but it also contains directories. */
#define ENTRY_BYTES 16384

char *host_user_name(uid_t uid)
{
	auto_free char *room = pl_alloc(ENTRY_BYTES);
	struct passwd entry, *found = NULL;

	if (getpwuid_r(uid, &entry, room, ENTRY_BYTES, &found) != 0 || found == NULL)
		return pl_asprintf("%u", (unsigned)uid);
	return pl_strdup(found->pw_name);
}
