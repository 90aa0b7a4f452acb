/* parse_df: block sizes, long device names, other columns, rounded sizes, cut texts. */
#include "parse_case.h"

#include "base/buf.h"

static void put_number(struct buf *b, struct opt_i64 v)
{
	if (v.known)
		buf_printf(b, " %lld", (long long)v.v);
	else
		buf_str(b, " ?");
}

static const char *result(struct parse_case *c)
{
	struct buf b;
	const char *text;

	buf_init(&b, 1 << 16);
	buf_str(&b, c->ok ? "" : "FAILED ");
	for (size_t i = 0; i < c->node.disks.n; i++) {
		const struct disk_usage *d = c->node.disks.v[i];

		buf_printf(&b, "%s on %s:", d->device, d->mount);
		put_number(&b, d->total);
		put_number(&b, d->used);
		put_number(&b, d->available);
		buf_str(&b, d->rounded ? " rounded; " : "; ");
	}
	if (c->err.kind != ERR_NONE)
		buf_printf(&b, "! %u %s", c->err.line, c->err.text);
	text = arena_copy(c->arena, (struct slice){ b.p, b.n });
	buf_free(&b);
	return text;
}

#define HEAD(blocks) "Filesystem " blocks " Used Available Capacity Mounted on\n"
#define ROW "/dev/sda1 1000 700 300 70% /\n"

static const struct {
	const char *name, *input, *expected;
} cases[] = {
	{ "df -P -B1", HEAD("1-blocks") "/dev/nvme1n1 270553174016 18487644160 79305650176 19% "
	  "/var/lib/cassandra\n",
	  "/dev/nvme1n1 on /var/lib/cassandra: 270553174016 18487644160 79305650176; " },
	{ "df -P -k", HEAD("1024-blocks") ROW, "/dev/sda1 on /: 1024000 716800 307200; " },
	{ "df -k", HEAD("1K-blocks") ROW, "/dev/sda1 on /: 1024000 716800 307200; " },
	{ "df -P of POSIX", HEAD("512-blocks") ROW, "/dev/sda1 on /: 512000 358400 153600; " },
	{ "df -B1", HEAD("1B-blocks") ROW, "/dev/sda1 on /: 1000 700 300; " },
	{ "df -BkB", HEAD("1kB-blocks") ROW, "/dev/sda1 on /: 1000000 700000 300000; " },
	{ "df -m", HEAD("1M-blocks") ROW, "/dev/sda1 on /: 1048576000 734003200 314572800 rounded; "
	  },
	{ "df -h", "Filesystem      Size  Used Avail Use% Mounted on\n/dev/sda1       252G   18G   "
	  "1.5T  19% /var/lib/x y\n"
	  "tmpfs 0 0 0 - /run\n",
	  "/dev/sda1 on /var/lib/x y: 270582939648 19327352832 1649267441664 rounded; tmpfs on "
	  "/run: 0 0 0; " },
	{ "df -h with decimal commas", "Filesystem Size Used Avail Use% Mounted on\n/dev/sda1 1,5T "
	  "1K 2G 1% /\n",
	  "/dev/sda1 on /: 1649267441664 1024 2147483648 rounded; " },
	{ "df -h of BSD", "Filesystem Size Used Avail Capacity iused ifree %iused Mounted on\n"
	  "/dev/disk3s1s1 460Gi 10Gi 200Gi 5% 404k 2.1G 0% /\n",
	  "/dev/disk3s1s1 on /: 493921239040 10737418240 214748364800 rounded; " },
	{ "df -T", "Filesystem     Type  1K-blocks  Used Available Use% Mounted on\n/dev/sda1      "
	  "ext4   1000  700 300 70% /\n",
	  "/dev/sda1 on /: 1024000 716800 307200; " },
	{ "several rows", HEAD("1-blocks") ROW "/dev/sdb1 5 3 2 60% /data\n",
	  "/dev/sda1 on /: 1000 700 300; /dev/sdb1 on /data: 5 3 2; " },
	{ "a mount point twice: the last one counts", HEAD("1-blocks") ROW "/dev/sdb1 5 3 2 60% "
	  "/\n",
	  "/dev/sdb1 on /: 5 3 2; " },
	{ "a long device on a line of its own", HEAD("1-blocks") "/dev/mapper/vg0-cassandra--data\n"
	  "                   1000 700 300 70% /var/lib\n" ROW,
	  "/dev/mapper/vg0-cassandra--data on /var/lib: 1000 700 300; /dev/sda1 on /: 1000 700 300;"
	  " " },
	{ "the same with -T", "Filesystem Type 1-blocks Used Available Use% Mounted on\n"
	  "/dev/mapper/vg0-cassandra--data\n"
	  "                   xfs 1000 700 300 70% /var/lib\n",
	  "/dev/mapper/vg0-cassandra--data on /var/lib: 1000 700 300; " },
	{ "a device with a blank", HEAD("1-blocks") "//host/My Share 1000 700 300 70% /mnt\n",
	  "//host/My Share on /mnt: 1000 700 300; " },
	{ "no sizes", HEAD("1-blocks") "proc - - - - /proc\n", "proc on /proc: ? ? ?; " },
	{ "below 0 (BSD)", HEAD("512-blocks") "/dev/ada0 1000 980 -60 106% /\n",
	  "/dev/ada0 on /: 512000 501760 -30720; " },
	{ "an error beside it", "df: /nosuch: No such file or directory\n" HEAD("1-blocks") ROW,
	  "/dev/sda1 on /: 1000 700 300; ! 1 an error message: df: /nosuch: No such file or "
	  "directory" },
	{ "an error alone", "df: /nosuch: No such file or directory\n",
	  "FAILED ! 1 an error message: df: /nosuch: No such file or directory" },
	{ "a product that overflows", HEAD("1024-blocks") "/dev/sda1 9223372036854775807 1 1 1% "
	  "/\n",
	  "FAILED ! 2 sizes in an unknown unit: '/dev/sda1 9223372036854775807 1 1 1% /'" },
	{ "blocks of 0 bytes", HEAD("0-blocks") ROW, "FAILED ! 1 this is no size of blocks: '0'" },
	{ "units where there are blocks", HEAD("1-blocks") "/dev/sda1 252G 18G 10G 19% /\n",
	  "FAILED ! 2 sizes in an unknown unit: '/dev/sda1 252G 18G 10G 19% /'" },
	{ "bare numbers in df -h", "Filesystem Size Used Avail Use% Mounted on\n" ROW,
	  "FAILED ! 2 sizes in an unknown unit: '/dev/sda1 1000 700 300 70% /'" },
	{ "no heading", ROW, "FAILED ! 0 no free space in it" },
	{ "the text ends in a mount point", HEAD("1-blocks") ROW "/dev/sdb1 5 3 2 60% /da",
	  "/dev/sda1 on /: 1000 700 300; ! 3 the text ends inside a row" },
	{ "the text ends after a long device",
	  HEAD("1-blocks") ROW "/dev/mapper/vg0-cassandra--data\n",
	  "/dev/sda1 on /: 1000 700 300; ! 3 the text ends inside a row" },
	{ "carriage returns", "Filesystem 1-blocks Used Available Capacity Mounted on\r\n/dev/sda1 "
	  "1000 700 300 70% /\r\n",
	  "/dev/sda1 on /: 1000 700 300; " },
	{ "empty", "", "FAILED ! 0 empty, no free space in it" },
};

static void test_cases(void **state)
{
	struct parse_case c;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		case_run(&c, parse_df, cases[i].input);
		if (strcmp(result(&c), cases[i].expected) != 0)
			fail_msg("%s:\n got  %s\n want %s",
			cases[i].name, result(&c), cases[i].expected);
		case_close(&c);
	}
}

static void compare_prefix(const struct parse_case *part, const struct parse_case *whole,
			   const char *where)
{
	const struct disk_usage *p, *w = whole->node.disks.v[0];

	if (part->node.disks.n > 1)
		fail_msg("%s: more filesystems", where);
	if (!part->node.disks.n)
		return;
	p = part->node.disks.v[0];
	if (strcmp(p->mount, w->mount) != 0 || strcmp(p->device, w->device) != 0 ||
	    p->total.v != w->total.v || p->used.v != w->used.v || p->available.v != w->available.v)
		fail_msg("%s: another value", where);
}

static void test_prefixes(void **state)
{
	(void)state;
	case_prefixes(parse_df, "nodetool/5.0.6-df.txt", compare_prefix);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases), cmocka_unit_test(test_prefixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
