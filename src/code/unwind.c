/* unwind.c - from a frame of C to its caller, by .eh_frame. */
#include "code/private.h"

bool unwind(struct code *code, struct registers *regs, uint64_t limit, bool *last)
{
	/* A return address may be behind the function: a call that never returns is its last instruction. */
	const uint64_t place = regs->leaf ? regs->ip : regs->ip - 1;
	const struct object *object = symbols_object(&code->symbols, place);
	struct registers up = *regs;
	struct eh_rules rules;

	*last = false;
	if (object == NULL || object->unwind == NULL || !eh_frame_rules(object->unwind, place, &rules))
		return false;
	if (rules.last) {
		*last = true;
		return true;
	}
	if (rules.base == EH_FROM_REGISTER && !regs->known[rules.base_register])
		return false;
	uint64_t end = (rules.base == EH_FROM_SP ? regs->sp : regs->value[rules.base_register]) +
		       (uint64_t)(int64_t)rules.offset;
	/* A frame contains at least the return address. */
	if (end <= regs->sp || end > limit || !pages_word(&code->pages, end - 8, &up.ip))
		return false;
	for (unsigned i = 0; i < EH_REGISTERS; i++) {
		const struct eh_rule *rule = &rules.saved[i];

		if (rule->how != EH_SAME)
			up.known[i] =
			    rule->how == EH_SAVED &&
			    pages_word(&code->pages, end + (uint64_t)(int64_t)rule->offset, &up.value[i]);
	}
	up.sp = end;
	up.leaf = false;
	*regs = up;
	return true;
}
