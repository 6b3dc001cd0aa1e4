/*
 * system_places.c - directories of control groups.
 */
#include "target/system_places.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "target/maps.h"
#include "target/system_parse.h"

/* Whether a path contains "..": the group is outside of our view. */
static bool leads_out(struct piece path)
{
	struct piece part;

	while (take_until(&path, '/', &part))
		if (piece_is(part, ".."))
			return true;
	return false;
}

/* Whether a mount belongs to the hierarchy. */
static bool right_mount(const struct system_mount *mount, const char *controller)
{
	if (controller == NULL)
		return piece_is(mount->type, "cgroup2");
	return piece_is(mount->type, "cgroup") && system_listed(mount->options, controller);
}

/* Copy a path of mountinfo, unescaped.  Returns false if it does not fit. */
static bool plain_path(struct piece piece, char *out, size_t size)
{
	char escaped[PROC_PATH_SIZE];
	size_t len = (size_t)(piece.end - piece.at);

	if (len >= sizeof escaped || len >= size)
		return false;
	memcpy(escaped, piece.at, len);
	escaped[len] = '\0';
	if (!map_unescape(escaped, out, size))
		memcpy(out, escaped, len + 1);
	return true;
}

/* Remove the root of a mount from the path of a group.  Returns false if the group is not below it. */
static bool strip_root(struct piece *group, const char *root)
{
	if (strcmp(root, "/") == 0)
		return true;
	return piece_skip(group, root) && (group->at == group->end || *group->at == '/');
}

/* Open the directories from the group's up to the mount point.  Returns false if the group's own does not
 * exist. */
static bool open_levels(struct place *place, const char *point, struct piece group)
{
	char path[PROC_PATH_SIZE];
	size_t base = strlen(point), len;

	while (group.end > group.at && group.end[-1] == '/')
		group.end--;
	len = base + (size_t)(group.end - group.at);
	if (len >= sizeof path)
		return false;
	memcpy(path, point, base);
	memcpy(path + base, group.at, (size_t)(group.end - group.at));
	path[len] = '\0';
	place->levels = 0;
	while (place->levels < PLACE_LEVELS) {
		int dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (dir < 0)
			break;
		place->dirs[place->levels++] = dir;
		if (len <= base)
			break;
		while (len > base && path[len - 1] != '/')
			len--;
		while (len > base && path[len - 1] == '/')
			len--;
		path[len] = '\0';
	}
	return place->levels > 0;
}

/* Find the group among the mounts. */
static enum system_known find_mount(struct place *place, struct piece group, const char *mounts,
    size_t mounts_len, const char *sys_root, const char *controller)
{
	const char *at = mounts, *end = mounts + mounts_len;
	enum system_known why = SYSTEM_NO_CGROUP;
	struct system_mount mount;
	struct piece line;

	while (take_line(&at, end, &line)) {
		char root[PROC_PATH_SIZE], point[PROC_PATH_SIZE], path[PROC_PATH_SIZE];
		struct piece below = group;

		if (!system_parse_mount(line, &mount) || !right_mount(&mount, controller))
			continue;
		why = SYSTEM_HIDDEN_CGROUP;
		if (!leads_out(group) && plain_path(mount.root, root, sizeof root) &&
		    strip_root(&below, root) && plain_path(mount.point, point, sizeof point) &&
		    (size_t)snprintf(path, sizeof path, "%s%s", sys_root, point) < sizeof path &&
		    open_levels(place, path, below))
			return SYSTEM_KNOWN;
	}
	return why;
}

enum system_known place_find(struct place *place, const char *text, size_t len, const char *mounts,
    size_t mounts_len, const char *sys_root, const char *controller)
{
	enum system_known known;
	struct piece group;

	memset(place, 0, sizeof *place);
	if (controller != NULL && system_parse_group(text, len, controller, &group)) {
		/* A controller is in one hierarchy only: v2 groups lack it if a v1 hierarchy has it. */
		known = find_mount(place, group, mounts, mounts_len, sys_root, controller);
		return known == SYSTEM_NO_CGROUP ? SYSTEM_HIDDEN_CGROUP : known;
	}
	if (!system_parse_group(text, len, NULL, &group))
		return SYSTEM_NO_CGROUP;
	known = find_mount(place, group, mounts, mounts_len, sys_root, NULL);
	place->second = known == SYSTEM_KNOWN;
	return known;
}

void place_close(struct place *place)
{
	for (unsigned i = 0; i < place->levels; i++)
		close(place->dirs[i]);
	place->levels = 0;
}
