/*
 * manual_tables.c - print the tables of the program as one JSON object, for src/share/manual.py, which makes
 * manual pages and completions of them.
 */
#include <getopt.h>
#include <unistd.h>

#include "advice/findings/findings.h"
#include "app/batch/batch.h"
#include "app/commands/commands.h"
#include "app/metrics/families.h"
#include "app/settings.h"
#include "fleet/fleet.h"
#include "record/flight.h"
#include "print/json.h"
#include "rtev/events.h"
#include "rtev/rtev.h"
#include "ui/actions.h"
#include "ui/ui.h"

/* Print a list of the options in a set. */
static void put_options(struct json *j, const char *key, uint64_t set)
{
	json_begin_array(j, key);
	for (int o = 0; o < OPTION_COUNT; o++) {
		if ((set & UINT64_C(1) << o) == 0)
			continue;
		json_put_text(j, NULL, option_name((enum option_number)o));
	}
	json_end(j);
}

static void put_commands(struct json *j)
{
	const struct command *c;

	json_begin_array(j, "commands");
	for (size_t i = 0; (c = command_at(i)) != NULL; i++) {
		uint64_t always = UINT64_C(1) << OPTION_help | UINT64_C(1) << OPTION_version;
		json_begin_object(j, NULL);
		json_put_text(j, "name", c->name);
		json_put_text(j, "synopsis", c->synopsis);
		json_put_text(j, "purpose", c->purpose);
		json_put_text(j, "about", c->about);
		json_put_text(j, "example", c->example);
		json_put_text(j, "effect", c->effect);
		json_put_text(j, "statuses", c->statuses);
		json_put_text(j, "word", c->word);
		put_options(j, "options", c->options | always);
		put_options(j, "demo_options", c->demo_options);
		put_options(j, "batch_options", c->batch_options);
		json_begin_object(j, "help");
		for (int o = 0; o < OPTION_COUNT; o++) {
			if (c->help[o] == NULL)
				continue;
			json_put_text(j, option_name((enum option_number)o), c->help[o]);
		}
		json_end(j);
		json_put_signed(j, "words", c->word == NULL ? 0 : c->words != 0 ? c->words : 1);
		json_put_bool(j, "target", c->target);
		json_put_bool(j, "memtrace", c->memtrace);
		json_put_bool(j, "records", c->records && !c->own_output);
		json_put_bool(j, "runs", c->target && !c->no_command);
		json_end(j);
	}
	json_end(j);
}

/* Print two texts as an array. */
static void put_pair(struct json *j, const char *first, const char *second)
{
	json_begin_array(j, NULL);
	json_put_text(j, NULL, first);
	json_put_text(j, NULL, second);
	json_end(j);
}

/* Print the words that an option's argument may be. */
static void put_values(struct json *j, enum option_number number)
{
	static const enum ui_view sorted[] = {VIEW_DOMAINS, VIEW_SITES, VIEW_OVERVIEW};
	const char *name;

	json_begin_array(j, "values");
	for (size_t v = 0; number == OPTION_sort && v < sizeof(sorted) / sizeof(sorted[0]); v++)
		for (int c = 0; (name = ui_sort_name(sorted[v], c)) != NULL; c++)
			if (*name != '\0') /* a column without a title cannot be named */
				put_pair(j, name, view_title(sorted[v]));
	for (int r = RTEV_RELEASE_UNKNOWN + 1; number == OPTION_ocaml && r < RTEV_RELEASE_COUNT; r++) {
		name = rtev_release_name((enum rtev_release)r);
		if (rtev_release_from_version(name) == (enum rtev_release)r)
			put_pair(j, name, "");
	}
	const char *const *choices = option_choices(number);
	for (size_t f = 0; choices != NULL && choices[f] != NULL; f++)
		put_pair(j, choices[f], "");
	json_end(j);
}

static void put_option_table(struct json *j)
{
	static const char *const arguments[] = {
	    [no_argument] = "none", [required_argument] = "required", [optional_argument] = "optional"};

	json_begin_array(j, "options");
	for (int o = 0; o < OPTION_COUNT; o++) {
		const struct option_row *row = &option_table[o];
		char letter[2] = {row->letter, '\0'};
		json_begin_object(j, NULL);
		json_put_text(j, "name", option_name((enum option_number)o));
		json_put_text(j, "letter", row->letter != 0 ? letter : NULL);
		json_put_text(j, "argument", arguments[option_argument((enum option_number)o)]);
		json_put_text(j, "value", row->value);
		json_put_text(j, "help", row->help);
		put_values(j, (enum option_number)o);
		json_end(j);
	}
	json_end(j);
}

static void put_actions(struct json *j)
{
	json_begin_array(j, "views");
	for (int v = 0; v < VIEW_COUNT; v++)
		json_put_text(j, NULL, view_title((enum ui_view)v));
	json_end(j);
	json_begin_array(j, "actions");
	for (int a = 0; a < ACTION_COUNT; a++) {
		const struct action_info *info = action_info((enum ui_action)a);
		json_begin_object(j, NULL);
		json_begin_array(j, "keys");
		for (int k = 0; k < 3; k++) {
			struct key_name name = ui_key_name(info->keys[k]);
			if (name.s[0] != '\0')
				json_put_text(j, NULL, name.s);
		}
		json_end(j);
		json_put_unsigned(j, "views", info->views);
		json_put_text(j, "mode",
		    (info->modes & UI_MODE_LIVE) != 0	  ? "live"
		    : (info->modes & UI_MODE_REPLAY) != 0 ? "replay"
							  : "frozen");
		json_put_text(j, "help", info->help);
		json_end(j);
	}
	json_end(j);
}

static void put_findings(struct json *j)
{
	static const struct rule *const rules[] = {
#define ROW(name) &rule_##name,
	    FINDINGS(ROW)
#undef ROW
	};

	json_begin_array(j, "findings");
	for (size_t f = 0; f < sizeof(rules) / sizeof(rules[0]); f++) {
		json_begin_object(j, NULL);
		json_put_text(j, "name", rules[f]->name);
		json_put_text(j, "question", rules[f]->question);
		json_end(j);
	}
	json_end(j);
}

/* Print the heads of all families of metrics. */
static bool put_metrics(struct json *j)
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
	out_char(&heads, '\0');
	json_put_text(j, "metrics", heads.buffer);
	return heads.error == 0;
}

static void put_columns(struct json *j)
{
	const char *text, *json, *key;

	json_begin_array(j, "settings");
	for (size_t i = 0; (key = settings_key(i)) != NULL; i++)
		json_put_text(j, NULL, key);
	json_end(j);
	json_begin_array(j, "columns");
	for (size_t i = 0; batch_column(i, &text, &json); i++)
		put_pair(j, text, json);
	json_end(j);
	json_begin_array(j, "states");
	for (int s = 0; s < FLEET_STATE_COUNT; s++)
		json_put_text(j, NULL, fleet_state_name((enum fleet_state)s));
	json_end(j);
}

int main(void)
{
	static struct out out;
	struct json json = {.out = &out}, *j = &json;

	out_init(&out, STDOUT_FILENO);
	json_begin_object(j, NULL);
	put_commands(j);
	put_option_table(j);
	put_actions(j);
	put_findings(j);
	put_columns(j);
	if (!put_metrics(j))
		return 1;
	json_begin_object(j, "flight");
	json_put_unsigned(j, "before", FLIGHT_BEFORE_NS / 1000000000u);
	json_put_unsigned(j, "after", FLIGHT_AFTER_NS / 1000000000u);
	json_put_unsigned(j, "rate", FLIGHT_RATE_NS / 1000000000u);
	json_end(j);
	json_put_text(j, "version", rtev_version());
	json_end(j);
	return out_flush(&out) != 0;
}
