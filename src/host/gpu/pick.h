/*
 * Which GPUs a run gets: names to GPUs, and the choice among those that are free.
 *
 * Nothing is read or taken here: the caller says of each GPU of the host whether it may be used and
 * what stands against it.
 */
#pragma once

#include "host/gpu/gpu.h"

struct host_gpu_offer {
	const struct host_gpu_facts *facts; /* borrowed */
	bool hidden;                        /* not for `auto` and `all`: CUDA_VISIBLE_DEVICES */
	char *taken;                        /* owned; who has it; NULL: it is free */
};

/* All GPUs of the host, none taken. *ret: host_gpu_offers_free(). */
void host_gpu_offers(const struct host_gpus *gpus, struct host_gpu_offer **ret, size_t *ret_count);
void host_gpu_offers_free(struct host_gpu_offer *offers, size_t count);

/*
 * "0" (a whole GPU, in PCI order), "GPU-…" or "MIG-…", whole or as far as it is clear which. -1
 * with PL_ERR_INVALID and what is there; also for a GPU of which only instances can be used.
 */
int host_gpu_find(const struct host_gpu_offer *offers, size_t count, const char *name, size_t *ret,
		  struct pl_err *err) PL_MUST_CHECK;

/*
 * Hides what CUDA_VISIBLE_DEVICES leaves out: numbers in PCI order and uuids; as in CUDA, what
 * stands behind the first entry that names nothing does not count. NULL hides nothing.
 */
void host_gpu_hide(struct host_gpu_offer *offers, size_t count, const char *visible);

/* Can it be given to a server as a whole? False: partitioned, only its instances can. */
bool host_gpu_is_usable(const struct host_gpu_offer *offer);
/* GPUs that `auto` may ever get: usable, not hidden; for more than one, whole ones only. */
size_t host_gpu_allowed(const struct host_gpu_offer *offers, size_t count, size_t wanted);

/*
 * `wanted` free GPUs, as near to each other as they come: of one model, on one NUMA node (the one
 * with the fewest to spare), with NVLink; else of one model; else any. MIG instances only for one,
 * and only where no whole GPU is free. False: there are not enough; *ret_mixed: not of one model.
 */
bool host_gpu_pick(const struct host_gpu_offer *offers, size_t count, size_t wanted,
		   size_t *ret_picked, bool *ret_mixed);

/*
 * Who uses a GPU now, as far as the driver shows it: "pid 12 'python3' of user u (10.2 GiB)";
 * NULL: nobody, and little of its memory is in use. free().
 */
char *host_gpu_foreign_use(struct host_gpus *gpus, size_t i);

/* Memory in use below which a GPU counts as free. */
double host_gpu_idle_bytes(double memory_bytes);

/* "0 (NVIDIA H100 80GB HBM3, GPU-…), 1 (…)" */
void host_gpu_add_list(const struct host_gpu_offer *offers, size_t count, struct pl_buf *buf);

/* "GPU 0", or the uuid of an instance. free(). */
char *host_gpu_label(const struct host_gpu_facts *facts);
