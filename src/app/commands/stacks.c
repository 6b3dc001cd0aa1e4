/* stacks.c - rtevtop stacks: print what each thread of a process executes, or its suspended fibers, innermost first. */
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/commands/stacks_report.h"
#include "app/fail.h"
#include "code/fibers.h"
#include "code/sampler.h"
#include "core/array.h"
#include "core/clock.h"
#include "launch/signals.h"
#include "target/answer.h"
#include "target/shortage.h"
#include "target/runtime.h"

#define PATIENCE_NS UINT64_C(1000000000) /* how long to sample the threads that run */

/* For the text: the longest cycle of functions that is folded, the lines that folding must save, and the
 * threads of a group that are named. */
enum { CYCLE_MAX = 32, CYCLE_SPARES = 4, LISTED_MAX = 16 };

/* ---- one stack ---- */

static const char *const boundaries[] = {
    [CODE_CALLED] = NULL, [CODE_FIBER] = "fiber", [CODE_CALLBACK] = "callback"};

void stacks_say_line(struct out *out, const struct code_line *line)
{
	out_name(out, line->name, strlen(line->name));
	out_place(out, line->file, line->line);
}

static void print_frame(
    struct out *out, const char *indent, const struct code_line *line, const char *boundary)
{
	out_text(out, indent);
	stacks_say_line(out, line);
	if (boundary != NULL)
		out_format(out, "\n%s<%s>", indent, boundary);
	out_char(out, '\n');
}

static void put_frame(struct json *j, const struct code_line *line, unsigned kind, const char *boundary)
{
	json_begin_object(j, NULL);
	json_put_text(j, "name", line->name);
	json_put_text(j, "file", line->file);
	json_put_if(j, "line", line->line > 0, line->line);
	json_put_text(j, "kind", kind == CODE_OCAML ? "ocaml" : "c");
	json_put_text(j, "boundary", boundary);
	json_end(j);
}

/* A function of a stack.  A boundary belongs to the outermost of the functions that share a frame. */
struct called {
	const struct code_line *line;
	const char *boundary;
};

/* Return how often the next `period` functions follow each other, at least once. */
static size_t times_of(const struct called *at, size_t left, size_t period)
{
	size_t same = period;

	while (same < left && at[same].line->name == at[same - period].line->name &&
	       at[same].line->file == at[same - period].line->file &&
	       at[same].line->line == at[same - period].line->line &&
	       at[same].boundary == at[same - period].boundary)
		same++;
	return same / period;
}

/* Print the functions of a text; a repeated cycle is printed once. */
static void print_called(struct report *r, const struct called *called, size_t count)
{
	char indent[16];

	snprintf(indent, sizeof(indent), "%s  ", r->indent);
	for (size_t i = 0; i < count;) {
		size_t period = 1, times = 1;

		for (size_t p = 1; p <= CYCLE_MAX && p <= count - i; p++) {
			const size_t repeated = times_of(&called[i], count - i, p);
			if (p * (repeated - 1) > period * (times - 1)) {
				period = p;
				times = repeated;
			}
		}
		if (period * (times - 1) < CYCLE_SPARES)
			period = times = 1;
		else
			out_format(r->out, "%s(%zu frame%s) x %zu:\n", r->first, period,
			    period == 1 ? "" : "s", times);
		for (size_t k = i; k < i + period; k++) {
			print_frame(
			    r->out, times > 1 ? indent : r->first, called[k].line, called[k].boundary);
			r->first = r->indent;
		}
		i += period * times;
	}
}

/* Print all functions of a stack. */
static void print_frames(struct report *r, const struct code_frame *frames, unsigned count)
{
	struct called *called = NULL;
	size_t used = 0, room = 0;

	for (unsigned i = 0; i < count; i++) {
		const struct code_lines *lines = code_lines(r->code, &frames[i]);

		for (unsigned k = 0; k < lines->count; k++) {
			const char *boundary = k + 1 == lines->count ? boundaries[frames[i].boundary] : NULL;

			if (r->json != NULL)
				put_frame(r->json, &lines->line[k], frames[i].kind, boundary);
			else if (array_room(&called, &room, used + 1, sizeof(*called)))
				called[used++] = (struct called){&lines->line[k], boundary};
		}
	}
	print_called(r, called, used);
	free(called);
}

/* ---- threads ---- */

static void print_json(struct report *r, const struct member *member)
{
	const struct code_thread *thread = &member->thread;
	const struct code_stack *stack = r->groups[member->group].stack;
	struct json *j = r->json;

	json_begin_object(j, NULL);
	json_put_signed(j, "tid", thread->tid);
	json_put_if(j, "domain", thread->domain >= 0, (uint64_t)thread->domain);
	json_put_text(j, "kind", code_thread_kind_name(thread->kind));
	json_put_bool(j, "on_cpu", thread->seen == CODE_SEEN_RUNNING);
	json_put_bool(j, "complete", stack->end == CODE_WHOLE);
	json_put_if(j, "fiber", member->in_fiber, member->fiber);
	json_begin_array(j, "frames");
	print_frames(r, stack->frames, stack->count);
	json_end(j);
	json_put_text(j, "name", thread->name[0] != '\0' ? thread->name : NULL);
	stacks_put_wait(r, stacks_wait(r, member));
	json_end(j);
}

/* Print which thread it is, and its name if that is not the program's. */
static void print_thread(struct report *r, const struct code_thread *thread)
{
	out_format(r->out, "%d", thread->tid);
	if (thread->name[0] != '\0' && strcmp(thread->name, r->name) != 0) {
		out_text(r->out, " (");
		out_foreign(r->out, thread->name, strlen(thread->name));
		out_char(r->out, ')');
	}
}

/* Print threads that have one stack. */
static void print_group(struct report *r, const struct group *group)
{
	static const char *const kinds[] = {"OCaml", "backup thread", "tick thread", "no OCaml code"};
	static const char *const seen[] = {[CODE_SEEN_ASLEEP] = "waits",
	    [CODE_SEEN_STILL] = "waits",
	    [CODE_SEEN_RUNNING] = "runs",
	    [CODE_SEEN_GONE] = "",
	    [CODE_SEEN_REFUSED] = "not to be seen"};
	const struct member *first = &r->members[group->first];
	const struct code_thread *thread = &first->thread;
	const struct lock_thread *wait = stacks_wait(r, first);

	if (group->count == 1) {
		out_text(r->out, "\nThread ");
		print_thread(r, thread);
		out_format(r->out, ": %s", kinds[thread->kind]);
		if (thread->domain >= 0)
			out_format(r->out,
			    thread->kind == CODE_THREAD_OCAML ? ", domain %d" : " of domain %d",
			    thread->domain);
		if (first->in_fiber)
			out_format(r->out, ", fiber %" PRIu64, first->fiber);
	} else {
		out_format(r->out, "\n%u threads (", group->count);
		for (uint32_t i = 0, at = group->first; i < group->count && i < LISTED_MAX; i++) {
			const struct code_thread *t = &r->members[at].thread;

			out_text(r->out, i == 0 ? "" : ", ");
			print_thread(r, t);
			if (t->domain >= 0)
				out_format(r->out, " of domain %d", t->domain);
			at = r->members[at].next;
		}
		out_format(r->out, "%s): %s", group->count > LISTED_MAX ? ", .." : "", kinds[thread->kind]);
	}
	out_format(r->out, ", %s", seen[thread->seen]);
	if (wait != NULL)
		stacks_say_wait(r, first, wait);
	out_char(r->out, '\n');
	print_frames(r, group->stack->frames, group->stack->count);
	if (group->stack->end != CODE_WHOLE)
		out_format(r->out, "    ... %s\n", code_end_text(group->stack->end));
}

/* Whether a thread belongs to a group: it does what the group does, and as much is known of it. */
static bool is_in_group(const struct report *r, const struct group *group, const struct member *member,
    const struct code_stack *stack)
{
	const struct member *first = &r->members[group->first];

	return !first->in_fiber && !member->in_fiber && stack->count > 0 &&
	       lock_same(&first->lock, &member->lock) && first->thread.kind == member->thread.kind &&
	       first->thread.seen == member->thread.seen && group->stack->end == stack->end &&
	       code_stack_has(stack, group->stack->frames, group->stack->count);
}

/* Add a thread to the group with its stack and lock.  False when out of memory. */
static bool put_thread(struct report *r, const struct member *member, const struct code_stack *stack)
{
	const size_t size = offsetof(struct code_stack, frames) + stack->count * sizeof(stack->frames[0]);
	uint64_t id = code_stack_hash(stack);
	uint32_t at;

	if (!array_room(&r->members, &r->member_room, r->member_count + 1, sizeof(*r->members)))
		return false;
	const uint32_t number = (uint32_t)r->member_count;
	struct member *put = &r->members[number];
	*put = *member;
	for (; (at = id_map_find(&r->by_stack, id)) != 0; id++) {
		struct group *group = &r->groups[at - 1];

		if (is_in_group(r, group, member, stack)) {
			put->group = at - 1;
			r->members[group->last].next = number;
			group->last = number;
			group->count++;
			r->member_count++;
			return true;
		}
	}
	if (!array_room(&r->groups, &r->group_room, r->group_count + 1, sizeof(*r->groups)) ||
	    !id_map_add(&r->by_stack, id, (uint32_t)r->group_count + 1))
		return false;
	struct group group = {.first = number, .last = number, .count = 1, .stack = malloc(size)};
	if (group.stack == NULL)
		return false;
	memcpy(group.stack, stack, size);
	put->group = (uint32_t)r->group_count;
	r->groups[r->group_count++] = group;
	r->member_count++;
	return true;
}

static void see_thread(void *ctx, const struct code_thread *thread, const struct code_stack *stack)
{
	struct report *r = ctx;
	struct member member = {.thread = *thread};

	if (r->locks != NULL && r->member_count == 0)
		stacks_look_at_locks(r, &r->before);
	member.rests = thread->kind == CODE_THREAD_BACKUP || thread->kind == CODE_THREAD_TICK;
	const struct lock_thread *at = lock_thread_of(r->before.threads, r->before.count, thread->tid);
	if (!member.rests && at != NULL && at->doing == LOCK_WAITS)
		member.lock = at->lock;
	/* No thread holds a condition, so which one it is matters only where no function names it. */
	if (member.lock.kind == LOCK_CONDITION && code_own_line(r->code, stack) != NULL)
		member.lock.address = 0;
	member.in_fiber = stacks_fibers_of(r->fibers, thread, stack, r->began, &member.fiber);
	r->unseen += thread->seen == CODE_SEEN_RUNNING && !thread->sampled;
	r->lacking = r->lacking || !put_thread(r, &member, stack);
}

/* Return the group of the thread that has what a member waits for; NULL: none. */
static struct group *owners_of(const struct report *r, const struct member *member)
{
	const struct lock_thread *wait = stacks_wait(r, member);
	const struct member *owner = wait != NULL ? stacks_member(r, wait->owner) : NULL;

	return owner != NULL ? &r->groups[owner->group] : NULL;
}

/* Print a group, and then the groups that wait for what one of its threads has. */
static void print_with_waiters(struct report *r, struct group *group)
{
	if (group->printed)
		return;
	group->printed = true;
	print_group(r, group);
	for (size_t i = 0; group->owns && i < r->group_count; i++)
		if (owners_of(r, &r->members[r->groups[i].first]) == group)
			print_with_waiters(r, &r->groups[i]);
}

/* Print all groups: threads that wait for each other, then owners of what others wait for with their waiters,
 * then the rest. */
static void print_groups(struct report *r)
{
	const struct member *first = stacks_member(r, r->pid);

	if (first != NULL)
		r->name = first->thread.name;
	stacks_say_deadlocks(r);
	for (size_t i = 0; i < r->member_count; i++) {
		const struct lock_thread *wait = stacks_wait(r, &r->members[i]);
		struct group *owners = owners_of(r, &r->members[i]);

		if (owners != NULL)
			owners->owns = true;
		r->groups[r->members[i].group].stuck |= wait != NULL && wait->cycle != 0;
	}
	for (unsigned pass = 0; pass < 3; pass++)
		for (size_t i = 0; i < r->group_count; i++) {
			struct group *group = &r->groups[i];
			const bool waits = owners_of(r, &r->members[group->first]) != NULL;

			if (pass == 0 ? group->stuck : pass == 2 || (group->owns && !waits))
				print_with_waiters(r, group);
		}
}

static void begin_json(struct report *r, const struct version *version, pid_t pid)
{
	json_begin_object(r->json, NULL);
	json_put_signed(r->json, "pid", pid);
	json_put_text(r->json, "ocaml", version->text);
}

/* End the JSON report with its last members. */
static void end_json(struct report *r, const struct version *version)
{
	json_put_text(r->json, "ocaml_from", runtime_ocaml_from(r->runtime, version));
	json_end(r->json);
}

static void report_fini(struct report *r)
{
	for (size_t i = 0; i < r->group_count; i++)
		free(r->groups[i].stack);
	id_map_fini(&r->by_stack);
	free(r->groups);
	free(r->members);
	locks_destroy(r->locks);
}

static int print_threads(struct report *r, const struct version *version, pid_t pid)
{
	struct code_refusal refusal;

	if (r->json != NULL) {
		begin_json(r, version, pid);
		json_begin_array(r->json, "threads");
	} else {
		out_format(r->out, "Process %d, OCaml %s: innermost first\n", (int)pid, version->text);
	}
	r->began = monotonic_now();
	r->pid = pid;
	r->locks = locks_create(r->runtime, NULL, pid, &r->locks_why);
	int error = code_threads(r->code, PATIENCE_NS, see_thread, r, &refusal);
	if (r->locks != NULL)
		stacks_look_at_locks(r, &r->after);
	if (r->json != NULL) {
		for (size_t i = 0; i < r->member_count; i++)
			print_json(r, &r->members[i]);
		json_end(r->json);
		stacks_put_deadlocks(r);
		end_json(r, version);
	} else {
		print_groups(r);
	}
	if (error == 0 && r->lacking)
		error = ENOMEM;
	if (error == 0 && refusal.error != 0 && r->unseen > 0)
		say(refusal.remedy, "%u thread%s that run%s could not be sampled: %s", r->unseen,
		    r->unseen == 1 ? "" : "s", r->unseen == 1 ? "s" : "", refusal.why);
	return error;
}

/* ---- fibers ---- */

static void print_fiber_group(struct report *r, const struct code_fiber_group *group)
{
	if (r->json != NULL) {
		json_begin_object(r->json, NULL);
		json_put_unsigned(r->json, "count", group->count);
		json_begin_array(r->json, "frames");
	} else {
		out_format(r->out, "\n%8" PRIu64 " ", group->count);
		r->first = "";
	}
	print_frames(r, group->frames, group->frame_count);
	if (r->json != NULL) {
		json_end(r->json);
		json_put_bool(r->json, "complete", !group->deep);
		json_end(r->json);
	} else if (group->deep) {
		out_format(r->out, "%s... %s\n", r->indent, code_end_text(CODE_DEEP));
	}
}

static int print_fibers(struct report *r, const struct version *version, pid_t pid)
{
	struct code_fibers fibers;
	int error = code_fibers_find(r->code, &fibers);

	r->indent = "         ";
	if (error == 0 && r->json != NULL) {
		begin_json(r, version, pid);
		json_put_unsigned(r->json, "fibers", fibers.count);
		json_put_unsigned(r->json, "read_bytes", fibers.read_bytes);
		json_put_bool(r->json, "whole", fibers.searched && fibers.deep == 0);
		json_begin_array(r->json, "groups");
	} else if (error == 0) {
		out_format(r->out,
		    "Process %d, OCaml %s: %" PRIu64 " suspended fibers found%s (experimental)\n", (int)pid,
		    version->text, fibers.count,
		    fibers.searched ? "; an upper bound while it runs"
				    : ", of a part of its heap: how many more there are is not known");
		if (fibers.deep != 0)
			out_format(r->out, "%" PRIu64 " of them have more than %d frames\n", fibers.deep,
			    CODE_FRAMES_MAX);
	}
	for (size_t i = 0; error == 0 && i < fibers.group_count; i++)
		print_fiber_group(r, &fibers.groups[i]);
	if (error == 0 && r->json != NULL) {
		json_end(r->json);
		end_json(r, version);
	}
	code_fibers_fini(&fibers);
	return error;
}

/* ---- the process ---- */

/* Report why the code of a process can't be read. */
static int refuse(pid_t pid, const char *remedy, const char *why)
{
	return say(remedy, "could not read the stacks of process %d: %s", (int)pid, why);
}

/* Report why the runtime of a process can't be read, and if the reason is its release or the processor, which
 * ones are supported. */
static int refuse_release(pid_t pid, const struct version *version, const char *why)
{
	struct runtime_layout layout;

	return say(runtime_layout_of(version, &layout) ? NULL : RUNTIME_RELEASES_KNOWN,
	    "could not read the stacks of process %d, of OCaml %s: %s", (int)pid,
	    version->text[0] != '\0' ? version->text : "5", why);
}

/* Find the program of a process and its release.  Returns 0 or an exit status. */
static int find_version(pid_t pid, const char *ocaml, struct version *version)
{
	const struct version_options options = {.ring = true};
	struct proc proc;
	int error = proc_open(&proc, NULL, pid);

	if (error != 0)
		return refuse(pid, NULL, error == ESRCH ? "there is no such process" : strerror(error));
	enum version_program program = version_of_process(&proc, &options, version);
	proc_close(&proc);
	if (program == VERSION_UNREADABLE && (error = shortage_now()) != 0)
		return refuse(pid, shortage_remedy(error, NULL), shortage_why(error));
	if (program == VERSION_SILENT)
		return refuse(pid, "end the program that serves them (FUSE)", ANSWER_NONE);
	if (program == VERSION_UNREADABLE)
		return refuse(pid,
		    geteuid() == 0 ? "rtevtop needs the capability SYS_PTRACE for this"
				   : "run rtevtop as its user, or as root",
		    "it may not be read");
	if (program != VERSION_OCAML5)
		return refuse(pid, NULL, "it has no OCaml 5 runtime");
	if (ocaml != NULL && !version_from_text(ocaml, VERSION_FROM_OPTION, version))
		return fail_usage("--ocaml %s: no OCaml version", ocaml);
	return 0;
}

static int run(const struct options *options)
{
	static struct out out;
	const pid_t pid = (pid_t)options->name.pid;
	struct json json = {.out = &out};
	struct report report = {
	    .out = &out, .json = options->json ? &json : NULL, .first = "    ", .indent = "    ", .name = ""};
	struct runtime *runtime = NULL;
	struct version version;
	const char *why, *remedy = NULL;
	int status, error;

	signals_let_end();
	if (options->name.kind != TARGET_PID)
		return fail_usage(
		    "%s: neither a PID nor the name of a running OCaml process", options->target);
	status = find_version(pid, options->ocaml, &version);
	if (status != 0)
		return status;
	runtime = runtime_create(NULL, pid, &version, &why);
	if (runtime != NULL)
		report.code = code_create(runtime, NULL, pid, &why);
	report.runtime = runtime;
	if (!options->json && runtime != NULL && runtime_layout(runtime)->told != NULL)
		snprintf(version.text + strlen(version.text), sizeof(version.text) - strlen(version.text),
		    " (%s)", runtime_layout(runtime)->told);
	if (runtime == NULL) {
		status = refuse_release(pid, &version, why);
	} else if (report.code == NULL) {
		if (why == variables_why(EPERM))
			why = variables_refusal(NULL, &remedy);
		status = refuse(pid, remedy, why);
	} else {
		if (code_left_out(report.code) != NULL)
			say(NULL, "process %d: %s", (int)pid, code_left_out(report.code));
		report.fibers = options->fibers ? NULL : stacks_fibers_create(options);
		fail_output_begin(&out, STDOUT_FILENO, NULL);
		error = options->fibers ? print_fibers(&report, &version, pid)
					: print_threads(&report, &version, pid);
		if (error == ENOTSUP)
			status = refuse(pid, "fibers are found only in a program that is not stripped",
			    "its program has no symbols for its heap");
		else if (error != 0)
			status = refuse(pid, NULL, error == ESRCH ? "it has ended" : variables_why(error));
		else
			status = fail_output(out_flush(&out), "the stacks");
	}
	stacks_fibers_destroy(report.fibers);
	report_fini(&report);
	code_destroy(report.code);
	runtime_destroy(runtime);
	return status;
}

const struct command command_stacks = {
    .name = "stacks",
    .synopsis = "[--json] [--fibers] PID",
    .purpose = "what each thread of a process executes now, innermost first",
    .about = "Stacks are read from the outside, and the process is neither stopped nor slowed.  It needs no "
	     "events.",
    .example = "rtevtop stacks 4711",
    .effect = "prints the stack of each thread: OCaml functions with their lines, across fibers and "
	      "callbacks, and C",
    .options = OPT(json) | OPT(fibers) | OPT(ocaml),
    .word = "PID",
    .target = true,
    .no_command = true,
    .run = run,
};
