/*
 * A recording of a request: a JSON object with `name` (of the file), `type` ("audio/wav"), `seconds`, and `bytes`, a string
 * of any bytes. Requests with the same recording share it.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

/* Reads a WAV or FLAC file; a new reference. */
int bench_audio_read(const char *path, json_t **ret, struct pl_err *err) PL_MUST_CHECK;
/* Makes a WAV file of one channel with 16 bits per sample: `samples` are numbers from -1 to 1. */
int bench_audio_from_samples(const json_t *samples, int64_t rate, json_t **ret,
			     struct pl_err *err) PL_MUST_CHECK;
/* Returns half a second of silence; a new reference. */
json_t *bench_audio_silence(void);
/* Returns {"type": "input_audio", "input_audio": {"data": …, "format": "wav"}}; a new reference. */
json_t *bench_audio_part(const json_t *audio);
