/* The page of plot_timeline.html, embedded in the program unchanged. */

/* TIMELINE_PAGE: where the build finds the page (CMakeLists.txt) */
__asm__(".pushsection .rodata\n"
	".global plot_timeline_page\n"
	".type plot_timeline_page, @object\n"
	"plot_timeline_page:\n"
	".incbin \"" TIMELINE_PAGE "\"\n"
	".byte 0\n"
	".size plot_timeline_page, . - plot_timeline_page\n"
	".popsection\n");
