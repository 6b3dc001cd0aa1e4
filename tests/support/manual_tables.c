/*
 * manual_tables.c - print the tables of the program as one JSON object, for src/share/manual.py, which makes
 * manual pages and completions of them.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "advice/findings/findings.h"
#include "app/batch/batch.h"
#include "app/command_names.h"
#include "app/commands/commands.h"
#include "app/metrics/families.h"
#include "app/option_table.h"
#include "app/settings.h"
#include "app/top/top.h"
#include "fleet/fleet.h"
#include "record/flight.h"
#include "print/out.h"
#include "rtev/events.h"
#include "rtev/rtev.h"
#include "ui/actions.h"
#include "ui/ui.h"

/* Print a member: a string, or null. */
static void put_text(struct out *out, const char *key, const char *value, const char *after)
{
	out_format(out, "\"%s\": ", key);
	if (value != NULL)
		out_json_string(out, value, strlen(value));
	else
		out_text(out, "null");
	out_text(out, after);
}

/* Print a member: a list of the options in a set. */
static void put_options(struct out *out, const char *key, uint64_t set, const char *after)
{
	bool any = false;

	out_format(out, "\"%s\": [", key);
	for (int o = 0; o < OPTION_COUNT; o++) {
		char name[OPTION_NAME_SIZE];
		if ((set & UINT64_C(1) << o) == 0)
			continue;
		option_name((enum option_number)o, name);
		out_format(out, "%s\"%s\"", any ? ", " : "", name);
		any = true;
	}
	out_format(out, "]%s", after);
}

static void put_commands(struct out *out)
{
	const struct command *c;

	out_text(out, "\"commands\": [\n");
	for (size_t i = 0; (c = command_at(i)) != NULL; i++) {
		uint64_t always = UINT64_C(1) << OPTION_help | UINT64_C(1) << OPTION_version;
		out_text(out, i > 0 ? ",\n{" : "{");
		put_text(out, "name", c->name, ", ");
		put_text(out, "synopsis", c->synopsis, ", ");
		put_text(out, "purpose", c->purpose, ", ");
		put_text(out, "about", c->about, ", ");
		put_text(out, "example", c->example, ", ");
		put_text(out, "effect", c->effect, ", ");
		put_text(out, "statuses", c->statuses, ", ");
		put_text(out, "word", c->word, ", ");
		put_options(out, "options", c->options | always, ", ");
		put_options(out, "demo_options", c->demo_options, ", ");
		put_options(out, "batch_options", c->batch_options, ", ");
		bool any = false;
		out_text(out, "\"help\": {");
		for (int o = 0; o < OPTION_COUNT; o++) {
			char name[OPTION_NAME_SIZE];
			if (c->help[o] == NULL)
				continue;
			option_name((enum option_number)o, name);
			out_text(out, any ? ", " : "");
			put_text(out, name, c->help[o], "");
			any = true;
		}
		out_text(out, "}, ");
		out_format(out, "\"words\": %d, ", c->word == NULL ? 0 : c->words != 0 ? c->words : 1);
		out_format(out, "\"target\": %d, \"memtrace\": %d, \"records\": %d, \"runs\": %d}", c->target,
		    c->memtrace, c->records && !c->own_output, c->target && !c->no_command);
	}
	out_text(out, "],\n");
}

/* Print the words that an option's argument may be. */
static void put_values(struct out *out, enum option_number number)
{
	static const enum ui_view sorted[] = {VIEW_DOMAINS, VIEW_SITES, VIEW_CHOOSE};
	const char *name;
	bool any = false;

	out_text(out, "\"values\": [");
	for (size_t v = 0; number == OPTION_sort && v < sizeof(sorted) / sizeof(sorted[0]); v++)
		for (int c = 0; (name = ui_sort_name(sorted[v], c)) != NULL; c++) {
			if (*name == '\0')
				continue; /* a column without a title cannot be named */
			out_format(out, "%s[\"%s\", \"%s\"]", any ? ", " : "", name, view_title(sorted[v]));
			any = true;
		}
	for (int r = RTEV_RELEASE_UNKNOWN + 1; number == OPTION_ocaml && r < RTEV_RELEASE_COUNT; r++)
		if (rtev_release_from_version(rtev_release_name((enum rtev_release)r)) ==
		    (enum rtev_release)r) {
			out_format(out, "%s[\"%s\", \"\"]", any ? ", " : "",
			    rtev_release_name((enum rtev_release)r));
			any = true;
		}
	if (number == OPTION_format)
		for (size_t f = 0; option_formats[f] != NULL; f++)
			out_format(out, "%s[\"%s\", \"\"]", f > 0 ? ", " : "", option_formats[f]);
	out_text(out, "]");
}

static void put_option_table(struct out *out)
{
	static const char *const arguments[] = {
	    [no_argument] = "none", [required_argument] = "required", [optional_argument] = "optional"};

	out_text(out, "\"options\": [\n");
	for (int o = 0; o < OPTION_COUNT; o++) {
		const struct option_row *row = &option_table[o];
		char name[OPTION_NAME_SIZE], letter[2] = {row->letter, '\0'};
		option_name((enum option_number)o, name);
		out_text(out, o > 0 ? ",\n{" : "{");
		put_text(out, "name", name, ", ");
		put_text(out, "letter", row->letter != 0 ? letter : NULL, ", ");
		put_text(out, "argument", arguments[row->argument], ", ");
		put_text(out, "value", row->value, ", ");
		put_text(out, "help", row->help, ", ");
		put_values(out, (enum option_number)o);
		out_text(out, "}");
	}
	out_text(out, "],\n");
}

static void put_actions(struct out *out)
{
	out_text(out, "\"views\": [");
	for (int v = 0; v < VIEW_COUNT; v++)
		out_format(out, "%s\"%s\"", v > 0 ? ", " : "", view_title((enum ui_view)v));
	out_text(out, "],\n\"actions\": [\n");
	for (int a = 0; a < ACTION_COUNT; a++) {
		const struct action_info *info = action_info((enum ui_action)a);
		out_text(out, a > 0 ? ",\n{\"keys\": [" : "{\"keys\": [");
		for (int k = 0; k < 3; k++) {
			struct key_name name = ui_key_name(info->keys[k]);
			if (name.s[0] == '\0')
				continue;
			out_text(out, k > 0 ? ", " : "");
			out_json_string(out, name.s, strlen(name.s));
		}
		out_format(
		    out, "], \"views\": %u, \"replay\": %d, ", info->views, top_replay_handlers[a] != NULL);
		put_text(out, "help", info->help, "}");
	}
	out_text(out, "],\n");
}

static void put_findings(struct out *out)
{
	static const struct rule *const rules[] = {
#define ROW(name) &rule_##name,
	    FINDINGS(ROW)
#undef ROW
	};

	out_text(out, "\"findings\": [\n");
	for (size_t f = 0; f < sizeof(rules) / sizeof(rules[0]); f++) {
		out_text(out, f > 0 ? ",\n{" : "{");
		put_text(out, "name", rules[f]->name, ", ");
		put_text(out, "question", rules[f]->question, "}");
	}
	out_text(out, "],\n");
}

/* Print the heads of all families of metrics. */
static bool put_metrics(struct out *out)
{
	static struct out heads;
	const struct fleet_options fleet_options = {.window = 1};
	const struct metrics_options options = {.by_domain = true, .user_events = true};
	struct fleet *fleet;

	if (fleet_create(&fleet, &fleet_options) != 0)
		return false;
	out_init(&heads, -1);
	metrics_print(&heads, fleet, &options);
	fleet_destroy(fleet);
	out_text(out, "\"metrics\": ");
	out_json_string(out, heads.buffer, heads.used);
	out_text(out, ",\n");
	return heads.error == 0;
}

static void put_columns(struct out *out)
{
	const char *text, *json, *key;

	out_text(out, "\"settings\": [");
	for (size_t i = 0; (key = settings_key(i)) != NULL; i++)
		out_format(out, "%s\"%s\"", i > 0 ? ", " : "", key);
	out_text(out, "],\n\"columns\": [");
	for (size_t i = 0; batch_column(i, &text, &json); i++)
		out_format(out, "%s[\"%s\", \"%s\"]", i > 0 ? ", " : "", text, json);
	out_text(out, "],\n\"states\": [");
	for (int s = 0; s < FLEET_STATE_COUNT; s++)
		out_format(out, "%s\"%s\"", s > 0 ? ", " : "", fleet_state_name((enum fleet_state)s));
	out_text(out, "],\n");
}

int main(void)
{
	static struct out out;

	out_init(&out, STDOUT_FILENO);
	out_text(&out, "{");
	put_commands(&out);
	put_option_table(&out);
	put_actions(&out);
	put_findings(&out);
	put_columns(&out);
	if (!put_metrics(&out))
		return 1;
	out_format(&out, "\"flight\": {\"before\": %u, \"after\": %u, \"rate\": %u},\n",
	    (unsigned)(FLIGHT_BEFORE_NS / 1000000000u), (unsigned)(FLIGHT_AFTER_NS / 1000000000u),
	    (unsigned)(FLIGHT_RATE_NS / 1000000000u));
	put_text(&out, "version", rtev_version(), "}\n");
	return out_flush(&out) != 0;
}
