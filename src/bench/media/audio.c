#include "bench/media/audio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/media.h"
#include "base/text.h"
#include "bench/media/part.h"

#define AUDIO_BYTES_MAX ((size_t)256 << 20)
#define WAV_HEAD_BYTES  44
#define RATE_MAX        1000000

#define SILENCE_RATE 16000

static json_t *audio_json(const char *name, const char *type, double seconds, const void *bytes,
			  size_t len)
{
	return json_pack("{s:o, s:s, s:f, s:o}", "name", pl_json_text(name), "type", type,
			 "seconds", seconds, "bytes", json_stringn_nocheck(bytes, len));
}

int bench_audio_read(const char *path, json_t **ret, struct pl_err *err)
{
	auto_free char *bytes = NULL;
	const char *name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
	double seconds;
	size_t len;

	if (pl_file_read(path, AUDIO_BYTES_MAX, &bytes, &len, err) < 0)
		return -1;
	const char *type = pl_media_type(bytes, len);
	if (type == NULL || !pl_text_starts(type, "audio/"))
		return pl_err_invalid(err,
				      "'%s': found no WAV or FLAC file; convert it, for example "
				      "with ffmpeg",
				      path);
	if (!pl_media_audio_seconds(bytes, len, len, &seconds) || seconds <= 0)
		return pl_err_invalid(err, "'%s': the length of the recording is missing", path);
	*ret = audio_json(name, type, seconds, bytes, len);
	return 0;
}

static uint8_t *put(uint8_t *at, uint32_t value, size_t len)
{
	for (size_t i = 0; i < len; i++)
		at[i] = (uint8_t)(value >> 8 * i);
	return at + len;
}

/* The canonical head of 44 bytes: one channel of 16-bit integers. */
static void put_head(uint8_t *at, uint32_t rate, uint32_t data_bytes)
{
	memcpy(at, "RIFF", 4);
	put(at + 4, WAV_HEAD_BYTES - 8 + data_bytes, 4);
	memcpy(at + 8, "WAVEfmt ", 8);
	at = put(at + 16, 16, 4);
	at = put(at, 1, 2);
	at = put(at, 1, 2);
	at = put(at, rate, 4);
	at = put(at, rate * 2, 4);
	at = put(at, 2, 2);
	at = put(at, 16, 2);
	memcpy(at, "data", 4);
	put(at + 4, data_bytes, 4);
}

/* Like libsndfile with clipping: the upper half of a 32-bit value. */
static uint32_t to_16_bits(double sample)
{
	double scaled = rint(sample * INT32_MAX);

	return (uint32_t)((int32_t)fmax(INT32_MIN, fmin(INT32_MAX, scaled)) >> 16);
}

int bench_audio_from_samples(const json_t *samples, int64_t rate, json_t **ret, struct pl_err *err)
{
	size_t count = json_array_size(samples);
	size_t bytes = WAV_HEAD_BYTES + 2 * count;

	if (count == 0 || bytes > AUDIO_BYTES_MAX || rate < 1 || rate > RATE_MAX)
		return pl_err_invalid(err,
				      "expected an array of numbers and a sampling rate from 1 "
				      "to %d",
				      RATE_MAX);
	auto_free uint8_t *wav = pl_alloc_array(bytes, 1);
	put_head(wav, (uint32_t)rate, (uint32_t)(2 * count));
	for (size_t i = 0; i < count; i++) {
		const json_t *sample = json_array_get(samples, i);
		if (!json_is_number(sample))
			return pl_err_invalid(err, "item %zu of the array is not a number", i);
		put(wav + WAV_HEAD_BYTES + 2 * i, to_16_bits(json_number_value(sample)), 2);
	}
	*ret = audio_json("audio.wav", "audio/wav", (double)count / (double)rate, wav, bytes);
	return 0;
}

json_t *bench_audio_silence(void)
{
	uint8_t wav[WAV_HEAD_BYTES + SILENCE_RATE] = { 0 };

	put_head(wav, SILENCE_RATE, SILENCE_RATE);
	return audio_json("audio.wav", "audio/wav", 0.5, wav, sizeof(wav));
}

json_t *bench_audio_part(const json_t *audio)
{
	const json_t *bytes = json_object_get(audio, "bytes");
	const char *type = pl_json_get_text(audio, "type");
	size_t len;
	auto_free char *text = bench_media_base64("", json_string_value(bytes),
						  json_string_length(bytes), &len);

	return json_pack("{s:s, s:{s:o, s:s}}", "type", "input_audio", "input_audio", "data",
			 json_stringn_nocheck(text, len), "format",
			 pl_text_starts(type, "audio/") ? type + strlen("audio/") : type);
}
