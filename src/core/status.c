/*
 * status.c - texts of the status codes, from the list in rtev.h.
 */
#include "rtev/rtev.h"

#define STRING_OF(x) #x
#define STRING(x) STRING_OF(x)

const char *rtev_strerror(int status)
{
	switch (status) {
#define CASE(name, value, message)                                                                           \
	case value:                                                                                          \
		return message;
		RTEV_STATUSES(CASE)
#undef CASE
	}
	return "unknown status";
}

const char *rtev_version(void)
{
	return STRING(RTEV_VERSION_MAJOR) "." STRING(RTEV_VERSION_MINOR) "." STRING(RTEV_VERSION_PATCH);
}
