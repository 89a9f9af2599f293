#include "dash/upload/readers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/thread.h"
#include "vllm/secret.h"

/* Limits per document: a job may have thousands of documents, and its status contains the faults of all. */
#define FAULTS_MAX       200
#define FAULTS_BYTES_MAX (64u << 10)
#define THREADS_MAX      8

struct slot {
	struct dash_read read;
	bool is_read;
};

struct dash_readers {
	struct store *store;
	const struct store_reader *reader;
	pthread_t threads[THREADS_MAX];
	size_t thread_count;

	pthread_mutex_t lock; /* protects the fields below */
	pthread_cond_t room;  /* signals: there may be a document to read */
	pthread_cond_t done;  /* signals: a document was read */
	bool is_over;
	dash_source_fn *source;
	const void *context;
	size_t count;    /* number of sources */
	size_t next;     /* index of the next one to read */
	size_t released; /* index of the first one still needed */
	size_t bytes;    /* of the documents in between */
	size_t reading;  /* number of documents being read */
	struct slot slots
		[DASH_READ_MAX]; /* by index; a reader owns a place until its document is read */
};

void dash_read_done(struct dash_read *read)
{
	store_prepared_free(read->prepared);
	store_document_done(&read->document);
	json_decref(read->faults);
	free(read->message);
	free(read->retained);
	*read = (struct dash_read){ 0 };
}

/* ---- reading ------------------------------------------------------------------------------- */

/*
 * A text that is not a JSON object has no keys to recognize secrets by and never becomes a result, so it is not kept.
 * Nor is a document that is too large, because reading it again would cost ten times as much as refusing it.
 */
static char *without_secrets(const struct dash_source *from)
{
	auto_json json_t *json = NULL;
	auto_json json_t *shown = NULL;

	if (from->len > STORE_DOCUMENT_BYTES_MAX ||
	    store_json_parse(from->bytes, from->len, from->name, &json, PL_ERR_IGNORED) < 0 ||
	    !json_is_object(json))
		return NULL;
	shown = vllm_secret_json_shown(json);
	return pl_json_to_text(shown, PL_JSON_COMPACT);
}

static void read_one(const struct dash_readers *readers, const struct dash_source *from,
		     struct dash_read *ret)
{
	struct pl_err why = PL_ERR_INIT;

	*ret = (struct dash_read){ .is_rejected = true, .len = from->len };
	if (from->fault != NULL) {
		ret->message = pl_strdup(from->fault);
		return;
	}
	const struct store_source source = {
		.bytes = from->bytes, .len = from->len, .name = from->name, .line = from->line
	};
	if (store_document_read(readers->reader, &source, &ret->document, &ret->faults, &why) ==
	    0) {
		ret->is_rejected = false;
		ret->prepared = store_prepare(readers->store, &ret->document, from->name);
		/* freeing is faster in the allocating thread, and relieves the storing one */
		store_document_let_go(&ret->document);
		return;
	}
	ret->document = (struct store_document){ 0 };
	ret->message = pl_strdup(why.text);
	ret->retained = without_secrets(from);
	/* Keeps the first faults; the last entry counts the others. */
	json_t *faults = ret->faults;
	size_t count = json_array_size(faults), retained = 0, bytes = 0;
	for (; retained < count && retained < FAULTS_MAX && bytes < FAULTS_BYTES_MAX; retained++)
		bytes += json_dumpb(json_array_get(faults, retained), NULL, 0, JSON_COMPACT);
	if (retained == count)
		return;
	auto_free char *text = pl_asprintf("%zu more problems are not listed", count - retained);
	while (json_array_size(faults) > retained)
		json_array_remove(faults, json_array_size(faults) - 1);
	json_array_append_new(faults, store_fault_new("", 0, text));
}

/* Under the lock. */
static bool may_read(const struct dash_readers *readers)
{
	if (readers->next >= readers->count || readers->next - readers->released >= DASH_READ_MAX)
		return false;
	return readers->next == readers->released ||
	       readers->bytes + readers->source(readers->context, readers->next).len <=
		       DASH_READ_BYTES;
}

static void *work(void *data)
{
	struct dash_readers *readers = data;

	pthread_mutex_lock(&readers->lock);
	while (!readers->is_over) {
		if (!may_read(readers)) {
			pthread_cond_wait(&readers->room, &readers->lock);
			continue;
		}
		struct slot *slot = &readers->slots[readers->next % DASH_READ_MAX];
		const struct dash_source source = readers->source(readers->context,
								  readers->next++);
		readers->bytes += source.len;
		readers->reading++;
		pthread_mutex_unlock(&readers->lock);
		read_one(readers, &source, &slot->read);
		pthread_mutex_lock(&readers->lock);
		slot->is_read = true;
		readers->reading--;
		pthread_cond_signal(&readers->done);
	}
	pthread_mutex_unlock(&readers->lock);
	return NULL;
}

/* ---- the threads --------------------------------------------------------------------------- */

int dash_readers_new(struct store *store, const struct store_reader *reader,
		     struct dash_readers **ret, struct pl_err *err)
{
	struct dash_readers *readers = pl_alloc(sizeof(*readers));
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t wanted = processors < 1             ? 1
			: processors > THREADS_MAX ? THREADS_MAX
						   : (size_t)processors;

	readers->store = store;
	readers->reader = reader;
	pthread_mutex_init(&readers->lock, NULL);
	pthread_cond_init(&readers->room, NULL);
	pthread_cond_init(&readers->done, NULL);
	for (; readers->thread_count < wanted; readers->thread_count++) {
		if (pl_thread_start(&readers->threads[readers->thread_count], work, readers, err) <
		    0) {
			dash_readers_free(readers);
			return -1;
		}
	}
	*ret = readers;
	return 0;
}

void dash_readers_free(struct dash_readers *readers)
{
	if (readers == NULL)
		return;
	pthread_mutex_lock(&readers->lock);
	readers->is_over = true;
	pthread_cond_broadcast(&readers->room);
	pthread_mutex_unlock(&readers->lock);
	for (size_t i = 0; i < readers->thread_count; i++)
		pthread_join(readers->threads[i], NULL);
	pthread_cond_destroy(&readers->done);
	pthread_cond_destroy(&readers->room);
	pthread_mutex_destroy(&readers->lock);
	free(readers);
}

/* ---- ordered access ------------------------------------------------------------------------ */

void dash_readers_begin(struct dash_readers *readers, dash_source_fn *source, const void *context,
			size_t count)
{
	pthread_mutex_lock(&readers->lock);
	readers->source = source;
	readers->context = context;
	readers->count = count;
	readers->next = readers->released = 0;
	pthread_cond_broadcast(&readers->room);
	pthread_mutex_unlock(&readers->lock);
}

struct dash_read *dash_readers_wait(struct dash_readers *readers, size_t index)
{
	struct slot *slot = &readers->slots[index % DASH_READ_MAX];

	pthread_mutex_lock(&readers->lock);
	while (!slot->is_read)
		pthread_cond_wait(&readers->done, &readers->lock);
	pthread_mutex_unlock(&readers->lock);
	return &slot->read;
}

/* Under the lock; the document was read. */
static void release_one(struct dash_readers *readers)
{
	struct slot *slot = &readers->slots[readers->released++ % DASH_READ_MAX];

	readers->bytes -= slot->read.len;
	dash_read_done(&slot->read);
	slot->is_read = false;
}

void dash_readers_release(struct dash_readers *readers, size_t count)
{
	pthread_mutex_lock(&readers->lock);
	while (count-- > 0)
		release_one(readers);
	pthread_cond_broadcast(&readers->room);
	pthread_mutex_unlock(&readers->lock);
}

void dash_readers_end(struct dash_readers *readers)
{
	pthread_mutex_lock(&readers->lock);
	readers->count = readers->next;
	while (readers->reading > 0)
		pthread_cond_wait(&readers->done, &readers->lock);
	while (readers->released < readers->next)
		release_one(readers);
	pthread_mutex_unlock(&readers->lock);
}
