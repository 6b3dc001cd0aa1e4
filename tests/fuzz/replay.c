/*
 * replay.c - run a fuzz target without libFuzzer: over each file of the directories or files named, then over
 * input made up from a fixed seed, so that every build tries the parser on nonsense.  An input that takes ten seconds of a
 * processor ends it.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Run the target over an input. */
static void replay(const uint8_t *data, size_t size)
{
	const struct itimerval most = {.it_value.tv_sec = 10};

	setitimer(ITIMER_PROF, &most, NULL);
	LLVMFuzzerTestOneInput(data, size);
}

/* Run the target over one file's content. */
static void replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (file == NULL) {
		fprintf(stderr, "cannot open %s\n", path);
		exit(1);
	}
	fseek(file, 0, SEEK_END);
	long size = ftell(file);
	rewind(file);
	uint8_t *data = size > 0 ? malloc((size_t)size) : NULL;
	if (data != NULL && fread(data, 1, (size_t)size, file) == (size_t)size) {
		replay(data, (size_t)size);
		/* Damaged copies of good files reach further than noise does. */
		uint64_t seed = 88172645463325252u;
		for (int round = 0; round < 200; round++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			size_t at = (size_t)(seed >> 8) % (size_t)size;
			uint8_t old = data[at];
			data[at] = (uint8_t)seed;
			replay(data, round % 4 == 0 ? at : (size_t)size);
			data[at] = old;
		}
	}
	free(data);
	fclose(file);
}

/* Run the target over a path: a file, or all files of a directory. */
static void replay_path(const char *path)
{
	DIR *dir = opendir(path);
	if (dir == NULL) {
		replay_file(path);
		return;
	}
	const struct dirent *entry;
	while ((entry = readdir(dir)) != NULL) {
		char name[4096];
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		replay_file(name);
	}
	closedir(dir);
}

/* Replay the corpus, then noise. */
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		replay_path(argv[i]);
	uint64_t seed = 0x9E3779B97F4A7C15u;
	static uint8_t noise[1 << 14];
	for (int round = 0; round < 500; round++) {
		for (size_t i = 0; i < sizeof(noise); i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			noise[i] = (uint8_t)(seed >> 56);
		}
		replay(noise, (size_t)(seed >> 20) % sizeof(noise));
	}
	puts("ok");
	return 0;
}
