#include "run/journal/frame.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define CRC32C_POLYNOMIAL 0x82f63b78u /* reflected */
#define FRAME_HEAD_BYTES  8
#define FRAME_SUM_BYTES   4
#define TIME_MAX          (INT64_C(1) << 61) /* 73 years of uptime: sums of two stay in range */
#define EVENTS_MAX        (1u << 22)
#define TOKENS_SHIFT      RES_EVENT_DELTA_BITS
#define FLAGS_SHIFT       (RES_EVENT_DELTA_BITS + RES_EVENT_TOKENS_BITS)

static uint32_t crc_table[256];

static void make_crc_table(void)
{
	for (uint32_t i = 0; i < PL_ARRAY_SIZE(crc_table); i++) {
		uint32_t value = i;
		for (int bit = 0; bit < 8; bit++)
			value = (value >> 1) ^ ((value & 1) != 0 ? CRC32C_POLYNOMIAL : 0);
		crc_table[i] = value;
	}
}

static uint32_t crc32c(const unsigned char *data, size_t len)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint32_t sum = 0xffffffffu;

	pthread_once(&once, make_crc_table);
	for (size_t i = 0; i < len; i++)
		sum = (sum >> 8) ^ crc_table[(sum ^ data[i]) & 0xff];
	return ~sum;
}

static void put(unsigned char *at, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char *at, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

void run_frame_start(struct pl_buf *buf)
{
	unsigned char version[4];

	put(version, RUN_JOURNAL_VERSION, sizeof(version));
	pl_buf_add(buf, RUN_JOURNAL_MAGIC, RUN_JOURNAL_MAGIC_BYTES);
	pl_buf_add(buf, version, sizeof(version));
}

/* Room for a frame's payload, NULL: none; frame_end() closes it. */
static unsigned char *frame_begin(struct pl_buf *buf, enum run_frame_kind kind, size_t len)
{
	if (len > RUN_FRAME_BYTES_MAX)
		return NULL;
	char *room = pl_buf_reserve(buf, FRAME_HEAD_BYTES + len + FRAME_SUM_BYTES);
	if (room == NULL)
		return NULL;
	put((unsigned char *)room, len, 4);
	put((unsigned char *)room + 4, (uint64_t)kind, 4);
	return (unsigned char *)room + FRAME_HEAD_BYTES;
}

static bool frame_end(struct pl_buf *buf, unsigned char *payload, size_t len)
{
	unsigned char *frame = payload - FRAME_HEAD_BYTES;

	put(payload + len, crc32c(frame, FRAME_HEAD_BYTES + len), FRAME_SUM_BYTES);
	buf->len += FRAME_HEAD_BYTES + len + FRAME_SUM_BYTES;
	return true;
}

bool run_frame_add(struct pl_buf *buf, enum run_frame_kind kind, const void *data, size_t len)
{
	unsigned char *payload = frame_begin(buf, kind, len);

	if (payload == NULL)
		return false;
	if (len > 0)
		memcpy(payload, data, len);
	return frame_end(buf, payload, len);
}

bool run_frame_add_json(struct pl_buf *buf, enum run_frame_kind kind, const json_t *json)
{
	auto_free char *text = pl_json_to_text(json, PL_JSON_COMPACT);

	return text != NULL && run_frame_add(buf, kind, text, strlen(text));
}

bool run_frame_add_row(struct pl_buf *buf, const struct run_frame_row *row)
{
	size_t id_len = strnlen(row->request_id, sizeof(row->request_id) - 1);
	unsigned char *at = frame_begin(buf, RUN_FRAME_ROW, 24 + id_len);

	if (at == NULL)
		return false;
	put(at, (uint64_t)row->planned_ns, 8);
	put(at + 8, (uint64_t)row->prompt_tokens, 8);
	put(at + 16, (uint64_t)row->output_tokens, 8);
	memcpy(at + 24, row->request_id, id_len);
	return frame_end(buf, at, 24 + id_len);
}

bool run_frame_add_acted(struct pl_buf *buf, const struct res_record *record)
{
	unsigned char *at = frame_begin(buf, RUN_FRAME_ACTED, 32);

	if (at == NULL)
		return false;
	put(at, record->index, 8);
	put(at + 8, (uint64_t)record->planned_ns, 8);
	put(at + 16, (uint64_t)record->queued_ns, 8);
	put(at + 24, (uint64_t)record->acted_ns, 8);
	return frame_end(buf, at, 32);
}

bool run_frame_add_tick(struct pl_buf *buf, const struct run_frame_tick *tick)
{
	unsigned char bytes[16];

	put(bytes, (uint64_t)tick->t_ns, 8);
	put(bytes + 8, (uint64_t)tick->start_ns, 8);
	return run_frame_add(buf, RUN_FRAME_TICK, bytes, sizeof(bytes));
}

/* The numbers of a record in their order in the frame. */
#define RECORD_NUMBERS 15
/* Numbers, four lengths of texts, the count of events. */
#define RECORD_FIXED_BYTES (8 * RECORD_NUMBERS + 4 * 4 + 4)

static void record_numbers(const struct res_record *record, int64_t numbers[RECORD_NUMBERS])
{
	const int64_t all[RECORD_NUMBERS] = {
		(int64_t)record->index,
		record->planned_ns,
		record->queued_ns,
		record->acted_ns,
		record->connected_ns,
		record->sent_ns,
		record->headers_ns,
		record->end_ns,
		record->prompt_tokens_asked,
		record->prompt_tokens,
		record->output_tokens_asked,
		record->output_tokens,
		record->status,
		record->token_source,
		record->ok,
	};

	memcpy(numbers, all, sizeof(all));
}

static const char *kind_of(const struct res_record *record)
{
	if (record->ok)
		return "";
	return record->error_kind != NULL ? record->error_kind : "unknown";
}

bool run_frame_add_record(struct pl_buf *buf, enum run_frame_kind kind,
			  const struct res_record *record)
{
	char id[RES_ID_BYTES];
	const char *texts[4] = { id, record->finish_reason, kind_of(record),
				 record->error != NULL ? record->error : "" };
	int64_t numbers[RECORD_NUMBERS];
	size_t lens[4], len = RECORD_FIXED_BYTES + 8 * (size_t)record->event_count;

	res_request_id_text(&record->request_id, id, sizeof(id));
	for (int i = 0; i < 4; i++)
		len += lens[i] = strlen(texts[i]);
	unsigned char *payload = frame_begin(buf, kind, len), *at = payload;
	if (payload == NULL)
		return false;
	record_numbers(record, numbers);
	for (int i = 0; i < RECORD_NUMBERS; i++, at += 8)
		put(at, (uint64_t)numbers[i], 8);
	for (int i = 0; i < 4; i++, at += 4)
		put(at, lens[i], 4);
	put(at, record->event_count, 4);
	at += 4;
	for (int i = 0; i < 4; at += lens[i], i++)
		memcpy(at, texts[i], lens[i]);
	for (uint32_t i = 0; i < record->event_count; i++, at += 8) {
		const struct res_event *event = &record->events[i];
		put(at,
		    event->delta_ns | (uint64_t)event->tokens << TOKENS_SHIFT |
			    (uint64_t)event->flags << FLAGS_SHIFT,
		    8);
	}
	return frame_end(buf, payload, len);
}

int64_t run_frames_begin(struct run_frames *frames, const void *data, size_t len)
{
	*frames = (struct run_frames){ .data = data, .len = len, .at = RUN_JOURNAL_START_BYTES };
	if (len < RUN_JOURNAL_START_BYTES ||
	    memcmp(data, RUN_JOURNAL_MAGIC, RUN_JOURNAL_MAGIC_BYTES) != 0)
		return -1;
	return (int64_t)get(frames->data + RUN_JOURNAL_MAGIC_BYTES, 4);
}

bool run_frames_next(struct run_frames *frames, struct run_frame *ret)
{
	const unsigned char *at = frames->data + frames->at;
	size_t left = frames->len - frames->at;

	if (left < FRAME_HEAD_BYTES + FRAME_SUM_BYTES)
		return false;
	size_t len = (size_t)get(at, 4);
	if (len > RUN_FRAME_BYTES_MAX || len > left - FRAME_HEAD_BYTES - FRAME_SUM_BYTES)
		return false;
	if (get(at + FRAME_HEAD_BYTES + len, 4) != crc32c(at, FRAME_HEAD_BYTES + len))
		return false;
	*ret = (struct run_frame){ .kind = (enum run_frame_kind)get(at + 4, 4),
				   .data = at + FRAME_HEAD_BYTES,
				   .len = len };
	frames->at += FRAME_HEAD_BYTES + len + FRAME_SUM_BYTES;
	return true;
}

static bool is_time(int64_t t_ns)
{
	return t_ns == RES_NO_TIME || (t_ns >= 0 && t_ns <= TIME_MAX);
}

static bool is_count(int64_t count)
{
	return count >= RES_NO_COUNT && count <= TIME_MAX;
}

/* A text of `len` bytes without NUL into `room`. */
static bool get_text(const unsigned char *at, size_t len, char *ret, size_t room)
{
	if (len >= room || memchr(at, '\0', len) != NULL)
		return false;
	memcpy(ret, at, len);
	ret[len] = '\0';
	return true;
}

bool run_frame_get_row(const struct run_frame *frame, struct run_frame_row *ret)
{
	if (frame->len < 24)
		return false;
	ret->planned_ns = (int64_t)get(frame->data, 8);
	ret->prompt_tokens = (int64_t)get(frame->data + 8, 8);
	ret->output_tokens = (int64_t)get(frame->data + 16, 8);
	return ret->planned_ns >= 0 && ret->planned_ns <= TIME_MAX &&
	       is_count(ret->prompt_tokens) && is_count(ret->output_tokens) &&
	       get_text(frame->data + 24, frame->len - 24, ret->request_id,
			sizeof(ret->request_id));
}

bool run_frame_get_acted(const struct run_frame *frame, struct run_frame_acted *ret)
{
	if (frame->len != 32)
		return false;
	ret->index = get(frame->data, 8);
	ret->planned_ns = (int64_t)get(frame->data + 8, 8);
	ret->queued_ns = (int64_t)get(frame->data + 16, 8);
	ret->acted_ns = (int64_t)get(frame->data + 24, 8);
	return is_time(ret->planned_ns) && is_time(ret->queued_ns) && is_time(ret->acted_ns);
}

bool run_frame_get_tick(const struct run_frame *frame, struct run_frame_tick *ret)
{
	if (frame->len != 16)
		return false;
	ret->t_ns = (int64_t)get(frame->data, 8);
	ret->start_ns = (int64_t)get(frame->data + 8, 8);
	return ret->t_ns >= 0 && ret->t_ns <= TIME_MAX && is_time(ret->start_ns);
}

static bool set_numbers(struct res_record *record, const int64_t numbers[RECORD_NUMBERS])
{
	for (int i = 1; i < 8; i++) {
		if (!is_time(numbers[i]))
			return false;
	}
	for (int i = 8; i < 12; i++) {
		if (!is_count(numbers[i]))
			return false;
	}
	if (numbers[0] < 0 || numbers[12] < 0 || numbers[12] > 999 || numbers[13] < 0 ||
	    numbers[13] > RES_TOKENS_EVENTS || numbers[14] < 0 || numbers[14] > 1)
		return false;
	record->index = (uint64_t)numbers[0];
	record->planned_ns = numbers[1];
	record->queued_ns = numbers[2];
	record->acted_ns = numbers[3];
	record->connected_ns = numbers[4];
	record->sent_ns = numbers[5];
	record->headers_ns = numbers[6];
	record->end_ns = numbers[7];
	record->prompt_tokens_asked = numbers[8];
	record->prompt_tokens = numbers[9];
	record->output_tokens_asked = numbers[10];
	record->output_tokens = numbers[11];
	record->status = (int32_t)numbers[12];
	record->token_source = (enum res_token_source)numbers[13];
	record->ok = numbers[14] != 0;
	return true;
}

static bool set_texts(struct res_record *record, const unsigned char *at, const size_t lens[4])
{
	char id[RES_ID_BYTES], kind[32];

	if (!get_text(at, lens[0], id, sizeof(id)) ||
	    !get_text(at + lens[0], lens[1], record->finish_reason,
		      sizeof(record->finish_reason)) ||
	    !get_text(at + lens[0] + lens[1], lens[2], kind, sizeof(kind)))
		return false;
	res_record_set_id(record, id);
	record->error_kind = lens[2] > 0 ? res_failure_name(kind) : NULL;
	if (record->ok != (record->error_kind == NULL))
		return false;
	const char *error = (const char *)at + lens[0] + lens[1] + lens[2];
	if (memchr(error, '\0', lens[3]) != NULL)
		return false;
	if (lens[3] > 0)
		record->error = pl_strndup(error, lens[3]);
	return true;
}

static bool set_events(struct res_record *record, const unsigned char *at, uint32_t count)
{
	int64_t sum_ns = record->acted_ns;

	if (count > EVENTS_MAX || (count > 0 && record->acted_ns == RES_NO_TIME))
		return false;
	record->events = pl_alloc_array(count, sizeof(*record->events));
	for (uint32_t i = 0; i < count; i++, at += 8) {
		uint64_t bits = get(at, 8);
		sum_ns += (int64_t)(bits & RES_EVENT_DELTA_MAX);
		if (sum_ns > TIME_MAX)
			return false;
		record->events[i].delta_ns = bits & RES_EVENT_DELTA_MAX;
		record->events[i].tokens = (bits >> TOKENS_SHIFT) & RES_EVENT_TOKENS_MAX;
		record->events[i].flags = (bits >> FLAGS_SHIFT) & RES_EVENT_FLAGS_MASK;
	}
	record->event_count = count;
	/* an event is not cut in two */
	return count == 0 || (record->events[count - 1].flags & RES_EVENT_MORE) == 0;
}

static bool get_record(const struct run_frame *frame, struct res_record *record)
{
	int64_t numbers[RECORD_NUMBERS];
	const unsigned char *at = frame->data;
	size_t lens[4], need = RECORD_FIXED_BYTES;

	if (frame->len < RECORD_FIXED_BYTES)
		return false;
	for (int i = 0; i < RECORD_NUMBERS; i++, at += 8)
		numbers[i] = (int64_t)get(at, 8);
	for (int i = 0; i < 4; i++, at += 4)
		need += lens[i] = (size_t)get(at, 4);
	uint32_t count = (uint32_t)get(at, 4);
	at += 4;
	if (need + 8 * (size_t)count != frame->len)
		return false;
	return set_numbers(record, numbers) && set_texts(record, at, lens) &&
	       set_events(record, frame->data + need, count);
}

bool run_frame_get_record(const struct run_frame *frame, struct res_record *ret)
{
	struct res_record record;

	res_record_init(&record, 0);
	if (!get_record(frame, &record)) {
		res_record_done(&record);
		return false;
	}
	*ret = record;
	return true;
}
