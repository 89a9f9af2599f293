/* The page of plot_timeline.html, put into the program as it is. */
#include "bench/plot_timeline_priv.h"

/* TIMELINE_PAGE: where the build finds the page (CMakeLists.txt) */
__asm__(".pushsection .rodata\n"
	".global bench_timeline_page\n"
	".type bench_timeline_page, @object\n"
	"bench_timeline_page:\n"
	".incbin \"" TIMELINE_PAGE "\"\n"
	".byte 0\n"
	".size bench_timeline_page, . - bench_timeline_page\n"
	".popsection\n");
