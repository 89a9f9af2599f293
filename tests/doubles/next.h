/* Finds the next definition of a function that a preloaded library (LD_PRELOAD) replaces. */
#pragma once

#include <dlfcn.h>

/* Looks up the function of this name in the next library and keeps its address; NULL where no library has it. */
#define NEXT(name)                                                      \
	({                                                              \
		static typeof(&name) next_;                             \
		if (next_ == NULL)                                      \
			next_ = (typeof(&name))dlsym(RTLD_NEXT, #name); \
		next_;                                                  \
	})
