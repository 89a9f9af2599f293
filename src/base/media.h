/* The type, size and length of media, from the start of their bytes. Nothing is decoded. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns "image/jpeg", "image/png", "image/gif", "image/webp", "audio/wav", "audio/flac" or "video/mp4" (static); NULL: another. */
const char *pl_media_type(const void *bytes, size_t len);
/* Reads the size of a JPEG or PNG image, in pixels. False: another type, or the size is missing. */
bool pl_media_image_size(const void *bytes, size_t len, uint32_t *ret_width, uint32_t *ret_height);
/*
 * Reads the length of a WAV or FLAC recording, in seconds. Only the headers need to be in `bytes`; `len_all` is the
 * length of the file, which ends the samples of a WAV file without a length. False: another type, or the
 * length is missing.
 */
bool pl_media_audio_seconds(const void *bytes, size_t len, size_t len_all, double *ret_s);
