#include "vllm/arg_index.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "vllm/server_args.h"

#define SLOTS_PER_NAME 4 /* few names share a place, so that what is no name is told at once */

struct slot {
	const struct option_row *arg; /* NULL: free */
	const char *name;             /* in the row, not ended by '\0' */
	size_t len;
	enum vllm_arg_name kind;
};

static struct slot *slots;
static size_t slot_count; /* a power of two */

static char plain(char c)
{
	return c == '-' ? '_' : c;
}

/* FNV-1a */
static size_t hash_of(const char *name, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)plain(name[i])) * 0x100000001b3u;
	return (size_t)(hash ^ hash >> 32);
}

static bool is_named(const struct slot *slot, const char *name, size_t len)
{
	if (slot->len != len)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (plain(slot->name[i]) != plain(name[i]))
			return false;
	}
	return true;
}

static void add_name(const struct option_row *arg, const char *name, size_t len,
		     enum vllm_arg_name kind)
{
	size_t at = hash_of(name, len) & (slot_count - 1);

	while (slots[at].arg != NULL)
		at = (at + 1) & (slot_count - 1);
	slots[at] = (struct slot){ .arg = arg, .name = name, .len = len, .kind = kind };
}

/* The long ones of flags separated by blanks ("--long -s"). */
static size_t each_long(const struct option_row *arg, const char *flags, enum vllm_arg_name kind,
			bool add)
{
	size_t count = 0;

	while (flags != NULL && *flags != '\0') {
		size_t len = strcspn(flags, " ");
		bool is_long = strspn(flags, "-") == 2;
		if (is_long && add)
			add_name(arg, flags + 2, len - 2, kind);
		count += is_long;
		flags += len + strspn(flags + len, " ");
	}
	return count;
}

void vllm_arg_index_build(const struct option_row *rows, size_t count)
{
	size_t names = count;

	for (size_t i = 0; i < count; i++)
		names += each_long(&rows[i], rows[i].aliases, VLLM_ARG_LONG_ALIAS, false) +
			 each_long(&rows[i], rows[i].negative_flag, VLLM_ARG_NEGATIVE, false);
	free(slots);
	for (slot_count = SLOTS_PER_NAME; slot_count < SLOTS_PER_NAME * names;)
		slot_count *= 2;
	slots = pl_alloc_array(slot_count, sizeof(*slots));
	for (size_t i = 0; i < count; i++) {
		add_name(&rows[i], rows[i].name, strlen(rows[i].name), VLLM_ARG_NAME);
		each_long(&rows[i], rows[i].aliases, VLLM_ARG_LONG_ALIAS, true);
		each_long(&rows[i], rows[i].negative_flag, VLLM_ARG_NEGATIVE, true);
	}
}

const struct option_row *vllm_arg_index_find(const char *name, unsigned kinds)
{
	size_t len = strlen(name);
	const struct slot *found = NULL;

	for (size_t at = hash_of(name, len) & (slot_count - 1); slots[at].arg != NULL;
	     at = (at + 1) & (slot_count - 1)) {
		const struct slot *slot = &slots[at];
		if ((slot->kind & kinds) != 0 && is_named(slot, name, len) &&
		    (found == NULL || slot->kind < found->kind))
			found = slot;
	}
	return found != NULL ? found->arg : NULL;
}
