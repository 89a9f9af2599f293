/*
 * The bytes of OUTPUT.journal: what stands in it and how it is read back.
 *
 *	file  = "ProfLLM journal\n", version u32, then frames
 *	frame = length u32, kind u32, `length` bytes, CRC-32C of all these u32
 *
 * - All numbers are little-endian; times are CLOCK_MONOTONIC ns, RES_NO_TIME where there is none.
 * - A file may end anywhere: what is behind the last frame whose sum is right does not count.
 * - HEAD is first and once; the others come in any number, a record's row before the record. How
 *   many tries there were is told by the number of TRY frames alone.
 */
#ifndef RUN_JOURNAL_FRAME_H
#define RUN_JOURNAL_FRAME_H

#include "base/buf.h"
#include "base/json.h"
#include "result/record.h"

#include <stdbool.h>

#define RUN_JOURNAL_VERSION     2 /* 1: without RUN_FRAME_TRY */
#define RUN_JOURNAL_MAGIC       "ProfLLM journal\n"
#define RUN_JOURNAL_MAGIC_BYTES 16
#define RUN_JOURNAL_START_BYTES 20
#define RUN_FRAME_BYTES_MAX     (64u << 20)

enum run_frame_kind {
	RUN_FRAME_HEAD = 1, /* JSON: run_id, started_real_ns, started_ns, pid, profllm */
	RUN_FRAME_STAGE,    /* JSON: stage, t_ns, document: the result so far, without results */
	RUN_FRAME_LOAD,     /* JSON: what figures are made with; the rows follow */
	RUN_FRAME_ROW,      /* a request of the plan, in order */
	RUN_FRAME_ACTED,    /* it was sent */
	RUN_FRAME_RECORD,   /* it is over */
	RUN_FRAME_TICK,     /* the run is alive at t_ns */
	RUN_FRAME_TRY,      /* as RECORD: a try of it failed and the next one began */
};

/* What a request was before the clock started. */
struct run_frame_row {
	int64_t planned_ns; /* after the start */
	int64_t prompt_tokens;
	int64_t output_tokens;
	char request_id[RES_ID_BYTES];
};

struct run_frame_acted {
	uint64_t index;
	int64_t planned_ns, queued_ns, acted_ns;
};

struct run_frame_tick {
	int64_t t_ns;
	int64_t start_ns; /* of sending */
};

/* Writers append a whole frame; false: the ceiling of `buf`, nothing appended. */
void run_frame_start(struct pl_buf *buf);
bool run_frame_add(struct pl_buf *buf, enum run_frame_kind kind, const void *data, size_t len);
bool run_frame_add_json(struct pl_buf *buf, enum run_frame_kind kind, const json_t *json);
bool run_frame_add_row(struct pl_buf *buf, const struct run_frame_row *row);
bool run_frame_add_acted(struct pl_buf *buf, const struct res_record *record);
/* kind: RECORD or TRY. */
bool run_frame_add_record(struct pl_buf *buf, enum run_frame_kind kind,
			  const struct res_record *record);
bool run_frame_add_tick(struct pl_buf *buf, const struct run_frame_tick *tick);

/* A walk over the frames of a file in memory. */
struct run_frames {
	const unsigned char *data;
	size_t len;
	size_t at; /* behind the last good frame */
};
struct run_frame {
	enum run_frame_kind kind; /* may be a number that is no kind */
	const unsigned char *data;
	size_t len;
};

/* -1: no journal at all, else the version it says. */
int64_t run_frames_begin(struct run_frames *frames, const void *data, size_t len);
/* False: the end, or what follows is no frame. */
bool run_frames_next(struct run_frames *frames, struct run_frame *ret);

/* Readers: false when the bytes are not what was written. */
bool run_frame_get_row(const struct run_frame *frame, struct run_frame_row *ret);
bool run_frame_get_acted(const struct run_frame *frame, struct run_frame_acted *ret);
bool run_frame_get_tick(const struct run_frame *frame, struct run_frame_tick *ret);
/* *ret holds memory: res_record_done(). */
bool run_frame_get_record(const struct run_frame *frame, struct res_record *ret);

#endif
