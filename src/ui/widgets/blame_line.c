/* blame_line.c - see blame_line.h. */
#include "ui/widgets/blame_line.h"

#include "canvas/text.h"

/* The words before the names in a form; NULL leaves the name out. */
struct form {
	const char *late, *hit;
	int least;	 /* columns of a shortened name */
	bool hit_domain; /* `hit` is followed by the waiting domain */
	bool domain;	 /* the sentence begins with the domain */
};

/* Format the text in a form, with names shortened to `name_cols` columns.  Returns the columns that it
 * takes. */
static int put(const struct blame_words *w, const struct form *form, enum glyph_level level, int name_cols,
    char *buf, size_t size)
{
	const char *waited = w->waited;
	char late[TEXT_NAME], hit[TEXT_NAME], domain[24] = "";
	bool has_late = form->late != NULL && w->late[0] != '\0',
	     has_hit = form->hit != NULL && w->hit[0] != '\0';

	if (!form->domain && waited[0] != '\0')
		waited = strchr(waited, ' ') + 1;
	if (form->hit_domain)
		snprintf(domain, sizeof(domain), "D%u in ", w->domain);
	snprintf(buf, size, "%s%s%s%s%s%s", waited, has_late ? form->late : "",
	    has_late ? text_elide(level, w->late, name_cols, late, sizeof(late)) : "",
	    has_hit ? w->waited[0] != '\0' ? form->hit : "in " : "",
	    has_hit && w->waited[0] != '\0' ? domain : "",
	    has_hit ? text_elide(level, w->hit, name_cols, hit, sizeof(hit)) : "");
	return text_width(level, buf);
}

bool blame_line(const struct blame_words *words, enum glyph_level level, int cols, char *buf, size_t size)
{
	static const struct form forms[] = {{", which was in ", "; ", 16, true, true},
	    {", which was in ", "; in ", 12, false, true}, {" in ", "; in ", 12, false, true},
	    {" in ", "; in ", 9, false, false}, {" in ", NULL, 9, false, false}, {NULL, NULL, 0, false, true},
	    {NULL, NULL, 0, false, false}};
	enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

	int late = text_width(level, words->late), hit = text_width(level, words->hit),
	    longest = late > hit ? late : hit;

	for (int i = 0; i < FORMS; i++) {
		int names = TEXT_NAME, width = put(words, &forms[i], level, names, buf, size);
		/* The longer name is shortened first. */
		while (width > cols && names > forms[i].least) {
			names = (names < longest ? names : longest) - (width - cols + 1) / 2;
			names = names > forms[i].least ? names : forms[i].least;
			width = put(words, &forms[i], level, names, buf, size);
		}
		if (width <= cols)
			break;
	}
	return buf[0] != '\0';
}
