/*
 * code.c - see code.h.
 */
#include "code/code.h"

const char *code_end_text(enum code_end end)
{
	static const char *const texts[] = {
#define X(id, text) [CODE_##id] = text,
	    CODE_ENDS(X)
#undef X
	};
	return texts[end];
}
