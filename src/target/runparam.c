/*
 * runparam.c - parse OCAMLRUNPARAM.
 */
#include "target/runparam.h"

#include "target/numbers.h"

#define PAGE_WORDS UINT64_C(512)
#define MINOR_LEAST UINT64_C(257) /* the largest small block and its header */

const struct runparam_letter runparam_letters[OCAML_SETTING_COUNT] = {
#define X(name, letter, least, most, text) [name] = {letter, least, most},
    OCAML_SETTINGS(X)
#undef X
};

uint64_t runparam_normal(enum ocaml_setting_id id, uint64_t value)
{
	switch (id) {
	case OCAML_S:
		value = value < MINOR_LEAST ? MINOR_LEAST : value;
		return value > UINT64_MAX - PAGE_WORDS ? value
						       : (value + PAGE_WORDS - 1) / PAGE_WORDS * PAGE_WORDS;
	case OCAML_O:
	case OCAML_CUSTOM_MAJOR:
	case OCAML_CUSTOM_MINOR:
		return value < 1 ? 1 : value;
	default:
		return value;
	}
}

/* Parse a hexadecimal number after 0x. */
static bool take_hex(struct piece *text, uint64_t *out)
{
	bool any = false;

	for (*out = 0; text->at < text->end; text->at++, any = true) {
		char c = *text->at;
		unsigned digit;

		if (c >= '0' && c <= '9')
			digit = (unsigned)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			digit = (unsigned)((c | 0x20) - 'a') + 10;
		else
			break;
		if (*out > UINT64_MAX >> 4)
			return false;
		*out = *out << 4 | digit;
	}
	return any;
}

/* Parse the value after a letter.  Returns false if it is out of range or has a sign. */
static bool take_value(struct piece text, uint64_t *out)
{
	*out = 1;
	if (!piece_skip(&text, "="))
		return true;
	if (piece_skip(&text, "0x")) {
		if (!take_hex(&text, out))
			return false;
	} else {
		skip_blanks(&text.at, text.end);
		if (text.at == text.end)
			return true;
		if (*text.at == '-' || *text.at == '+')
			return false;
		if (*text.at < '0' || *text.at > '9')
			return true; /* the runtime takes 1 if there is no number */
		if (!take_number(&text.at, text.end, out))
			return false;
	}
	if (*out > UINT32_MAX)
		return false;
	if (piece_skip(&text, "k"))
		*out <<= 10;
	else if (piece_skip(&text, "M"))
		*out <<= 20;
	else if (piece_skip(&text, "G"))
		*out <<= 30;
	return true;
}

void runparam_parse(const char *text, size_t len, enum ocaml_origin from, struct ocaml_settings *out)
{
	struct piece all = {text, text + len}, one;

	while (take_until(&all, ',', &one)) {
		if (one.at == one.end)
			continue;
		char letter = *one.at++;
		for (unsigned i = 0; i < OCAML_SETTING_COUNT; i++) {
			const struct runparam_letter *known = &runparam_letters[i];
			uint64_t value;

			if (known->letter != letter)
				continue;
			out->of[i] = (struct ocaml_setting){0, OCAML_UNKNOWN};
			if (!take_value(one, &value))
				continue;
			value = runparam_normal(i, value);
			if (value >= known->least && value <= known->most)
				out->of[i] = (struct ocaml_setting){value, from};
		}
	}
}
