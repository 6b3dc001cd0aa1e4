/*
 * test_model_memory.c - the model when memory runs out: every allocation fails once, and nothing but the
 * totals suffers.
 *
 * The linker sends the model's allocations here (--wrap).
 */
#include <sys/mman.h>

#include "model/pool.h"
#include "support/model_feed.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
void *__real_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset);
int __real_munmap(void *at, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset);
int __wrap_munmap(void *at, size_t size);

static uint64_t allocations, fail_at;
static size_t asked_for;

/* Count the bytes of an allocation.  Returns whether it is the one to fail. */
static bool fails(size_t size)
{
	asked_for += size;
	return ++allocations == fail_at;
}

void *__wrap_malloc(size_t size)
{
	return fails(size) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails(count * size) ? NULL : __real_calloc(count, size);
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return fails(count * size) ? NULL : __real_reallocarray(old, count, size);
}

void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	return fails(size) ? MAP_FAILED : __real_mmap(at, size, prot, flags, fd, offset);
}

/* A pool returns what is beside a block at once. */
int __wrap_munmap(void *at, size_t size)
{
	asked_for -= size;
	return __real_munmap(at, size);
}

/* Some of everything that takes memory. */
static void run_all(struct feed *f)
{
	struct rtev_user_event a = user_event(0, "a"), b = user_event(1, "b");
	uint64_t ts = 10;

	for (unsigned round = 0; round < 40; round++) {
		unsigned domain = round % 3;

		f->cb.lost(f->m, domain, 5, 0);
		for (unsigned i = 0; i < 20; i++) {
			f->cb.begin(f->m, domain, ts++, (rtev_phase)(RTEV_OPAQUE + i + round));
			f->cb.begin(f->m, domain, ts++, MINOR);
			f->cb.user_span(f->m, domain, ts++, i % 2 == 0 ? &a : &b, true);
		}
		f->cb.counter(f->m, domain, ts++, (rtev_counter)(RTEV_OPAQUE + round), 1);
		for (unsigned i = 20; i-- > 0;) {
			f->cb.end(f->m, domain, ts += round, MINOR);
			f->cb.end(f->m, domain, ts += 1000 * i, (rtev_phase)(RTEV_OPAQUE + i + round));
			f->cb.user_span(f->m, domain, ts++, i % 2 == 0 ? &a : &b, false);
		}
		f->cb.user_custom(f->m, domain, ts++, &a, "payload", 7);
		f->cb.lifecycle(f->m, domain, ts++, RTEV_LIFECYCLE_RING_RESUME, 0);
		model_resume_at(f->m, ts - 700);
		model_drained(f->m);
		model_set_now(f->m, ts);
	}
	model_finish(f->m);
}

TEST(every_allocation_can_fail)
{
	struct feed f = feed_open(0);
	uint64_t needed;

	run_all(&f);
	needed = allocations;
	feed_close(&f);
	CHECK(needed > 100);
	for (uint64_t n = 1; n <= needed; n++) {
		allocations = 0;
		fail_at = n;
		f = (struct feed){.m = model_create(NULL)};
		if (f.m == NULL)
			continue;
		model_callbacks(&f.cb);
		run_all(&f);
		CHECK_INT(model_status(f.m), RTEV_E_NOMEM);
		CHECK_INT(f.cb.lifecycle(f.m, 0, 1, RTEV_LIFECYCLE_FORK_CHILD, 0), RTEV_STOP);
		const struct model_totals t = model_totals(f.m);
		CHECK(t.events > 0);
		model_reset(f.m);
		model_destroy(f.m);
	}
	fail_at = 0;
}

TEST(a_total_of_user_spans_can_fail)
{
	struct feed f = feed_open(0);
	struct rtev_user_event a = user_event(0, "a");
	struct model_user all;

	for (unsigned i = 0; i < 100; i++) {
		user_span(&f, i % 3, 1000 * i, &a, true);
		user_span(&f, i % 3, 1000 * i + (1u << i % 10), &a, false);
	}
	allocations = 0;
	CHECK(model_user_total(f.m, 0, &all));
	hist_fini(&all.spans);
	for (uint64_t n = allocations; n > 0; n--) {
		allocations = 0;
		fail_at = n;
		CHECK(!model_user_total(f.m, 0, &all));
		CHECK_INT(all.spans.count, 0);
	}
	fail_at = 0;
	feed_close(&f);
}

#define BUDGET ((size_t)8 << 20)
#define DOMAIN_BYTES ((size_t)57 << 10) /* model/state.h */

/* Check what a model with BUDGET has asked for.  A pool takes up to an eighth more than what is taken from it,
 * and its latest block is not used up. */
static void check_asked_for(unsigned domains)
{
	size_t most = BUDGET + BUDGET / 8 + domains * DOMAIN_BYTES + POOL_HUGE + (1 << 20);

	if (asked_for > most)
		TEST_FAIL("%zu bytes of at most %zu", asked_for, most);
}

/* Whatever a ring says, there is no more than the budget, and a little for each domain. */
TEST(the_budget_holds)
{
	struct model *m = model_create(&(struct model_options){.max_bytes = BUDGET});
	struct rtev_callbacks cb;
	struct rtev_user_event event = user_event(0, "a");

	/* One event on each of many domains. */
	CHECK(m != NULL);
	model_callbacks(&cb);
	asked_for = 0;
	for (unsigned domain = 0; domain < 1024; domain++)
		cb.user_unit(m, domain, 10, &event);
	check_asked_for(1024);
	model_destroy(m);

	/* Durations of all orders, each longer than those before. */
	m = model_create(&(struct model_options){.max_bytes = BUDGET});
	CHECK(m != NULL);
	asked_for = 0;
	for (unsigned id = 0; id < 1024; id++) {
		event = user_event((uint16_t)id, "b");
		event.name[0] = (char)(1 + id % 100);
		event.name[1] = (char)(1 + id / 100);
		event.name_len = 2;
		for (unsigned shift = 6; shift < 62; shift++) {
			cb.user_span(m, 0, 10, &event, true);
			cb.user_span(m, 0, 10 + (UINT64_C(1) << shift), &event, false);
		}
	}
	check_asked_for(1);
	model_destroy(m);
}
