/* The experiment of `profllm demo`, embedded in the program unchanged. */

/* DEMO_EXPERIMENT: where the build finds it (CMakeLists.txt) */
__asm__(".pushsection .rodata\n"
	".global cli_demo_experiment\n"
	".type cli_demo_experiment, @object\n"
	"cli_demo_experiment:\n"
	".incbin \"" DEMO_EXPERIMENT "\"\n"
	".byte 0\n"
	".size cli_demo_experiment, . - cli_demo_experiment\n"
	".popsection\n");
