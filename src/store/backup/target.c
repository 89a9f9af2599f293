#include "store/backup/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "store/backup/manifest.h"

#define MARK_FILE      "backup.json"
#define MARK_BYTES_MAX 4096

/* ---- opening -------------------------------------------------------------------------------- */

/* The root of a file system, and what a killed process left of the mark, are no files of others. */
static bool is_empty(const char *folder)
{
	auto_dir dir = opendir(folder);
	const char *name;

	while ((name = pl_dir_next(dir)) != NULL) {
		if (strcmp(name, "lost+found") != 0 && !pl_text_starts(name, MARK_FILE ".tmp."))
			return false;
	}
	return dir != NULL;
}

static int check_mark(const char *folder, const char *mark, struct pl_err *err)
{
	auto_free char *text = pl_file_text(mark, MARK_BYTES_MAX, NULL);
	auto_json json_t *json = pl_json_of_text(text);

	if (!pl_text_equal(pl_json_get_text(json, "application"), "profllm"))
		return pl_err_invalid(
			err,
			"'%s' is not a directory of backups: expected '%s'; name a new "
			"or an empty directory",
			folder, mark);
	if (pl_json_get_i64(json, "layout") != MANIFEST_LAYOUT)
		return pl_err_invalid(
			err, "'%s' was written by another version: found layout %lld, expected %d",
			folder, (long long)pl_json_get_i64(json, "layout"), MANIFEST_LAYOUT);
	return 0;
}

static int make_marked(const struct store_target *target, const char *mark, struct pl_err *err)
{
	auto_json json_t *json = json_pack("{s:s, s:i}", "application", "profllm", "layout",
					   MANIFEST_LAYOUT);

	if (pl_file_make_dir(target->folder, 0700, err) < 0)
		return -1;
	if (!pl_file_exists(mark) && is_empty(target->folder) &&
	    pl_json_write_file(json, mark, err) < 0)
		return -1;
	return 0;
}

static int lock_target(struct store_target *target, enum store_target_use use, struct pl_err *err)
{
	auto_free char *path = pl_asprintf("%s/lock", target->folder);
	bool writes = use == STORE_TARGET_WRITE;

	target->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	/* on a medium that cannot be written, no one removes a snapshot */
	if (target->lock < 0 && !writes && (errno == EROFS || errno == EACCES))
		return 0;
	if (target->lock < 0)
		return pl_err_errno(err, "could not open '%s'", path);
	if (TEMP_FAILURE_RETRY(flock(target->lock, (writes ? LOCK_EX : LOCK_SH) | LOCK_NB)) == 0)
		return 0;
	return errno == EWOULDBLOCK
		       ? pl_err_set(err, PL_ERR_BUSY, "'%s' is in use by another process",
				    target->folder)
		       : pl_err_errno(err, "could not lock '%s'", path);
}

/* Every complete file is kept: a later snapshot may have it, and trimming removes the others. */
static int is_named(void *context, const char *sha256, bool *ret, struct pl_err *err)
{
	(void)context;
	(void)sha256;
	(void)err;
	*ret = true;
	return 0;
}

/* 20260102T030405Z; other files in the directory, such as those of a file manager, are not ours. */
static bool is_name(const char *name)
{
	static const char form[] = "00000000T000000Z";

	for (size_t i = 0; i < sizeof(form); i++) {
		if (form[i] == '0' ? name[i] < '0' || name[i] > '9' : name[i] != form[i])
			return false;
	}
	return true;
}

static int remove_leftovers(const struct store_target *target, struct pl_err *err)
{
	auto_dir dir = opendir(target->snapshots);
	const char *name;

	while ((name = pl_dir_next(dir)) != NULL) {
		auto_free char *path = pl_asprintf("%s/%s", target->snapshots, name);
		if (name[0] == '.' && is_name(name + 1) && store_target_remove(path, err) < 0)
			return -1;
	}
	return store_files_tidy(target->files, is_named, NULL, err);
}

int store_target_open(const char *folder, enum store_target_use use, struct store_target *ret,
		      struct pl_err *err)
{
	auto_target target = { .folder = pl_strdup(folder), .lock = -1 };

	for (size_t len = strlen(folder); len > 1 && folder[len - 1] == '/'; len--)
		target.folder[len - 1] = '\0';
	auto_free char *mark = pl_asprintf("%s/" MARK_FILE, target.folder);
	auto_free char *artifacts = pl_asprintf("%s/artifacts", target.folder);
	target.snapshots = pl_asprintf("%s/snapshots", target.folder);
	target.files = store_files_new(artifacts);
	if (use == STORE_TARGET_WRITE && make_marked(&target, mark, err) < 0)
		return -1;
	if (!pl_file_exists(target.folder))
		return pl_err_set(err, PL_ERR_NOT_FOUND, "'%s' is missing", target.folder);
	if (check_mark(target.folder, mark, err) < 0 || lock_target(&target, use, err) < 0)
		return -1;
	if (use == STORE_TARGET_WRITE && (pl_file_make_dir(target.snapshots, 0700, err) < 0 ||
					  remove_leftovers(&target, err) < 0))
		return -1;
	*ret = target;
	target = (struct store_target){ .lock = -1 };
	return 0;
}

void store_target_close(struct store_target *target)
{
	/* the owner of a target that was never opened leaves it all zero */
	if (target->folder != NULL)
		pl_fd_close(&target->lock);
	store_files_free(target->files);
	free(target->snapshots);
	free(target->folder);
	*target = (struct store_target){ .lock = -1 };
}

/* ---- snapshots ------------------------------------------------------------------------------ */

void store_target_names_done(struct store_target_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
	*names = (struct store_target_names){ 0 };
}

int store_target_list(const struct store_target *target, struct store_target_names *ret,
		      struct pl_err *err)
{
	auto_dir dir = opendir(target->snapshots);
	const char *name;

	*ret = (struct store_target_names){ 0 };
	if (dir == NULL && errno != ENOENT)
		return pl_err_errno(err, "could not read '%s'", target->snapshots);
	while ((name = pl_dir_next(dir)) != NULL) {
		if (is_name(name))
			*PL_PUSH(ret->items, ret->count, ret->room) = pl_strdup(name);
	}
	if (ret->count > 0)
		qsort(ret->items, ret->count, sizeof(*ret->items), pl_text_compare);
	return 0;
}

char *store_target_path(const struct store_target *target, const char *name, const char *file)
{
	return pl_asprintf("%s/%s%s%s", target->snapshots, name, file != NULL ? "/" : "",
			   file != NULL ? file : "");
}

int store_target_manifest(const struct store_target *target, const char *name, json_t **ret,
			  struct pl_err *err)
{
	auto_free char *folder = store_target_path(target, name, NULL);
	auto_free char *path = store_target_path(target, name, "manifest.json");
	auto_free char *text = NULL;
	size_t len = 0;

	if (name[0] == '.' || strchr(name, '/') != NULL || name[0] == '\0' ||
	    !pl_file_exists(folder))
		return pl_err_set(err, PL_ERR_NOT_FOUND, "snapshot '%s' is missing in '%s'", name,
				  target->folder);
	if (pl_file_read(path, MANIFEST_BYTES_MAX, &text, &len, err) < 0)
		return -1;
	return store_manifest_parse(text, len, name, path, ret, err);
}

int store_target_remove(const char *folder, struct pl_err *err)
{
	auto_dir dir = opendir(folder);
	const char *name;

	while ((name = pl_dir_next(dir)) != NULL) {
		auto_free char *path = pl_asprintf("%s/%s", folder, name);
		if (unlink(path) < 0 && errno != ENOENT)
			return pl_err_errno(err, "could not remove '%s'", path);
	}
	if (rmdir(folder) < 0 && errno != ENOENT)
		return pl_err_errno(err, "could not remove '%s'", folder);
	return 0;
}

/* It loses its name first, so that no part of it looks like a snapshot. */
static int remove_snapshot(const struct store_target *target, const char *name, struct pl_err *err)
{
	auto_free char *path = store_target_path(target, name, NULL);
	auto_free char *hidden = pl_asprintf("%s/.%s", target->snapshots, name);

	if (rename(path, hidden) < 0)
		return pl_err_errno(err, "could not remove '%s'", path);
	return pl_file_sync(target->snapshots, err) < 0 ? -1 : store_target_remove(hidden, err);
}

static int is_in_set(void *context, const char *sha256, bool *ret, struct pl_err *err)
{
	(void)err;
	*ret = store_target_set_has(context, sha256);
	return 0;
}

/* Adds the artifacts of a snapshot. INVALID: its list is not the one of its manifest. */
static int add_listed(const struct store_target *target, const char *name,
		      struct store_target_set *set, struct pl_err *err)
{
	auto_free char *list = store_target_path(target, name, MANIFEST_ARTIFACTS);
	auto_json json_t *manifest = NULL;
	char found[PL_SHA256_HEX_BYTES];

	if (store_target_manifest(target, name, &manifest, err) < 0 ||
	    pl_file_sha256(list, found, err) < 0)
		return -1;
	const char *expected = pl_json_get_text(store_manifest_artifacts(manifest), "sha256");
	if (strcmp(found, expected) != 0)
		return pl_err_invalid(err,
				      "'%s' is damaged: found SHA-256 %s, expected %s; no "
				      "artifacts were removed",
				      list, found, expected);
	return store_target_set_add(list, set, err);
}

/* A damaged snapshot ends it: its artifacts are unknown. */
static int remove_artifacts(const struct store_target *target,
			    const struct store_target_names *names, size_t first,
			    struct pl_err *err)
{
	auto_target_set set = { 0 };
	size_t count = 0;

	for (size_t i = first; i < names->count; i++) {
		if (add_listed(target, names->items[i], &set, err) < 0)
			return -1;
	}
	store_target_set_sort(&set);
	return store_files_sweep(target->files, is_in_set, &set, &count, err);
}

int store_target_trim(const struct store_target *target, int64_t keep, int64_t *ret_removed,
		      struct pl_err *err)
{
	auto_target_names names = { 0 };

	*ret_removed = 0;
	if (store_target_list(target, &names, err) < 0)
		return -1;
	size_t first = names.count > (size_t)keep ? names.count - (size_t)keep : 0;
	for (size_t i = 0; i < first; i++) {
		if (remove_snapshot(target, names.items[i], err) < 0)
			return -1;
		(*ret_removed)++;
	}
	return remove_artifacts(target, &names, first, err);
}

/* ---- artifacts ------------------------------------------------------------------------------ */

int store_target_set_add(const char *list, struct store_target_set *set, struct pl_err *err)
{
	FILE *stream = fopen(list, "re");
	char line[MANIFEST_LINE_BYTES + 2], sha256[STORE_SHA256_LEN + 1];
	int64_t bytes;
	int result = 0;

	if (stream == NULL)
		return pl_err_errno(err, "could not open '%s'", list);
	for (size_t number = 1; result == 0 && fgets(line, sizeof(line), stream) != NULL;
	     number++) {
		if (!store_manifest_read_line(line, sha256, &bytes)) {
			result = pl_err_invalid(
				err, "'%s': line %zu: expected a SHA-256 and a size in bytes", list,
				number);
			break;
		}
		struct store_target_file *file = PL_PUSH(set->items, set->count, set->room);
		file->bytes = bytes;
		for (size_t i = 0; i < sizeof(file->sha256); i++)
			file->sha256[i] = (unsigned char)(pl_hex_value(sha256[2 * i]) << 4 |
							  pl_hex_value(sha256[2 * i + 1]));
	}
	if (result == 0 && ferror(stream))
		result = pl_err_errno(err, "could not read '%s'", list);
	fclose(stream);
	return result;
}

static int compare(const void *a, const void *b)
{
	const struct store_target_file *one = a, *other = b;

	return memcmp(one->sha256, other->sha256, sizeof(one->sha256));
}

void store_target_set_sort(struct store_target_set *set)
{
	size_t count = 0;

	if (set->count > 0)
		qsort(set->items, set->count, sizeof(*set->items), compare);
	for (size_t i = 0; i < set->count; i++) {
		if (count == 0 || compare(&set->items[count - 1], &set->items[i]) != 0)
			set->items[count++] = set->items[i];
	}
	set->count = count;
}

bool store_target_set_has(const struct store_target_set *set, const char *sha256)
{
	struct store_target_file file;

	if (set->count == 0)
		return false;
	for (size_t i = 0; i < sizeof(file.sha256); i++)
		file.sha256[i] = (unsigned char)(pl_hex_value(sha256[2 * i]) << 4 |
						 pl_hex_value(sha256[2 * i + 1]));
	return bsearch(&file, set->items, set->count, sizeof(file), compare) != NULL;
}

void store_target_set_hex(const struct store_target_file *file, char ret[STORE_SHA256_LEN + 1])
{
	for (size_t i = 0; i < sizeof(file->sha256); i++)
		snprintf(ret + 2 * i, 3, "%02x", file->sha256[i]);
}

void store_target_set_done(struct store_target_set *set)
{
	free(set->items);
	*set = (struct store_target_set){ 0 };
}
