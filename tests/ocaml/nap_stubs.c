/* nap_stubs.c - sleep for 0.4 s, while the runtime waits for that, or not. */
#include <time.h>

#include <caml/mlvalues.h>
#include <caml/signals.h>

value nap(value keeps)
{
	const struct timespec time = {.tv_nsec = 400000000};

	if (!Bool_val(keeps))
		caml_enter_blocking_section();
	nanosleep(&time, NULL);
	if (!Bool_val(keeps))
		caml_leave_blocking_section();
	return Val_unit;
}
