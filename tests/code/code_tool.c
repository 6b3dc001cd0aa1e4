/*
 * code_tool.c - sample a process for a while, and on for up to four times as long where it gets so little processor time
 * that there are few samples; print each stack on a line: how its walk ended, whether the innermost frame was searched
 * for, the kind of code at its top (or that it was missed), and the frames, innermost first.
 *
 * Usage: code_tool PID SECONDS HZ, or code_tool PID lines PREFIX, which prints the functions and lines of all descriptors
 * whose function has a name that begins so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "code/private.h"
#include "code/sampler.h"
#include "core/clock.h"
#include "target/runtime.h"

struct tool {
	struct code *code;
	struct code_stack stack;
	uint64_t seen;
};

static void see(void *ctx, const struct perf_sample *sample)
{
	struct tool *t = ctx;
	const struct code_stack *stack = &t->stack;

	t->seen++;
	code_sampler_walk(t->code, sample, &t->stack);
	printf("%d %d %s", (int)stack->end, stack->searched,
	    sample->at.missed			  ? "missed"
	    : stack->count == 0			  ? "none"
	    : stack->frames[0].kind == CODE_OCAML ? "ocaml"
						  : "c");
	for (unsigned i = 0; i < stack->count; i++) {
		const struct code_lines *lines = code_lines(t->code, &stack->frames[i]);
		static const char *const boundaries[] = {"", " [fiber]", " [C]"};

		for (unsigned k = 0; k < lines->count; k++)
			printf(" %s:%u", lines->line[k].name, lines->line[k].line);
		printf("%s", boundaries[stack->frames[i].boundary]);
	}
	printf("\n");
}

static void print_lines(struct code *code, const char *prefix)
{
	for (size_t i = 0; i < code->table.count; i++) {
		const struct code_frame frame = {.pc = code->table.rows[i].address, .kind = CODE_OCAML};
		const struct code_lines *lines = code_lines(code, &frame);

		for (unsigned k = 0; k < lines->count; k++)
			if (strncmp(lines->line[k].name, prefix, strlen(prefix)) == 0)
				printf("%s:%u\n", lines->line[k].name, lines->line[k].line);
	}
}

int main(int argc, char **argv)
{
	static struct tool tool;
	const struct version_options version_options = {.ring = true};
	struct code_refusal refusal;
	struct version version;
	struct proc proc;
	const char *why = "";

	if (argc != 4)
		return 2;
	const pid_t pid = (pid_t)atoi(argv[1]);
	if (proc_open(&proc, NULL, pid) != 0)
		return 1;
	version_of_process(&proc, &version_options, &version);
	proc_close(&proc);
	struct runtime *runtime = runtime_create(NULL, pid, &version, &why);
	tool.code = runtime != NULL ? code_create(runtime, NULL, pid, &why) : NULL;
	if (tool.code != NULL && strcmp(argv[2], "lines") == 0) {
		print_lines(tool.code, argv[3]);
		code_destroy(tool.code);
		runtime_destroy(runtime);
		return 0;
	}
	const struct code_sampler_options options = {.pid = pid, .hz = (unsigned)atoi(argv[3])};
	struct code_sampler *sampler = tool.code != NULL ? code_sampler_create(&options, &refusal) : NULL;
	if (sampler == NULL || refusal.error != 0) {
		fprintf(stderr, "%s\n", tool.code == NULL ? why : refusal.why);
		return 3;
	}
	(void)code_sampler_start(sampler, see, &tool);
	const double seconds = atof(argv[2]);
	const uint64_t begun = monotonic_now(), end = begun + (uint64_t)(seconds * 1e9),
		       last = begun + (uint64_t)(4 * seconds * 1e9);
	const uint64_t enough = (uint64_t)(seconds * options.hz / 5);
	for (uint64_t now; (now = monotonic_now()) < end || (tool.seen < enough && now < last);) {
		const struct timespec pause = {.tv_nsec = (long)code_sampler_pause(sampler)};
		nanosleep(&pause, NULL);
		code_sampler_lock(sampler);
		const int error = code_refresh(tool.code);
		code_sampler_unlock(sampler);
		if (error != 0)
			break;
		code_sampler_read(sampler, now, see, &tool);
	}
	code_sampler_destroy(sampler);
	code_destroy(tool.code);
	runtime_destroy(runtime);
	return 0;
}
