/*
 * stats_system.c - see stats_system.h.
 */
#include "app/commands/stats_system.h"

#include <inttypes.h>
#include <math.h>

#include "app/commands/json_members.h"
#include "target/ocaml_settings.h"
#include "print/number.h"

/* How a value is formatted. */
enum form { SECONDS, NUMBER, CORES };

/* The members of "system". */
static const struct {
	const char *name;
	enum system_value_id id;
	enum form form;
} members[] = {
    {"cpu_user_s", SYSTEM_CPU_USER, SECONDS},
    {"cpu_system_s", SYSTEM_CPU_SYSTEM, SECONDS},
    {"run_delay_s", SYSTEM_WAIT, SECONDS},
    {"switches_voluntary", SYSTEM_VOLUNTARY, NUMBER},
    {"switches_forced", SYSTEM_FORCED, NUMBER},
    {"faults_minor", SYSTEM_MINOR_FAULTS, NUMBER},
    {"faults_major", SYSTEM_MAJOR_FAULTS, NUMBER},
    {"resident_bytes", SYSTEM_RESIDENT, NUMBER},
    {"swap_bytes", SYSTEM_SWAP, NUMBER},
    {"cores", SYSTEM_CORES, CORES},
    {"throttled_s", SYSTEM_THROTTLED, SECONDS},
    {"memory_limit_bytes", SYSTEM_MEMORY_LIMIT, NUMBER},
};

static const enum ocaml_setting_id shown[] = {OCAML_S, OCAML_O, OCAML_D, OCAML_E};

static const char setting_letters[OCAML_SETTING_COUNT] = {
#define X(name, letter, least, most, text) [name] = letter,
    OCAML_SETTINGS(X)
#undef X
};

/* Print a member of "system". */
static void json_value(struct out *out, bool *first, const struct system_past *past, size_t i)
{
	uint64_t value;
	bool known = system_past_total(past, members[i].id, &value) && value != SYSTEM_NO_LIMIT;

	if (!known)
		out_member_text(out, first, members[i].name, NULL);
	else if (members[i].form == SECONDS)
		out_member_seconds(out, first, members[i].name, value);
	else if (members[i].form == CORES)
		out_member_number(out, first, members[i].name, (double)value / 1000);
	else
		out_member_unsigned(out, first, members[i].name, value);
}

/* Print the object of settings. */
static void json_settings(struct out *out, const struct ocaml_settings *settings)
{
	bool first = true;

	out_char(out, '{');
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		const struct ocaml_setting *setting = &settings->of[shown[i]];
		const char name[2] = {setting_letters[shown[i]], '\0'};
		bool inner = true;

		out_member(out, &first, name);
		out_char(out, '{');
		if (setting->from == OCAML_UNKNOWN)
			out_member_text(out, &inner, "value", NULL);
		else
			out_member_unsigned(out, &inner, "value", setting->value);
		out_member_text(out, &inner, "from", ocaml_origin_name(setting->from));
		out_char(out, '}');
	}
	out_char(out, '}');
}

void json_system(struct out *out, bool *first, const struct system_past *past)
{
	const struct ocaml_settings *settings = past != NULL ? system_past_settings(past) : NULL;
	bool inner = true;

	if (past == NULL || system_past_latest(past) == NULL) {
		out_member_text(out, first, "system", NULL);
	} else {
		out_member(out, first, "system");
		out_char(out, '{');
		for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
			json_value(out, &inner, past, i);
		out_char(out, '}');
	}
	if (settings == NULL) {
		out_member_text(out, first, "settings", NULL);
	} else {
		out_member(out, first, "settings");
		json_settings(out, settings);
	}
}

/* Print the growth of a counter of nanoseconds, in seconds. */
static void text_seconds(
    struct out *out, const struct system_past *past, const char *label, enum system_value_id id)
{
	uint64_t value;

	if (system_past_total(past, id, &value))
		out_format(out, "   %s %.3f s", label, (double)value / 1e9);
	else
		out_format(out, "   %s -", label);
}

/* Print the line about the process. */
static void text_process(struct out *out, const struct system_past *past)
{
	uint64_t user, system, cores, throttled, resident, limit, time;
	bool known = system_past_total(past, SYSTEM_CPU_USER, &user) &&
		     system_past_total(past, SYSTEM_CPU_SYSTEM, &system);

	time = system_past_time(past);
	if (known && time > 0)
		out_format(out, "cpu %.2f", ((double)user + (double)system) / (double)time);
	else
		out_text(out, "cpu -");
	if (system_past_total(past, SYSTEM_CORES, &cores))
		out_format(out, " of %.4g cores", (double)cores / 1000);
	text_seconds(out, past, "waited for one", SYSTEM_WAIT);
	if (system_past_total(past, SYSTEM_THROTTLED, &throttled) && throttled > 0)
		out_format(out, "   throttled %.3f s", (double)throttled / 1e9);
	known = system_past_total(past, SYSTEM_RESIDENT, &resident);
	out_format(out, "   resident %s", known ? format_bytes(resident).s : format_unknown().s);
	if (system_past_total(past, SYSTEM_MEMORY_LIMIT, &limit) && limit != SYSTEM_NO_LIMIT)
		out_format(out, " of %s", format_bytes(limit).s);
	out_char(out, '\n');
}

void text_system(struct out *out, const struct system_past *past)
{
	const struct ocaml_settings *settings = past != NULL ? system_past_settings(past) : NULL;

	if (past != NULL && system_past_latest(past) != NULL)
		text_process(out, past);
	if (settings == NULL)
		return;
	out_text(out, "settings");
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		const struct ocaml_setting *setting = &settings->of[shown[i]];

		if (setting->from == OCAML_UNKNOWN)
			out_format(out, "   %c -", setting_letters[shown[i]]);
		else
			out_format(out, "   %c=%s (%s)", setting_letters[shown[i]],
			    format_setting(setting->value).s, ocaml_origin_name(setting->from));
	}
	out_char(out, '\n');
}
