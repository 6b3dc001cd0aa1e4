/*
 * tape_private.h - how a tape is stored; shared by tape.c, which writes, and tape_play.c, which reads.
 *
 * A record is an opcode of one byte, the distance of its stamp from the domain's one before in the block (from the
 * block's base for the first), folded, and what the opcode says; all numbers are varints.  OP_DOMAIN says whose the
 * records are that follow, 0 at first.
 *
 * The head of a block, up to head_end, are records of their own, as if what is open had begun there in the block.  Who
 * comes from the block before passes over them.  Behind the head stamps and domain begin anew.
 */
#ifndef MODEL_TAPE_PRIVATE_H
#define MODEL_TAPE_PRIVATE_H

#include <sys/queue.h>

#include "core/varint.h"
#include "model/tape.h"

/* Opcodes.  What is frequent has its number in the opcode. */
enum {
	OP_OPENED = 0x00,  /* and the phase, when it is below OP_SMALL */
	OP_CLOSED = 0x40,  /* likewise */
	OP_COUNTER = 0x80, /* and the counter, when it is below OP_SMALL; value folded */
	OP_DOMAIN = 0xc0,  /* domain; no stamp */
	OP_OPENED_BIG,	   /* phase */
	OP_CLOSED_BIG,	   /* phase */
	OP_COUNTER_BIG,	   /* counter, value folded */
	OP_ALLOC,	   /* RTEV_ALLOC_BUCKETS numbers */
	OP_LIFECYCLE,	   /* event, data folded */
	OP_USER_OPENED,	   /* slot */
	OP_USER_CLOSED,	   /* slot */
	OP_USER,	   /* slot, value folded */
	OP_CUSTOM,	   /* slot, length, bytes kept, and those bytes */
	OP_GAP,	    /* kind, words, of these before the attach; its stamp is that of the event before */
	OP_RESUMED, /* its stamp is that of the resume */
	OP_REATTACH
};
#define OP_SMALL 0x40

/* The longest record, with an OP_DOMAIN before it: a payload, and the numbers around it. */
#define TAPE_RECORD_MAX (2 + 5 * VARINT_MAX + MODEL_CUSTOM_KEPT + VARINT_SLACK)
_Static_assert(TAPE_RECORD_MAX > 2 + (2 + RTEV_ALLOC_BUCKETS) * VARINT_MAX + VARINT_SLACK, "buckets fit too");

struct tape_block {
	STAILQ_ENTRY(tape_block) link;
	uint64_t serial;
	uint64_t base; /* stamps */
	uint64_t latest;
	uint32_t size; /* of data */
	uint32_t used;
	uint32_t head_end;
	uint8_t data[];
};
STAILQ_HEAD(tape_blocks, tape_block);

struct tape {
	struct model *model;
	struct tape_blocks blocks; /* oldest first; never empty while `whole` */
	size_t bytes;
	uint64_t next_serial; /* from 1 on */
	bool whole;

	/* the last of the blocks, being written */
	struct tape_block *block;
	uint64_t epoch; /* serial of the block, twice, plus one behind its head */
	unsigned domain;
	uint64_t last[MODEL_DOMAINS_MAX];  /* the latest stamp of each domain, */
	uint64_t since[MODEL_DOMAINS_MAX]; /* if this is the epoch */
};

/* The block with a serial; NULL when there is none. */
const struct tape_block *tape_block_of(const struct tape *t, uint64_t serial);

#endif
