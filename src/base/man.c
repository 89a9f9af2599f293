#include "base/man.h"

#include <string.h>

#define AFTER_BYTES_MAX 65536

/* Text as roff shows it: backslashes and dashes as they are, no line taken for a request. */
static void add_text(struct pl_buf *buf, const char *text)
{
	bool line_start = true;

	for (; *text != '\0'; text++) {
		/* a line that begins so would be a request of roff's; \& stands for nothing */
		if (line_start && (*text == '.' || *text == '\''))
			pl_buf_add_text(buf, "\\&");
		if (*text == '\\')
			pl_buf_add_text(buf, "\\e");
		else if (*text == '-')
			pl_buf_add_text(buf, "\\-");
		else
			pl_buf_add_char(buf, *text);
		line_start = *text == '\n';
	}
}

static void add_head(struct pl_buf *buf, const char *name, const char *summary)
{
	pl_buf_addf(buf, ".TH %s 1 \"\" \"ProfLLM %s\" \"ProfLLM\"\n.SH NAME\n", name,
		    PROFLLM_VERSION);
	add_text(buf, name);
	pl_buf_add_text(buf, " \\- ");
	add_text(buf, summary);
	pl_buf_add_text(buf, "\n.SH SYNOPSIS\n.nf\n");
}

static void add_option(struct pl_buf *buf, const struct pl_opt *option)
{
	auto_buf after = PL_BUF(AFTER_BYTES_MAX);

	pl_buf_add_text(buf, ".TP\n.B ");
	if (option->letter != 0)
		pl_buf_addf(buf, "\\-%c, ", option->letter);
	pl_buf_add_text(buf, "\\-\\-");
	add_text(buf, option->name);
	if (option->arg != NULL) {
		pl_buf_add_text(buf, " ");
		add_text(buf, option->arg);
	}
	pl_buf_add_text(buf, "\n");
	add_text(buf, option->help);
	pl_opt_help_after(option, &after);
	add_text(buf, pl_buf_text(&after));
	pl_buf_add_text(buf, "\n");
}

static void add_page(struct pl_buf *buf, const char *program, const char *name)
{
	pl_buf_add_text(buf, ".BR ");
	add_text(buf, program);
	pl_buf_add_text(buf, "\\-");
	add_text(buf, name);
	pl_buf_add_text(buf, " (1)\n");
}

char *pl_man_part(const char *program, const struct pl_opt_command *part)
{
	char *name = pl_strdup(part->name + strlen(program) + 1);

	for (char *blank = name; (blank = strchr(blank, ' ')) != NULL;)
		*blank = '-';
	return name;
}

void pl_man_add_command(struct pl_buf *buf, const char *program, const char *name,
			const struct pl_opt_command *command)
{
	auto_free char *page = pl_asprintf("%s-%s", program, name);

	add_head(buf, page, command->summary);
	for (const char *usage = command->usage; *usage != '\0';) {
		size_t len = strcspn(usage, "\n");
		auto_free char *line = pl_asprintf("%s %.*s\n", command->name, (int)len, usage);
		add_text(buf, line);
		usage += len + (usage[len] == '\n');
	}
	pl_buf_add_text(buf, ".fi\n.SH OPTIONS\n");
	const char *comma = ".SH NOT IN THIS VERSION\n";
	for (const struct pl_opt *option = command->options; option->name != NULL; option++) {
		if (option->group != NULL) {
			pl_buf_add_text(buf, ".SS ");
			add_text(buf, option->group);
			pl_buf_add_text(buf, "\n");
		}
		if (!option->hidden)
			add_option(buf, option);
	}
	for (const struct pl_opt *option = command->options; option->name != NULL; option++) {
		if (!option->later)
			continue;
		pl_buf_addf(buf, "%s\\-\\-", comma);
		add_text(buf, option->name);
		comma = ",\n";
	}
	pl_buf_add_text(buf, comma[0] == ',' ? "\n" : "");
	if (command->details != NULL) {
		pl_buf_add_text(buf, ".SH DESCRIPTION\n.nf\n");
		add_text(buf, command->details);
		pl_buf_add_text(buf, "\n.fi\n");
	}
	pl_buf_add_text(buf, ".SH SEE ALSO\n.nf\n.BR ");
	add_text(buf, program);
	pl_buf_add_text(buf, " (1)\n");
	for (const struct pl_opt_command *part = command->parts; part != NULL && part->name != NULL;
	     part++) {
		auto_free char *after = pl_man_part(program, part);
		add_page(buf, program, after);
	}
	pl_buf_add_text(buf, ".fi\n");
}

void pl_man_add_program(struct pl_buf *buf, const char *program, const char *summary)
{
	add_head(buf, program, summary);
	add_text(buf, program);
	pl_buf_add_text(buf, " COMMAND [options]\n.fi\n.SH COMMANDS\n");
}

void pl_man_add_summary(struct pl_buf *buf, const char *name, const char *summary)
{
	pl_buf_addf(buf, ".TP\n.B %s\n", name);
	add_text(buf, summary);
	pl_buf_add_text(buf, "\n");
}

void pl_man_add_end(struct pl_buf *buf, const char *program, const char *const *pages)
{
	pl_buf_add_text(buf, ".SH SEE ALSO\n.nf\n");
	for (; *pages != NULL; pages++)
		add_page(buf, program, *pages);
	pl_buf_add_text(buf, ".fi\n");
}
