#include "run/hide.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "vllm/secret.h"

struct span {
	const char *at;
	size_t len;
};

/* A secret and where it stands next: NULL: nowhere any more. */
struct needle {
	struct span text;
	const char *next;
};

static void look_from(struct needle *needle, const char *from, const char *end)
{
	if (needle->next != NULL && needle->next < from)
		needle->next = memmem(from, (size_t)(end - from), needle->text.at,
				      needle->text.len);
}

/* The one that stands first, the longest of them; NULL: none. */
static const struct needle *first_of(struct needle *needles, size_t count, const char *from,
				     const char *end)
{
	const struct needle *first = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct needle *here = &needles[i];
		look_from(&needles[i], from, end);
		if (here->next == NULL)
			continue;
		if (first == NULL || here->next < first->next ||
		    (here->next == first->next && here->text.len > first->text.len))
			first = here;
	}
	return first;
}

/* A failed write shows at the commit. */
static int write_shown(const char *path, struct needle *needles, size_t count, const char *from,
		       const char *end, struct pl_err *err)
{
	auto_file_new file = { 0 };
	const struct needle *needle;

	if (pl_file_new_open(&file, path, err) < 0)
		return -1;
	while ((needle = first_of(needles, count, from, end)) != NULL) {
		fwrite(from, 1, (size_t)(needle->next - from), file.stream);
		fputs(VLLM_SECRET_SHOWN, file.stream);
		from = needle->next + needle->text.len;
	}
	fwrite(from, 1, (size_t)(end - from), file.stream);
	return pl_file_new_commit(&file, err);
}

static int hide_in(const char *path, const char *data, size_t len, const json_t *secrets,
		   struct pl_err *err)
{
	size_t count = len > 0 ? json_array_size(secrets) : 0;
	auto_free struct needle *needles = pl_alloc_array(count, sizeof(*needles));
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		const char *secret = json_string_value(json_array_get(secrets, i));
		needles[i].text = (struct span){ secret, strlen(secret) };
		needles[i].next = memmem(data, len, secret, needles[i].text.len);
		any |= needles[i].next != NULL;
	}
	return any ? write_shown(path, needles, count, data, data + len, err) : 0;
}

/* *ret NULL: nothing stands in it. */
static int map(const char *path, char **ret, size_t *ret_len, struct pl_err *err)
{
	auto_fd int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	*ret = NULL;
	*ret_len = 0;
	if (fd < 0 || fstat(fd, &st) < 0)
		return pl_err_errno(err, "cannot open '%s'", path);
	if (st.st_size == 0)
		return 0;
	/* a page at a time is in memory, however long the log is */
	char *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return pl_err_errno(err, "cannot read '%s'", path);
	*ret = data;
	*ret_len = (size_t)st.st_size;
	return 0;
}

static void unmap(char *data, size_t len)
{
	if (data != NULL)
		munmap(data, len);
}

int run_hide_in_file(const char *path, const json_t *secrets, struct pl_err *err)
{
	char *data;
	size_t len;

	if (map(path, &data, &len, err) < 0)
		return -1;
	int ret = hide_in(path, data, len, secrets, err);
	unmap(data, len);
	return ret;
}

int run_hide_printed(const char *path, const json_t *prints, const char *salt, struct pl_err *err)
{
	auto_json json_t *secrets = json_array();
	char *data;
	size_t len;

	if (map(path, &data, &len, err) < 0)
		return -1;
	run_hide_find(data, len, prints, salt, secrets);
	int ret = hide_in(path, data, len, secrets, err);
	unmap(data, len);
	return ret;
}
