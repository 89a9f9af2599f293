/*
 * The state of a store for its operators: what the database reports, what is in memory, and the free space of the
 * directories. All functions may be called from any thread; only store_status_read() and store_deleted_count() wait for
 * the database.
 */
#pragma once

#include "store/store.h"

struct store_status {
	int64_t data_version; /* of the database */
	int64_t job_count;    /* uploads that are not finished */
	int64_t oldest_us;    /* when the oldest of them arrived, as Unix time; 0: there is none */
};
int store_status_read(struct store *store, struct store_status *ret,
		      struct pl_err *err) PL_MUST_CHECK;
/* Counts the results that are deleted but not pruned. Reads an index of all results. */
int store_deleted_count(struct store *store, int64_t *ret, struct pl_err *err) PL_MUST_CHECK;

/* The results in memory, of a store opened with_columns. */
struct store_memory_state {
	int64_t data_version;
	int64_t epoch; /* mirror_snapshot_epoch() */
	int64_t live;  /* results */
	/* results that were read at the start */
	int64_t from_snapshot;
	int64_t from_database;
};
struct store_memory_state store_memory_state(struct store *store);
/* Returns the bytes of the columns in memory. Visits all of them. */
size_t store_memory_bytes(struct store *store);

#define STORE_DISKS_MAX 2
struct store_disk {
	const char *directory; /* "database", "artifacts" */
	uint64_t free_bytes;   /* for this user */
	uint64_t size_bytes;
};
/* Returns the number of directories that are on this host and can be asked. */
size_t store_disks(const struct store *store, struct store_disk ret[STORE_DISKS_MAX]);
/* "sqlite", "postgresql" */
const char *store_database_kind(const struct store *store);
