/*
 * flight_failures.c - report failures of the flight recorder.
 */
#include "app/flight_failures.h"

#include "app/fail.h"
#include "files/folder.h"
#include "target/shortage.h"

/* Return the remedy for an error that left the file in this state; NULL: none. */
static const char *remedy(int error, bool made, bool torn)
{
	if (torn)
		return "Its end could not be written either.";
	switch (error) {
	case ENOSPC:
	case EDQUOT:
		return made ? "It is complete up to there.  Make room, or give another directory."
			    : "Make room, or give another directory.";
	case EFBIG:
		return made ? "It is complete up to there.  `ulimit -f` limits how large files may be."
			    : "`ulimit -f` limits how large files may be.";
	case ENOMEM:
		return NULL;
	case EMFILE:
	case ENFILE:
	case EAGAIN:
		return shortage_remedy(error, NULL);
	default:
		return made ? "It is complete up to there." : "Give a directory that you can write to.";
	}
}

bool flight_failures_note(struct flight_failures *f, const struct flight_file *file)
{
	int error = file->error != 0 ? file->error : file->status != RTEV_OK ? ENOMEM : 0;
	unsigned i = 0;

	if (error == 0)
		return false;
	while (i < f->count && f->list[i].error != error)
		i++;
	if (i == FAILURE_KINDS)
		i--;
	if (i == f->count) {
		f->count++;
		f->list[i] = (struct flight_failure){.error = error, .made = file->made, .torn = file->torn};
		strlcpy(f->list[i].path, file->path, sizeof(f->list[i].path));
	}
	f->list[i].files++;
	return f->list[i].told == 0;
}

/* Report the first file that failed with an error, and the number of others. */
static void tell_first(const struct flight_failure *r)
{
	const char *why = folder_strerror(r->error);
	unsigned long long more = r->files - 1;

	if (more != 0)
		say(remedy(r->error, r->made, r->torn), "could not write %s%s, nor %llu more file%s: %s",
		    r->path, r->made ? " in full" : "", more, more == 1 ? "" : "s", why);
	else if (r->made)
		say(remedy(r->error, true, r->torn), "could not go on writing %s: %s", r->path, why);
	else
		say(remedy(r->error, false, false), "could not write %s: %s", r->path, why);
}

void flight_failures_tell(struct flight_failures *f)
{
	for (unsigned i = 0; i < f->count; i++) {
		struct flight_failure *r = &f->list[i];
		unsigned long long more = r->files - r->told;
		if (r->told == 0)
			tell_first(r);
		else if (more != 0)
			say(NULL, "could not write %llu more file%s in full: %s", more, more == 1 ? "" : "s",
			    folder_strerror(r->error));
		r->told = r->files;
	}
}

void flight_skipped_tell(uint64_t skipped, uint64_t pause_ns)
{
	if (skipped != 0)
		say("A pause gets a file 10 s after the last one that did, or when it is longer.",
		    "%llu more %s longer than %g ms and got no file", (unsigned long long)skipped,
		    skipped == 1 ? "pause was" : "pauses were", (double)pause_ns / 1e6);
}
