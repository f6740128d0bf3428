/*
 * What src/hiding/permutation.c gives, counted.
 *
 * With small halves, of all values: how many there are, how many different ones they give, and how
 * many come back.
 *
 * With the halves of identifiers, in standard deviations from chance, the worst of all: each bit of the
 * output when each bit of the input flips; and the collisions of the four parts of 32 bits, for 2^20
 * neighbours.
 */
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#include "hiding/permutation.h"

#define BITS (2 * IUID_HALF_BITS)

static unsigned char key[IUID_HIDING_KEY_LEN] = "the key of a test";

#if IUID_HALF_BITS < 61
static void
count_all(void)
{
	uint64_t half = IUID_HALF_MASK, values = 0, different = 0, back = 0;
	unsigned char *seen = calloc((half + 1) * (half + 1), 1);

	for (uint64_t left = 0; left <= half; left++)
		for (uint64_t right = 0; right <= half; right++)
		{
			IuidHalves in = { left, right }, out = iuid_permute(in, key), again = iuid_permute_back(out, key);
			unsigned char *place = &seen[(out.left & half) * (half + 1) + (out.right & half)];

			values++;
			different += out.left <= half && out.right <= half && !*place;
			*place = 1;
			back += again.left == left && again.right == right;
		}
	printf("values %llu\ndifferent %llu\nback %llu\n", (unsigned long long) values, (unsigned long long) different,
		   (unsigned long long) back);
	free(seen);
}
#else
static int
bit(IuidHalves value, int n)
{
	return (n < IUID_HALF_BITS ? value.right >> n : value.left >> (n - IUID_HALF_BITS)) & 1;
}

static IuidHalves
random_value(void)
{
	IuidHalves value;

	randombytes_buf(&value, sizeof(value));
	value.left &= IUID_HALF_MASK;
	value.right &= IUID_HALF_MASK;
	return value;
}

/* How far the number of flips of an output bit is from half of the tries. */
static double
worst_flips(void)
{
	enum { TRIES = 1024 };
	double worst = 0;

	for (int in = 0; in < BITS; in++)
	{
		int flips[BITS] = { 0 };

		for (int n = 0; n < TRIES; n++)
		{
			IuidHalves value = random_value(), other = value, a, b;

			if (in < IUID_HALF_BITS)
				other.right ^= UINT64_C(1) << in;
			else
				other.left ^= UINT64_C(1) << (in - IUID_HALF_BITS);
			a = iuid_permute(value, key);
			b = iuid_permute(other, key);
			for (int out = 0; out < BITS; out++)
				flips[out] += bit(a, out) != bit(b, out);
		}
		for (int out = 0; out < BITS; out++)
		{
			double far = fabs(flips[out] - TRIES / 2.0) / sqrt(TRIES / 4.0);

			worst = far > worst ? far : worst;
		}
	}
	return worst;
}

static int
compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

	return (x > y) - (x < y);
}

/* Neighbours: a step of the time at a time, all else the same.  128 collisions are expected. */
static double
worst_collisions(void)
{
	enum { COUNT = 1 << 20 };
	const double expected = (double) COUNT * (COUNT - 1) / 2 / 4294967296.0;
	uint32_t *parts = malloc(sizeof(uint32_t) * COUNT * 4);
	double worst = 0;

	for (uint64_t n = 0; n < COUNT; n++)
	{
		IuidHalves in = { (UINT64_C(0x019b76da0000) + n) << 13, 12345 }, out = iuid_permute(in, key);

		parts[n] = (uint32_t) out.right;
		parts[COUNT + n] = (uint32_t) (out.right >> 29);
		parts[2 * COUNT + n] = (uint32_t) out.left;
		parts[3 * COUNT + n] = (uint32_t) (out.left >> 29);
	}
	for (int part = 0; part < 4; part++)
	{
		uint32_t *first = parts + part * COUNT;
		double collisions = 0, far;

		qsort(first, COUNT, sizeof(uint32_t), compare);
		for (int n = 1, same = 0; n < COUNT; n++)
		{
			same = first[n] == first[n - 1] ? same + 1 : 0;
			collisions += same;
		}
		far = fabs(collisions - expected) / sqrt(expected);
		worst = far > worst ? far : worst;
	}
	free(parts);
	return worst;
}
#endif

int
main(void)
{
	if (sodium_init() < 0)
		return 1;
#if IUID_HALF_BITS < 61
	count_all();
#else
	printf("flips %.2f\ncollisions %.2f\n", worst_flips(), worst_collisions());
#endif
	return 0;
}
