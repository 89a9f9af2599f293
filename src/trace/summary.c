/*
 * The sums over the events of a trace. Names are in a table of fixed size; what finds no place is summed as others. The
 * busy time of a GPU is the union of its kernels' intervals, because kernels of several streams overlap.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "base/text.h"
#include "base/unique.h"
#include "io/jwalk.h"
#include "trace/trace_priv.h"

#define PROBES_MAX    64                /* chosen collisions cannot slow the table down */
#define BUSY_MAX      ((size_t)1 << 22) /* intervals, 96 MiB */
#define NAME_SHARE(n) ((n) / 4 * 3)

static int64_t sum(int64_t a, int64_t b)
{
	int64_t c;

	return __builtin_add_overflow(a, b, &c) ? INT64_MAX : c;
}

/* ---- names ---- */

/* The bytes of a name that are shown, without a part of a character. */
static size_t cut_len(const char *name, size_t len)
{
	if (len <= TRACE_NAME_BYTES)
		return len;
	len = TRACE_NAME_BYTES;
	while (len > 0 && ((unsigned char)name[len] & 0xc0) == 0x80)
		len--;
	return len;
}

static bool is_name(const struct trace_name *entry, enum trace_group group, uint64_t hash,
		    const struct trace_event *event)
{
	return entry->hash == hash && entry->len == event->name_len && entry->group == group &&
	       memcmp(entry->text, event->name, cut_len(event->name, event->name_len)) == 0;
}

static struct trace_name *find_name(struct trace_reader *reader, enum trace_group group,
				    const struct trace_event *event)
{
	uint64_t hash = pl_hash_bytes(reader->seed + group, event->name, event->name_len);

	for (size_t i = 0; i < PROBES_MAX; i++) {
		struct trace_name *entry = &reader->names[(hash + i) % TRACE_NAMES_ROOM];
		if (entry->text != NULL && is_name(entry, group, hash, event))
			return entry;
		if (entry->text != NULL)
			continue;
		if (reader->name_count >= NAME_SHARE(TRACE_NAMES_ROOM))
			break;
		*entry = (struct trace_name){
			/* with a NUL in it, too: is_name() compares as many bytes */
			.text = pl_memdup(event->name, cut_len(event->name, event->name_len)),
			.len = event->name_len,
			.hash = hash,
			.group = group,
		};
		reader->name_count++;
		return entry;
	}
	return &reader->others[group];
}

static void count_in(struct trace_name *entry, int64_t duration_ns)
{
	entry->count++;
	entry->total_ns = sum(entry->total_ns, duration_ns);
	entry->max_ns = duration_ns > entry->max_ns ? duration_ns : entry->max_ns;
}

/* ---- busy time ---- */

static int compare_busy(const void *left, const void *right)
{
	const struct trace_busy *a = left, *b = right;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	return 0;
}

void trace_busy_join(struct trace_reader *reader)
{
	size_t count = 0;

	if (reader->busy_count == 0)
		return;
	qsort(reader->busy, reader->busy_count, sizeof(reader->busy[0]), compare_busy);
	for (size_t i = 1; i < reader->busy_count; i++) {
		struct trace_busy *last = &reader->busy[count];
		const struct trace_busy *next = &reader->busy[i];
		if (next->device != last->device || next->begin_ns > last->end_ns)
			reader->busy[++count] = *next;
		else if (next->end_ns > last->end_ns)
			last->end_ns = next->end_ns;
	}
	reader->busy_count = count + 1;
}

static void add_busy(struct trace_reader *reader, const struct trace_event *event)
{
	if (reader->busy_lost)
		return;
	if (reader->busy_count == BUSY_MAX) {
		trace_busy_join(reader);
		/* sorting again for few new ones would take a time that grows with the square */
		reader->busy_lost = reader->busy_count > BUSY_MAX / 4 * 3;
	}
	if (!reader->busy_lost)
		*PL_PUSH(reader->busy, reader->busy_count, reader->busy_room) = (struct trace_busy){
			event->device, event->begin_ns, event->begin_ns + event->duration_ns
		};
}

/* ---- categories and the longest ---- */

static void count_category(struct trace_reader *reader, const struct trace_event *event)
{
	size_t i = 0;

	while (i < reader->category_count &&
	       strcmp(reader->categories[i].name, event->category) != 0)
		i++;
	/* the last one is for all others */
	bool is_new = i == reader->category_count && i < TRACE_CATEGORIES;
	if (is_new && i < TRACE_CATEGORIES - 1)
		memcpy(reader->categories[i].name, event->category, TRACE_CATEGORY_BYTES);
	else if (is_new)
		memcpy(reader->categories[i].name, "other", sizeof("other"));
	reader->category_count += is_new;
	if (i == TRACE_CATEGORIES)
		i--;
	reader->categories[i].count++;
	reader->categories[i].total_ns = sum(reader->categories[i].total_ns, event->duration_ns);
}

static void note_longest(struct trace_reader *reader, const struct trace_event *event)
{
	struct trace_longest *list = reader->longest;
	size_t at = reader->longest_count;

	if (at == TRACE_TOP && list[at - 1].duration_ns >= event->duration_ns)
		return;
	if (at == TRACE_TOP)
		free(list[--at].name);
	else
		reader->longest_count++;
	for (; at > 0 && list[at - 1].duration_ns < event->duration_ns; at--)
		list[at] = list[at - 1];
	list[at] = (struct trace_longest){
		.name = pl_strndup(event->name, cut_len(event->name, event->name_len)),
		.begin_ns = event->begin_ns,
		.duration_ns = event->duration_ns,
	};
	memcpy(list[at].category, event->category, TRACE_CATEGORY_BYTES);
}

/* ---- events ---- */

/* Events around others: the profiler itself, marks of the program, functions of Python. */
static bool is_frame(const char *category)
{
	static const char *const frames[] = { "Trace", "user_annotation", "gpu_user_annotation",
					      "python_function", "overhead" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(frames); i++) {
		if (strcasecmp(category, frames[i]) == 0)
			return true;
	}
	return false;
}

static void take_operation(struct trace_reader *reader, const struct trace_event *event)
{
	bool is_kernel = strcasecmp(event->category, "kernel") == 0;
	enum trace_group group = is_kernel ? TRACE_KERNELS : TRACE_OPERATIONS;
	int64_t end_ns = event->begin_ns + event->duration_ns;

	if (!reader->has_span || event->begin_ns < reader->begin_ns)
		reader->begin_ns = event->begin_ns;
	if (!reader->has_span || end_ns > reader->end_ns)
		reader->end_ns = end_ns;
	reader->has_span = true;
	count_in(find_name(reader, group, event), event->duration_ns);
	count_in(&reader->totals[group], event->duration_ns);
	note_longest(reader, event);
	if (is_kernel)
		add_busy(reader, event);
}

static void take_event(struct trace_reader *reader, const char *text, size_t len)
{
	struct trace_event event;

	reader->events++;
	if (!trace_event_read(text, len, &reader->scratch, &event)) {
		reader->skipped++;
	} else if (event.is_complete) {
		reader->complete++;
		count_category(reader, &event);
		if (!is_frame(event.category))
			take_operation(reader, &event);
	}
}

/* {"rank": 1, …} */
static void take_rank(struct trace_reader *reader, const char *text, size_t len)
{
	struct io_jwalk walk;
	int64_t rank = -1;

	io_jwalk_init(&walk, text, len);
	if (io_jwalk_next(&walk) != IO_JWALK_OBJECT)
		return;
	while (io_jwalk_next(&walk) == IO_JWALK_KEY) {
		bool is_rank = io_jwalk_is(&walk, "rank");
		enum io_jwalk_token token = io_jwalk_skip_value(&walk);
		if (is_rank && token == IO_JWALK_NUMBER && io_jwalk_to_i64(&walk, &rank) &&
		    rank >= 0 && rank <= 999999999)
			reader->rank = rank;
	}
}

static void take(struct trace_cut *cut, const char *key, const char *text, size_t len)
{
	struct trace_reader *reader = PL_CONTAINER_OF(cut, struct trace_reader, cut);

	if (key == NULL)
		take_event(reader, text, len);
	else if (strcmp(key, "distributedInfo") == 0)
		take_rank(reader, text, len);
}

static void skip(struct trace_cut *cut)
{
	struct trace_reader *reader = PL_CONTAINER_OF(cut, struct trace_reader, cut);

	reader->events++;
	reader->skipped++;
}

struct trace_reader *trace_reader_new(void)
{
	struct trace_reader *reader = pl_alloc(sizeof(*reader));

	trace_cut_init(&reader->cut);
	reader->cut.take = take;
	reader->cut.skip = skip;
	pl_buf_init(&reader->scratch, TRACE_ITEM_MAX + 1);
	reader->rank = -1;
	reader->seed = pl_hash_bytes(PL_HASH_NONE, &(uint32_t){ pl_unique_u32() },
				     sizeof(uint32_t));
	reader->names = pl_alloc_array(TRACE_NAMES_ROOM, sizeof(reader->names[0]));
	return reader;
}

void trace_reader_free(struct trace_reader *reader)
{
	if (reader == NULL)
		return;
	for (size_t i = 0; i < TRACE_NAMES_ROOM; i++)
		free(reader->names[i].text);
	for (size_t i = 0; i < reader->longest_count; i++)
		free(reader->longest[i].name);
	free(reader->names);
	free(reader->busy);
	trace_cut_done(&reader->cut);
	pl_buf_done(&reader->scratch);
	free(reader);
}

int trace_reader_add(struct trace_reader *reader, const char *bytes, size_t len, struct pl_err *err)
{
	return trace_cut_add(&reader->cut, bytes, len, err);
}

bool trace_reader_is_whole(const struct trace_reader *reader)
{
	return reader->cut.place == TRACE_AT_END;
}

int64_t trace_reader_events(const struct trace_reader *reader)
{
	return reader->events;
}

int64_t trace_reader_rank(const struct trace_reader *reader)
{
	return reader->rank;
}

int trace_reader_end(struct trace_reader *reader, struct pl_err *err)
{
	/* an event that never ends is none */
	if (!reader->cut.has_events || (reader->events == 0 && !trace_reader_is_whole(reader)))
		return pl_err_invalid(err, "not a trace in Chrome's format: found no events");
	trace_busy_join(reader);
	return 0;
}

int64_t trace_rank(const char *name)
{
	int64_t rank = -1;

	for (const char *at = strstr(name, "rank"); at != NULL; at = strstr(at, "rank")) {
		at += strlen("rank");
		const char *digits = at + strspn(at, "-_");
		size_t len = strspn(digits, "0123456789");
		if (len > 0 && len <= 9)
			rank = strtoll(digits, NULL, 10);
	}
	return rank;
}
