/*
 * fuzz_perf_record.c - any bytes as what a ring of perf events holds: records that follow each other.
 */
#include <stdlib.h>
#include <string.h>

#include "code/perf_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static volatile unsigned char sink;

	while (size >= PERF_HEADER_SIZE) {
		struct perf_sample sample;
		uint64_t lost;
		size_t record = perf_record_size(data, size);
		if (record == 0)
			break;
		if (record > size || record > PERF_RECORD_SIZE_MAX)
			abort();
		/* Memory of its own: the sanitiser sees what is read beyond it. */
		unsigned char *copy = malloc(record);
		if (copy == NULL)
			break;
		memcpy(copy, data, record);
		if (perf_record_decode(copy, record, &sample, &lost) == PERF_SAMPLED &&
		    sample.at.stack != NULL) {
			if (sample.at.stack < copy || sample.at.stack_size == 0 ||
			    sample.at.stack_size > (size_t)(copy + record - sample.at.stack))
				abort();
			sink = sample.at.stack[sample.at.stack_size - 1];
		}
		free(copy);
		data += record;
		size -= record;
	}
	(void)sink;
	return 0;
}
