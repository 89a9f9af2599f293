/*
 * Selection of GPUs for a run: lookup by name, and choice among the free ones.
 *
 * Nothing is read or reserved here: for each GPU of the host the caller says whether it may be used
 * and who is using it.
 */
#pragma once

#include "host/gpu/gpu.h"

struct host_gpu_offer {
	const struct host_gpu_facts *facts; /* borrowed */
	/* excluded from `auto` and `all` by CUDA_VISIBLE_DEVICES */
	bool hidden;
	char *taken; /* owned; describes the current user; NULL: free */
};

/* Lists all GPUs of the host as free. Free *ret with host_gpu_offers_free(). */
void host_gpu_offers(const struct host_gpus *gpus, struct host_gpu_offer **ret, size_t *ret_count);
void host_gpu_offers_free(struct host_gpu_offer *offers, size_t count);

/*
 * Finds a GPU by "0" (a whole GPU, in PCI order) or by "GPU-…" or "MIG-…", which may be shortened
 * to a unique prefix. Otherwise returns -1 with PL_ERR_INVALID and a list of the GPUs; also for a
 * GPU of which only instances can be used.
 */
int host_gpu_find(const struct host_gpu_offer *offers, size_t count, const char *name, size_t *ret,
		  struct pl_err *err) PL_MUST_CHECK;

/*
 * Marks the GPUs that CUDA_VISIBLE_DEVICES excludes as hidden. It lists numbers in PCI order and
 * uuids; as in CUDA, entries after the first unknown one are ignored. NULL hides nothing.
 */
void host_gpu_hide(struct host_gpu_offer *offers, size_t count, const char *visible);

/*
 * Returns whether a server can use it as a whole. False: partitioned, only its instances can be
 * used.
 */
bool host_gpu_is_usable(const struct host_gpu_offer *offer);
/*
 * Counts the GPUs that `auto` may use: usable and not hidden; if `wanted` is above 1, whole GPUs
 * only.
 */
size_t host_gpu_allowed(const struct host_gpu_offer *offers, size_t count, size_t wanted);

/*
 * Picks `wanted` free GPUs that are close to each other: of one model, on one NUMA node (the one
 * with the fewest spare GPUs), with NVLink; otherwise of one model; otherwise any. Picks a MIG
 * instance only if one GPU is wanted and no whole GPU is free. Returns false if there are not
 * enough. *ret_mixed: they are not of one model.
 */
bool host_gpu_pick(const struct host_gpu_offer *offers, size_t count, size_t wanted,
		   size_t *ret_picked, bool *ret_mixed);

/*
 * Describes the processes that use a GPU now, as far as the driver shows them: "pid 12 'python3' of
 * user u (10.2 GiB)". NULL: none, and little of its memory is in use. Free with free().
 */
char *host_gpu_foreign_use(struct host_gpus *gpus, size_t i);

/* Returns the memory use below which a GPU counts as free. */
double host_gpu_idle_bytes(double memory_bytes);

/* "0 (NVIDIA H100 80GB HBM3, GPU-…), 1 (…)" */
void host_gpu_add_list(const struct host_gpu_offer *offers, size_t count, struct pl_buf *buf);

/* Returns "GPU 0", or the uuid of an instance. Free with free(). */
char *host_gpu_label(const struct host_gpu_facts *facts);
