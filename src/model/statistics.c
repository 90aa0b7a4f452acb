/* Numbers derived from an SSTable's histograms, and the text of its ids. See statistics.h. */
#include "model/statistics.h"

#include <math.h>

uint64_t histogram_total(const struct histogram *h)
{
	uint64_t total = 0;

	for (size_t i = 0; i < h->n; i++)
		total = h->count[i] > UINT64_MAX - total ? UINT64_MAX : total + h->count[i];
	return total;
}

int64_t histogram_min(const struct histogram *h)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->count[i])
			return i ? add_saturated(h->offset[i - 1], 1) : 0;
	return 0;
}

int64_t histogram_max(const struct histogram *h)
{
	if (h->n && h->count[h->n - 1])
		return INT64_MAX;
	for (size_t i = h->n; i-- > 1;)
		if (h->count[i - 1])
			return h->offset[i - 1];
	return 0;
}

struct opt_i64 histogram_mean(const struct histogram *h)
{
	uint64_t total = 0, sum = 0;

	for (size_t i = 0; i + 1 < h->n; i++) {
		uint64_t bound = h->offset[i] > 0 ? (uint64_t)h->offset[i] : 0, c = h->count[i];

		if (c > UINT64_MAX - total || (bound && c > UINT64_MAX / bound) ||
		    c * bound > UINT64_MAX - sum)
			return (struct opt_i64){ .known = false };
		total += c;
		sum += c * bound;
	}
	if (!total)
		return some_i64(0);
	sum = sum / total + (sum % total != 0);
	return sum > INT64_MAX ? (struct opt_i64){ .known = false } : some_i64((int64_t)sum);
}

void histogram_percentiles(const struct histogram *h, const double *p, size_t n,
			   struct opt_i64 *out)
{
	double total = (double)histogram_total(h);
	bool overflow = h->n && h->count[h->n - 1];
	uint64_t seen = 0;
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		double goal = ceil(total * p[i]);

		for (; at + 1 < h->n && (double)seen < goal; at++)
			seen = h->count[at] > UINT64_MAX - seen ? UINT64_MAX
								: seen + h->count[at];
		out[i] = some_i64(goal > 0 && at && (double)seen >= goal ? h->offset[at - 1] : 0);
		out[i].known = !overflow;
	}
}

struct opt_i64 histogram_percentile(const struct histogram *h, double p)
{
	struct opt_i64 out;

	histogram_percentiles(h, &p, 1, &out);
	return out;
}

/* Number of leading bins that are at real times, or SIZE_MAX when they are out of order. */
static size_t count_real_bins(const struct statistics_stats *s)
{
	size_t n = s->n_drop_times;

	for (size_t i = 1; i < n; i++)
		if (s->drop_times[i].point_s <= s->drop_times[i - 1].point_s)
			return SIZE_MAX;
	while (n && s->drop_times[n - 1].point_s >= INT32_MAX && s->max_ldt_s == TIME_NEVER)
		n--;
	return n;
}

/* Counts up to time b: whole bins before it, and a share of the two that it lies between. */
static double sum_until(const struct statistics_stats *s, size_t n, double b)
{
	double sum = 0, weight, here, next;
	size_t i = 0;

	while (i < n && s->drop_times[i].point_s <= b)
		sum += (double)s->drop_times[i++].count;
	if (i == n || i == 0)
		return sum;
	here = (double)s->drop_times[i - 1].count;
	next = (double)s->drop_times[i].count;
	weight = (b - s->drop_times[i - 1].point_s) /
		 (s->drop_times[i].point_s - s->drop_times[i - 1].point_s);
	/* the last bin reached counts half, and the area up to b of the slope to the next one */
	return sum - here / 2 + (2 * here + (next - here) * weight) * weight / 2;
}

struct opt_f64 statistics_droppable_ratio(const struct statistics_stats *s, int64_t gc_before_s)
{
	struct opt_i64 mean = histogram_mean(&s->cell_counts);
	double cells = (double)mean.v * (double)histogram_total(&s->cell_counts);
	size_t n = count_real_bins(s);

	if (!mean.known || n == SIZE_MAX)
		return (struct opt_f64){ .known = false };
	if (cells <= 0)
		return some_f64(0);
	return some_f64(sum_until(s, n, (double)gc_before_s) / cells);
}

const char *uuid_format(const struct uuid *u, char room[UUID_TEXT])
{
	static const char digits[] = "0123456789abcdef";
	char *p = room;

	if (!u->known)
		return NULL;
	for (size_t i = 0; i < sizeof(u->bytes); i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*p++ = '-';
		*p++ = digits[u->bytes[i] >> 4];
		*p++ = digits[u->bytes[i] & 15];
	}
	*p = '\0';
	return room;
}
