/*
 * pane_search.c - see pane_search.h.
 */
#include "ui/pane_search.h"

#include <stdlib.h>
#include <string.h>

#include "ui/widgets/user_text.h"

/* Parse a domain's name; false when the text is no name. */
static bool domain_named(const char *text, unsigned *domain)
{
	static const char *const before[] = {"domain ", "domain", "D", ""};
	const char *problem;

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		size_t len = strlen(before[i]);
		if (strncasecmp(text, before[i], len) != 0 || text[len] < '0' || text[len] > '9')
			continue;
		*domain = (unsigned)strtonum(text + len, 0, MODEL_DOMAINS_MAX - 1, &problem);
		return problem == NULL;
	}
	return false;
}

/* Return whether a domain has been in a phase whose name contains the text. */
static bool has_phase(const struct model_domain *d, const char *text)
{
	char name[RTEV_NAME_SIZE];

	for (size_t i = 0; i < d->phase_count; i++)
		if ((d->phases[i].count != 0 || d->phases[i].open != 0) &&
		    strcasestr(rtev_phase_name(d->phases[i].phase, name), text) != NULL)
			return true;
	return false;
}

/* Return whether a domain has written a user event whose name contains the text. */
static bool has_user(const struct model *m, unsigned domain, const char *text)
{
	for (size_t slot = 0; slot < model_user_slots(m); slot++) {
		char name[RTEV_USER_NAME_SIZE + 16];
		if (model_user(m, domain, slot) == NULL)
			continue;
		user_text_name(model_user_slot(m, slot), name, sizeof(name));
		if (strcasestr(name, text) != NULL)
			return true;
	}
	return false;
}

int pane_search(const struct subject *subject, const unsigned *domains, int count, int from, const char *text)
{
	const struct model *m = watch_model(subject->watch);
	unsigned named;

	for (int i = 0; domain_named(text, &named) && i < count; i++)
		if (domains[i] == named)
			return i;
	for (int i = 1; text[0] != '\0' && i <= count; i++) {
		int at = (from + i) % count;
		const struct model_domain *d = model_domain(m, domains[at]);
		if (d != NULL && (has_phase(d, text) || has_user(m, domains[at], text)))
			return at;
	}
	return -1;
}
