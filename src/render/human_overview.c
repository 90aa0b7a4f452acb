/*
 * The check page's table of tables: one line for each table, merged over the nodes.
 */
#include "render/human.h"

#include <stdlib.h>
#include <string.h>

/* Rows of a page for one screen; -v shows all. */
enum { ROWS_MAX = 8 };

static int compare_tables(const void *pa, const void *pb)
{
	const struct table *a = *(const struct table *const *)pa;
	const struct table *b = *(const struct table *const *)pb;

	return strcmp(a->full_name, b->full_name);
}

/* Unknown when one of the two is. */
static struct opt_i64 add_known(struct opt_i64 a, struct opt_i64 b)
{
	if (!a.known || !b.known)
		return (struct opt_i64){ .known = false };
	return some_i64(add_saturated(a.v, b.v));
}

static void add_to_row(struct page *p, struct table_row *row, const struct table *t)
{
	size_t n;
	const struct check_result *const *r = result_index_find(&p->results, t->node, t, &n);

	row->n_nodes++;
	row->sstables = add_known(row->sstables, table_sstable_count(t));
	row->bytes = add_known(row->bytes, table_total_bytes(t));
	row->held = add_known(row->held, table_held_bytes(t));
	row->droppable = add_known(row->droppable, table_droppable_bytes(t));
	row->named |= t->named;
	row->checked |= n > 0;
	if (!row->not_analysed)
		row->not_analysed = t->not_analysed;
	if (!row->strategy)
		row->strategy = t->settings.strategy;
	for (size_t i = 0; i < n; i++) {
		if (r[i]->severity > row->worst)
			row->worst = r[i]->severity;
	}
}

static struct table_row *new_row(struct arena *a, struct table_rows *rows, const char *name)
{
	struct table_row *row = vec_add(a, &rows->list);

	row->name = name;
	row->sstables = row->bytes = row->held = row->droppable = some_i64(0);
	return row;
}

struct table_rows human_table_rows(struct page *p)
{
	const struct cluster *c = p->report->cluster;
	struct arena *a = p->t.arena;
	VEC(const struct table *) all = { 0 };
	struct table_rows rows = { .n_checked = 0 };
	struct table_row *row = NULL;

	for (size_t i = 0; i < c->nodes.n; i++) {
		for (size_t k = 0; k < c->nodes.v[i]->n_tables; k++)
			*vec_add(a, &all) = c->nodes.v[i]->tables[k];
	}
	if (all.n)
		qsort(all.v, all.n, sizeof(*all.v), compare_tables);
	for (size_t i = 0; i < all.n; i++) {
		if (!row || strcmp(row->name, all.v[i]->full_name) != 0)
			row = new_row(a, &rows, all.v[i]->full_name);
		add_to_row(p, row, all.v[i]);
	}
	for (size_t i = 0; i < rows.list.n; i++) {
		rows.n_checked += rows.list.v[i].checked;
		rows.n_fine += rows.list.v[i].checked && rows.list.v[i].worst == SEV_OK;
	}
	return rows;
}

/* Worst first, then what holds most, then by name. */
static int compare_rows(const void *pa, const void *pb)
{
	const struct table_row *a = pa, *b = pb;
	int64_t held_a = a->held.known ? a->held.v : 0, held_b = b->held.known ? b->held.v : 0;

	if (a->checked != b->checked)
		return a->checked ? -1 : 1;
	if (a->worst != b->worst)
		return a->worst > b->worst ? -1 : 1;
	if (held_a != held_b)
		return held_a > held_b ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* A count of bytes where nothing is a dash: what matters stands out. */
static const char *size_or_dash(struct arena *a, struct opt_i64 bytes)
{
	return bytes.known && bytes.v == 0 ? "-" : human_size(a, bytes);
}

static void print_rows(struct page *p, const struct table_rows *rows, size_t n)
{
	struct arena *a = p->t.arena;
	struct term_table tab = {
		.n_columns = 8,
		.columns = {
			{ .title = "table", .flexible = true }, { .title = "worst" },
			{ .title = "SSTables", .right = true, .drop = 3 },
			{ .title = "size", .right = true, .drop = 2 },
			{ .title = "held", .right = true, .drop = 1 },
			{ .title = "droppable", .right = true, .drop = 4 },
			{ .title = "nodes", .right = true, .drop = 5 },
			{ .title = "not judged", .flexible = true, .drop = 6 },
		},
	};

	for (size_t i = 0; i < n; i++) {
		const struct table_row *row = &rows->list.v[i];
		struct term_cell *cells = term_table_row(a, &tab)->cells;
		bool ok = row->worst == SEV_OK;

		cells[0].text = row->name;
		cells[1].text = !row->checked ? "-" : ok ? "ok" : severity_name(row->worst);
		cells[1].paint = row->checked ? human_severity_paint(row->worst) : PAINT_PLAIN;
		cells[2].text = row->sstables.known ?
				arena_printf(a, "%lld", (long long)row->sstables.v) : "?";
		cells[3].text = human_size(a, row->bytes);
		cells[4].text = row->not_analysed ? "" : size_or_dash(a, row->held);
		cells[5].text = row->not_analysed ? "" : size_or_dash(a, row->droppable);
		if (p->report->cluster->nodes.n > 1)
			cells[6].text = arena_printf(a, "%zu", row->n_nodes);
		cells[7].text = row->not_analysed;
	}
	term_table_print(&p->t, 0, &tab);
}

/* How many of the sorted rows fit the page: never cuts off what somebody asked for by name. */
static size_t rows_to_show(const struct page *p, const struct table_rows *rows)
{
	size_t n = rows->list.n;

	if (p->o->verbose)
		return n;
	while (n > 0 && !rows->list.v[n - 1].checked && !rows->list.v[n - 1].named)
		n--;
	if (n > ROWS_MAX) {
		for (size_t i = ROWS_MAX - 1; i < n; i++) {
			if (rows->list.v[i].named)
				return n;
		}
		return ROWS_MAX - 1;
	}
	return n;
}

static void print_left_out(struct page *p, const struct table_rows *rows, size_t shown)
{
	size_t checked = 0, fine = 0;

	for (size_t i = shown; i < rows->list.n; i++) {
		checked += rows->list.v[i].checked;
		fine += rows->list.v[i].checked && rows->list.v[i].worst == SEV_OK;
	}
	if (checked)
		term_line(&p->t, 0, "… and %zu more tables, %zu of them fine (-v)", checked, fine);
}

void human_overview(struct page *p, struct table_rows *rows)
{
	size_t n;

	if (rows->list.n == 0)
		return;
	qsort(rows->list.v, rows->list.n, sizeof(*rows->list.v), compare_rows);
	n = rows_to_show(p, rows);
	if (n == 0)
		return;
	print_rows(p, rows, n);
	print_left_out(p, rows, n);
	term_newline(&p->t);
}
