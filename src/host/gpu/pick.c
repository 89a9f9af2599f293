#include "host/gpu/pick.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "host/user.h"

#define BYTES_PER_GIB 1073741824.0
/*
 * A CUDA context alone takes about 300 to 500 MiB: more memory means that a process is working. For
 * large GPUs the limit is a share, because the driver's own use grows with them.
 */
#define IDLE_BYTES      (500.0 * 1048576.0) /* a display, the driver's own */
#define IDLE_SHARE      0.02
#define LIST_BYTES_MAX  1400
#define USE_BYTES_MAX   400
#define PROCESSES_SHOWN 3

void host_gpu_offers(const struct host_gpus *gpus, struct host_gpu_offer **ret, size_t *ret_count)
{
	size_t count = host_gpus_count(gpus);
	struct host_gpu_offer *offers = pl_alloc_array(count, sizeof(*offers));

	for (size_t i = 0; i < count; i++)
		offers[i].facts = host_gpus_facts(gpus, i);
	*ret = offers;
	*ret_count = count;
}

void host_gpu_offers_free(struct host_gpu_offer *offers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(offers[i].taken);
	free(offers);
}

char *host_gpu_label(const struct host_gpu_facts *facts)
{
	if (facts->mig_parent == NULL && facts->index >= 0)
		return pl_asprintf("GPU %d", facts->index);
	if (facts->uuid == NULL)
		return pl_strdup("a GPU without a UUID");
	return pl_asprintf("GPU '%s'", facts->uuid);
}

bool host_gpu_is_usable(const struct host_gpu_offer *offer)
{
	return !offer->facts->mig;
}

static bool is_instance(const struct host_gpu_offer *offer)
{
	return offer->facts->mig_parent != NULL;
}

void host_gpu_add_list(const struct host_gpu_offer *offers, size_t count, struct pl_buf *buf)
{
	for (size_t i = 0; i < count; i++) {
		const struct host_gpu_facts *facts = offers[i].facts;
		const char *name = facts->name != NULL ? facts->name : "GPU";
		const char *uuid = facts->uuid != NULL ? facts->uuid : "no uuid";
		pl_buf_add_text(buf, i > 0 ? ", " : "");
		if (is_instance(&offers[i]) || facts->index < 0)
			pl_buf_addf(buf, "%s (%s)", uuid, name);
		else
			pl_buf_addf(buf, "%d (%s, %s)", facts->index, name, uuid);
	}
}

static int not_there(const struct host_gpu_offer *offers, size_t count, const char *name,
		     struct pl_err *err)
{
	auto_buf list = PL_BUF(LIST_BYTES_MAX);

	host_gpu_add_list(offers, count, &list);
	return pl_err_invalid(err, "found '%s', expected one of %s", name, pl_buf_text(&list));
}

static int usable(const struct host_gpu_offer *offer, const char *name, struct pl_err *err)
{
	if (host_gpu_is_usable(offer))
		return 0;
	return pl_err_invalid(
		err, "found '%s', which is partitioned, expected instances of it (MIG-…)", name);
}

static int find_by_index(const struct host_gpu_offer *offers, size_t count, const char *name,
			 int64_t index, size_t *ret, struct pl_err *err)
{
	for (size_t i = 0; i < count; i++) {
		if (is_instance(&offers[i]) || offers[i].facts->index != index)
			continue;
		*ret = i;
		return usable(&offers[i], name, err);
	}
	return not_there(offers, count, name, err);
}

int host_gpu_find(const struct host_gpu_offer *offers, size_t count, const char *name, size_t *ret,
		  struct pl_err *err)
{
	size_t matches = 0, match = 0;
	int64_t index;

	/*
	 * A number is a place in PCI order, as nvidia-smi counts, and not CUDA's "fastest first".
	 */
	if (pl_text_to_i64(name, &index))
		return find_by_index(offers, count, name, index, ret, err);
	for (size_t i = 0; i < count; i++) {
		const char *uuid = offers[i].facts->uuid;
		if (uuid == NULL || name[0] == '\0' || !pl_text_starts(uuid, name))
			continue;
		match = i;
		matches++;
		/* A whole name is clear, whatever longer ones begin with it. */
		if (strcmp(uuid, name) == 0) {
			matches = 1;
			break;
		}
	}
	if (matches == 0)
		return not_there(offers, count, name, err);
	if (matches > 1)
		return pl_err_invalid(
			err,
			"found '%s', which matches %zu GPUs, expected a number or UUID of one GPU",
			name, matches);
	*ret = match;
	return usable(&offers[match], name, err);
}

void host_gpu_hide(struct host_gpu_offer *offers, size_t count, const char *visible)
{
	auto_free char *words = pl_strdup(visible);
	auto_free bool *seen = pl_alloc_array(count, sizeof(*seen));

	if (visible == NULL)
		return;
	for (char *rest = words, *word; (word = strsep(&rest, ",")) != NULL;) {
		size_t i;
		word = pl_text_trim(word);
		if (word[0] == '\0' || host_gpu_find(offers, count, word, &i, PL_ERR_IGNORED) < 0)
			break;
		seen[i] = true;
	}
	for (size_t i = 0; i < count; i++)
		offers[i].hidden = !seen[i];
}

/*
 * Returns whether `auto` may use it for a server of this many GPUs. NCCL does not support
 * instances.
 */
static bool is_allowed(const struct host_gpu_offer *offer, size_t wanted)
{
	return host_gpu_is_usable(offer) && !offer->hidden && (wanted == 1 || !is_instance(offer));
}

size_t host_gpu_allowed(const struct host_gpu_offer *offers, size_t count, size_t wanted)
{
	size_t allowed = 0;

	for (size_t i = 0; i < count; i++)
		allowed += is_allowed(&offers[i], wanted);
	return allowed;
}

/* Which of the free GPUs belong together, from the strictest kind of nearness to none. */
enum nearness { SAME_NODE, SAME_MODEL, SAME_HOST, SAMENESS_COUNT };

static bool same_group(const struct host_gpu_facts *a, const struct host_gpu_facts *b,
		       enum nearness nearness)
{
	if (nearness == SAME_HOST)
		return true;
	if (!pl_text_equal(a->name, b->name))
		return false;
	return nearness == SAME_MODEL ||
	       (a->numa_node == b->numa_node && (a->nvlinks > 0) == (b->nvlinks > 0));
}

/* Free GPUs in the group of number `first`; whether `first` is the first of them. */
static size_t group_size(const struct host_gpu_offer *offers, const size_t *free_ones,
			 size_t free_count, size_t first, enum nearness nearness, bool *ret_leads)
{
	size_t size = 0;

	*ret_leads = true;
	for (size_t i = 0; i < free_count; i++) {
		if (!same_group(offers[free_ones[i]].facts, offers[free_ones[first]].facts,
				nearness))
			continue;
		*ret_leads = *ret_leads && i >= first;
		size++;
	}
	return size;
}

/*
 * The group with the fewest GPUs that has enough, linked ones first; -1: none. The fewest, so that
 * a group that others may need whole is not broken up.
 */
static ssize_t best_group(const struct host_gpu_offer *offers, const size_t *free_ones,
			  size_t free_count, size_t wanted, enum nearness nearness)
{
	size_t best_size = 0;
	ssize_t best = -1;
	bool best_linked = false;

	for (size_t i = 0; i < free_count; i++) {
		bool leads;
		size_t size = group_size(offers, free_ones, free_count, i, nearness, &leads);
		bool linked = wanted > 1 && offers[free_ones[i]].facts->nvlinks > 0;
		/* Each group is considered once, at its first GPU. */
		if (!leads || size < wanted)
			continue;
		if (best < 0 || (linked && !best_linked) ||
		    (linked == best_linked && size < best_size)) {
			best = (ssize_t)i;
			best_size = size;
			best_linked = linked;
		}
	}
	return best;
}

/* Free GPUs of the same model and node as number i. */
static size_t neighbors(const struct host_gpu_offer *offers, const size_t *free_ones,
			size_t free_count, size_t i)
{
	bool leads;

	return group_size(offers, free_ones, free_count, i, SAME_NODE, &leads);
}

/* From a group that spans nodes, takes GPUs of the fullest node first, to span few nodes. */
static void take_from(const struct host_gpu_offer *offers, const size_t *free_ones,
		      size_t free_count, size_t first, enum nearness nearness, size_t wanted,
		      size_t *ret_picked)
{
	auto_free bool *used = pl_alloc_array(free_count, sizeof(*used));

	for (size_t taken = 0; taken < wanted; taken++) {
		ssize_t best = -1;
		for (size_t i = 0; i < free_count; i++) {
			if (used[i] || !same_group(offers[free_ones[i]].facts,
						   offers[free_ones[first]].facts, nearness))
				continue;
			if (best < 0 ||
			    neighbors(offers, free_ones, free_count, i) >
				    neighbors(offers, free_ones, free_count, (size_t)best))
				best = (ssize_t)i;
		}
		used[best] = true;
	}
	/* in the host's order */
	size_t taken = 0;
	for (size_t i = 0; i < free_count; i++) {
		if (used[i])
			ret_picked[taken++] = free_ones[i];
	}
}

static bool pick_among(const struct host_gpu_offer *offers, size_t count, size_t wanted,
		       bool instances, size_t *ret_picked, bool *ret_mixed)
{
	auto_free size_t *free_ones = pl_alloc_array(count, sizeof(*free_ones));
	size_t free_count = 0;

	for (size_t i = 0; i < count; i++) {
		if (offers[i].taken == NULL && is_allowed(&offers[i], wanted) &&
		    is_instance(&offers[i]) == instances)
			free_ones[free_count++] = i;
	}
	/* The strictest kind first: a slower mixture is taken only where nothing better is free. */
	for (unsigned nearness = 0; nearness < SAMENESS_COUNT; nearness++) {
		ssize_t first = best_group(offers, free_ones, free_count, wanted,
					   (enum nearness)nearness);
		if (first < 0)
			continue;
		take_from(offers, free_ones, free_count, (size_t)first, (enum nearness)nearness,
			  wanted, ret_picked);
		*ret_mixed = nearness == SAME_HOST;
		return true;
	}
	return false;
}

bool host_gpu_pick(const struct host_gpu_offer *offers, size_t count, size_t wanted,
		   size_t *ret_picked, bool *ret_mixed)
{
	*ret_mixed = false;
	if (wanted == 0)
		return true;
	return pick_among(offers, count, wanted, false, ret_picked, ret_mixed) ||
	       (wanted == 1 && pick_among(offers, count, wanted, true, ret_picked, ret_mixed));
}

double host_gpu_idle_bytes(double memory_bytes)
{
	/* fmax() takes the number where the other is NaN */
	return fmax(IDLE_BYTES, IDLE_SHARE * memory_bytes);
}

static void add_process(const struct host_gpu_process *process, struct pl_buf *buf)
{
	char path[64];
	struct stat st;

	pl_buf_addf(buf, "%spid %lld", buf->len > 0 ? ", " : "", (long long)process->pid);
	if (process->name != NULL)
		pl_buf_addf(buf, " '%s'", process->name);
	/*
	 * The owner of the directory in /proc owns the process. The directory is missing if the pid
	 * belongs to another namespace.
	 */
	snprintf(path, sizeof(path), "/proc/%lld", (long long)process->pid);
	auto_free char *user = stat(path, &st) == 0 ? host_user_name(st.st_uid) : NULL;
	if (user != NULL)
		pl_buf_addf(buf, " of user %s", user);
	if (process->memory_bytes > 0)
		pl_buf_addf(buf, " (%.1f GiB)", process->memory_bytes / BYTES_PER_GIB);
}

char *host_gpu_foreign_use(struct host_gpus *gpus, size_t i)
{
	struct host_gpu_process *processes = NULL;
	size_t count = 0, shown = 0;
	struct host_gpu_state state;
	auto_buf buf = PL_BUF(USE_BYTES_MAX);

	if (host_gpus_processes(gpus, i, &processes, &count) < 0)
		count = 0;
	for (size_t k = 0; k < count; k++) {
		if (processes[k].compute && shown++ < PROCESSES_SHOWN)
			add_process(&processes[k], &buf);
	}
	if (shown > PROCESSES_SHOWN)
		pl_buf_addf(&buf, " and %zu more", shown - PROCESSES_SHOWN);
	host_gpu_processes_free(processes, count);
	if (shown > 0)
		return pl_buf_take(&buf);
	/* A driver hides processes of other containers, but their memory counts as used. */
	host_gpus_read(gpus, i, &state);
	if (state.memory_used_bytes > host_gpu_idle_bytes(host_gpus_facts(gpus, i)->memory_bytes))
		return pl_asprintf("processes of other users or containers (%.1f GiB)",
				   state.memory_used_bytes / BYTES_PER_GIB);
	return NULL;
}
