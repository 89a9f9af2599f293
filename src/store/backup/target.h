/* The directory of backups: its lock, its snapshots, and the artifacts that they share. See backup.h. */
#pragma once

#include "store/artifacts/files.h"
#include "store/backup/backup.h"

enum store_target_use {
	STORE_TARGET_READ,  /* snapshots are not removed meanwhile; others may read */
	STORE_TARGET_WRITE, /* makes the directory, and removes what a killed backup left */
};

struct store_target {
	char *folder;
	char *snapshots; /* directory */
	struct store_files *files;
	int lock;
};

/* INVALID: the directory has other files, or no backups. BUSY: another process uses it. Overwrites *ret. */
int store_target_open(const char *folder, enum store_target_use use, struct store_target *ret,
		      struct pl_err *err) PL_MUST_CHECK;
void store_target_close(struct store_target *target);
#define auto_target __attribute__((cleanup(store_target_close), unused)) struct store_target

struct store_target_names {
	char **items;
	size_t count;
	size_t room;
};
/* Lists the names of all snapshots, the oldest first. Overwrites *ret. */
int store_target_list(const struct store_target *target, struct store_target_names *ret,
		      struct pl_err *err) PL_MUST_CHECK;
void store_target_names_done(struct store_target_names *names);
#define auto_target_names \
	__attribute__((cleanup(store_target_names_done), unused)) struct store_target_names

/* Returns TARGET/snapshots/NAME/FILE, or the directory for a NULL file; free(). */
char *store_target_path(const struct store_target *target, const char *name, const char *file);
/* Reads the manifest of a snapshot. NOT_FOUND: there is no such snapshot. *ret: a new reference. */
int store_target_manifest(const struct store_target *target, const char *name, json_t **ret,
			  struct pl_err *err) PL_MUST_CHECK;

/* Removes the oldest snapshots until `keep` are left, then artifacts that no snapshot has. */
int store_target_trim(const struct store_target *target, int64_t keep, int64_t *ret_removed,
		      struct pl_err *err) PL_MUST_CHECK;
/* Removes a directory of regular files, which is none of the snapshots. */
int store_target_remove(const char *folder, struct pl_err *err) PL_MUST_CHECK;

/* ---- artifacts ------------------------------------------------------------------------------ */

struct store_target_file {
	unsigned char sha256[32];
	int64_t bytes;
};
struct store_target_set {
	struct store_target_file *items;
	size_t count;
	size_t room;
};
/*
 * Adds the artifacts of a snapshot. INVALID: the list is malformed. store_target_set_sort() then sorts them and removes
 * repeated ones.
 */
int store_target_set_add(const char *list, struct store_target_set *set,
			 struct pl_err *err) PL_MUST_CHECK;
void store_target_set_sort(struct store_target_set *set);
bool store_target_set_has(const struct store_target_set *set, const char *sha256);
void store_target_set_hex(const struct store_target_file *file, char ret[STORE_SHA256_LEN + 1]);
void store_target_set_done(struct store_target_set *set);
#define auto_target_set \
	__attribute__((cleanup(store_target_set_done), unused)) struct store_target_set
