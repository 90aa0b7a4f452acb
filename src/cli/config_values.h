/*
 * What the configuration's keys have in common: an object is a table of keys, each with what reads
 * its value and where that goes. Every function below complains with line and column.
 */
#ifndef TWCSCHECK_CONFIG_VALUES_H
#define TWCSCHECK_CONFIG_VALUES_H

#include "cli/config.h"
#include "cli/config_text.h"

struct reader {
	struct config_source src;
	struct config *config;
	size_t n_before;	/* tables from files that were read before */
};

struct key {
	const char *name;
	bool (*read)(struct reader *r, const struct key *k, const struct config_value *v,
		     void *into);
	size_t offset;		/* of the value in what it is read into */
	int64_t least, most;	/* of a duration, in seconds, or of a number */
};

/* Keys of one object. */
enum { CONFIG_KEYS_MAX = 16 };

/* The members of an object by its table of keys. */
bool config_object(struct reader *r, const struct config_value *v, const struct key *keys,
		   size_t n, void *into);

/* "no key 'windw'; hint: the nearest is 'window'", and all of them when that is far. False. */
bool config_unknown(const struct reader *r, size_t at, const char *what, const char *text,
		    const char *const *names, size_t n);

bool config_expect(const struct reader *r, const struct config_value *v, enum config_kind kind,
		   const char *what);
/* A text on one line that is not empty. */
bool config_expect_name(const struct reader *r, const struct config_value *v, const char *what);

/* Readers of a key. A text, as it is. */
bool config_name(struct reader *r, const struct key *k, const struct config_value *v, void *into);
/* A path: "~/" is the home folder, a relative one starts from the configuration file's folder. */
bool config_path(struct reader *r, const struct key *k, const struct config_value *v, void *into);
/* Into a struct opt_i64, whole seconds. */
bool config_duration(struct reader *r, const struct key *k, const struct config_value *v,
		     void *into);

/* What config_remote.c reads. */
bool config_nodes(struct reader *r, const struct key *k, const struct config_value *v, void *into);
bool config_ssh(struct reader *r, const struct key *k, const struct config_value *v, void *into);
bool config_nice(struct reader *r, const struct key *k, const struct config_value *v, void *into);

#endif
