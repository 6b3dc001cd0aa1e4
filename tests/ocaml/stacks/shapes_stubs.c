#define CAML_INTERNALS
#include <caml/mlvalues.h>
#include <caml/callback.h>
static volatile unsigned long spin;
__attribute__((noinline)) static void burn(void)
{
	for (;;)
		spin++;
}
value shapes_hold(value u)
{
	burn();
	spin++;
	return Val_unit;
}
value shapes_hold9(value a, value b, value c, value d, value e, value f, value g, value h, value i)
{
	burn();
	spin++;
	return Val_unit;
}
value shapes_hold9_byte(value *v, int n)
{
	return shapes_hold(Val_unit);
}
__attribute__((noinline)) value shapes_callback(value f)
{
	value r = caml_callback(f, Val_unit);
	spin++;
	return r;
}
