/* test_facts.c - what the live view is told of a target besides its events. */
#include "app/top/facts.h"
#include "support/test.h"

/* Why the code was not sampled, and whether the key may be tried again, which only helps where time ran out. */
TEST(code_that_was_not_sampled)
{
	static const struct {
		int error;
		const char *why, *said, *refused;
	} cases[] = {{EAGAIN, "reading that takes too long",
			 "could not sample the code: reading that takes too long. C tries again", NULL},
	    {ENOTSUP, "it has no frame tables", "could not sample the code: it has no frame tables. ",
		"it has no frame tables"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		static struct observation o;
		static struct facts f;

		facts_init(&f);
		o.code.refusal = (struct code_refusal){.error = cases[i].error};
		strlcpy(o.code.refusal.why, cases[i].why, sizeof(o.code.refusal.why));
		facts_gather(&f, NULL, &o);
		CHECK_STR(f.notice, cases[i].said);
		CHECK((f.subject.code_refused == NULL) == (cases[i].refused == NULL));
		CHECK(f.code_refused);
		/* It is said once. */
		f.notice[0] = '\0';
		facts_gather(&f, NULL, &o);
		CHECK_STR(f.notice, "");
		facts_fini(&f);
	}
}
