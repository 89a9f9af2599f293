#include "bench/media/jpeg.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include "base/clean.h"
#include "base/mem.h"

#define VARIABLE     "PROFLLM_JPEG_LIB"
#define JPEG_LIBRARY "libjpeg.so.62"
#define PACKAGE      "libjpeg62-turbo"

#define QUALITY 75

/* Declared by the library's header, looked up by name. */
#define JPEG_FUNCTIONS(F)  \
	F(std_error)       \
	F(CreateCompress)  \
	F(mem_dest)        \
	F(set_defaults)    \
	F(set_quality)     \
	F(start_compress)  \
	F(write_scanlines) \
	F(finish_compress) \
	F(destroy_compress)

struct jpeg_table {
#define JPEG_MEMBER(member) __typeof__(jpeg_##member) *member;
	JPEG_FUNCTIONS(JPEG_MEMBER)
#undef JPEG_MEMBER
};

static const struct {
	size_t offset;
	const char *symbol;
} functions[] = {
#define JPEG_ROW(member) { offsetof(struct jpeg_table, member), "jpeg_" #member },
	JPEG_FUNCTIONS(JPEG_ROW)
#undef JPEG_ROW
};

struct bench_jpeg {
	struct jpeg_table table;
	void *library;
};

/* The library reports an error by a call that must not return. */
struct failure {
	struct jpeg_error_mgr manager; /* first: the library passes its address */
	jmp_buf back;
	char text[JMSG_LENGTH_MAX];
};

static void on_error(j_common_ptr state)
{
	struct failure *failure = (struct failure *)state->err;

	failure->manager.format_message(state, failure->text);
	longjmp(failure->back, 1);
}

static void ignore_message(j_common_ptr state)
{
	(void)state;
}

static int find_functions(struct bench_jpeg *jpeg, const char *name, struct pl_err *err)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(functions); i++) {
		void *symbol = dlsym(jpeg->library, functions[i].symbol);
		if (symbol == NULL)
			return pl_err_set(err, PL_ERR_NOT_FOUND,
					  "library '%s' has no function '%s' (Debian's package "
					  "'" PACKAGE "' has it)",
					  name, functions[i].symbol);
		/* ISO C has no cast from an object's pointer to a function's */
		memcpy((char *)&jpeg->table + functions[i].offset, &symbol, sizeof(symbol));
	}
	return 0;
}

int bench_jpeg_new(struct bench_jpeg **ret, struct pl_err *err)
{
	const char *named = getenv(VARIABLE);
	bool is_named = named != NULL && named[0] != '\0';
	const char *name = is_named ? named : JPEG_LIBRARY;
	PL_AUTO(bench_jpeg_free) struct bench_jpeg *jpeg = pl_alloc(sizeof(*jpeg));

	jpeg->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (jpeg->library == NULL)
		return pl_err_set(err, PL_ERR_NOT_FOUND,
				  "%scould not load the image library '%s'; on Debian, install "
				  "the package '" PACKAGE "'",
				  is_named ? VARIABLE ": " : "", name);
	if (find_functions(jpeg, name, err) < 0)
		return -1;
	*ret = pl_take(jpeg);
	return 0;
}

void bench_jpeg_free(struct bench_jpeg *jpeg)
{
	if (jpeg == NULL)
		return;
	if (jpeg->library != NULL)
		dlclose(jpeg->library);
	free(jpeg);
}

/* The part that an error may leave at any call; `bytes` is the library's, free() it afterwards. */
static int compress(const struct jpeg_table *table, struct jpeg_compress_struct *state,
		    struct failure *failure, const uint8_t *rgb, unsigned width, unsigned height,
		    unsigned char **bytes, unsigned long *len)
{
	if (setjmp(failure->back) != 0)
		return -1;
	/* refuses a library whose structures differ from the header's */
	table->CreateCompress(state, JPEG_LIB_VERSION, sizeof(*state));
	table->mem_dest(state, bytes, len);
	state->image_width = width;
	state->image_height = height;
	state->input_components = 3;
	state->in_color_space = JCS_RGB;
	table->set_defaults(state);
	table->set_quality(state, QUALITY, TRUE);
	table->start_compress(state, TRUE);
	while (state->next_scanline < state->image_height) {
		JSAMPROW row = (JSAMPROW)rgb +
			       (size_t)state->next_scanline * state->image_width * 3;
		table->write_scanlines(state, &row, 1);
	}
	table->finish_compress(state);
	return 0;
}

int bench_jpeg_encode(struct bench_jpeg *jpeg, const uint8_t *rgb, unsigned width, unsigned height,
		      struct pl_buf *out, struct pl_err *err)
{
	struct jpeg_compress_struct state = { 0 };
	struct failure failure = { .text = "" };
	unsigned char *bytes = NULL;
	unsigned long len = 0;

	state.err = jpeg->table.std_error(&failure.manager);
	failure.manager.error_exit = on_error;
	failure.manager.output_message = ignore_message;
	int done = compress(&jpeg->table, &state, &failure, rgb, width, height, &bytes, &len);
	jpeg->table.destroy_compress(&state);
	if (done == 0 && !pl_buf_add(out, bytes, len))
		done = pl_err_invalid(err, "the image is larger than %zu bytes", out->max);
	else if (done < 0)
		pl_err_invalid(err, "could not encode an image of %u x %u: %s", width, height,
			       failure.text);
	free(bytes);
	return done;
}
