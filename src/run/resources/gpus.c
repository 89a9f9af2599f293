/*
 * Chooses the GPUs of a run. Locks all suitable ones, chooses the best of the free ones, and unlocks the others. So it
 * chooses among GPUs that it owns, and no process can take one between the choice and the lock. Called inside
 * host_locks_enter(), by one run of the host at a time.
 */
#include "run/resources/resources_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"

#define NAME_BYTES      128
#define LIST_BYTES_MAX  1400
#define OWNER_BYTES_MAX 1700

/* Names the lock of a GPU after its uuid, because indexes change with drivers and containers. */
static void lock_name(const struct host_gpu_facts *facts, char name[NAME_BYTES])
{
	if (facts->uuid != NULL)
		snprintf(name, NAME_BYTES, "gpu-%s", facts->uuid);
	else if (facts->pci_bus_id != NULL)
		snprintf(name, NAME_BYTES, "gpu-pci-%s", facts->pci_bus_id);
	else
		snprintf(name, NAME_BYTES, "gpu-index-%d", facts->index);
}

static int no_gpu(struct run_gpu_request *request, const char *why, json_t *warnings,
		  struct pl_err *err)
{
	if (!request->none_is_fine)
		return pl_err_set(err,
				  request->kind == RUN_GPUS_NAMED ? PL_ERR_INVALID : PL_ERR_BUSY,
				  "%s: found no GPU (%s)", request->key, why);
	auto_free char *warning = pl_asprintf(
		"found no GPU, so the run reserves none (%s); to silence this warning, set "
		"launch.gpus to [] in the experiment file",
		why);
	if (!request->simulator)
		json_array_append_new(warnings, json_string(warning));
	request->kind = RUN_GPUS_NONE;
	return 0;
}

static int want_named(struct run_gpu_taking *taking, struct pl_err *err)
{
	size_t at;

	PL_JSON_EACH(item, taking->request->names) {
		const char *name = json_string_value(item);
		if (host_gpu_find(taking->offers, taking->count, name, &at, err) < 0)
			return pl_err_wrap(err, "%s", taking->request->key);
		if (taking->wanted[at])
			return pl_err_invalid(
				err, "%s: found GPU '%s' more than once, expected each GPU once",
				taking->request->key, name);
		taking->wanted[at] = true;
	}
	return 0;
}

static int not_enough(const struct run_gpu_taking *taking, size_t allowed, struct pl_err *err)
{
	auto_buf list = PL_BUF(LIST_BYTES_MAX);
	bool hidden = false;

	for (size_t i = 0; i < taking->count; i++)
		hidden = hidden || taking->offers[i].hidden;
	host_gpu_add_list(taking->offers, taking->count, &list);
	return pl_err_invalid(err,
			      "launch.gpus: the server needs %zu GPUs (tensor x pipeline x context "
			      "x data parallel), and %zu of this host are usable%s: %s",
			      taking->request->kind == RUN_GPUS_AUTO ? taking->request->count : 1,
			      allowed, hidden ? " (CUDA_VISIBLE_DEVICES hides the others)" : "",
			      pl_buf_text(&list));
}

int run_gpu_taking_open(struct run_gpu_request *request, json_t *warnings,
			struct run_gpu_taking *ret, struct pl_err *err)
{
	*ret = (struct run_gpu_taking){ .request = request };
	if (host_gpus_open(&ret->host, err) < 0)
		return -1;
	if (host_gpus_count(ret->host) == 0)
		return no_gpu(request, host_gpus_why(ret->host), warnings, err);
	host_gpu_offers(ret->host, &ret->offers, &ret->count);
	ret->wanted = pl_alloc_array(ret->count, sizeof(*ret->wanted));
	ret->lock_fds = pl_alloc_array(ret->count, sizeof(*ret->lock_fds));
	ret->parent_fds = pl_alloc_array(ret->count, sizeof(*ret->parent_fds));
	for (size_t i = 0; i < ret->count; i++)
		ret->lock_fds[i] = ret->parent_fds[i] = -1;
	if (request->simulator && request->kind == RUN_GPUS_AUTO &&
	    !ret->offers[0].facts->simulated) {
		/* real servers need them, and the simulator would report more than exist */
		request->kind = RUN_GPUS_NONE;
		return 0;
	}
	/* a named GPU is used even if CUDA_VISIBLE_DEVICES hides it */
	if (request->kind == RUN_GPUS_NAMED)
		return want_named(ret, err);
	host_gpu_hide(ret->offers, ret->count, getenv("CUDA_VISIBLE_DEVICES"));
	/* `all`: the whole GPUs; if all are partitioned, their instances. */
	bool all = ret->request->kind == RUN_GPUS_ALL;
	/* for two or more, only whole GPUs count: MIG instances cannot be combined */
	size_t whole = host_gpu_allowed(ret->offers, ret->count, 2);
	size_t wanted = all ? (whole > 0 ? 2 : 1) : ret->request->count;
	size_t allowed = host_gpu_allowed(ret->offers, ret->count, wanted);
	if (allowed < (all ? 1 : wanted))
		return not_enough(ret, allowed, err);
	for (size_t i = 0; i < ret->count; i++) {
		const struct host_gpu_offer *offer = &ret->offers[i];
		bool instance = offer->facts->mig_parent != NULL;
		ret->wanted[i] = host_gpu_is_usable(offer) && !offer->hidden &&
				 (wanted == 1 || !instance);
	}
	return 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* These locks were only tried: no process waits for them, so none is woken. */
static void let_go(struct run_gpu_taking *taking, size_t i)
{
	close_fd(&taking->lock_fds[i]);
	close_fd(&taking->parent_fds[i]);
}

void run_gpu_taking_let_go(struct run_gpu_taking *taking)
{
	for (size_t i = 0; taking->lock_fds != NULL && i < taking->count; i++)
		let_go(taking, i);
}

void run_gpu_taking_close(struct run_gpu_taking *taking)
{
	run_gpu_taking_let_go(taking);
	host_gpu_offers_free(taking->offers, taking->count);
	free(taking->wanted);
	free(taking->lock_fds);
	free(taking->parent_fds);
	host_gpus_free(taking->host);
	*taking = (struct run_gpu_taking){ 0 };
}

/* Returns the request in the queue: {"any":true}, or {"gpus":["gpu-GPU-8a1c…", …]} with names of locks. */
json_t *run_gpu_taking_claim(const struct run_gpu_taking *taking)
{
	enum run_gpus kind = taking->request != NULL ? taking->request->kind : RUN_GPUS_NONE;

	if (kind != RUN_GPUS_NAMED)
		return json_pack("{s:b}", "any", kind != RUN_GPUS_NONE);
	json_t *gpus = json_array();
	for (size_t i = 0; i < taking->count; i++) {
		char name[NAME_BYTES];
		lock_name(taking->offers[i].facts, name);
		if (taking->wanted[i])
			json_array_append_new(gpus, json_string(name));
	}
	return json_pack("{s:o}", "gpus", gpus);
}

/* Locks only show runs. Other programs are detected by their use of the GPU. */
void run_gpu_taking_look(struct run_gpu_taking *taking)
{
	for (size_t i = 0; i < taking->count; i++) {
		struct host_gpu_offer *offer = &taking->offers[i];
		free(offer->taken);
		offer->taken = NULL;
		auto_free char *use = taking->wanted[i] ? host_gpu_foreign_use(taking->host, i)
							: NULL;
		if (use != NULL)
			offer->taken = pl_asprintf("is used by %s", use);
	}
}

static void set_taken(struct host_gpu_offer *offer, const char *how, const json_t *holder)
{
	auto_free char *who = host_lock_holder_text(holder);

	free(offer->taken);
	offer->taken = pl_asprintf("%s %s", how, who);
}

/* Excludes GPUs that earlier runs wait for. -1: one of them waits for any GPU. */
static int keep_for_others(struct run_gpu_taking *taking, const json_t *before, struct pl_err *err)
{
	PL_JSON_EACH(cancel_token, before) {
		const json_t *claim = json_object_get(cancel_token, "claim");
		const json_t *gpus = json_object_get(claim, "gpus");
		if (pl_json_get_true(claim, "any")) {
			auto_free char *who = host_lock_holder_text(cancel_token);
			return pl_err_set(err, PL_ERR_BUSY, "%s: %s is ahead in the queue for GPUs",
					  taking->request->key, who);
		}
		for (size_t i = 0; i < taking->count; i++) {
			char name[NAME_BYTES];
			lock_name(taking->offers[i].facts, name);
			if (pl_json_has_text(gpus, name))
				set_taken(&taking->offers[i], "is reserved for the waiting",
					  cancel_token);
		}
	}
	return 0;
}

static ssize_t find_uuid(const struct run_gpu_taking *taking, const char *uuid)
{
	for (size_t i = 0; i < taking->count; i++) {
		if (pl_text_equal(taking->offers[i].facts->uuid, uuid))
			return (ssize_t)i;
	}
	return -1;
}

/*
 * Returns 1: locked; 0: another run has it. A lock on an instance also locks its GPU for others as a whole. That lock
 * is shared, so that several runs may use instances of one GPU.
 */
static int lock_one(struct run_gpu_taking *taking, size_t i, const struct host_locks *locks,
		    char name[NAME_BYTES], struct pl_err *err)
{
	const struct host_gpu_facts *facts = taking->offers[i].facts;
	ssize_t parent = facts->mig_parent != NULL ? find_uuid(taking, facts->mig_parent) : -1;

	lock_name(facts, name);
	int done = host_lock_try(locks, name, HOST_LOCK_EXCLUSIVE, &taking->lock_fds[i], err);
	if (done <= 0 || parent < 0)
		return done;
	lock_name(taking->offers[parent].facts, name);
	return host_lock_try(locks, name, HOST_LOCK_SHARED, &taking->parent_fds[i], err);
}

static int lock_wanted(struct run_gpu_taking *taking, const struct host_locks *locks,
		       struct pl_err *err)
{
	for (size_t i = 0; i < taking->count; i++) {
		char name[NAME_BYTES];
		if (!taking->wanted[i])
			continue;
		int done = lock_one(taking, i, locks, name, err);
		if (done < 0)
			return -1;
		if (done == 0) {
			auto_json json_t *holder = host_lock_holder(locks, name);
			set_taken(&taking->offers[i], "is held by", holder);
		}
	}
	return 0;
}

static int all_busy(const struct run_gpu_taking *taking, struct pl_err *err)
{
	auto_buf who = PL_BUF(OWNER_BYTES_MAX);
	size_t wanted = 0, free_count = 0;

	for (size_t i = 0; i < taking->count; i++) {
		const struct host_gpu_offer *offer = &taking->offers[i];
		auto_free char *label = host_gpu_label(offer->facts);
		wanted += taking->wanted[i];
		if (taking->wanted[i] && offer->taken == NULL)
			free_count++;
		else if (taking->wanted[i])
			pl_buf_addf(&who, "%s%s %s", who.len > 0 ? "; " : "", label, offer->taken);
	}
	if (taking->request->kind != RUN_GPUS_AUTO)
		return pl_err_set(err, PL_ERR_BUSY, "%s: %s", taking->request->key,
				  pl_buf_text(&who));
	return pl_err_set(err, PL_ERR_BUSY, "launch.gpus: %zu needed, %zu of %zu free: %s",
			  taking->request->count, free_count, wanted, pl_buf_text(&who));
}

/* Returns false if some are in use. */
static bool choose(const struct run_gpu_taking *taking, size_t *ret_picked, size_t *ret_count,
		   bool *ret_mixed)
{
	size_t count = 0;

	*ret_mixed = false;
	*ret_count = taking->request->count;
	if (taking->request->kind == RUN_GPUS_AUTO)
		return host_gpu_pick(taking->offers, taking->count, taking->request->count,
				     ret_picked, ret_mixed);
	for (size_t i = 0; i < taking->count; i++) {
		if (taking->wanted[i] && taking->offers[i].taken != NULL)
			return false;
		if (taking->wanted[i])
			ret_picked[count++] = i;
	}
	*ret_count = count;
	return true;
}

static bool is_in(const size_t *list, size_t count, size_t value)
{
	for (size_t i = 0; i < count; i++) {
		if (list[i] == value)
			return true;
	}
	return false;
}

int run_gpu_taking_try(struct run_gpu_taking *taking, const struct host_locks *locks,
		       const json_t *before, size_t *ret_picked, size_t *ret_count, bool *ret_mixed,
		       struct pl_err *err)
{
	int done = -1;

	/* do not even try: an earlier run would find it locked */
	if (keep_for_others(taking, before, err) < 0)
		return 0;
	bool locked = lock_wanted(taking, locks, err) == 0;
	if (locked && choose(taking, ret_picked, ret_count, ret_mixed))
		done = 1;
	else if (locked)
		done = 0;
	for (size_t i = 0; i < taking->count; i++) {
		if (done != 1 || !is_in(ret_picked, *ret_count, i))
			let_go(taking, i);
	}
	if (done == 0)
		all_busy(taking, err);
	return done;
}
