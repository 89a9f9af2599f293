/* Verifying snapshots, for store_backup_check() and store_backup_restore(). */
#pragma once

#include "store/backup/target.h"

struct store_backup_checking {
	const struct store_target *target;
	const struct store_backup_watch *watch;
	bool is_quick;
	struct store_backup_check counts;
	struct store_target_set set; /* the artifacts of the snapshots so far */
};
void store_backup_checking_done(struct store_backup_checking *checking);
#define auto_checking \
	__attribute__((cleanup(store_backup_checking_done), unused)) struct store_backup_checking

/*
 * Checks the files of a snapshot and adds its artifacts to the set. Returns -1 if faults were reported.
 * *ret_manifest: a new reference; NULL if it cannot be read; may be NULL.
 */
int store_backup_check_snapshot(struct store_backup_checking *checking, const char *name,
				json_t **ret_manifest) PL_MUST_CHECK;
/* Checks all artifacts of the set. */
void store_backup_check_artifacts(struct store_backup_checking *checking);

/*
 * Copies the file of an artifact. INVALID: its bytes are not those of its name. NOT_FOUND: it is missing. Other codes:
 * it could not be written.
 */
int store_backup_copy_file(const struct store_files *from, struct store_files *to,
			   const char *sha256, int64_t *ret_bytes,
			   struct pl_err *err) PL_MUST_CHECK;
