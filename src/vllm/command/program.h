/*
 * The meaning of a command's words: programs that run another one, shells, container runtimes, and
 * vLLM's programs. form.c walks the commands and calls these functions.
 */
#pragma once

#include "vllm/command/command_priv.h"

/* Traits of a program that runs another one, or of a reserved word of the shell. */
enum vllm_wrapper {
	VLLM_WRAPPER_DROPPED = 1, /* is not part of the server's launch command */
	VLLM_WRAPPER_TEXT =
		2, /* one of its words may be a command as text: ssh HOST 'vllm serve …' */
	VLLM_WRAPPER_REMOTE = 4, /* runs it on another host */
};

/* Returns the traits of the wrapper at `at`; -1: it is not one. */
int vllm_wrapper_find(const struct vllm_parse *parse, size_t at, size_t end);

const char *vllm_base_name(const char *path);
bool vllm_is_runtime(const char *word);
/* singularity and apptainer, whose `run` starts the image's program. */
bool vllm_is_image_runner(const char *word);
bool vllm_is_shell(const char *word);
/* "-c", "-lc", "-euxc": the next word is a command text; also for PowerShell and cmd. */
bool vllm_is_shell_text_flag(const char *word);
bool vllm_is_program(const char *word);
/* The module of vLLM's server, with the OpenAI API or without. */
bool vllm_is_server_module(const char *module);

#define VLLM_API_SERVER "vllm.entrypoints.openai.api_server"

/* LATER: a benchmark that this version does not run; `first` names it. */
enum vllm_meaning {
	VLLM_MEANS_NOTHING,
	VLLM_MEANS_SERVER,
	VLLM_MEANS_LOAD,
	VLLM_MEANS_OFFLINE,
	VLLM_MEANS_LATER
};

struct vllm_program {
	enum vllm_meaning meaning;
	size_t first; /* first argument */
	enum vllm_command_form form;
	enum vllm_bench_program load;
	const struct vllm_bench_kind *kind; /* OFFLINE: which */
	size_t vllm_end; /* OFFLINE: end of the words that start vLLM ("…/vllm"); 0: none */
	bool is_demo;    /* the server without the OpenAI API */
};

/* Reads the program at `at` and its first words. */
struct vllm_program vllm_program_read(const struct vllm_parse *parse, size_t at, size_t end);
