#include <caml/callback.h>
#include <caml/memory.h>
#include <caml/mlvalues.h>

static volatile unsigned long sink;

#define KIND(k)                                                                                              \
	value moments_c_##k(value n)                                                                         \
	{                                                                                                    \
		for (long i = 0; i < Long_val(n); i++)                                                       \
			sink = (sink * 48271 + (unsigned long)i) & 0xffffff;                                 \
		return Val_unit;                                                                             \
	}                                                                                                    \
	value moments_call_##k(value f, value n)                                                             \
	{                                                                                                    \
		CAMLparam2(f, n);                                                                            \
		caml_callback(f, n);                                                                         \
		CAMLreturn(Val_unit);                                                                        \
	}
KIND(a)
KIND(b)
