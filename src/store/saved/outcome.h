/* The outcome of writing a preset, an annotation or a watch. */
#pragma once

enum store_saved_outcome {
	STORE_SAVED_OK,
	STORE_SAVED_NONE,    /* nothing has this id */
	STORE_SAVED_CHANGED, /* it has another revision */
	STORE_SAVED_NAMED,   /* another one has this name, ignoring case */
	STORE_SAVED_FULL,    /* as many as allowed exist */
};
