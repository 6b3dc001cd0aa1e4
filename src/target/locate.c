/* locate.c - find the ring of a process. */
#include "target/locate.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "target/answer.h"
#include "target/identity.h"
#include "target/maps.h"
#include "target/shortage.h"

/* The state of a search. */
struct search {
	const struct locate_options *options;
	struct located *out;
	struct effort *effort;
	struct proc proc;
	struct identity user; /* the user of the process */
	int maps_error;	      /* 0: the maps could be read */
	bool has_map;	      /* `map` is the mapping of the ring */
	struct map map;
	bool shared_runtime; /* a shared runtime library is mapped */
	int first_error;     /* for the first file that exists and could not be opened */
	bool found_bad;
	bool withheld; /* the process named that file, and its user may not read it */
};

/* Remember the mapping of the ring: the one named after the process, else the first.  The walk ends at a
 * mapping of that name. */
static bool see_map(void *ctx, const struct map *map)
{
	struct search *search = ctx;
	int64_t number;

	if (map_is_shared_runtime(map))
		search->shared_runtime = true;
	if (!map_is_ring(map, &number))
		return true;
	search->out->own_name = number == search->out->ns_pid;
	if (search->out->own_name || !search->has_map)
		search->map = *map;
	search->has_map = true;
	return !search->out->own_name;
}

/* Record why an existing file could not be opened; only the first reason is kept.  If it is not known that
 * the file exists, the reason counts only if the process maps the file or the user names it. */
static void note_bad(struct search *search, int error, const struct stat *st)
{
	if (search->found_bad || error == ENOENT || error == ENOTDIR || error == ESRCH)
		return;
	search->found_bad = true;
	search->first_error = error;
	if (st->st_nlink > 0) {
		search->out->uid = st->st_uid;
		search->out->has_uid = true;
	}
}

/* Make an opened file readable if a program serves it, since a page of its mapping may never arrive.  A file
 * of another user is refused.  Our own user could stop us anyway: the file's server only has to answer now.
 * Returns 0, or an error with *fd -1. */
static int admit(const struct search *search, int *fd)
{
	const int error = !answer_is_named(*fd) ? 0 : search->user.other ? PROC_SERVED : answer_open(fd);

	if (error != 0) {
		close(*fd);
		*fd = -1;
	}
	return error;
}

/* Open the file of the mapping. */
static bool try_mapping(struct search *search)
{
	struct located *out = search->out;
	enum map_way way;
	struct stat st;

	strlcpy(out->shown, search->map.path, sizeof out->shown);
	int error = map_open(&search->proc, &search->map, &st, &out->fd, &way, out->path);
	if (error == 0)
		error = admit(search, &out->fd);
	if (error == 0) {
		out->way = way == MAP_BY_FILES ? LOCATE_BY_MAP_FILES : LOCATE_BY_MAPS;
		out->mapped = LOCATE_MAPPED;
		return true;
	}
	note_bad(search, error, &st);
	return false;
}

/* Where the path of a candidate starts. */
enum base { BASE_OURS, BASE_ROOT, BASE_CWD };

/* Format the two paths of a candidate: to open it, and as the process sees it.  Returns false if one is too
 * long. */
static bool candidate_paths(const struct search *search, enum base base, const char *dir, pid_t number,
    char path[PROC_PATH_SIZE], char shown[PROC_PATH_SIZE])
{
	static const char *const prefixes[] = {[BASE_OURS] = "", [BASE_ROOT] = "/root", [BASE_CWD] = "/cwd/"};
	size_t len = strlen(dir);
	const char *slash = (len == 0 && base == BASE_CWD) || (len > 0 && dir[len - 1] == '/') ? "" : "/";
	int n, m;

	n = snprintf(path, PROC_PATH_SIZE, "%s%s%s%s%ld.events", base == BASE_OURS ? "" : search->proc.path,
	    prefixes[base], dir, slash, (long)number);
	m = snprintf(shown, PROC_PATH_SIZE, "%s%s%ld.events", dir, slash, (long)number);
	return n > 0 && n < PROC_PATH_SIZE && m > 0 && m < PROC_PATH_SIZE;
}

/* Open a candidate; one that the process names is opened as its user would. */
static int open_candidate(const struct search *search, enum base base, enum locate_way way, const char *path,
    const char *shown, struct stat *st, int *fd)
{
	static const char *const from[] = {[BASE_OURS] = NULL, [BASE_ROOT] = "root", [BASE_CWD] = "cwd"};

	memset(st, 0, sizeof *st);
	if (way == LOCATE_BY_DIR)
		return proc_open_regular(AT_FDCWD, path, false, st, fd);
	/* From the process's directories, the path is the displayed one. */
	return identity_open_from(
	    &search->user, &search->proc, from[base], base == BASE_OURS ? path : shown, st, fd);
}

/* Try the ring file of one pid in a directory. */
static bool try_number(
    struct search *search, enum base base, const char *dir, pid_t number, enum locate_way way)
{
	struct located *out = search->out;
	char path[PROC_PATH_SIZE], shown[PROC_PATH_SIZE];
	struct stat st;
	int error, fd;

	if (!candidate_paths(search, base, dir, number, path, shown))
		return false;
	error = open_candidate(search, base, way, path, shown, &st, &fd);
	if (error != 0 && st.st_nlink == 0 && base != BASE_OURS)
		return false;
	if (error == 0 && search->has_map && (uint64_t)st.st_ino != search->map.inode) {
		/* the process maps another ring than this one */
		close(fd);
		return false;
	}
	if (error == 0)
		error = admit(search, &fd);
	if (error == 0 || (!search->found_bad && error != ENOENT && error != ENOTDIR && error != ESRCH)) {
		memcpy(out->path, path, sizeof path);
		memcpy(out->shown, shown, sizeof shown);
	}
	if (error != 0) {
		bool first = !search->found_bad;
		note_bad(search, error, &st);
		if (first && search->found_bad)
			search->withheld = search->user.other && way != LOCATE_BY_DIR && error == EACCES;
		return false;
	}
	out->fd = fd;
	out->way = way;
	out->mapped = search->has_map		? LOCATE_MAPPED
		      : search->maps_error != 0 ? LOCATE_MAPS_UNKNOWN
						: LOCATE_UNMAPPED;
	return true;
}

/* Try a directory with the pid that the process sees, then with ours. */
static bool try_dir(struct search *search, enum base base, const char *dir, enum locate_way way)
{
	pid_t ns_pid = search->out->ns_pid, pid = search->out->pid;

	if (ns_pid > 0 && try_number(search, base, dir, ns_pid, way))
		return true;
	return pid != ns_pid && way == LOCATE_BY_DIR && try_number(search, base, dir, pid, way);
}

/* Try the directory named in the target's environment, else its working directory. */
static bool try_environment(struct search *search)
{
	char *text = NULL, dir[PROC_PATH_SIZE];
	struct word word = {.text = NULL};
	bool fits = true;
	size_t len = 0;

	if (proc_slurp(&search->proc, "environ", PROC_ENVIRON_MAX, &text, &len) == 0)
		word = words_value(text, len, "OCAML_RUNTIME_EVENTS_DIR");
	if (word.text != NULL)
		fits = word_copy(word, dir, sizeof dir) <= sizeof dir;
	free(text);
	if (!fits)
		return false;
	if (word.text == NULL)
		return try_dir(search, BASE_CWD, "", LOCATE_BY_CWD);
	if (dir[0] != '/' && dir[0] != '\0')
		return try_dir(search, BASE_CWD, dir, LOCATE_BY_ENVIRONMENT);
	/* If set but empty, the ring is in the root directory. */
	return try_dir(
	    search, proc_foreign_paths(&search->proc) ? BASE_ROOT : BASE_OURS, dir, LOCATE_BY_ENVIRONMENT);
}

/* Whether the open file is that of one pid in the user's directory. */
static bool is_number(const struct search *search, pid_t number)
{
	char path[PROC_PATH_SIZE], shown[PROC_PATH_SIZE];
	struct stat ours, theirs;

	return number > 0 && candidate_paths(search, BASE_OURS, search->options->dir, number, path, shown) &&
	       stat(path, &ours) == 0 && fstat(search->out->fd, &theirs) == 0 &&
	       ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

/* The result for a mapped ring that is open: if the user's directory is the only one allowed, the ring must
 * be in it. */
static enum locate_status judge_mapped(struct search *search)
{
	struct located *out = search->out;

	if (!search->options->dir_alone || is_number(search, out->ns_pid) || is_number(search, out->pid))
		return LOCATE_OK;
	close(out->fd);
	out->fd = -1;
	return LOCATE_ELSEWHERE;
}

/* Try all places except the mapping. */
static bool try_elsewhere(struct search *search)
{
	if (!search->options->dir_alone && try_environment(search))
		return true;
	return search->options->dir != NULL &&
	       try_dir(search, BASE_OURS, search->options->dir, LOCATE_BY_DIR);
}

/* The result for a file that exists and could not be opened. */
static enum locate_status judge_bad(const struct search *search)
{
	if (search->first_error == PROC_NOT_REGULAR)
		return LOCATE_NOT_REGULAR;
	if (search->withheld)
		return LOCATE_RING_WITHHELD;
	if (search->first_error == EACCES || search->first_error == EPERM)
		return LOCATE_RING_DENIED;
	search->out->error = search->first_error;
	return LOCATE_FAILED;
}

/* The result for a process that does not exist: it may have left a file. */
static enum locate_status judge_dead(struct search *search)
{
	struct located *out = search->out;

	/* /proc may hide an existing process. */
	if (search->proc.real && out->pid > 0 && kill(out->pid, 0) != 0 && errno == EPERM)
		return LOCATE_PROCESS_DENIED;
	out->ns_pid = out->pid;
	search->maps_error = ESRCH;
	if (try_dir(search, BASE_OURS, search->options->dir == NULL ? "." : search->options->dir,
		LOCATE_BY_DIR)) {
		close(out->fd);
		out->fd = -1;
		return LOCATE_STALE;
	}
	/* A file in the user's directory says more than the missing process. */
	if (search->found_bad && search->options->dir != NULL)
		return judge_bad(search);
	out->path[0] = out->shown[0] = '\0';
	return LOCATE_NO_PROCESS;
}

/* Open the directory of the process; for a thread, of its process. */
static int open_process(struct search *search)
{
	struct located *out = search->out;
	struct status_stat stat;
	struct status_ids ids;
	int error = proc_open(&search->proc, search->options->proc_root, search->options->pid);

	if (error == 0)
		error = status_read_ids(&search->proc, &ids);
	if (error == 0 && ids.tgid > 0 && ids.tgid != search->options->pid) {
		proc_close(&search->proc);
		out->pid = ids.tgid;
		error = proc_open(&search->proc, search->options->proc_root, ids.tgid);
		if (error == 0)
			error = status_read_ids(&search->proc, &ids);
	}
	if (error == 0)
		error = status_read_stat(&search->proc, &stat);
	if (error != 0)
		return error;
	if (status_ended(&stat))
		return ESRCH;
	out->ns_pid = ids.ns_pid > 0 ? ids.ns_pid : out->pid;
	out->uid = ids.uid;
	out->has_uid = ids.has_uid;
	identity_of(&search->user, &ids);
	out->start_ticks = stat.start_ticks;
	status_program(&search->proc, &stat, out->name);
	return 0;
}

/* The result for a process without a ring: check its program. */
static enum locate_status judge_program(struct search *search)
{
	struct version_options version_options = {.ring = search->has_map, .effort = search->effort};
	enum version_program program;

	if (search->options->skip_program)
		return LOCATE_NO_RING;
	program = version_of_process(&search->proc, &version_options, &search->out->version);
	if (program == VERSION_UNREADABLE && (search->out->error = shortage_now()) != 0)
		return LOCATE_FAILED;
	if (program == VERSION_SILENT)
		search->out->error = ETIMEDOUT;
	if (program == VERSION_SILENT)
		return LOCATE_FAILED;
	if (program == VERSION_UNREADABLE)
		return LOCATE_PROCESS_DENIED;
	return program == VERSION_OCAML5 ? LOCATE_NO_RING : LOCATE_NOT_OCAML;
}

/* The result for a process that maps no ring; `found`: a file of its pid is open. */
static enum locate_status judge_unmapped(struct search *search, bool found)
{
	struct located *out = search->out;
	uid_t uid = out->uid;
	enum locate_status status = judge_program(search);

	/* An OCaml process only writes to a ring that it maps; another program may be a front end. */
	if (found && status != LOCATE_NO_RING)
		return LOCATE_OK;
	if (!found && status == LOCATE_NOT_OCAML && search->found_bad)
		return judge_bad(search);
	if (found) {
		close(out->fd);
		out->fd = -1;
	}
	out->uid = uid;
	out->path[0] = out->shown[0] = '\0';
	return status;
}

/* Search for the ring of an existing process. */
static enum locate_status search_live(struct search *search)
{
	struct located *out = search->out;

	if (search->options->skip_program && maps_lack_ocaml(&search->proc)) {
		out->no_shared_runtime = true;
		return LOCATE_NO_RING;
	}
	search->maps_error = maps_walk(&search->proc, search->effort, see_map, search);
	if (search->maps_error == ESRCH)
		return LOCATE_ENDED;
	bool all_seen = search->maps_error == 0 && !out->own_name;
	out->no_shared_runtime = all_seen && !search->shared_runtime;
	/* A ring that the process does not map only counts if its program has no OCaml 5 runtime. */
	if (all_seen && !search->has_map && search->options->skip_program)
		return LOCATE_NO_RING;
	if (search->has_map && try_mapping(search))
		return judge_mapped(search);
	if (try_elsewhere(search))
		return out->mapped == LOCATE_UNMAPPED ? judge_unmapped(search, true) : LOCATE_OK;
	if (!search->has_map && search->maps_error == 0)
		return judge_unmapped(search, false);
	if (search->found_bad)
		return judge_bad(search);
	if (search->has_map)
		return LOCATE_DELETED;
	out->error = search->maps_error;
	return search->maps_error == EACCES || search->maps_error == EPERM ? LOCATE_PROCESS_DENIED
									   : LOCATE_FAILED;
}

enum locate_status locate(const struct locate_options *options, struct located *out)
{
	struct effort own = effort_for_look();
	struct search search = {.options = options,
	    .out = out,
	    .effort = options->effort != NULL ? options->effort : &own,
	    .proc = {.dir = -1}};

	memset(out, 0, sizeof *out);
	out->fd = -1;
	out->pid = options->pid;
	int error = open_process(&search);
	if (error == ESRCH) {
		out->status = judge_dead(&search);
	} else if (error != 0) {
		out->error = error;
		out->status = error == EACCES || error == EPERM ? LOCATE_PROCESS_DENIED : LOCATE_FAILED;
	} else {
		struct status_stat stat;

		out->status = search_live(&search);
		/* If the process has ended meanwhile, no result is valid. */
		if (out->status != LOCATE_OK &&
		    (status_read_stat(&search.proc, &stat) == ESRCH || status_ended(&stat)))
			out->status = LOCATE_ENDED;
	}
	proc_close(&search.proc);
	return out->status;
}

/* ---- why no ring was found ---- */

/* A file or process of another user. */
static void explain_denied(const struct located *located, const char *who, char *message, size_t message_size,
    char *remedy, size_t remedy_size)
{
	bool ring = located->status == LOCATE_RING_DENIED, root = geteuid() == 0;
	bool other = located->has_uid && located->uid != geteuid();
	char user[PROC_USER_SIZE];

	proc_user(located->uid, user);
	if (other)
		snprintf(message, message_size,
		    ring ? "cannot open %s: it belongs to user %s, who alone may read it"
			 : "cannot look into process %s: it belongs to user %s",
		    ring ? located->path : who, user);
	else
		snprintf(message, message_size,
		    ring ? "cannot open %s: permission denied"
			 : "cannot look into process %s: it is protected from other processes",
		    ring ? located->path : who);
	if (root)
		snprintf(remedy, remedy_size, "rtevtop needs the capability %s for this",
		    ring ? "DAC_READ_SEARCH" : "SYS_PTRACE");
	else if (other && located->uid != 0)
		snprintf(remedy, remedy_size, "run rtevtop as %s or as root", user);
	else
		snprintf(remedy, remedy_size, "run rtevtop as root");
}

/* A ring or a process that could not be read for another reason. */
static void explain_failed(const struct located *located, const char *who, char *message, size_t message_size,
    char *remedy, size_t remedy_size)
{
	const char *why = located->error == E2BIG	? "it has more mappings than can be read"
			  : located->error == ETIMEDOUT ? ANSWER_NONE
			  : located->error == PROC_SERVED
			      ? "another user's program serves it (FUSE), which may fall silent"
			      : shortage_why(located->error);

	snprintf(
	    message, message_size, "cannot open %s: %s", located->path[0] == '\0' ? who : located->path, why);
	snprintf(remedy, remedy_size, "%s",
	    located->error == PROC_SERVED ? "start it with OCAML_RUNTIME_EVENTS_DIR=/tmp"
					  : shortage_remedy(located->error, ""));
}

void locate_explain(
    const struct located *located, char *message, size_t message_size, char *remedy, size_t remedy_size)
{
	const char *release = located->version.text;
	char who[STATUS_PROGRAM_SIZE + 32];

	/* Format "4242 (name)", or only the pid. */
	snprintf(who, sizeof who, located->name[0] != '\0' ? "%ld (%s)" : "%ld", (long)located->pid,
	    located->name);
	message[0] = remedy[0] = '\0';
	switch (located->status) {
	case LOCATE_OK:
		snprintf(message, message_size, "found %s", located->path);
		break;
	case LOCATE_NO_PROCESS:
		snprintf(message, message_size, "cannot attach to %s: no such process", who);
		snprintf(remedy, remedy_size, "`rtevtop list` shows the processes that have a ring");
		break;
	case LOCATE_ENDED:
		snprintf(message, message_size, "cannot attach to %s: it has just ended", who);
		break;
	case LOCATE_NOT_OCAML:
		snprintf(message, message_size,
		    "cannot attach to %s: not an OCaml 5 process (it maps no ring and its program has no "
		    "such runtime)",
		    who);
		snprintf(remedy, remedy_size, "`rtevtop list` shows the OCaml 5 processes");
		break;
	case LOCATE_NO_RING:
		snprintf(message, message_size, "cannot attach to %s: this OCaml %s process has no ring", who,
		    release[0] == '\0' ? "5" : release);
		snprintf(remedy, remedy_size,
		    "start it with OCAML_RUNTIME_EVENTS_START=1, or have it call Runtime_events.start ()");
		break;
	case LOCATE_RING_WITHHELD:
		snprintf(message, message_size,
		    "cannot open %s: process %s names it as its ring, and that process's user may not read "
		    "it",
		    located->path, who);
		snprintf(
		    remedy, remedy_size, "to read it all the same, give the file: rtevtop %s", located->path);
		break;
	case LOCATE_RING_DENIED:
	case LOCATE_PROCESS_DENIED:
		explain_denied(located, who, message, message_size, remedy, remedy_size);
		break;
	case LOCATE_STALE:
		snprintf(message, message_size, "cannot attach to %s: no such process, but it left %s", who,
		    located->path);
		snprintf(remedy, remedy_size, "see what is in the file with: rtevtop %s", located->path);
		break;
	case LOCATE_NOT_REGULAR:
		snprintf(message, message_size, "cannot open %s: not a regular file", located->path);
		break;
	case LOCATE_ELSEWHERE:
		snprintf(message, message_size,
		    "cannot attach to %s: its ring is %s, not in the directory given", who, located->shown);
		snprintf(remedy, remedy_size, "`rtevtop %ld` finds it", (long)located->pid);
		break;
	case LOCATE_DELETED:
		snprintf(message, message_size, "cannot attach to %s: its ring %s was deleted", who,
		    located->shown);
		snprintf(remedy, remedy_size,
		    "run rtevtop as root: it can open the ring through the process's memory map");
		break;
	case LOCATE_FAILED:
		explain_failed(located, who, message, message_size, remedy, remedy_size);
		break;
	}
}
