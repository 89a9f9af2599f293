/*
 * The delta encodings of Parquet:
 *
 *	integers  varint(numbers per block), varint(parts per block), varint(count), zigzag(first number), blocks
 *	block     zigzag(least difference), the width of each part in bits, the parts: differences above the least one
 *	texts     integers: the lengths; then all bytes
 *	prefixed  integers: the bytes that each text shares with the previous one; then texts: the rest of each
 */
#include <stdlib.h>

#include "columnar/parquet/parquet_priv.h"

#define PARTS_MAX 1024 /* per block; writers use 4 */

struct input {
	const uint8_t *at;
	const uint8_t *end;
	bool is_over; /* more was read than there is */
};

static uint64_t read_varint(struct input *in)
{
	uint64_t number = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (in->at == in->end)
			break;
		uint8_t byte = *in->at++;
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return number;
	}
	in->is_over = true;
	return 0;
}

static uint64_t read_zigzag(struct input *in)
{
	uint64_t number = read_varint(in);

	return number >> 1 ^ -(number & 1);
}

/* Adds `count` differences of `bits` bits each to the numbers. The caller has checked the length. */
static uint64_t add_part(const uint8_t *bytes, unsigned bits, size_t count, uint64_t least,
			 uint64_t number, int64_t *ret)
{
	unsigned __int128 held = 0;
	uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	unsigned have = 0;

	for (size_t i = 0; i < count; i++) {
		for (; have < bits; have += 8)
			held |= (unsigned __int128)*bytes++ << have;
		number += least + ((uint64_t)held & mask);
		held >>= bits;
		have -= bits;
		ret[i] = (int64_t)number;
	}
	return number;
}

/* Reads one block into at most `left` numbers. Returns how many it has, or 0 if it is malformed. */
static size_t read_block(struct input *in, size_t parts, size_t per_part, size_t left,
			 uint64_t *number, int64_t *ret)
{
	uint64_t least = read_zigzag(in);
	const uint8_t *widths = in->at;
	size_t done = 0;

	if (in->is_over || (size_t)(in->end - in->at) < parts)
		return 0;
	in->at += parts;
	for (size_t i = 0; i < parts && done < left; i++) {
		size_t count = left - done < per_part ? left - done : per_part;
		if (widths[i] > 64)
			return 0;
		/* some writers cut the last part */
		size_t whole = per_part / 8 * widths[i], have = (size_t)(in->end - in->at);
		if (have < (count * widths[i] + 7) / 8)
			return 0;
		*number = add_part(in->at, widths[i], count, least, *number, ret + done);
		in->at += whole < have ? whole : have;
		done += count;
	}
	return done;
}

int columnar_delta_ints(const uint8_t *bytes, size_t len, size_t count, int64_t *ret,
			size_t *ret_used, struct pl_err *err)
{
	struct input in = { bytes, bytes + len, false };
	uint64_t block = read_varint(&in), parts = read_varint(&in), total = read_varint(&in),
		 number = read_zigzag(&in);
	size_t done = count > 0;

	if (in.is_over || parts == 0 || parts > PARTS_MAX || block > UINT32_MAX ||
	    block % parts != 0 || block / parts % 8 != 0 || block == 0)
		return pl_err_invalid(err, "the head of its deltas is malformed");
	if (total != count)
		return pl_err_invalid(err, "found %llu deltas, expected %zu",
				      (unsigned long long)total, count);
	if (count > 0)
		ret[0] = (int64_t)number;
	while (done < count) {
		size_t got = read_block(&in, parts, block / parts, count - done, &number,
					ret + done);
		if (got == 0)
			return pl_err_invalid(err, "the deltas after number %zu are malformed",
					      done);
		done += got;
	}
	if (ret_used != NULL)
		*ret_used = (size_t)(in.at - bytes);
	return 0;
}

int columnar_delta_texts(const uint8_t *bytes, size_t len, size_t count, struct columnar_text *ret,
			 struct pl_err *err)
{
	auto_free int64_t *lens = pl_alloc_array(count, sizeof(*lens));
	size_t at;

	if (columnar_delta_ints(bytes, len, count, lens, &at, err) < 0)
		return pl_err_wrap(err, "the lengths");
	for (size_t i = 0; i < count; i++) {
		if (lens[i] < 0 || (uint64_t)lens[i] > len - at)
			return pl_err_invalid(err, "text %zu ends after the page", i);
		ret[i] = (struct columnar_text){ (const char *)bytes + at, (size_t)lens[i] };
		at += (size_t)lens[i];
	}
	return 0;
}

/* Returns the bytes of all texts, or -1 if a prefix is longer than the text before. */
static int64_t measure(const int64_t *prefixes, const struct columnar_text *rest, size_t count,
		       size_t max_bytes)
{
	size_t before = 0, total = 0;

	for (size_t i = 0; i < count; i++) {
		if (prefixes[i] < 0 || (uint64_t)prefixes[i] > before)
			return -1;
		before = (size_t)prefixes[i] + rest[i].len;
		if (before > max_bytes - total)
			return -1;
		total += before;
	}
	return (int64_t)total;
}

int columnar_delta_prefixed(const uint8_t *bytes, size_t len, size_t count, size_t max_bytes,
			    struct columnar_text *ret, char **ret_bytes, struct pl_err *err)
{
	auto_free int64_t *prefixes = pl_alloc_array(count, sizeof(*prefixes));
	size_t used;

	if (columnar_delta_ints(bytes, len, count, prefixes, &used, err) < 0)
		return pl_err_wrap(err, "the prefixes");
	if (columnar_delta_texts(bytes + used, len - used, count, ret, err) < 0)
		return -1;
	int64_t total = measure(prefixes, ret, count, max_bytes);
	if (total < 0)
		return pl_err_invalid(err,
				      "the prefixes do not fit the texts, or these have more "
				      "than %zu bytes",
				      max_bytes);
	char *owned = pl_alloc((size_t)total + 1), *at = owned;
	const char *before = owned;
	for (size_t i = 0; i < count; i++) {
		size_t prefix = (size_t)prefixes[i];
		memmove(at, before, prefix);
		memcpy(at + prefix, ret[i].bytes, ret[i].len);
		before = at;
		ret[i] = (struct columnar_text){ at, prefix + ret[i].len };
		at += ret[i].len;
	}
	*ret_bytes = owned;
	return 0;
}
