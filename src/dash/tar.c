#include "dash/tar.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#define SIZE_LIMIT ((int64_t)1 << 33) /* 11 octal digits */

/* POSIX.1-1988 (ustar): octal digits and NULs. */
struct head {
	char name[100];
	char mode[8];
	char uid[8];
	char gid[8];
	char size[12];
	char mtime[12];
	char checksum[8];
	char type;
	char link[100];
	char magic[8];
	char user[32];
	char group[32];
	char major[8];
	char minor[8];
	char prefix[155];
	char rest[12];
};
_Static_assert(sizeof(struct head) == DASH_TAR_BLOCK, "a head is one block");

static void set_octal(char *field, size_t size, uint64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%0*llo", (int)size - 1, (unsigned long long)number);
	memcpy(field, text, size);
}

static void add_block(struct pl_buf *tar, const char *name, char type, int64_t bytes,
		      int64_t mtime_s)
{
	struct head head = { .type = type, .magic = "ustar" };
	unsigned sum = 0;

	memcpy(head.magic + 6, "00", 2);
	memcpy(head.name, name, strnlen(name, sizeof(head.name)));
	set_octal(head.mode, sizeof(head.mode), 0644);
	set_octal(head.uid, sizeof(head.uid), 0);
	set_octal(head.gid, sizeof(head.gid), 0);
	set_octal(head.size, sizeof(head.size), bytes < SIZE_LIMIT ? (uint64_t)bytes : 0);
	set_octal(head.mtime, sizeof(head.mtime),
		  mtime_s >= 0 && mtime_s < SIZE_LIMIT ? (uint64_t)mtime_s : 0);
	memset(head.checksum, ' ', sizeof(head.checksum));
	for (size_t i = 0; i < sizeof(head); i++)
		sum += ((const unsigned char *)&head)[i];
	set_octal(head.checksum, 7, sum);
	pl_buf_add(tar, (const char *)&head, sizeof(head));
}

/* Appends "LENGTH KEY=VALUE\n", where the length includes its own digits. */
static void add_record(struct pl_buf *pax, const char *key, const char *value)
{
	size_t rest = strlen(key) + strlen(value) + 3, length = rest;

	while ((size_t)snprintf(NULL, 0, "%zu", length) + rest != length)
		length = (size_t)snprintf(NULL, 0, "%zu", length) + rest;
	pl_buf_addf(pax, "%zu %s=%s\n", length, key, value);
}

static void add_zeros(struct pl_buf *tar, size_t count)
{
	for (size_t i = 0; i < count; i++)
		pl_buf_add_char(tar, '\0');
}

static bool is_plain(const char *name)
{
	for (const char *c = name; *c != '\0'; c++) {
		if (*c < ' ' || *c > '~')
			return false;
	}
	return strlen(name) <= sizeof(((struct head *)NULL)->name);
}

void dash_tar_add_head(struct pl_buf *tar, const char *name, int64_t bytes, int64_t mtime_s)
{
	auto_buf pax = PL_BUF(65536);

	if (!is_plain(name))
		add_record(&pax, "path", name);
	if (bytes >= SIZE_LIMIT) {
		char text[32];
		snprintf(text, sizeof(text), "%lld", (long long)bytes);
		add_record(&pax, "size", text);
	}
	if (pax.len > 0) {
		add_block(tar, "pax", 'x', (int64_t)pax.len, mtime_s);
		pl_buf_add(tar, pl_buf_text(&pax), pax.len);
		add_zeros(tar, dash_tar_padding((int64_t)pax.len));
	}
	add_block(tar, name, '0', bytes, mtime_s);
}

size_t dash_tar_padding(int64_t bytes)
{
	size_t over = (size_t)(bytes % (int64_t)DASH_TAR_BLOCK);

	return over > 0 ? DASH_TAR_BLOCK - over : 0;
}

void dash_tar_add_end(struct pl_buf *tar)
{
	add_zeros(tar, 2 * DASH_TAR_BLOCK);
}
