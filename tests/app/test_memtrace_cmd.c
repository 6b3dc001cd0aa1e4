/*
 * test_memtrace_cmd.c - rtevtop memtrace without a screen: what it prints, and its exit status.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/fail.h"
#include "support/test.h"
#include "support/test_memtrace_data.h"

/* What a run printed. */
struct run {
	struct bytes out, err;
	int status;
};

/* Read what was written to a file, with a NUL behind it. */
static struct bytes slurp(int fd)
{
	struct bytes bytes = {0};
	char part[65536];
	ssize_t n;

	CHECK_INT(lseek(fd, 0, SEEK_SET), 0);
	while ((n = read(fd, part, sizeof(part))) > 0)
		bytes_add(&bytes, part, (size_t)n);
	bytes_add(&bytes, "", 1);
	bytes.size--;
	close(fd);
	return bytes;
}

/* Run the subcommand with up to four words in a child. */
static struct run run_words(const char *a, const char *b, const char *c, const char *d)
{
	char out_path[] = "memtrace-out-XXXXXX", err_path[] = "memtrace-err-XXXXXX";
	int out = mkstemp(out_path), err = mkstemp(err_path), how;
	const char *words[] = {a, b, c, d};
	static char program[] = "rtevtop", command[] = "memtrace";
	char *argv[7] = {program, command};
	int argc = 0;

	CHECK(out >= 0 && err >= 0);
	unlink(out_path);
	unlink(err_path);
	while (argc < 4 && words[argc] != NULL) {
		argv[2 + argc] = strdup(words[argc]);
		argc++;
	}
	fflush(NULL);
	pid_t child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
			_exit(99);
		execv(getenv("RTEVTOP"), argv);
		_exit(99);
	}
	CHECK(waitpid(child, &how, 0) == child && WIFEXITED(how));
	for (int i = 0; i < argc; i++)
		free(argv[2 + i]);
	return (struct run){.out = slurp(out), .err = slurp(err), .status = WEXITSTATUS(how)};
}

static void run_free(struct run *run)
{
	bytes_free(&run->out);
	bytes_free(&run->err);
}

/* The path of a data file. */
static const char *path_of(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/memtrace/%s", RTEV_TEST_DATA, name);
	return path;
}

static bool has(const struct bytes *text, const char *part)
{
	return strstr((const char *)text->data, part) != NULL;
}

/* The dump, byte for byte where it is stored, else by its digest. */
TEST(test_dump)
{
	static const char *const stored[] = {"json-small", "viewer-test_trace"};
	char name[128];

	for (size_t i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%s.dump.txt", stored[i]);
		struct bytes expected = data_file(name);
		snprintf(name, sizeof(name), "%s.ctf", stored[i]);
		struct run run = run_words("--dump", path_of(name), NULL, NULL);
		CHECK_INT(run.status, EXIT_DONE);
		CHECK_INT(run.out.size, expected.size);
		CHECK(memcmp(run.out.data, expected.data, expected.size) == 0);
		CHECK_INT(run.err.size, 0);
		run_free(&run);
		bytes_free(&expected);
	}
	for (size_t i = 0; i < memtrace_sample_count; i++) {
		struct digest digest;
		char hex[65];
		snprintf(name, sizeof(name), "%s.ctf", memtrace_samples[i].name);
		struct run run = run_words(path_of(name), "--dump", NULL, NULL);
		digest_init(&digest);
		digest_add(&digest, run.out.data, run.out.size);
		digest_hex(&digest, hex);
		CHECK_STR(hex, memtrace_samples[i].dump);
		CHECK_INT(run.status, EXIT_DONE);
		run_free(&run);
	}
}

/* The report of hot spots is what --top prints, less the last line of each site and the sites beyond it. */
TEST(test_top)
{
	static const char *const names[] = {"json-small", "lists_and_sets", "multidomain", "small",
	    "test-ocamlopt", "test-ocamlopt-v2", "viewer-test_trace"};
	char name[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(name, sizeof(name), "%s.hotspots.txt", names[i]);
		struct bytes expected = data_file(name), kept = {0};
		snprintf(name, sizeof(name), "%s.ctf", names[i]);
		struct run run = run_words("--top", "100000", path_of(name), NULL);
		size_t details = 0, sites = 0;
		CHECK_INT(run.status, EXIT_DONE);
		for (const char *line = (const char *)run.out.data; *line != '\0';) {
			const char *end = strchr(line, '\n');
			CHECK(end != NULL);
			bool detail = strncmp(line, "      ", 6) == 0 && line[6] >= '0' && line[6] <= '9';
			details += detail;
			sites += strstr(line, "%) at ") != NULL && strstr(line, "%) at ") < end;
			if (!detail)
				bytes_add(&kept, line, (size_t)(end + 1 - line));
			line = end + 1;
		}
		CHECK_INT(details, sites);
		CHECK(kept.size >= expected.size);
		CHECK(memcmp(kept.data, expected.data, expected.size) == 0);
		run_free(&run);
		bytes_free(&kept);
		bytes_free(&expected);
	}
	struct run run = run_words("--top=2", path_of("json-small.ctf"), NULL, NULL);
	CHECK(has(&run.out, "Stdlib__Buffer.create") && has(&run.out, "Mtdom_work.work"));
	CHECK(has(&run.out, "; live ") && has(&run.out, "; promoted ") && has(&run.out, "; mean lifetime "));
	CHECK(!has(&run.out, "at Mtdom_work.parse.members"));
	run_free(&run);
}

/* Call paths: as many samples as the report tells, and paths as the dump has them. */
TEST(test_folded)
{
	struct run run = run_words("--folded", path_of("json-small.ctf"), NULL, NULL);
	unsigned long sum = 0;

	CHECK_INT(run.status, EXIT_DONE);
	for (char *line = (char *)run.out.data; *line != '\0';) {
		char *end = strchr(line, '\n');
		CHECK(end != NULL);
		*end = '\0';
		char *count = strrchr(line, ' ');
		CHECK(count != NULL && strchr(line, ' ') == count);
		sum += strtoul(count + 1, NULL, 10);
		CHECK(strncmp(line, "$47316645768748;Jsonmain", 24) == 0);
		line = end + 1;
	}
	CHECK_INT(sum, 241 + 0);
	run_free(&run);
}

/* JSON: an object for the trace, then the sites. */
TEST(test_json)
{
	struct run run = run_words("--json", path_of("json-small.ctf"), NULL, NULL);
	size_t lines = 0;

	CHECK_INT(run.status, EXIT_DONE);
	CHECK(strncmp((char *)run.out.data, "{\"type\":\"trace\",\"version\":3,\"pid\":27016,", 40) == 0);
	CHECK(has(&run.out, "\"context\":\"json round trip\""));
	CHECK(has(&run.out, ",\"samples\":241,"));
	CHECK(has(&run.out,
	    "\n{\"type\":\"site\",\"function\":\"Stdlib__Buffer.create\",\"file\":\"buffer.ml\","
	    "\"samples\":60,"));
	for (const uint8_t *p = run.out.data; *p != '\0'; p++)
		lines += *p == '\n';
	CHECK(lines > 20);
	run_free(&run);
	run = run_words("--json", path_of("lists_and_sets.ctf"), NULL, NULL);
	CHECK(has(&run.out, "\"version\":1") && has(&run.out, "\"context\":null"));
	run_free(&run);
}

/* Write a file. */
static void write_file(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "wb");

	CHECK(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

/* Damaged traces: what came before is printed, then what is wrong and where. */
TEST(test_damaged)
{
	struct bytes file = data_file("json-small.ctf"), edge = data_file("edge.ctf"),
		     tail = data_file("edge-badtail.tail"), dump = data_file("json-small.dump.txt");
	const char *path = "memtrace-damaged.ctf";
	static const char *const reports[] = {"--top=9", "--folded", "--json"};

	/* The last event becomes one of an unknown kind. */
	size_t at = file.size - 4;
	uint8_t old = file.data[at];
	file.data[at] = 0xFF;
	write_file(path, file.data, file.size);
	struct run run = run_words("--dump", path, NULL, NULL);
	CHECK_INT(run.status, EXIT_FAILED);
	CHECK(run.out.size > dump.size / 2 && run.out.size < dump.size);
	CHECK(memcmp(run.out.data, dump.data, run.out.size) == 0);
	CHECK(has(&run.err, "rtevtop: memtrace-damaged.ctf: malformed trace: ") &&
	      has(&run.err, ", at byte 9"));
	run_free(&run);
	for (size_t i = 0; i < 3; i++) {
		run = run_words(reports[i], path, NULL, NULL);
		CHECK_INT(run.status, EXIT_FAILED);
		CHECK(run.out.size > 100 && has(&run.err, "malformed trace: "));
		run_free(&run);
	}
	file.data[at] = old;

	/* A packet that is not all there is told, and is a failure only where it is the only one. */
	write_file(path, file.data, file.size - 1);
	run = run_words("--dump", path, NULL, NULL);
	CHECK_INT(run.status, EXIT_FAILED);
	CHECK(has(&run.err, "an incomplete packet") && has(&run.err, ": 1 bytes lack"));
	CHECK(has(&run.err, "no event could be read"));
	run_free(&run);
	bytes_add(&edge, tail.data, tail.size);
	write_file(path, edge.data, edge.size);
	run = run_words("--dump", path, NULL, NULL);
	CHECK_INT(run.status, EXIT_DONE);
	CHECK(has(&run.err, "another process, 99, at byte 1710865"));
	CHECK(has(&run.err, "at byte 1710933: 272 bytes lack"));
	run_free(&run);

	/* A torn header is. */
	write_file(path, edge.data, 1710865 + 5);
	run = run_words("--json", path, NULL, NULL);
	CHECK_INT(run.status, EXIT_FAILED);
	CHECK(has(&run.err, "malformed trace: ") && has(&run.err, ", at byte 1710870"));
	run_free(&run);

	/* What is no trace at all. */
	write_file(
	    path, "#!/bin/sh\necho this is not a trace, but it is long enough for a header to fit in\n", 80);
	run = run_words("--top", "3", path, NULL);
	CHECK_INT(run.status, EXIT_FAILED);
	CHECK(has(&run.err, "malformed trace: not a memtrace packet, at byte 0\n"));
	CHECK_INT(run.out.size, 0);
	run_free(&run);
	run = run_words("--dump", path_of("lists_and_sets-v0.ctf"), NULL, NULL);
	CHECK_INT(run.status, EXIT_FAILED);
	CHECK(has(&run.err, "malformed trace: "));
	run_free(&run);
	run = run_words("--dump", "no-such.ctf", NULL, NULL);
	CHECK_INT(run.status, EXIT_FAILED);
	CHECK_STR((char *)run.err.data, "rtevtop: could not read no-such.ctf: no such file\n");
	run_free(&run);
	unlink(path);
	bytes_free(&file);
	bytes_free(&edge);
	bytes_free(&tail);
	bytes_free(&dump);
}

/* Wrong usage. */
TEST(test_usage)
{
	static const char *const wrong[][4] = {{NULL}, {"--dump"}, {"--top", "x", "f"}, {"--top", "0", "f"},
	    {"--top"}, {"--top=-1", "f"}, {"--nonsense", "f"}, {"--dump", "f", "g"},
	    {"--dump", "--json", "f"}, {"-d", "f"}, {"--dump", "-d1", "f"}, {"--json", "-Fx", "f"},
	    {"--sort", "heap", "f"}};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct run run = run_words(wrong[i][0], wrong[i][1], wrong[i][2], wrong[i][3]);
		CHECK_INT(run.status, EXIT_USAGE);
		CHECK(strncmp((char *)run.err.data, "rtevtop: ", 9) == 0);
		run_free(&run);
	}
	/* Behind "--" stands a command, and there is none to run here. */
	struct run run = run_words("--dump", "--", "--json", NULL);
	CHECK_INT(run.status, EXIT_USAGE);
	run_free(&run);
}

/* The live view needs a terminal; what can't be a trace it refuses at once. */
TEST(test_live_refused)
{
	static const struct {
		const char *name, *says;
	} table[] = {{RTEV_TEST_DATA "/memtrace/small.ctf", "`rtevtop memtrace --top 10 FILE`"},
	    {"no-such.ctf", "could not read no-such.ctf: no such file"}, {".", "not a regular file"},
	    {RTEV_TEST_DATA "/names.txt", "malformed trace: "}};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct run run = run_words(table[i].name, NULL, NULL, NULL);
		CHECK_INT(run.status, EXIT_FAILED);
		CHECK_INT(run.out.size, 0);
		if (strstr((char *)run.err.data, table[i].says) == NULL)
			TEST_FAIL("%s: %s", table[i].name, (char *)run.err.data);
		run_free(&run);
	}
}

/* Say where the only place is, in names that would drive a terminal. */
static size_t locate_hostile(void *ctx, int64_t code, size_t index, const struct rtev_memtrace_location **out)
{
	static const struct rtev_memtrace_location hostile = {
	    "a\033]0;title\a.ml", "A.wipe\033[2J\302\2332J\2332J", 1, 0, 0};

	*out = &hostile;
	return 1;
}

/* Write a trace with hostile names to a file. */
static void write_hostile(const char *path)
{
	struct rtev_memtrace_info info = {
	    .size = sizeof(info), .sample_rate = 1e-3, .word_size = 64, .pid = 1};
	struct rtev_memtrace_writer_options options = {.size = sizeof(options), .locate = locate_hostile};
	const int64_t place = 77;
	struct rtev_memtrace_alloc alloc = {
	    .size = sizeof(alloc), .length = 1, .samples = 1, .backtrace = &place, .depth = 1};
	struct rtev_memtrace_writer *writer;
	int64_t object;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CHECK_INT(rtev_memtrace_writer_create_fd(&writer, fd, &info, &options), RTEV_OK);
	CHECK_INT(rtev_memtrace_put_alloc(writer, 1, &alloc, &object), RTEV_OK);
	CHECK_INT(rtev_memtrace_writer_flush(writer), RTEV_OK);
	rtev_memtrace_writer_destroy(writer);
	close(fd);
}

/* What a report prints on a terminal. */
static struct bytes run_on_terminal(const char *report, const char *path)
{
	struct bytes bytes = {0};
	int master = posix_openpt(O_RDWR | O_NOCTTY), how;
	char part[4096];
	ssize_t n;

	CHECK(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	CHECK(slave >= 0);
	fflush(NULL);
	pid_t child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		close(master);
		dup2(slave, STDOUT_FILENO);
		execl(getenv("RTEVTOP"), "rtevtop", "memtrace", report, path, (char *)NULL);
		_exit(99);
	}
	close(slave);
	/* Linux ends a terminal that nobody holds with an error. */
	while ((n = read(master, part, sizeof(part))) > 0)
		bytes_add(&bytes, part, (size_t)n);
	CHECK(waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 0);
	bytes_add(&bytes, "", 1);
	close(master);
	return bytes;
}

/* Whether text could drive a terminal. */
static bool drives(const struct bytes *text)
{
	return has(text, "\033") || has(text, "\a") || has(text, "\302\233") || has(text, "\2332J");
}

/* Names in a trace can't drive the terminal, but go to a file as they are in a dump. */
TEST(test_hostile)
{
	static const char path[] = "memtrace-hostile.ctf";

	write_hostile(path);
	struct run run = run_words("--dump", path, NULL, NULL);
	CHECK(drives(&run.out) && has(&run.out, "A.wipe\033[2J"));
	run_free(&run);
	for (int i = 0; i < 4; i++) {
		const char *report = (const char *[]){"--dump", "--folded", "--top=3", "--json"}[i];
		struct bytes shown = run_on_terminal(report, path);
		CHECK(has(&shown, "A.wipe") && !drives(&shown));
		bytes_free(&shown);
	}
	unlink(path);
}
