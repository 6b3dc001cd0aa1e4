#include <caml/mlvalues.h>
#include <caml/callback.h>
static volatile unsigned long spin;
__attribute__((noinline)) static void burn(void)
{
	for (int i = 0; i < 300; i++)
		spin++;
}
value mixed_short(value u)
{
	burn();
	spin++;
	return Val_unit;
}
value mixed_callback(value f)
{
	value r = caml_callback(f, Val_unit);
	spin++;
	return r;
}
