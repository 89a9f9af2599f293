/* Verifies the files of snapshots. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/backup/check_priv.h"
#include "store/backup/manifest.h"
#include "store/db/dump.h"

static void add_fault(struct store_backup_checking *checking, const char *text)
{
	checking->counts.faults++;
	checking->watch->report(checking->watch->context, text);
}

static void add_err(struct store_backup_checking *checking, const struct pl_err *err)
{
	add_fault(checking, err->text);
}

/* Checks the size of a file, and its hash unless it is quick. */
static void check_file(struct store_backup_checking *checking, const char *path, const char *sha256,
		       int64_t bytes)
{
	struct pl_err err = PL_ERR_INIT;
	char found[PL_SHA256_HEX_BYTES];
	int64_t size = pl_file_size(path);

	checking->counts.files++;
	checking->counts.bytes += size > 0 ? size : 0;
	if (size < 0)
		pl_err_invalid(&err, "'%s' is missing", path);
	else if (size != bytes)
		pl_err_invalid(&err, "'%s' is damaged: found %lld bytes, expected %lld", path,
			       (long long)size, (long long)bytes);
	else if (!checking->is_quick && pl_file_sha256(path, found, &err) == 0 &&
		 strcmp(found, sha256) != 0)
		pl_err_invalid(&err, "'%s' is damaged: found SHA-256 %s, expected %s", path, found,
			       sha256);
	if (err.code != PL_ERR_NONE)
		add_err(checking, &err);
}

static void check_entry(struct store_backup_checking *checking, const char *name,
			const json_t *entry)
{
	auto_free char *path = store_target_path(checking->target, name,
						 pl_json_get_text(entry, "name"));

	check_file(checking, path, pl_json_get_text(entry, "sha256"),
		   pl_json_get_i64(entry, "bytes"));
}

static void check_integrity(struct store_backup_checking *checking, const char *name,
			    const json_t *manifest)
{
	auto_free char *path = store_target_path(checking->target, name, MANIFEST_SQLITE);
	auto_free char *fault = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (checking->is_quick || !store_manifest_is_sqlite(manifest))
		return;
	if (store_sqlite_check_file(path, &fault, &err) < 0) {
		add_err(checking, &err);
	} else if (fault != NULL) {
		auto_free char *text = pl_asprintf("'%s': %s", path, fault);
		add_fault(checking, text);
	}
}

/* The counts of the manifest and of the list must agree. */
static void check_counts(struct store_backup_checking *checking, const char *name,
			 const json_t *manifest, size_t count)
{
	auto_free char *path = store_target_path(checking->target, name, MANIFEST_ARTIFACTS);
	const json_t *artifacts = json_object_get(manifest, "artifacts");
	int64_t expected = pl_json_get_i64(artifacts, "count");

	if ((int64_t)count == expected)
		return;
	auto_free char *text = pl_asprintf("'%s': found %zu artifacts, expected %lld", path, count,
					   (long long)expected);
	add_fault(checking, text);
}

int store_backup_check_snapshot(struct store_backup_checking *checking, const char *name,
				json_t **ret_manifest)
{
	auto_free char *list = store_target_path(checking->target, name, MANIFEST_ARTIFACTS);
	auto_json json_t *manifest = NULL;
	struct pl_err err = PL_ERR_INIT;
	int64_t before = checking->counts.faults;
	size_t count = checking->set.count;

	checking->counts.snapshots++;
	if (store_target_manifest(checking->target, name, &manifest, &err) < 0) {
		add_err(checking, &err);
		return -1;
	}
	check_entry(checking, name, store_manifest_database(manifest));
	check_entry(checking, name, store_manifest_artifacts(manifest));
	if (checking->counts.faults == before)
		check_integrity(checking, name, manifest);
	if (store_target_set_add(list, &checking->set, &err) < 0)
		add_err(checking, &err);
	else
		check_counts(checking, name, manifest, checking->set.count - count);
	if (ret_manifest != NULL)
		*ret_manifest = pl_take(manifest);
	return checking->counts.faults == before ? 0 : -1;
}

void store_backup_check_artifacts(struct store_backup_checking *checking)
{
	const struct store_backup_watch *watch = checking->watch;
	int64_t total = 0, done = 0;

	store_target_set_sort(&checking->set);
	for (size_t i = 0; i < checking->set.count; i++)
		total += checking->set.items[i].bytes;
	for (size_t i = 0; i < checking->set.count; i++) {
		char sha256[STORE_SHA256_LEN + 1];
		store_target_set_hex(&checking->set.items[i], sha256);
		auto_free char *path = store_files_path(checking->target->files, sha256);
		check_file(checking, path, sha256, checking->set.items[i].bytes);
		done += checking->set.items[i].bytes;
		watch->progress(watch->context, "artifacts", done, total);
	}
}

void store_backup_checking_done(struct store_backup_checking *checking)
{
	store_target_set_done(&checking->set);
}

int store_backup_check(const char *folder, const char *name, bool is_quick,
		       const struct store_backup_watch *watch, struct store_backup_check *ret,
		       struct pl_err *err)
{
	auto_target target = { .lock = -1 };
	auto_target_names names = { 0 };
	auto_checking checking = { .target = &target, .watch = watch, .is_quick = is_quick };

	if (store_target_open(folder, STORE_TARGET_READ, &target, err) < 0 ||
	    store_target_list(&target, &names, err) < 0)
		return -1;
	if (name != NULL &&
	    pl_text_index(name, (const char *const *)names.items, names.count) == names.count)
		return pl_err_set(err, PL_ERR_NOT_FOUND, "snapshot '%s' is missing in '%s'", name,
				  folder);
	for (size_t i = 0; i < names.count; i++) {
		if (name == NULL || strcmp(names.items[i], name) == 0)
			(void)!store_backup_check_snapshot(&checking, names.items[i], NULL);
	}
	store_backup_check_artifacts(&checking);
	*ret = checking.counts;
	return 0;
}
