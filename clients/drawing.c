#include "clients/drawing.h"

#include "clients/ask.h"
#include "proto/base/assert.h"

bool cl_drawing_is_stdout(const struct cl_options *options, enum cl_option option)
{
	return cl_given(options, option) && !strcmp(options->text[option], "-");
}

int cl_drawing_check(const struct cl_options *options, enum cl_option option, struct pd_fail *fail)
{
	const char *name = cl_option_info(option)->name;
	return cl_drawing_is_stdout(options, option) && cl_given(options, CL_OPT_JSON)
		       ? pd_fail_set(fail, PD_E_USAGE, name, "--%s - and --json both write to stdout", name)
		       : PD_OK;
}

int cl_drawing_write(const struct cl_options *options, enum cl_option option, const char *text, struct pd_fail *fail)
{
	const char *name = options->text[option];
	PD_ASSERT(name);
	FILE *file = cl_drawing_is_stdout(options, option) ? stdout : fopen(name, "w");
	size_t size = strlen(text);
	bool good = file && fwrite(text, 1, size, file) == size;
	if (file && file != stdout && fclose(file))
		good = false;
	return good ? PD_OK : pd_fail_errno(fail, cl_option_info(option)->name, "write", name);
}

enum { FRAMES_MAX = 200, BYTES_MAX = 64 << 20, ACROSS = 4, CAPTION = 30 /* pixels above a board */ };

static const char opening[] = "<svg ";

/* A document of many boards. */
struct sheet {
	const char *game, *position; /* where the line begins */
	struct cl_link *link;
	pr_ref moves;
	unsigned count;
	char *board[FRAMES_MAX]; /* drawings, owned */
	double width, height;    /* of the largest */
};

static double read_attribute(const char *svg, const char *name)
{
	const char *at = strstr(svg, name);
	return at ? strtod(at + strlen(name), NULL) : 0;
}

/* Draws the next board: the position after `count` moves. */
static int draw_board(struct sheet *s, struct pd_fail *fail)
{
	struct cl_json params;
	pr_ref shown;
	cl_json_begin(&params);
	pr_members(&params.out, PR_S("game", s->game), PR_S("position", s->position), PR_B("svg", true));
	pr_open_array(&params.out, "moves");
	for (unsigned i = 0; i < s->count; i++)
		pr_str(&params.out, NULL, pr_text(pr_at(s->moves, i), ""));
	pr_close(&params.out);
	int rc = cl_json_call(&params, s->link, "position.show", &shown, fail);
	if (rc)
		return rc;
	const char *svg = pr_get_str(shown, "svg", "");
	double width = read_attribute(svg, " width=\""), height = read_attribute(svg, " height=\"") + CAPTION;
	if (strncmp(svg, opening, sizeof opening - 1) != 0)
		rc = pd_fail_set(fail, PD_E_INTERNAL, "svg", "the server sent no drawing");
	else if (!(s->board[s->count] = strdup(svg)))
		rc = cl_no_memory(fail);
	else
		s->count++;
	s->width = width > s->width ? width : s->width;
	s->height = height > s->height ? height : s->height;
	return rc;
}

static void put_board(const struct sheet *s, unsigned frame, struct pd_buf *out)
{
	char caption[96] = "";
	double x = s->width * (frame % ACROSS), y = s->height * (frame / ACROSS);
	if (frame)
		snprintf(caption, sizeof caption, "%u. %.64s", frame, pr_text(pr_at(s->moves, frame - 1), ""));
	for (char *p = caption; *p; p++) /* no game has moves with these characters */
		if (strchr("<>&", *p))
			*p = '?';
	pd_buf_printf(out, "<text x=\"%.0f\" y=\"%.0f\" font-size=\"18\" fill=\"#2b2722\">%s</text>\n", x + CAPTION,
		      y + CAPTION - 6, caption);
	pd_buf_printf(out, "<svg x=\"%.0f\" y=\"%.0f\" ", x, y + CAPTION);
	pd_buf_puts(out, s->board[frame] + sizeof opening - 1);
}

static void put_sheet(const struct sheet *s, struct pd_buf *out)
{
	unsigned across = s->count < ACROSS ? s->count : ACROSS, down = (s->count + ACROSS - 1) / ACROSS;
	double width = s->width * across, height = s->height * down;
	PD_ASSERT(s->count);
	pd_buf_printf(out,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
		      "height=\"%.0f\" font-family=\"DejaVu Sans, sans-serif\">\n<rect width=\"%.0f\" "
		      "height=\"%.0f\" fill=\"#fffdf9\"/>\n",
		      width, height, width, height, width, height);
	for (unsigned frame = 0; frame < s->count; frame++)
		put_board(s, frame, out);
	pd_buf_puts(out, "</svg>\n");
}

int cl_drawing_line(const struct cl_options *options, struct cl_link *link, pr_ref line, struct pd_fail *fail)
{
	struct sheet s = {options->words[0], pr_get_str(line, "position", ""), link, pr_get(line, "line")};
	size_t boards = pr_count(s.moves) + 1;
	struct pd_buf out;
	int rc = PD_OK;
	pd_buf_init(&out, BYTES_MAX);
	while (!rc && s.count < boards && s.count < FRAMES_MAX)
		rc = draw_board(&s, fail);
	if (!rc) {
		put_sheet(&s, &out);
		rc = out.failed ? cl_no_memory(fail) : cl_drawing_write(options, CL_OPT_SVG, out.data, fail);
	}
	while (s.count)
		free(s.board[--s.count]);
	pd_buf_fini(&out);
	return rc;
}
