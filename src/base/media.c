#include "base/media.h"

#include <string.h>

#include "base/mem.h"

static uint32_t big16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t big32(const uint8_t *at)
{
	return big16(at) << 16 | big16(at + 2);
}

static uint32_t little16(const uint8_t *at)
{
	return (uint32_t)at[1] << 8 | at[0];
}

static uint32_t little32(const uint8_t *at)
{
	return little16(at + 2) << 16 | little16(at);
}

static bool has(const uint8_t *bytes, size_t len, size_t at, const char *text)
{
	size_t text_len = strlen(text);

	return len >= at + text_len && memcmp(bytes + at, text, text_len) == 0;
}

const char *pl_media_type(const void *bytes, size_t len)
{
	static const struct {
		const char *start;
		const char *at_8; /* NULL: any */
		const char *type;
	} types[] = {
		{ "\xff\xd8\xff", NULL, "image/jpeg" }, { "\x89PNG\r\n\x1a\n", NULL, "image/png" },
		{ "GIF8", NULL, "image/gif" },          { "RIFF", "WEBP", "image/webp" },
		{ "RIFF", "WAVE", "audio/wav" },        { "RF64", "WAVE", "audio/wav" },
		{ "fLaC", NULL, "audio/flac" },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(types); i++) {
		if (has(bytes, len, 0, types[i].start) &&
		    (types[i].at_8 == NULL || has(bytes, len, 8, types[i].at_8)))
			return types[i].type;
	}
	return has(bytes, len, 4, "ftyp") ? "video/mp4" : NULL;
}

/* SOF0 .. SOF15 without DHT, JPG and DAC, which have numbers between them. */
static bool is_frame(uint8_t marker)
{
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 &&
	       marker != 0xcc;
}

/* Segments follow each other: 0xff, a marker, and, unless it has none, a length that counts itself. */
static bool jpeg_size(const uint8_t *bytes, size_t len, uint32_t *ret_width, uint32_t *ret_height)
{
	size_t at = 2;

	while (len - at >= 4) {
		uint8_t marker = bytes[at + 1];
		size_t segment = big16(bytes + at + 2);
		if (bytes[at] != 0xff)
			return false;
		if (marker == 0xff) {
			at++; /* fill bytes may come before a marker */
			continue;
		}
		if (is_frame(marker) && segment >= 8 && len - at >= 9) {
			*ret_height = big16(bytes + at + 5);
			*ret_width = big16(bytes + at + 7);
			return *ret_height > 0 && *ret_width > 0;
		}
		if (marker == 0xd9 || marker == 0xda || segment < 2 || len - at - 2 < segment)
			return false;
		at += 2 + segment;
	}
	return false;
}

bool pl_media_image_size(const void *bytes, size_t len, uint32_t *ret_width, uint32_t *ret_height)
{
	const uint8_t *data = bytes;

	if (has(data, len, 0, "\xff\xd8\xff"))
		return jpeg_size(data, len, ret_width, ret_height);
	if (!has(data, len, 0, "\x89PNG\r\n\x1a\n") || !has(data, len, 12, "IHDR") || len < 24)
		return false;
	*ret_width = big32(data + 16);
	*ret_height = big32(data + 20);
	return *ret_width > 0 && *ret_height > 0;
}

/* The field for it may be wrong; samples of a fixed size are played by their rate. `format` starts at its code. */
static double bytes_per_second(const uint8_t *format)
{
	uint32_t code = little16(format);
	double by_rate = (double)little32(format + 4) * little16(format + 12);

	/* integers, floats, A-law, mu-law and the code for a longer head */
	return code == 1 || code == 3 || code == 6 || code == 7 || code == 0xfffe
		       ? by_rate
		       : little32(format + 8);
}

/* Chunks follow each other: a name of four letters, the length, the bytes, and one more if the length is odd. */
static bool wav_seconds(const uint8_t *bytes, size_t len, size_t len_all, double *ret_s)
{
	double bytes_per_s = 0;
	size_t at = 12;

	while (at <= len && len - at >= 8) {
		size_t chunk = little32(bytes + at + 4);
		size_t rest = len_all - at - 8;
		if (has(bytes, len, at, "fmt ") && chunk >= 16 && len - at >= 24)
			bytes_per_s = bytes_per_second(bytes + at + 8);
		if (has(bytes, len, at, "data")) {
			/* writers to a pipe do not know the length and leave a large one or none */
			size_t samples = chunk == 0 || chunk > rest ? rest : chunk;
			*ret_s = (double)samples / bytes_per_s;
			return bytes_per_s > 0;
		}
		at += 8 + chunk + chunk % 2;
	}
	return false;
}

bool pl_media_audio_seconds(const void *bytes, size_t len, size_t len_all, double *ret_s)
{
	const uint8_t *data = bytes;
	const char *type = pl_media_type(bytes, len);

	if (type != NULL && strcmp(type, "audio/wav") == 0)
		return wav_seconds(data, len, len_all < len ? len : len_all, ret_s);
	/* STREAMINFO comes first: 20 bits of samples per second, 8 of their form, 36 of their number */
	if (type == NULL || strcmp(type, "audio/flac") != 0 || len < 26 || (data[4] & 0x7f) != 0)
		return false;
	uint32_t rate = big32(data + 18) >> 12;
	uint64_t samples = (uint64_t)(data[21] & 0xf) << 32 | big32(data + 22);
	*ret_s = (double)samples / rate;
	return rate > 0 && samples > 0;
}
