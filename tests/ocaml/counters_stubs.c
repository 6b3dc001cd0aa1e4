/*
 * counters_stubs.c - the number of the calling thread, and a wait that keeps the domain's lock.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include <caml/mlvalues.h>

value counters_tid(value unit);
value counters_hold(value ms);

value counters_tid(value unit)
{
	return Val_long(syscall(SYS_gettid));
}

value counters_hold(value ms)
{
	usleep((unsigned)Long_val(ms) * 1000u);
	return Val_unit;
}
