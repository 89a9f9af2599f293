#include "base/media.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

#define BYTES(text) text, sizeof(text) - 1

static void types(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *type;
	} rows[] = {
		{ BYTES("\xff\xd8\xff\xe0"), "image/jpeg" },
		{ BYTES("\x89PNG\r\n\x1a\n"), "image/png" },
		{ BYTES("GIF89a"), "image/gif" },
		{ BYTES("RIFF\x01\x02\x03\x04WEBP"), "image/webp" },
		{ BYTES("RIFF\x01\x02\x03\x04WAVE"), "audio/wav" },
		{ BYTES("fLaC"), "audio/flac" },
		{ BYTES("\0\0\0\x18"
			"ftypisom"),
		  "video/mp4" },
		{ BYTES("RIFF\x01\x02\x03\x04WAV"), NULL },
		{ BYTES("\xff\xd8"), NULL },
		{ BYTES(""), NULL },
		{ BYTES("<html>"), NULL },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		const char *type = pl_media_type(rows[i].bytes, rows[i].len);
		assert_true((type == NULL) == (rows[i].type == NULL));
		if (type != NULL)
			assert_string_equal(type, rows[i].type);
	}
}

/* A comment, fill bytes and a table come before the frame of 3 x 2 pixels. */
#define JPEG                                               \
	"\xff\xd8\xff\xfe\0\x05"                           \
	"ABC\xff\xff\xc4\0\x03T\xff\xc2\0\x0b\x08\0\x02\0" \
	"\x03\x01\x11\0\xff\xda"
#define PNG "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x05\0\0\0\x02\xd0\x08\x02"

static void sizes_of_images(void **state)
{
	uint32_t width = 0, height = 0;

	(void)state;
	assert_true(pl_media_image_size(BYTES(JPEG), &width, &height));
	assert_int_equal(width, 3);
	assert_int_equal(height, 2);
	assert_true(pl_media_image_size(BYTES(PNG), &width, &height));
	assert_int_equal(width, 1280);
	assert_int_equal(height, 720);
	/* cut before the size */
	for (size_t len = 0; len < 23; len++)
		assert_false(pl_media_image_size(JPEG, len, &width, &height));
	for (size_t len = 0; len < 24; len++)
		assert_false(pl_media_image_size(PNG, len, &width, &height));
	/* no marker, a segment shorter than its length, and the start of the scan */
	assert_false(pl_media_image_size(BYTES("\xff\xd8\xff\xfe\0\x03"
					       "Axxxxx"),
					 &width, &height));
	assert_false(pl_media_image_size(BYTES("\xff\xd8\xff\xfe\0\x01xxxxxx"), &width, &height));
	assert_false(pl_media_image_size(BYTES("\xff\xd8\xff\xda\0\x04xxxxxx"), &width, &height));
	assert_false(pl_media_image_size(BYTES("GIF89a\x05\0\x05\0"), &width, &height));
}

/* 16,000 samples per second of two bytes; a chunk of odd length comes before them. */
#define WAV(data_len)                                                  \
	"RIFF\0\0\0\0WAVE"                                             \
	"LIST\x03\0\0\0abc\0"                                          \
	"fmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0" \
	"data" data_len
#define WAV_HEAD 56

static void lengths_of_recordings(void **state)
{
	static const char flac[] = "fLaC\0\0\0\x22\x10\0\x10\0\0\0\0\0\0\0\x0a\xc4\x42\xf0\0\x01"
				   "\x58\x88";
	double seconds = 0;

	(void)state;
	/* 8,000 bytes are a quarter of a second */
	assert_int_equal(sizeof(WAV("\x40\x1f\0\0")) - 1, WAV_HEAD);
	assert_true(pl_media_audio_seconds(BYTES(WAV("\x40\x1f\0\0")), WAV_HEAD + 8000, &seconds));
	assert_true(seconds == 0.25);
	/* without a length, or with one beyond the end, the file ends the samples */
	assert_true(
		pl_media_audio_seconds(BYTES(WAV("\xff\xff\xff\xff")), WAV_HEAD + 16000, &seconds));
	assert_true(seconds == 0.5);
	assert_true(pl_media_audio_seconds(BYTES(WAV("\0\0\0\0")), WAV_HEAD + 32000, &seconds));
	assert_true(seconds == 1);
	for (size_t len = 0; len < WAV_HEAD; len++)
		assert_false(pl_media_audio_seconds(WAV("\x40\x1f\0\0"), len, 9000, &seconds));
	/* a wrong field of bytes per second: integers are played by their rate, other codes are not */
	char wrong[] = WAV("\x40\x1f\0\0");
	wrong[WAV_HEAD - 16] = 0x01;
	assert_true(pl_media_audio_seconds(wrong, WAV_HEAD, WAV_HEAD + 8000, &seconds));
	assert_true(seconds == 0.25);
	wrong[WAV_HEAD - 24] = 0x55;
	assert_true(pl_media_audio_seconds(wrong, WAV_HEAD, WAV_HEAD + 8000, &seconds));
	assert_true(seconds == 8000.0 / 32001);
	/* 88,200 samples at 44,100 per second */
	assert_true(pl_media_audio_seconds(flac, 26, 26, &seconds));
	assert_true(seconds == 2);
	for (size_t len = 0; len < 26; len++)
		assert_false(pl_media_audio_seconds(flac, len, 26, &seconds));
	assert_false(
		pl_media_audio_seconds(BYTES("ID3\x04 an mp3 file of some length"), 99, &seconds));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types),
		cmocka_unit_test(sizes_of_images),
		cmocka_unit_test(lengths_of_recordings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
