#include "dash/access/user.h"

#include <string.h>

#include "base/text.h"

static const char *const role_names[] = {
#define ROLE(NAME, name, meaning) [DASH_ROLE_##NAME] = name,
#include "tbl/roles.h"
};

const char *dash_role_name(enum dash_role role)
{
	return role_names[role];
}

bool dash_role_find(const char *name, enum dash_role *ret)
{
	size_t i = pl_text_index(name, role_names, DASH_ROLE_COUNT);

	if (i == DASH_ROLE_COUNT)
		return false;
	*ret = (enum dash_role)i;
	return true;
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS  "0123456789"

bool dash_user_is_valid(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && len < DASH_USER_BYTES && strspn(name, LETTERS DIGITS "._@+-") == len &&
	       strchr(LETTERS DIGITS, name[0]) != NULL;
}
