/* samples.c - print names, labels and values of samples; the labels of the target come first. */
#include "app/metrics/samples.h"

#include "core/shown.h"

/* Print a label's value without its quotes.  Bytes of undisplayable characters become \\xNN, so that
 * different names make different labels. */
static void label_value(struct out *out, const char *text, size_t len)
{
	uint32_t code;
	size_t size;

	for (size_t i = 0; i < len; i += size) {
		bool valid = utf8_decode(text + i, len - i, &size, &code);
		if (valid && code == '\n')
			out_text(out, "\\n");
		else if (!valid || shown_of(code) != SHOWN) {
			for (size_t k = 0; k < size; k++) {
				out_text(out, "\\\\x");
				out_hex(out, text + i + k, 1);
			}
		} else {
			if (code == '"' || code == '\\')
				out_char(out, '\\');
			out_bytes(out, text + i, size);
		}
	}
}

void sample_begin(const struct printer *p, const char *suffix)
{
	out_format(p->out, "%s%s{pid=\"%" PRId64 "\",program=\"", p->name, suffix, p->member->pid);
	label_value(p->out, p->member->name, strlen(p->member->name));
	out_char(p->out, '"');
	for (size_t i = 0; i < p->options->label_count; i++) {
		const struct metrics_label *label = &p->options->labels[i];
		out_char(p->out, ',');
		out_bytes(p->out, label->name, label->name_len);
		out_text(p->out, "=\"");
		label_value(p->out, label->value, strlen(label->value));
		out_char(p->out, '"');
	}
}

void sample_label(const struct printer *p, const char *name, const char *value, size_t len)
{
	out_format(p->out, ",%s=\"", name);
	label_value(p->out, value, len);
	out_char(p->out, '"');
}

void sample_text(const struct printer *p, const char *name, const char *value)
{
	sample_label(p, name, value, strlen(value));
}

void sample_end(const struct printer *p, double value)
{
	if (value == floor(value) && fabs(value) < 1e15)
		out_format(p->out, "} %.0f\n", value);
	else
		out_format(p->out, "} %.9g\n", value);
}

void sample_end_ns(const struct printer *p, uint64_t ns)
{
	out_format(p->out, "} %" PRIu64 ".%09" PRIu64 "\n", ns / 1000000000u, ns % 1000000000u);
}

void sample_alone(const struct printer *p, double value)
{
	if (isnan(value))
		return;
	sample_begin(p, "");
	sample_end(p, value);
}

bool metrics_label_valid(const char *name, size_t len)
{
	static const char *const ours[] = {"pid", "program", "version", "from", "s", "o", "d", "e", "family",
	    "domain", "le", "mode", "finding", "severity", "subject", "event", "kind", "state"};

	if (len == 0 || (name[0] >= '0' && name[0] <= '9') || (len >= 2 && name[0] == '_' && name[1] == '_'))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!((name[i] >= 'a' && name[i] <= 'z') || (name[i] >= 'A' && name[i] <= 'Z') ||
			(name[i] >= '0' && name[i] <= '9') || name[i] == '_'))
			return false;
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (strlen(ours[i]) == len && memcmp(ours[i], name, len) == 0)
			return false;
	return true;
}
