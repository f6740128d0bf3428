/*-------------------------------------------------------------------------
 *
 * random_input.c
 *	  Calls a fuzz target with random inputs, where there is no libFuzzer.
 *
 * It takes -max_total_time, -seed and -max_len as libFuzzer does, and says as
 * that does how many inputs there were.  It learns nothing from an input.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LENGTH_MAX 4096

static uint64_t state;

/* SplitMix64. */
static uint64_t
draw(void)
{
	uint64_t z = (state += UINT64_C(0x9E3779B97F4A7C15));

	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

/* Any byte, or one at an end of the signed or of the unsigned ones. */
static uint8_t
draw_byte(void)
{
	static const uint8_t ends[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	uint64_t random = draw();

	return random % 4 == 0 ? ends[random / 4 % sizeof(ends)] : random >> 56;
}

int
main(int argc, char **argv)
{
	uint8_t input[LENGTH_MAX];
	int seconds = 1, length = 64;
	unsigned long seed = 1, inputs = 0;
	time_t end;

	for (int n = 1; n < argc; n++)
	{
		if (sscanf(argv[n], "-max_total_time=%d", &seconds) != 1 &&
			sscanf(argv[n], "-seed=%lu", &seed) != 1 &&
			sscanf(argv[n], "-max_len=%d", &length) != 1 && argv[n][0] != '-')
			return EXIT_FAILURE;
	}
	if (length < 0 || length > LENGTH_MAX)
		return EXIT_FAILURE;

	state = seed;
	end = time(NULL) + seconds;
	while (inputs % 1024 != 0 || time(NULL) < end)
	{
		size_t size = draw() % ((size_t) length + 1);

		for (size_t n = 0; n < size; n++)
			input[n] = draw_byte();
		LLVMFuzzerTestOneInput(input, size);
		inputs++;
	}
	fprintf(stderr, "stat::number_of_executed_units: %lu\n", inputs);
	return EXIT_SUCCESS;
}
