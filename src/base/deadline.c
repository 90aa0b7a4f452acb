/* The time limit of the run. */
#include "base/deadline.h"

#include <math.h>
#include <time.h>

static struct timespec limit;
static bool limited;

void deadline_set(double seconds)
{
	double whole = floor(seconds);
	long more = (long)((seconds - whole) * 1e9);

	limited = seconds > 0 && seconds < 1e12 && clock_gettime(CLOCK_MONOTONIC, &limit) == 0;
	if (!limited)
		return;
	limit.tv_sec += (time_t)whole;
	limit.tv_nsec += more;
	if (limit.tv_nsec >= 1000000000) {
		limit.tv_nsec -= 1000000000;
		limit.tv_sec++;
	}
}

double deadline_left(void)
{
	struct timespec now;
	double left;

	if (!limited || clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return INFINITY;
	left = difftime(limit.tv_sec, now.tv_sec) + (double)(limit.tv_nsec - now.tv_nsec) / 1e9;
	return left > 0 ? left : 0;
}

bool deadline_passed(void)
{
	return limited && deadline_left() <= 0;
}
