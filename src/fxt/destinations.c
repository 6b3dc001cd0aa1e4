/*
 * destinations.c - destinations without system calls: memory, a callback, nothing.
 */
#include <stdlib.h>

#include "core/sized.h"
#include "rtev/fxt.h"

int rtev_fxt_destination_close(struct rtev_fxt_destination *destination)
{
	struct rtev_fxt_destination calls = {0};
	if (destination == NULL)
		return RTEV_OK;
	if (!sized_take(&calls, sizeof(calls), destination) || calls.close == NULL)
		return RTEV_E_INVALID;
	return calls.close(destination);
}

/* ---- memory: the buffer handed out is always the rest ---- */

struct memory_destination {
	struct rtev_fxt_destination base; /* first */
	unsigned char *memory;
	size_t size;
	size_t *used;
};

/* Provide the rest of the memory. */
static int memory_next(struct rtev_fxt_destination *self, size_t need, void **data, size_t *size)
{
	struct memory_destination *memory = (struct memory_destination *)(void *)self;
	size_t rest = memory->size - *memory->used;
	if (rest < need)
		return RTEV_E_FXT_NO_SPACE;
	*data = memory->memory + *memory->used;
	*size = rest;
	return RTEV_OK;
}

/* Count what was written. */
static int memory_take(struct rtev_fxt_destination *self, size_t used)
{
	struct memory_destination *memory = (struct memory_destination *)(void *)self;
	*memory->used += used;
	return RTEV_OK;
}

/* Free the destination, but not the memory. */
static int memory_close(struct rtev_fxt_destination *self)
{
	free((struct memory_destination *)(void *)self);
	return RTEV_OK;
}

int rtev_fxt_memory_create(struct rtev_fxt_destination **out, void *memory, size_t size, size_t *used)
{
	if (out == NULL)
		return RTEV_E_INVALID;
	*out = NULL;
	if (memory == NULL || used == NULL)
		return RTEV_E_INVALID;
	struct memory_destination *made = calloc(1, sizeof(*made));
	if (made == NULL)
		return RTEV_E_NOMEM;
	made->base = (struct rtev_fxt_destination){
	    .size = sizeof(made->base), .next = memory_next, .take = memory_take, .close = memory_close};
	made->memory = memory;
	made->size = size;
	made->used = used;
	*used = 0;
	*out = &made->base;
	return RTEV_OK;
}

/* ---- callback, or nowhere: one buffer, handed out again and again ---- */

struct callback_destination {
	struct rtev_fxt_destination base;			/* first */
	int (*write)(void *ctx, const void *data, size_t size); /* NULL: discard */
	void *ctx;
	size_t size;
	unsigned char buffer[];
};

/* Provide the buffer. */
static int callback_next(struct rtev_fxt_destination *self, size_t need, void **data, size_t *size)
{
	struct callback_destination *callback = (struct callback_destination *)(void *)self;
	(void)need; /* the writer refuses a buffer that is too small */
	*data = callback->buffer;
	*size = callback->size;
	return RTEV_OK;
}

/* Pass the buffer to the callback. */
static int callback_take(struct rtev_fxt_destination *self, size_t used)
{
	struct callback_destination *callback = (struct callback_destination *)(void *)self;
	if (used == 0 || callback->write == NULL)
		return RTEV_OK;
	return callback->write(callback->ctx, callback->buffer, used);
}

/* Free the destination. */
static int callback_close(struct rtev_fxt_destination *self)
{
	free((struct callback_destination *)(void *)self);
	return RTEV_OK;
}

/* Create a destination with one buffer. */
static int buffer_create(struct rtev_fxt_destination **out, size_t size,
    int (*write)(void *ctx, const void *data, size_t size), void *ctx)
{
	if (out == NULL)
		return RTEV_E_INVALID;
	*out = NULL;
	if (size == 0)
		size = RTEV_FXT_BUFFER_BYTES;
	if (size > SIZE_MAX - sizeof(struct callback_destination))
		return RTEV_E_NOMEM;
	struct callback_destination *made = calloc(1, sizeof(*made) + size);
	if (made == NULL)
		return RTEV_E_NOMEM;
	made->base = (struct rtev_fxt_destination){.size = sizeof(made->base),
	    .next = callback_next,
	    .take = callback_take,
	    .close = callback_close};
	made->write = write;
	made->ctx = ctx;
	made->size = size;
	*out = &made->base;
	return RTEV_OK;
}

int rtev_fxt_callback_create(struct rtev_fxt_destination **out, size_t buffer_bytes,
    int (*write)(void *ctx, const void *data, size_t size), void *ctx)
{
	if (out != NULL)
		*out = NULL;
	return write != NULL ? buffer_create(out, buffer_bytes, write, ctx) : RTEV_E_INVALID;
}

int rtev_fxt_discard_create(struct rtev_fxt_destination **out, size_t buffer_bytes)
{
	return buffer_create(out, buffer_bytes, NULL, NULL);
}
