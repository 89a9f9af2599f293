/*
 * The sense of a switch's flags: whether a second spelling means the same or the opposite.
 *
 *   --enable-x   --no-enable-x, --disable-x, --no-x   opposite
 *   --x          --enable-x                           same
 *   --x          --y                                  undecided: the names have nothing in common
 */
#pragma once

enum vllm_sense {
	VLLM_SENSE_SAME,
	VLLM_SENSE_OPPOSITE,
	VLLM_SENSE_UNDECIDED,
};

/* Compares two long flags, including their dashes. '-' equals '_'. */
enum vllm_sense vllm_flag_sense(const char *flag, const char *other);
