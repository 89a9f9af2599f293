/* The live rows of several segments of a snapshot as one segment, without dead rows and with other codes if needed. */
#pragma once

#include "mirror/mirror_priv.h"

/* Consecutive segments that become one. */
struct gather_group {
	size_t first;
	size_t count;
	size_t rows;     /* live ones */
	uint64_t *lives; /* MIRROR_SEGMENT_WORDS per segment */
	bool is_whole;   /* one sealed segment without dead rows */
};
/* Chooses the segments from `first` on that fit into one. Overwrites *ret; mirror_gather_group_done(). */
void mirror_gather_group_init(struct gather_group *ret, const struct mirror_snapshot *snapshot,
			      size_t first);
void mirror_gather_group_done(struct gather_group *group);

static inline bool gather_is_live(const struct gather_group *group, size_t segment, size_t row)
{
	return group->lives[segment * MIRROR_SEGMENT_WORDS + row / 64] >> row % 64 & 1;
}

/* Room for the codes of a segment and of a group, of one thread. */
struct gather_room {
	uint32_t *codes;
	uint32_t *all;
};
void mirror_gather_room_init(struct gather_room *room);
void mirror_gather_room_done(struct gather_room *room);

/* A column of a snapshot. */
struct gather_column {
	const struct mirror_snapshot *snapshot;
	size_t at;
	uint32_t distinct;         /* all codes of the chunks made are < distinct */
	const uint32_t *new_codes; /* of each code that live rows have; NULL: all stay */
	bool has_numbers;          /* some live row has a number without a code */
};

/* Sets used[code] to 1 for each code that a live row of the group has. */
void mirror_gather_mark(const struct gather_group *group, const struct gather_column *column,
			const struct gather_room *room, uint8_t *used);
/* Makes a sealed chunk of the live rows of a group, which has some; mirror_chunk_done(). */
void mirror_gather_chunk(const struct gather_group *group, const struct gather_column *column,
			 const struct gather_room *room, struct chunk *ret);
