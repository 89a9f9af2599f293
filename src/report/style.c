/* The style sheet of report.css, embedded in the program unchanged. */

/* REPORT_STYLE: where the build finds it (CMakeLists.txt) */
__asm__(".pushsection .rodata\n"
	".global report_style\n"
	".type report_style, @object\n"
	"report_style:\n"
	".incbin \"" REPORT_STYLE "\"\n"
	".byte 0\n"
	".size report_style, . - report_style\n"
	".popsection\n");
