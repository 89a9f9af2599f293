/*
 * The RLE/bit-packing hybrid of Parquet, for codes and definition levels:
 *
 *	run     varint(count << 1), the number in as many bytes as `bits` need
 *	groups  varint(groups << 1 | 1), each group 8 numbers of `bits` bits, the low bits first
 */
#include "columnar/columnar_priv.h"

#define GROUP 8
#define GROUPS_MAX \
	504 /* per packed part: about as many numbers as are looked at for runs at once */

unsigned columnar_bits(size_t count)
{
	return count <= 1 ? 0 : 64 - (unsigned)__builtin_clzll(count - 1);
}

static void add_varint(struct pl_buf *out, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		pl_buf_add_char(out, (char)(number | 0x80));
	pl_buf_add_char(out, (char)number);
}

static void add_run(uint32_t number, size_t count, unsigned bits, struct pl_buf *out)
{
	add_varint(out, (uint64_t)count << 1);
	pl_buf_add(out, &number, (bits + 7) / 8);
}

/* Packs whole groups; the last one is filled up with zeros. */
static void add_groups(const uint32_t *numbers, size_t count, unsigned bits, struct pl_buf *out)
{
	size_t groups = (count + GROUP - 1) / GROUP, len = groups * bits;

	add_varint(out, (uint64_t)groups << 1 | 1);
	char *at = pl_buf_reserve(out, len);
	if (at == NULL)
		return;
	uint64_t held = 0;
	unsigned have = 0;
	for (size_t i = 0; i < groups * GROUP; i++) {
		held |= (uint64_t)(i < count ? numbers[i] : 0) << have;
		have += bits;
		for (; have >= 8; have -= 8, held >>= 8)
			*at++ = (char)held;
	}
	out->len += len;
}

void columnar_hybrid_write(const uint32_t *numbers, size_t count, unsigned bits, struct pl_buf *out)
{
	size_t from = 0; /* numbers before it are written; from there to `at` they are packed */

	for (size_t at = 0; at < count;) {
		size_t end = at + 1;
		while (end < count && numbers[end] == numbers[at])
			end++;
		/* a packed part that is followed by a run has whole groups, so it takes numbers of the run */
		size_t whole = (GROUP - (at - from) % GROUP) % GROUP;
		if (end - at >= whole + GROUP) {
			if (at + whole > from)
				add_groups(numbers + from, at + whole - from, bits, out);
			add_run(numbers[at], end - at - whole, bits, out);
			from = end;
		} else if (end - from >= GROUPS_MAX * GROUP) {
			size_t packed = (end - from) / GROUP * GROUP;
			add_groups(numbers + from, packed, bits, out);
			from += packed;
		}
		at = end;
	}
	if (from < count)
		add_groups(numbers + from, count - from, bits, out);
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_varint(const uint8_t **at, const uint8_t *end, uint64_t *ret)
{
	uint64_t number = 0;

	for (unsigned shift = 0; shift < 35; shift += 7) {
		if (*at == end)
			return false;
		uint8_t byte = *(*at)++;
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*ret = number;
			return true;
		}
	}
	return false;
}

static void unpack(const uint8_t *bytes, unsigned bits, size_t count, uint32_t *ret)
{
	uint64_t mask = (1ull << bits) - 1, held = 0;
	unsigned have = 0;

	for (size_t i = 0; i < count; i++) {
		for (; have < bits; have += 8)
			held |= (uint64_t)*bytes++ << have;
		ret[i] = (uint32_t)(held & mask);
		held >>= bits;
		have -= bits;
	}
}

ptrdiff_t columnar_hybrid_read(const uint8_t *bytes, size_t len, unsigned bits, size_t count,
			       uint32_t *ret)
{
	const uint8_t *at = bytes, *end = bytes + len;

	for (size_t done = 0; done < count;) {
		uint64_t head;
		if (!read_varint(&at, end, &head))
			return -1;
		size_t left = count - done, of = (size_t)(head >> 1);
		if (head & 1) {
			/* some writers cut the zeros at the end of the last group */
			size_t take = of > left / GROUP ? left : of * GROUP;
			if ((size_t)(end - at) < (take * bits + 7) / 8)
				return -1;
			unpack(at, bits, take, ret + done);
			size_t whole = of > SIZE_MAX / 32 ? SIZE_MAX : of * bits;
			at += whole < (size_t)(end - at) ? whole : (size_t)(end - at);
			if (take == 0)
				return -1;
			done += take;
		} else {
			size_t width = (bits + 7) / 8;
			uint32_t number = 0;
			if (of == 0 || (size_t)(end - at) < width)
				return -1;
			memcpy(&number, at, width);
			at += width;
			if (bits < 32 && number >> bits != 0)
				return -1;
			size_t take = of < left ? of : left;
			for (size_t i = 0; i < take; i++)
				ret[done + i] = number;
			done += take;
		}
	}
	return at - bytes;
}
