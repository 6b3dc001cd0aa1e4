/*
 * fuzz_system.c - any bytes as what the sampler reads (files of control groups, mounts, threads, the
 * machine), and as parameters of a runtime.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "target/ocaml_settings.h"
#include "target/system_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A piece lies in the text. */
static void inside(struct piece piece, const char *text, size_t len)
{
	if (piece.at < text || piece.end > text + len || piece.at > piece.end)
		abort();
}

/* Parse as mounts, line by line. */
static void try_mounts(const char *text, size_t len)
{
	const char *at = text;
	struct system_mount mount;
	struct piece line;

	while (take_line(&at, text + len, &line))
		if (system_parse_mount(line, &mount)) {
			inside(mount.root, text, len);
			inside(mount.point, text, len);
			inside(mount.type, text, len);
			(void)system_listed(mount.options, "cpu");
		}
}

/* Parse as parameters of a runtime. */
static void try_runparam(const char *text, size_t len)
{
	struct ocaml_settings settings = {0};

	runparam_parse(text, len, OCAML_FROM_ENV, &settings);
	for (unsigned i = 0; i < OCAML_SETTING_COUNT; i++)
		if (settings.of[i].from != OCAML_UNKNOWN &&
		    (settings.of[i].value < runparam_names[i].least ||
			settings.of[i].value > runparam_names[i].most))
			abort();
}

/* Parse as everything. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct system_cpus cpus;
	struct piece piece;
	uint64_t a, b, times[3];

	if (system_parse_cpus(text, size, &cpus)) {
		unsigned count = system_cpus_count(&cpus, NULL);

		if (count == 0 || count > SYSTEM_CPUS || system_cpus_count(&cpus, &cpus) != count)
			abort();
	}
	if (system_parse_group(text, size, "cpu", &piece))
		inside(piece, text, size);
	if (system_parse_group(text, size, NULL, &piece))
		inside(piece, text, size);
	if (system_parse_field(text, size, "Cpus_allowed_list", &piece))
		inside(piece, text, size);
	if (system_parse_cpu_max(text, size, &a, &b))
		(void)system_quota_cores(a, b);
	(void)system_parse_keyed(text, size, "nr_periods", &a);
	(void)system_parse_limit(text, size, &a);
	(void)system_parse_rlimit(text, size, "Max stack size", &a);
	(void)system_parse_schedstat(text, size, times);
	(void)system_parse_pressure(text, size, "some", &a);
	(void)system_parse_load(text, size, &a);
	(void)system_parse_ran(text, size, &(struct system_cpus){.bits = {UINT64_MAX}}, 64, &a);
	try_mounts(text, size);
	try_runparam(text, size);
	return 0;
}
