#include "io/http_head.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

struct parse {
	enum io_http_kind kind;
	char *at;
	char *end;
	struct io_http_header *headers;
	struct io_http_head head;
	bool folds; /* a header may continue on the next line */
	bool has_coding;
	bool says_close;
	bool says_keep_alive;
	struct pl_err *err;
};

static int PL_PRINTF(2, 3) fail(struct parse *parse, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return io_http_fail(parse->kind, parse->err, text);
}

/* RFC 9110, 5.6.2. */
static bool is_token_char(unsigned char c)
{
	if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
		return true;
	return c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL;
}

static bool is_token(const char *text)
{
	if (*text == '\0')
		return false;
	for (; *text != '\0'; text++) {
		if (!is_token_char((unsigned char)*text))
			return false;
	}
	return true;
}

/*
 * Returns the LF that ends the header at `line`, or NULL. In a response, a header continues if the
 * next line begins with white space, and the line break counts as blanks: RFC 9112, 5.2. In a
 * request that is an error.
 */
static char *line_end(const struct parse *parse, char *line)
{
	char *lf = memchr(line, '\n', (size_t)(parse->end - line));

	while (parse->folds && lf != NULL && lf + 1 < parse->end &&
	       (lf[1] == ' ' || lf[1] == '\t')) {
		if (lf > line && lf[-1] == '\r')
			lf[-1] = ' ';
		*lf = ' ';
		lf = memchr(lf, '\n', (size_t)(parse->end - lf));
	}
	return lf;
}

/* Cuts the next line in place, without its CRLF or LF; a CR elsewhere is a control byte. */
static int next_line(struct parse *parse, char **ret_line)
{
	char *line = parse->at;
	char *lf = line_end(parse, line);

	if (lf == NULL)
		return fail(parse, "the head is incomplete");
	parse->at = lf + 1;
	if (lf > line && lf[-1] == '\r')
		lf--;
	/*
	 * A bare CR, a NUL or an escape in a head can make two parsers see different messages:
	 * rejected everywhere.
	 */
	for (const char *c = line; c < lf; c++) {
		if (io_http_is_control((unsigned char)*c))
			return fail(parse, "control byte 0x%02x in the head",
				    (unsigned)(unsigned char)*c);
	}
	*lf = '\0';
	*ret_line = line;
	return 0;
}

/* "HTTP/1.1" of exactly 8 bytes. */
static int parse_version(struct parse *parse, const char *text, size_t len)
{
	bool shaped = len == 8 && memcmp(text, "HTTP/", 5) == 0 && text[6] == '.';

	if (!shaped || text[5] < '0' || text[5] > '9' || text[7] < '0' || text[7] > '9')
		return fail(parse, "the HTTP version is missing or malformed");
	if (text[5] != '1')
		return fail(parse, "HTTP version '%.3s' is not supported", text + 5);
	parse->head.minor_version = text[7] - '0';
	return 0;
}

static int parse_request_line(struct parse *parse, char *line)
{
	char *target = strchr(line, ' ');
	char *version = target != NULL ? strchr(target + 1, ' ') : NULL;

	if (version == NULL)
		return fail(parse, "the request line does not have three parts");
	*target++ = '\0';
	*version++ = '\0';
	if (!is_token(line))
		return fail(parse, "the method is missing or malformed");
	if (*target == '\0')
		return fail(parse, "empty target");
	for (const char *c = target; *c != '\0'; c++) {
		if (*c <= ' ' || *c > '~')
			return fail(parse, "the target contains an invalid byte");
	}
	parse->head.method = line;
	parse->head.target = target;
	return parse_version(parse, version, strlen(version));
}

static int parse_status_line(struct parse *parse, char *line)
{
	size_t len = strlen(line);
	int status = 0;

	if (parse_version(parse, line, len < 8 ? len : 8) < 0)
		return -1;
	if (len < 12 || line[8] != ' ' || (len > 12 && line[12] != ' '))
		return fail(parse, "malformed status line");
	for (int i = 9; i < 12; i++) {
		if (line[i] < '0' || line[i] > '9')
			return fail(parse, "malformed status code");
		status = status * 10 + (line[i] - '0');
	}
	if (status < 100)
		return fail(parse, "status %d", status);
	parse->head.status = status;
	parse->head.reason = len > 12 ? line + 13 : line + 12;
	return 0;
}

/* Digits only: no sign, no white space, nothing beyond int64. */
static bool parse_length(const char *text, int64_t *ret)
{
	int64_t value = 0;

	if (*text == '\0')
		return false;
	for (; *text != '\0'; text++) {
		if (*text < '0' || *text > '9' || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, *text - '0', &value))
			return false;
	}
	*ret = value;
	return true;
}

/* Returns whether `word` is one of the comma-separated words of `list`. */
static bool list_has(const char *list, const char *word)
{
	size_t word_len = strlen(word);

	while (*list != '\0') {
		list += strspn(list, " \t,");
		size_t len = strcspn(list, ",");
		size_t retained = len;
		while (retained > 0 && (list[retained - 1] == ' ' || list[retained - 1] == '\t'))
			retained--;
		if (retained == word_len && strncasecmp(list, word, word_len) == 0)
			return true;
		list += len;
	}
	return false;
}

/*
 * Repeating the same length is allowed (RFC 9110, 8.6); two different ones indicate request
 * smuggling.
 */
static int note_length(struct parse *parse, const char *value)
{
	int64_t length;

	if (!parse_length(value, &length))
		return fail(parse, "invalid content-length '%.64s'", value);
	if (parse->head.content_length >= 0 && parse->head.content_length != length)
		return fail(parse, "two different values of content-length");
	parse->head.content_length = length;
	return 0;
}

static int note_header(struct parse *parse, const struct io_http_header *header)
{
	if (strcasecmp(header->name, "content-length") == 0)
		return note_length(parse, header->value);
	if (strcasecmp(header->name, "transfer-encoding") == 0) {
		if (parse->has_coding)
			return fail(parse, "more than one transfer-encoding");
		parse->has_coding = true;
		/*
		 * No other coding was requested (no TE header is sent), and "gzip, chunked" would have to
		 * be decompressed: reject it instead of misreading it.
		 */
		parse->head.chunked = strcasecmp(header->value, "chunked") == 0;
		if (!parse->head.chunked)
			return fail(parse, "unsupported transfer-encoding '%.64s'", header->value);
		return 0;
	}
	if (strcasecmp(header->name, "connection") == 0) {
		parse->says_close |= list_has(header->value, "close");
		parse->says_keep_alive |= list_has(header->value, "keep-alive");
	}
	return 0;
}

/*
 * White space before the colon fails with the name: RFC 9112, 5.1 forbids it for the smuggling
 * that it makes possible.
 */
static int parse_header(struct parse *parse, char *line, struct io_http_header *ret)
{
	char *colon = strchr(line, ':');

	if (*line == ' ' || *line == '\t')
		return fail(parse, "a header line begins with a space or tab");
	if (colon == NULL)
		return fail(parse, "a header line has no colon");
	*colon = '\0';
	if (!is_token(line))
		return fail(parse, "'%.64s' is not a valid header name", line);
	char *value = colon + 1;
	value += strspn(value, " \t");
	size_t len = strlen(value);
	while (len > 0 && (value[len - 1] == ' ' || value[len - 1] == '\t'))
		len--;
	value[len] = '\0';
	*ret = (struct io_http_header){ .name = line, .value = value };
	return 0;
}

static int parse_headers(struct parse *parse)
{
	size_t count = 0;
	char *line;

	/* before the first header there is nothing to continue */
	parse->folds = parse->kind == IO_HTTP_RESPONSE;
	for (;;) {
		if (next_line(parse, &line) < 0)
			return -1;
		if (*line == '\0')
			break;
		if (count == IO_HTTP_HEADERS_MAX)
			return fail(parse, "more than %d headers", IO_HTTP_HEADERS_MAX);
		struct io_http_header *header = &parse->headers[count++];
		if (parse_header(parse, line, header) < 0 || note_header(parse, header) < 0)
			return -1;
	}
	parse->head.headers = parse->headers;
	parse->head.header_count = count;
	/*
	 * RFC 9112, 6.1 and 6.3: a message with both is an attack or broken, because parsers differ
	 * in which one counts.
	 */
	if (parse->has_coding && parse->head.content_length >= 0)
		return fail(parse, "content-length and transfer-encoding together");
	if (parse->has_coding && parse->head.minor_version == 0)
		return fail(parse, "transfer-encoding in HTTP/1.0");
	return 0;
}

int io_http_head_parse(enum io_http_kind kind, char *text, size_t len,
		       struct io_http_header *headers, struct io_http_head *ret, struct pl_err *err)
{
	struct parse parse = { .kind = kind,
			       .at = text,
			       .end = text + len,
			       .headers = headers,
			       .head.content_length = -1,
			       .err = err };
	char *line;
	int rc = next_line(&parse, &line);

	if (rc == 0 && kind == IO_HTTP_REQUEST)
		rc = parse_request_line(&parse, line);
	else if (rc == 0)
		rc = parse_status_line(&parse, line);
	if (rc < 0 || parse_headers(&parse) < 0)
		return -1;
	/* Connections are persistent since HTTP/1.1 unless the head declines; in 1.0 it must ask. */
	parse.head.keep_alive = !parse.says_close &&
				(parse.head.minor_version > 0 || parse.says_keep_alive);
	*ret = parse.head;
	return 0;
}

int io_http_fail(enum io_http_kind kind, struct pl_err *err, const char *text)
{
	return pl_err_set(err, PL_ERR_NETWORK, "malformed HTTP %s: %s",
			  kind == IO_HTTP_REQUEST ? "request" : "response", text);
}

const char *io_http_header_get(const struct io_http_head *head, const char *name)
{
	for (size_t i = 0; i < head->header_count; i++) {
		if (strcasecmp(head->headers[i].name, name) == 0)
			return head->headers[i].value;
	}
	return NULL;
}
