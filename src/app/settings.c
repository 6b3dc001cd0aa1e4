/*
 * settings.c - read and write the settings file.
 */
#include "app/settings.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/fail.h"
#include "files/folder.h"
#include "print/number.h"

enum setting_kind { SETTING_TIME, SETTING_SWITCH, SETTING_TEXT, SETTING_CHOICE };

/* The keys: name, type, member of struct settings, and the option whose words it takes. */
static const struct {
	const char *key;
	enum setting_kind kind;
	size_t offset;
	enum option_number option;
} keys[] = {
    {"delay", SETTING_TIME, offsetof(struct settings, delay_ns), 0},
    {"window", SETTING_TIME, offsetof(struct settings, window_ns), 0},
    {"timeline", SETTING_SWITCH, offsetof(struct settings, timeline), 0},
    {"wall-scale", SETTING_SWITCH, offsetof(struct settings, wall_scale), 0},
    {"log-scale", SETTING_SWITCH, offsetof(struct settings, log_scale), 0},
    {"no-color", SETTING_SWITCH, offsetof(struct settings, no_color), 0},
    {"ascii", SETTING_SWITCH, offsetof(struct settings, ascii), 0},
    {"no-mouse", SETTING_SWITCH, offsetof(struct settings, no_mouse), 0},
    {"no-sync", SETTING_SWITCH, offsetof(struct settings, no_sync), 0},
    {"theme", SETTING_CHOICE, offsetof(struct settings, theme), OPTION_theme},
    {"graph", SETTING_CHOICE, offsetof(struct settings, graph), OPTION_graph},
    {"sort", SETTING_TEXT, offsetof(struct settings, sort), 0},
    {"filter", SETTING_TEXT, offsetof(struct settings, filter), 0},
};
enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

const char *settings_key(size_t i)
{
	return i < KEYS ? keys[i].key : NULL;
}

/* Format the path of the settings directory, or of a file in it.  Returns false without a home directory, or
 * if the path is too long. */
static bool settings_path(char *path, size_t size, const char *file)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int length = -1;

	if (config != NULL && config[0] == '/')
		length = snprintf(path, size, "%s/rtevtop%s", config, file);
	else if (home != NULL && home[0] == '/')
		length = snprintf(path, size, "%s/.config/rtevtop%s", home, file);
	return length > 0 && (size_t)length < size;
}

/* Take the value of a key.  Returns false if it is invalid. */
static bool setting_take(struct settings *out, size_t key, const char *value)
{
	char *at = (char *)out + keys[key].offset;
	uint64_t ns;

	switch (keys[key].kind) {
	case SETTING_TIME:
		if (!time_text_read(value, &ns) || ns == 0)
			return false;
		memcpy(at, &ns, sizeof(ns));
		return true;
	case SETTING_SWITCH:
		*(bool *)at = strcmp(value, "yes") == 0;
		return *(bool *)at || strcmp(value, "no") == 0;
	case SETTING_CHOICE:
		*(unsigned *)at = option_choice(keys[key].option, value);
		return *(unsigned *)at != 0;
	case SETTING_TEXT:
		return strlcpy(at, value, SETTINGS_TEXT) < SETTINGS_TEXT;
	}
	return false;
}

/* Parse a line; warnings contain its number. */
static void line_take(struct settings *out, char *line, const char *path, unsigned number)
{
	line[strcspn(line, "\r\n")] = '\0';
	char *key = line + strspn(line, " \t");
	if (*key == '\0' || *key == '#')
		return;
	char *value = strchr(key, '=');
	if (value == NULL) {
		say("A line is \"key = value\".", "%s:%u: no value", path, number);
		return;
	}
	size_t end = (size_t)(value - key);
	while (end > 0 && (key[end - 1] == ' ' || key[end - 1] == '\t'))
		end--;
	value += 1 + strspn(value + 1, " \t");
	key[end] = '\0';
	for (size_t i = 0; i < KEYS; i++) {
		if (strcmp(keys[i].key, key) != 0)
			continue;
		if (!setting_take(out, i, value))
			say(NULL, "%s:%u: %s can't be \"%s\"", path, number, key, value);
		return;
	}
	say(NULL, "%s:%u: unknown key %s", path, number, key);
}

void settings_read(struct settings *out)
{
	char path[4096], line[512];

	*out = (struct settings){0};
	if (!settings_path(path, sizeof(path), "/settings"))
		return;
	/* Read only regular files: reading others might block. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	FILE *file = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? fdopen(fd, "r") : NULL;
	if (file == NULL) {
		if (fd >= 0)
			close(fd);
		else if (errno != ENOENT && errno != ENOTDIR)
			say(NULL, "could not read %s: %s", path, strerror(errno));
		return;
	}
	for (unsigned number = 1; fgets(line, sizeof(line), file) != NULL; number++)
		line_take(out, line, path, number);
	fclose(file);
}

/* Print a key with its value, unless it has its default. */
static void setting_print(FILE *file, const struct settings *settings, size_t key)
{
	const char *at = (const char *)settings + keys[key].offset;
	uint64_t ns;

	switch (keys[key].kind) {
	case SETTING_TIME:
		memcpy(&ns, at, sizeof(ns));
		if (ns != 0)
			fprintf(file, "%s = %llums\n", keys[key].key, (unsigned long long)(ns / 1000000));
		break;
	case SETTING_SWITCH:
		fprintf(file, "%s = %s\n", keys[key].key, *(const bool *)at ? "yes" : "no");
		break;
	case SETTING_CHOICE:
		if (*(const unsigned *)at != 0)
			fprintf(file, "%s = %s\n", keys[key].key,
			    option_choices(keys[key].option)[*(const unsigned *)at - 1]);
		break;
	case SETTING_TEXT:
		if (at[0] != '\0')
			fprintf(file, "%s = %s\n", keys[key].key, at);
		break;
	}
}

/* Open the settings directory; create it and its parent if they are missing.  Returns -1 with errno set.
 * Symbolic links are not followed. */
static int open_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char above[4096];
	struct stat st;
	int fd;

	strlcpy(above, path, sizeof(above));
	above[slash - path] = '\0';
	/* The parent is the user's own directory, with the usual mode. */
	mkdir(above, 0777);
	int error = folder_open(&fd, above[0] != '\0' ? above : "/");
	if (error != 0) {
		errno = error;
		return -1;
	}
	if (mkdirat(fd, slash + 1, 0777) != 0 && errno != EEXIST)
		error = errno;
	else if (fstatat(fd, slash + 1, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
		error = ELOOP;
	int folder = error == 0 ? openat(fd, slash + 1, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (error == 0)
		error = errno;
	close(fd);
	errno = error;
	return folder;
}

/* Write a new file and rename it over the old one.  A symbolic link is not replaced.  Returns false with
 * errno set. */
static bool write_beside(int folder, const struct settings *settings)
{
	static const char name[] = "settings", beside[] = "settings.new";
	struct stat st;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode)) {
		errno = ELOOP;
		return false;
	}
	unlinkat(folder, beside, 0);
	FILE *file = new_file_open(folder, beside);
	if (file == NULL)
		return false;
	fprintf(file, "# Settings of rtevtop's live view; written by its key W.\n");
	for (size_t i = 0; i < KEYS; i++)
		setting_print(file, settings, i);
	if (!new_file_close(file, folder, beside))
		return false;
	if (renameat(folder, beside, folder, name) == 0)
		return true;
	int error = errno;
	unlinkat(folder, beside, 0);
	errno = error;
	return false;
}

bool settings_write(const struct settings *settings, char *path, size_t size)
{
	errno = ENOENT;
	if (!settings_path(path, size, ""))
		return false;
	int folder = open_folder(path);
	int error = errno;
	settings_path(path, size, "/settings");
	errno = error;
	if (folder < 0)
		return false;
	bool written = write_beside(folder, settings);
	error = errno;
	close(folder);
	errno = error;
	return written;
}
