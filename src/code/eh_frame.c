/*
 * eh_frame.c - see eh_frame.h.  The format is defined by the Linux Standard Base and by DWARF 5, section 6.4.
 */
#include "code/eh_frame.h"

#include "core/array.h"
#include "core/cut.h"
#include "core/order.h"

enum {
	STEPS_MAX = 1 << 12,   /* instructions for one address, at most */
	NUMBER_BYTES = 10,     /* of a 64-bit number in LEB128 */
	AUGMENTATION_MAX = 16, /* letters, at most */
	ENTRY_WORK = 50,
	STATES_MAX = 8, /* remembered states, at most */
	DW_SP = 7,	/* DWARF numbers of registers */
	DW_RETURN = 16,
	NO_BASE = -1
};

/* A function. */
struct fde {
	uint64_t start, size;
	uint32_t at;  /* offset of its instructions */
	uint32_t end; /* end of its entry */
	uint32_t cie; /* offset of the entry with the properties that functions share */
};

struct eh_frame {
	uint8_t *bytes;
	size_t size;
	uint64_t address;
	struct fde *fdes; /* sorted by address */
	size_t count, room;
};

/* ---- numbers ---- */

static uint64_t take_uleb(struct cut *b)
{
	uint64_t value = 0;

	for (unsigned i = 0; !b->fault; i++) {
		uint64_t byte = cut_fixed(b, 1);

		value |= (byte & 0x7f) << (7 * i);
		if ((byte & 0x80) == 0)
			break;
		b->fault = b->fault || i + 1 == NUMBER_BYTES;
	}
	return value;
}

static int64_t take_sleb(struct cut *b)
{
	uint64_t value = 0, byte = 0;
	unsigned shift = 0;

	do {
		byte = cut_fixed(b, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
		b->fault = b->fault || shift > 7 * NUMBER_BYTES;
	} while ((byte & 0x80) != 0 && !b->fault);
	if (shift < 64 && (byte & 0x40) != 0)
		value |= UINT64_MAX << shift;
	return (int64_t)value;
}

/* Read a pointer in one of the encodings of DW_EH_PE, which is stored at `address`; `absolute`: it is a
 * length, so nothing is added. */
static uint64_t take_pointer(struct cut *b, uint64_t address, uint8_t encoding, bool absolute)
{
	static const uint8_t sizes[8] = {8, 0, 2, 4, 8, 0, 0, 0};
	size_t size = sizes[encoding & 7];
	uint64_t value, sign;

	if (size == 0 || (!absolute && (encoding & 0x70) != 0 && (encoding & 0x70) != 0x10) ||
	    (encoding & 0x80) != 0) {
		b->fault = true;
		return 0;
	}
	value = cut_fixed(b, size);
	if ((encoding & 8) != 0 && !absolute) {
		sign = UINT64_C(1) << (8 * size - 1);
		value = (value ^ sign) - sign;
	}
	if (!absolute && (encoding & 0x70) == 0x10)
		value += address;
	return value;
}

/* ---- entries ---- */

/* Properties that functions share. */
struct cie {
	uint64_t code_factor;
	int64_t data_factor;
	uint8_t encoding; /* encoding of addresses */
	bool augmented;	  /* functions have augmentation data */
	struct cut instructions;
};

/* Take the bytes of the entry at an offset, without its length.  Returns false at the end of the section. */
static bool entry_at(const struct eh_frame *eh, size_t at, struct cut *out)
{
	struct cut b = {.at = eh->bytes + at, .end = eh->bytes + eh->size};
	uint64_t length = cut_fixed(&b, 4);

	if (length == UINT32_MAX)
		length = cut_fixed(&b, 8);
	if (b.fault || length < 4 || length > cut_left(&b))
		return false;
	b.end = b.at + length;
	*out = b;
	return true;
}

static bool cie_read(const struct eh_frame *eh, size_t at, struct cie *out)
{
	struct cut b;

	if (!entry_at(eh, at, &b) || cut_fixed(&b, 4) != 0)
		return false;
	*out = (struct cie){0};
	cut_bytes(&b, 1); /* version */
	const uint8_t *augmentation = b.at;
	size_t left = cut_left(&b);
	const uint8_t *end = memchr(augmentation, 0, left < AUGMENTATION_MAX ? left : AUGMENTATION_MAX);
	if (end == NULL || cut_bytes(&b, (size_t)(end - augmentation) + 1) == NULL)
		return false;
	out->code_factor = take_uleb(&b);
	out->data_factor = take_sleb(&b);
	take_uleb(&b); /* register of the return address */
	if (augmentation[0] == 'z') {
		out->augmented = true;
		uint64_t size = take_uleb(&b);
		if (b.fault || size > cut_left(&b))
			return false;
		const uint8_t *data = b.at + size;
		for (const uint8_t *c = augmentation + 1; c < end; c++) {
			if (*c == 'R')
				out->encoding = (uint8_t)cut_fixed(&b, 1);
			else if (*c == 'L')
				cut_bytes(&b, 1);
			else if (*c == 'P')
				take_pointer(&b, 0, (uint8_t)cut_fixed(&b, 1) & 0x7f, false);
			else if (*c != 'S')
				break;
		}
		b.at = data;
	} else if (augmentation[0] != '\0') {
		return false;
	}
	out->instructions = b;
	return !b.fault;
}

/* Add a function.  Returns false when out of memory. */
static bool add_function(
    struct eh_frame *eh, struct cut b, const struct cie *cie, uint32_t cie_at, struct effort *effort)
{
	struct fde fde = {.cie = cie_at, .end = (uint32_t)(b.end - eh->bytes)};

	fde.start = take_pointer(&b, eh->address + (uint64_t)(b.at - eh->bytes), cie->encoding, false);
	fde.size = take_pointer(&b, 0, cie->encoding, true);
	if (cie->augmented) {
		uint64_t skip = take_uleb(&b);
		if (b.fault || cut_bytes(&b, skip) == NULL)
			return true;
	}
	if (b.fault || fde.size == 0 || fde.size > UINT64_MAX - fde.start)
		return true;
	fde.at = (uint32_t)(b.at - eh->bytes);
	/* Sorting needs the same amount again. */
	if (!effort_keep(effort, 2 * sizeof(*eh->fdes)) ||
	    !array_room(&eh->fdes, &eh->room, eh->count + 1, sizeof(*eh->fdes)))
		return false;
	eh->fdes[eh->count++] = fde;
	return true;
}

/* Index all entries up to the first invalid one.  Returns false when out of memory or beyond the effort. */
static bool index_entries(struct eh_frame *eh, struct effort *effort)
{
	struct cie cie = {0};
	size_t known = SIZE_MAX; /* offset of the entry in `cie` */
	struct cut b;

	for (size_t at = 0; entry_at(eh, at, &b); at = (size_t)(b.end - eh->bytes)) {
		size_t place = (size_t)(b.at - eh->bytes);
		if (!effort_spend(effort, ENTRY_WORK))
			return false;
		uint64_t back = cut_fixed(&b, 4);

		if (b.fault || back == 0 || back > place)
			continue;
		if (known != place - back && !cie_read(eh, place - back, &cie)) {
			known = SIZE_MAX;
			continue;
		}
		known = place - back;
		if (!add_function(eh, b, &cie, (uint32_t)known, effort))
			return false;
	}
	return true;
}

struct eh_frame *eh_frame_create(uint8_t *bytes, size_t size, uint64_t address, struct effort *effort)
{
	struct eh_frame *eh = calloc(1, sizeof(*eh));

	if (eh == NULL || size > UINT32_MAX) {
		free(bytes);
		free(eh);
		return NULL;
	}
	*eh = (struct eh_frame){.bytes = bytes, .size = size, .address = address};
	if (!index_entries(eh, effort) || eh->count == 0) {
		eh_frame_destroy(eh);
		return NULL;
	}
	qsort(eh->fdes, eh->count, sizeof(*eh->fdes), order_by_number);
	return eh;
}

void eh_frame_destroy(struct eh_frame *eh)
{
	if (eh == NULL)
		return;
	free(eh->bytes);
	free(eh->fdes);
	free(eh);
}

/* ---- rules ---- */

struct rule {
	enum eh_how how;
	int64_t offset;
};

/* Columns of the table that the instructions describe: the followed registers, and the return address. */
enum { RETURN = EH_REGISTERS, RULES };

struct state {
	int base; /* DWARF number of the register, or NO_BASE */
	int64_t offset;
	struct rule rules[RULES];
};

/* An execution of instructions. */
struct run {
	struct cie cie;
	struct state now, initial;
	struct state stack[STATES_MAX];
	unsigned depth;
	uint64_t location, wanted;
	unsigned steps;
};

/* Return the rule of a register by its DWARF number; NULL: it is not followed. */
static struct rule *rule_of(struct state *s, uint64_t number)
{
	switch (number) {
	case 3:
		return &s->rules[EH_BX];
	case 6:
		return &s->rules[EH_BP];
	case 13:
		return &s->rules[EH_R13];
	case 14:
		return &s->rules[EH_R14];
	case 16:
		return &s->rules[RETURN];
	default:
		return NULL;
	}
}

static void set_base(struct state *s, uint64_t number)
{
	s->base =
	    number == DW_SP || (number != DW_RETURN && rule_of(s, number) != NULL) ? (int)number : NO_BASE;
}

static void set_rule(struct state *s, uint64_t number, struct rule rule)
{
	struct rule *place = rule_of(s, number);

	if (place != NULL)
		*place = rule;
}

static void restore_rule(struct run *r, uint64_t dw_register)
{
	const struct rule *initial = rule_of(&r->initial, dw_register);

	if (initial != NULL)
		set_rule(&r->now, dw_register, *initial);
}

/* Offsets are products of untrusted numbers, which may wrap; values that are too large are refused at the
 * end. */
static int64_t factored(const struct run *r, uint64_t value)
{
	return (int64_t)(value * (uint64_t)r->cie.data_factor);
}

static bool remember(struct run *r)
{
	if (r->depth == STATES_MAX)
		return false;
	r->stack[r->depth++] = r->now;
	return true;
}

static bool recall(struct run *r)
{
	if (r->depth == 0)
		return false;
	r->now = r->stack[--r->depth];
	return true;
}

/* Execute an instruction other than the three with an operand in their first byte.  Returns false if it is
 * unknown. */
static bool step_extended(struct run *r, struct cut *b, uint64_t opcode)
{
	struct state *s = &r->now;
	uint64_t reg;

	switch (opcode) {
	case 0x00: /* nop */
		return true;
	case 0x02: /* advance_loc1, 2, 4 */
	case 0x03:
	case 0x04:
		r->location += cut_fixed(b, (size_t)1 << (opcode - 2)) * r->cie.code_factor;
		return true;
	case 0x05: /* offset_extended */
	case 0x11: /* offset_extended_sf */
		reg = take_uleb(b);
		set_rule(s, reg,
		    (struct rule){
			EH_SAVED, factored(r, opcode == 0x05 ? take_uleb(b) : (uint64_t)take_sleb(b))});
		return true;
	case 0x06: /* restore_extended */
		restore_rule(r, take_uleb(b));
		return true;
	case 0x07: /* undefined */
		set_rule(s, take_uleb(b), (struct rule){.how = EH_LOST});
		return true;
	case 0x08: /* same_value */
		set_rule(s, take_uleb(b), (struct rule){.how = EH_SAME});
		return true;
	case 0x09: /* register */
	case 0x14: /* val_offset */
		set_rule(s, take_uleb(b), (struct rule){.how = EH_LOST});
		take_uleb(b);
		return true;
	case 0x15: /* val_offset_sf */
		set_rule(s, take_uleb(b), (struct rule){.how = EH_LOST});
		take_sleb(b);
		return true;
	case 0x0a:
		return remember(r);
	case 0x0b:
		return recall(r);
	case 0x0c: /* def_cfa */
		set_base(s, take_uleb(b));
		s->offset = (int64_t)take_uleb(b);
		return true;
	case 0x12: /* def_cfa_sf */
		set_base(s, take_uleb(b));
		s->offset = factored(r, (uint64_t)take_sleb(b));
		return true;
	case 0x0d: /* def_cfa_register */
		set_base(s, take_uleb(b));
		return true;
	case 0x0e: /* def_cfa_offset */
		s->offset = (int64_t)take_uleb(b);
		return true;
	case 0x13: /* def_cfa_offset_sf */
		s->offset = factored(r, (uint64_t)take_sleb(b));
		return true;
	case 0x0f: /* def_cfa_expression */
		s->base = NO_BASE;
		cut_bytes(b, take_uleb(b));
		return true;
	case 0x10: /* expression */
	case 0x16: /* val_expression */
		set_rule(s, take_uleb(b), (struct rule){.how = EH_LOST});
		cut_bytes(b, take_uleb(b));
		return true;
	case 0x2e: /* GNU_args_size */
		take_uleb(b);
		return true;
	default:
		return false;
	}
}

/* Execute instructions up to the wanted address.  Returns false if one is not understood. */
static bool run_instructions(struct run *r, struct cut b)
{
	while (b.at < b.end && r->location <= r->wanted) {
		uint64_t byte = cut_fixed(&b, 1), operand = byte & 0x3f;
		bool good = true;

		if (++r->steps > STEPS_MAX)
			return false;
		switch (byte >> 6) {
		case 1: /* advance_loc */
			r->location += operand * r->cie.code_factor;
			break;
		case 2: /* offset */
			set_rule(&r->now, operand, (struct rule){EH_SAVED, factored(r, take_uleb(&b))});
			break;
		case 3: /* restore */
			restore_rule(r, operand);
			break;
		default:
			good = step_extended(r, &b, operand);
			break;
		}
		if (!good || b.fault)
			return false;
	}
	return true;
}

static const struct fde *find(const struct eh_frame *eh, uint64_t address)
{
	size_t at = order_up_to(eh->fdes, eh->count, sizeof(*eh->fdes), address);

	return at > 0 && address - eh->fdes[at - 1].start < eh->fdes[at - 1].size ? &eh->fdes[at - 1] : NULL;
}

bool eh_frame_function(const struct eh_frame *eh, uint64_t address, uint64_t *start)
{
	const struct fde *fde = find(eh, address);

	if (fde != NULL)
		*start = fde->start;
	return fde != NULL;
}

/* Whether an offset can be that of a word in a frame. */
static bool plausible(int64_t offset)
{
	return offset > -(INT64_C(1) << 30) && offset < INT64_C(1) << 30;
}

bool eh_frame_rules(const struct eh_frame *eh, uint64_t address, struct eh_rules *out)
{
	const struct fde *fde = find(eh, address);
	struct run r = {.wanted = UINT64_MAX, .now.base = NO_BASE};
	const struct state *s = &r.now;

	if (fde == NULL || !cie_read(eh, fde->cie, &r.cie) || !run_instructions(&r, r.cie.instructions))
		return false;
	r.initial = r.now;
	r.location = 0;
	r.wanted = address - fde->start;
	if (!run_instructions(&r, (struct cut){.at = eh->bytes + fde->at, .end = eh->bytes + fde->end}))
		return false;
	*out = (struct eh_rules){.base = s->base == DW_SP ? EH_FROM_SP : EH_FROM_REGISTER,
	    .offset = (int32_t)s->offset,
	    .last = s->rules[RETURN].how == EH_LOST};
	bool good = s->base != NO_BASE && plausible(s->offset) &&
		    (s->rules[RETURN].how != EH_SAVED || s->rules[RETURN].offset == -8);
	for (unsigned i = 0; i < EH_REGISTERS; i++) {
		out->saved[i].how = s->rules[i].how;
		out->saved[i].offset = (int32_t)s->rules[i].offset;
		good = good && plausible(s->rules[i].offset);
		if (s->base != DW_SP && rule_of(&r.now, (uint64_t)s->base) == &s->rules[i])
			out->base_register = i;
	}
	return good || out->last;
}
