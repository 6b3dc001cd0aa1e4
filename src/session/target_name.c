/*
 * target_name.c - parse a TARGET.
 */
#include "session/target_name.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool target_name_parse(struct target_name *out, const char *text)
{
	const char *problem;
	struct stat st;

	*out = (struct target_name){.kind = TARGET_FILE, .path = text};
	if (text[0] != '\0' && text[strspn(text, "0123456789")] == '\0') {
		out->kind = TARGET_PID;
		out->pid = strtonum(text, 1, INT32_MAX, &problem);
		return problem == NULL;
	}
	const char *colon = strrchr(text, ':');
	if (colon == NULL || colon == text || colon[1] == '\0' ||
	    colon[1 + strspn(colon + 1, "0123456789")] != '\0' || stat(text, &st) == 0)
		return text[0] != '\0';
	if ((size_t)(colon - text) >= sizeof(out->dir))
		return false;
	out->kind = TARGET_DIR_PID;
	memcpy(out->dir, text, (size_t)(colon - text));
	out->pid = strtonum(colon + 1, 1, INT32_MAX, &problem);
	return problem == NULL;
}
