/* See settings.h. */
#include "parse/settings.h"

#include <string.h>

#include "base/num.h"
#include "base/slice.h"

enum {
	DEFAULT_GC_GRACE_S = 864000, DEFAULT_CHECK_S = 600, DEFAULT_MIN_THRESHOLD = 4,
	DEFAULT_MAX_THRESHOLD = 32,
};

/* What is being read and where to tell that it is wrong. */
struct reader {
	struct arena *a;
	struct settings *s;
	struct option_place at;
	struct err *err;
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_word(const char *a, const char *b)
{
	while (*a && lower(*a) == lower(*b)) {
		a++;
		b++;
	}
	return *a == *b;
}

void option_map_set(struct arena *a, struct option_map *m, const char *key, const char *value)
{
	struct option_entry *e;

	for (size_t i = 0; i < m->entries.n; i++) {
		if (strcmp(m->entries.v[i].key, key) == 0) {
			m->entries.v[i].value = value;
			return;
		}
	}
	e = vec_add(a, &m->entries);
	*e = (struct option_entry){ key, value };
}

const char *option_map_get(const struct option_map *m, const char *key)
{
	for (size_t i = 0; i < m->entries.n; i++)
		if (strcmp(m->entries.v[i].key, key) == 0)
			return m->entries.v[i].value;
	return NULL;
}

static size_t quoted_length(const char *s)
{
	size_t n = 2;

	for (; *s; s++)
		n += *s == '\'' ? 2 : 1;
	return n;
}

static char *put_quoted(char *p, const char *s)
{
	*p++ = '\'';
	for (; *s; s++) {
		if (*s == '\'')
			*p++ = '\'';
		*p++ = *s;
	}
	*p++ = '\'';
	return p;
}

const char *option_map_literal(struct arena *a, const struct option_map *m)
{
	size_t n = 3;
	char *text, *p;

	for (size_t i = 0; i < m->entries.n; i++) {
		if (!m->entries.v[i].value)
			return NULL;	/* it could not be repeated */
		n += quoted_length(m->entries.v[i].key) + quoted_length(m->entries.v[i].value) + 4;
	}
	text = p = arena_alloc(a, n);
	*p++ = '{';
	for (size_t i = 0; i < m->entries.n; i++) {
		if (i) {
			*p++ = ',';
			*p++ = ' ';
		}
		p = put_quoted(p, m->entries.v[i].key);
		*p++ = ':';
		*p++ = ' ';
		p = put_quoted(p, m->entries.v[i].value);
	}
	*p++ = '}';
	return text;
}

static void reset_compaction(struct settings *s)
{
	s->strategy = NULL;
	s->twcs = false;
	s->window_s = (struct opt_i64){ 0 };
	s->resolution = TS_MICROSECONDS;
	s->check_interval_s = DEFAULT_CHECK_S;
	s->min_threshold = DEFAULT_MIN_THRESHOLD;
	s->max_threshold = DEFAULT_MAX_THRESHOLD;
	s->enabled = true;
	s->only_purge_repaired = s->unsafe_aggressive = s->tombstone_compaction = false;
	s->compaction_map = NULL;
}

void settings_init(struct settings *s)
{
	*s = (struct settings){ .origin = SETTINGS_SCHEMA };
	reset_compaction(s);
}

static bool refuse(const struct reader *r, const char *name, const char *value)
{
	return err_set(r->a, r->err, ERR_FORMAT, r->at.source, r->at.line, "%s cannot be '%.60s'",
		       name, value);
}

/* A whole number that fits the server's int, at least `min`. */
static bool int_of(const char *text, int64_t min, int64_t *out)
{
	return num_parse_i64(slice_of(text), out) && *out >= min && *out <= INT32_MAX;
}

static bool read_int(const struct reader *r, const char *name, const char *text, int64_t min,
		     int64_t *out)
{
	int64_t v;

	if (!text)
		return true;
	if (!int_of(text, min, &v))
		return refuse(r, name, text);
	*out = v;
	return true;
}

static int64_t unit_seconds(const char *unit)
{
	if (strcmp(unit, "DAYS") == 0)
		return 86400;
	if (strcmp(unit, "HOURS") == 0)
		return 3600;
	return strcmp(unit, "MINUTES") == 0 ? 60 : 0;
}

static bool read_window(const struct reader *r, const struct option_map *m)
{
	const char *unit = option_map_get(m, "compaction_window_unit");
	const char *size_text = option_map_get(m, "compaction_window_size");
	int64_t size = 1, seconds = unit_seconds(unit ? unit : "DAYS");

	if (!seconds)
		return refuse(r, "compaction_window_unit", unit);
	if (!read_int(r, "compaction_window_size", size_text, 1, &size))
		return false;
	r->s->window_s = some_i64(size * seconds);
	return true;
}

static bool read_resolution(const struct reader *r, const struct option_map *m)
{
	static const char *const names[] = {
		[TS_MICROSECONDS] = "MICROSECONDS", [TS_MILLISECONDS] = "MILLISECONDS",
		[TS_SECONDS] = "SECONDS", [TS_NANOSECONDS] = "NANOSECONDS",
	};
	const char *text = option_map_get(m, "timestamp_resolution");

	if (!text)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(text, names[i]) == 0) {
			r->s->resolution = (enum ts_resolution)i;
			return true;
		}
	}
	/* without it no timestamp can be placed in a window */
	r->s->window_s = (struct opt_i64){ 0 };
	return refuse(r, "timestamp_resolution", text);
}

static bool read_twcs(const struct reader *r, const struct option_map *m)
{
	bool ok = read_window(r, m);

	ok &= read_resolution(r, m);
	ok &= read_int(r, "expired_sstable_check_frequency_seconds",
		       option_map_get(m, "expired_sstable_check_frequency_seconds"), 0,
		       &r->s->check_interval_s);
	return ok;
}

static bool option_is(const struct option_map *m, const char *key, const char *word)
{
	const char *v = option_map_get(m, key);

	return v && same_word(v, word);
}

/* Any of the three with a value other than false switches single-SSTable compactions on. */
static bool has_tombstone_option(const struct option_map *m)
{
	static const char *const keys[] = {
		"tombstone_threshold", "tombstone_compaction_interval",
		"unchecked_tombstone_compaction",
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (option_map_get(m, keys[i]) && !option_is(m, keys[i], "false"))
			return true;
	return false;
}

static const char *last_component(const char *class)
{
	const char *dot = strrchr(class, '.');

	return dot ? dot + 1 : class;
}

static bool read_compaction(const struct reader *r, const struct option_map *m)
{
	const char *class = option_map_get(m, "class");
	struct settings *s = r->s;
	bool ok = true;

	reset_compaction(s);
	if (!class || !*last_component(class))
		return err_set(r->a, r->err, ERR_FORMAT, r->at.source, r->at.line,
			       "the compaction options name no class");
	s->strategy = last_component(class);
	s->twcs = strcmp(s->strategy, "TimeWindowCompactionStrategy") == 0;
	s->compaction_map = option_map_literal(r->a, m);
	s->enabled = !option_map_get(m, "enabled") || option_is(m, "enabled", "true");
	s->only_purge_repaired = option_is(m, "only_purge_repaired_tombstones", "true");
	s->unsafe_aggressive = option_is(m, "unsafe_aggressive_sstable_expiration", "true");
	s->tombstone_compaction = has_tombstone_option(m);
	ok &= read_int(r, "min_threshold", option_map_get(m, "min_threshold"), 0,
		       &s->min_threshold);
	ok &= read_int(r, "max_threshold", option_map_get(m, "max_threshold"), 0,
		       &s->max_threshold);
	if (s->twcs)
		ok &= read_twcs(r, m);
	return ok;
}

static bool read_seconds(const struct reader *r, const char *name, const char *value,
			 struct opt_i64 *out)
{
	int64_t v = 0;

	*out = (struct opt_i64){ 0 };
	if (!value || !int_of(value, 0, &v))
		return refuse(r, name, value ? value : "a map");
	*out = some_i64(v);
	return true;
}

static bool read_chance(const struct reader *r, const char *name, const char *value)
{
	double v;

	if (!value || !num_parse_f64(slice_of(value), &v) || v < 0 || v > 1)
		return refuse(r, name, value ? value : "a map");
	if (v > r->s->read_repair_chance)
		r->s->read_repair_chance = v;
	return true;
}

static const char *upper_copy(struct arena *a, const char *s)
{
	char *p = arena_strdup(a, s);

	for (char *c = p; *c; c++)
		if (*c >= 'a' && *c <= 'z')
			*c = (char)(*c - 'a' + 'A');
	return p;
}

bool settings_set(struct arena *a, struct settings *s, const char *name, const char *value,
		  const struct option_map *map, struct option_place at, struct err *err)
{
	const struct reader r = { a, s, at, err };

	if (strcmp(name, "compaction") == 0)
		return map ? read_compaction(&r, map) : refuse(&r, name, value);
	if (strcmp(name, "default_time_to_live") == 0)
		return read_seconds(&r, name, value, &s->default_ttl_s);
	if (strcmp(name, "gc_grace_seconds") == 0)
		return read_seconds(&r, name, value, &s->gc_grace_s);
	if (strcmp(name, "read_repair_chance") == 0 ||
	    strcmp(name, "dclocal_read_repair_chance") == 0)
		return read_chance(&r, name, value);
	if (strcmp(name, "read_repair") == 0 && value)
		s->read_repair = upper_copy(a, value);
	if (strcmp(name, "tombstone_gc") == 0 && map)
		s->tombstone_gc = option_map_get(map, "mode");
	return true;
}

void settings_fill_defaults(struct settings *s)
{
	if (!s->default_ttl_s.known)
		s->default_ttl_s = some_i64(0);
	if (!s->gc_grace_s.known)
		s->gc_grace_s = some_i64(DEFAULT_GC_GRACE_S);
}

static bool texts_differ(const char *a, const char *b)
{
	return a && b && strcmp(a, b) != 0;
}

static bool numbers_differ(struct opt_i64 a, struct opt_i64 b)
{
	return a.known && b.known && a.v != b.v;
}

const char *settings_difference(const struct settings *a, const struct settings *b)
{
	if (texts_differ(a->strategy, b->strategy))
		return "compaction class";
	if (numbers_differ(a->window_s, b->window_s))
		return "window";
	if (numbers_differ(a->default_ttl_s, b->default_ttl_s))
		return "default_time_to_live";
	if (numbers_differ(a->gc_grace_s, b->gc_grace_s))
		return "gc_grace_seconds";
	if (texts_differ(a->read_repair, b->read_repair))
		return "read_repair";
	if (texts_differ(a->tombstone_gc, b->tombstone_gc))
		return "tombstone_gc";
	if (!a->strategy || !b->strategy)
		return NULL;
	if (a->resolution != b->resolution || a->check_interval_s != b->check_interval_s ||
	    a->min_threshold != b->min_threshold || a->max_threshold != b->max_threshold ||
	    a->enabled != b->enabled || a->only_purge_repaired != b->only_purge_repaired ||
	    a->unsafe_aggressive != b->unsafe_aggressive ||
	    a->tombstone_compaction != b->tombstone_compaction)
		return "compaction options";
	return NULL;
}

unsigned settings_completeness(const struct settings *s)
{
	return (s->strategy != NULL) + s->gc_grace_s.known + s->default_ttl_s.known;
}
