/*
 * JPEG images with libjpeg-turbo, which is opened at run time: only datasets with generated images need
 * it. PROFLLM_JPEG_LIB names another library file.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* The largest side of a JPEG image, in pixels. */
#define BENCH_JPEG_SIDE_MAX 65500

struct bench_jpeg;

/* Opens the library. NOT_FOUND: it is missing; the message names its package. */
int bench_jpeg_new(struct bench_jpeg **ret, struct pl_err *err) PL_MUST_CHECK;
void bench_jpeg_free(struct bench_jpeg *jpeg);
PL_AUTO_DEFINE(struct bench_jpeg, bench_jpeg_free);

/*
 * Appends the image to `out`: quality 75 with halved colors, the defaults of Python's imaging library. `rgb`: three
 * bytes per pixel, rows from the top without gaps. Sides: 1 .. BENCH_JPEG_SIDE_MAX.
 */
int bench_jpeg_encode(struct bench_jpeg *jpeg, const uint8_t *rgb, unsigned width, unsigned height,
		      struct pl_buf *out, struct pl_err *err) PL_MUST_CHECK;
