import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import { PAGE, type ListedRow, Rows } from './rows.ts';

/** A folder with rows on the service, newest first, and the list that loads them. */
function folderOf(count: number) {
  const rows: ListedRow[] = Array.from({ length: count }, (_, n) => ({
    id: `r${n}`,
    newest_at: timeOf(count - n),
  }));
  let requested = 0;
  const pageAt = (at: number) => ({ data: rows.slice(at, at + PAGE), first_row: at, total: rows.length });
  const list = new Rows<ListedRow>(pageAt(0), async (at) => {
    requested++;
    await setImmediate();
    return pageAt(at);
  });
  return { rows, list, requests: () => requested };
}

function timeOf(n: number): string {
  return new Date(1_700_000_000_000 + n * 60_000).toISOString();
}

/** Waits until all rows of a range are loaded. */
async function loadRows<Each extends ListedRow>(
  list: Rows<Each>,
  first: number,
  last: number,
): Promise<(string | undefined)[]> {
  for (let turn = 0; turn < 30; turn++) {
    list.setVisibleRange(first, last);
    await setImmediate();
  }
  return Array.from({ length: last - first + 1 }, (_, n) => list.at(first + n)?.id);
}

test('a list of a million rows shows any position and keeps at most 2,000 rows in memory', async () => {
  const { rows, list } = folderOf(1_000_000);
  for (const at of [0, 500_000, 999_980, 250_000, 750_000]) {
    const seen = await loadRows(list, at, at + 19);
    assert.deepEqual(
      seen,
      rows.slice(at, at + 20).map(({ id }) => id),
    );
  }
  for (let at = 0; at < 5_000; at += 100) await loadRows(list, at, at + 19);
  assert.ok(list.known.length <= 2_000, `${list.known.length}`);
});

test('a new row appears at the top and moves the other rows by one, without a request', async () => {
  const { list, requests } = folderOf(200);
  await loadRows(list, 0, 20);
  const before = requests();
  list.takeMoves();
  list.apply([{ id: 'new', newest_at: timeOf(1_000) }], [], 201);
  assert.deepEqual([list.at(0)?.id, list.at(1)?.id, list.count], ['new', 'r0', 201]);
  assert.deepEqual(list.takeMoves(), [{ at: 0, by: 1 }]);
  await loadRows(list, 0, 20);
  assert.equal(requests(), before);
});

test('a conversation with a new reply moves to the top, even if its row was not loaded', async () => {
  const { rows, list } = folderOf(500);
  await loadRows(list, 0, 20);
  const row = { id: 'r3', newest_at: timeOf(1_000) };
  rows.unshift(...rows.splice(3, 1).map(() => row));
  list.apply([row], [], 500);
  assert.deepEqual(await loadRows(list, 0, 4), ['r3', 'r0', 'r1', 'r2', 'r4']);
  const other = { id: 'r400', newest_at: timeOf(1_001) };
  rows.splice(400, 1);
  rows.unshift(other);
  list.apply([other], [], 500);
  assert.deepEqual(await loadRows(list, 0, 2), ['r400', 'r3', 'r0']);
  assert.deepEqual(await loadRows(list, 398, 402), ['r397', 'r398', 'r399', 'r401', 'r402']);
});

test('a removed row does not reappear with a response that was in flight', async () => {
  const { rows, list } = folderOf(100);
  const ids = new Set(['r1', 'r2']);
  list.hide(ids);
  assert.deepEqual([list.at(1)?.id, list.count], ['r3', 98]);
  list.apply([{ id: 'r1', newest_at: rows[1]?.newest_at ?? '' }], [], 98);
  assert.equal(list.at(1)?.id, 'r3');
  list.settle(ids);
  rows.splice(1, 2);
  list.apply([], ['r1', 'r2'], 98);
  assert.deepEqual(await loadRows(list, 0, 3), ['r0', 'r3', 'r4', 'r5']);
  assert.deepEqual(await loadRows(list, 94, 97), ['r96', 'r97', 'r98', 'r99']);
});

test('a response from before a removal does not restore the removed row or drop the last row', async () => {
  const { rows, list } = folderOf(4);
  const ids = new Set(['r1']);
  const taken = rows[1] ?? { id: '', newest_at: '' };
  list.hide(ids);
  // The service sends a change and a total from before the removal, for example because the user had just starred the row.
  list.apply([taken], [], 4);
  assert.equal(list.count, 3);
  list.refetchAll(4);
  assert.deepEqual(await loadRows(list, 0, 3), ['r0', 'r2', 'r3', undefined]);
  assert.equal(list.count, 3);
  rows.splice(1, 1);
  list.apply([], ['r1'], 3);
  assert.deepEqual(
    [0, 1, 2, 3].map((at) => list.at(at)?.id),
    ['r0', 'r2', 'r3', undefined],
  );
  list.settle(ids);
  assert.deepEqual(await loadRows(list, 0, 2), ['r0', 'r2', 'r3']);
});

test('a row restored before its removal is settled reappears when the removal is settled, without a request', async () => {
  const { rows, list, requests } = folderOf(4);
  const ids = new Set(['r1']);
  list.hide(ids);
  list.apply([], ['r1'], 3);
  list.apply(rows.slice(1, 2), [], 4);
  assert.equal(list.count, 3);
  list.settle(ids);
  assert.deepEqual(
    [0, 1, 2, 3].map((at) => list.at(at)?.id),
    ['r0', 'r1', 'r2', 'r3'],
  );
  assert.equal(list.count, 4);
  await loadRows(list, 0, 3);
  assert.equal(requests(), 0);
});

test('a mark set by the user stays until its change is settled, even if a response in flight lacks the mark', async () => {
  interface Marked extends ListedRow {
    marks: readonly string[];
  }
  const row = (...marks: string[]): Marked => ({ id: 'r0', newest_at: timeOf(1), marks });
  const page = { data: [row()], first_row: 0, total: 1 };
  const list = new Rows<Marked>(page, async () => page);
  const mark = (name: string) =>
    list.patch(new Set(['r0']), (held) => ({ ...held, marks: [...new Set([...held.marks, name])] }));
  const marks = () => list.at(0)?.marks;
  const settleStar = mark('star');
  const settleSeen = mark('seen');
  // The response includes only the star.
  list.apply([row('star')], [], 1);
  assert.deepEqual(marks(), ['star', 'seen']);
  settleStar();
  assert.deepEqual(marks(), ['star', 'seen']);
  list.refetchAll(1);
  await loadRows(list, 0, 0);
  assert.deepEqual(marks(), ['seen'], 'a whole page is marked as well');
  // Another application has removed the mark.
  list.apply([row('star')], [], 1);
  settleSeen();
  assert.deepEqual(marks(), ['star']);
  list.apply([row()], [], 1);
  assert.deepEqual(marks(), []);
});

test('a list that another client has shortened ends at its last remaining row', async () => {
  const { rows, list } = folderOf(300);
  await loadRows(list, 0, 20);
  rows.length = 60;
  list.refetchAll();
  assert.deepEqual(await loadRows(list, 57, 59), ['r57', 'r58', 'r59']);
  assert.equal(list.count, 60);
});

test('a list whose total is unknown counts its own changes, and fetches rows again if a change may have moved them', async () => {
  const { rows, list } = folderOf(3);
  // Changes of rows that were never listed do not change a list that is completely loaded.
  list.apply([], ['never listed'], undefined);
  assert.equal(list.count, 3);
  list.apply([{ id: 'new', newest_at: timeOf(9) }], ['r1'], undefined);
  assert.deepEqual([list.count, list.at(0)?.id, list.indexOf('r1')], [3, 'new', -1]);
  rows.splice(1, 1);
  rows.unshift({ id: 'new', newest_at: timeOf(9) });
  list.refetchAll();
  await loadRows(list, 0, 2);
  assert.equal(list.count, 3);

  const sorted = new Rows<ListedRow>(
    { data: rows.slice(0, 2), first_row: 0, total: 2 },
    () => Promise.resolve({ data: rows, first_row: 0, total: 3 }),
    { isByTime: false },
  );
  sorted.apply([{ id: 'last', newest_at: timeOf(20) }], [], undefined);
  assert.equal(sorted.indexOf('last'), -1, 'the service decides where a new row is');
  assert.equal(sorted.count, 3);
});

test('a list has a row that is loaded or was just removed', () => {
  const { list } = folderOf(2);
  list.hide(new Set(['r0']));
  assert.deepEqual(
    ['r0', 'r1', 'r2'].map((id) => list.has(id)),
    [true, true, false],
  );
});
