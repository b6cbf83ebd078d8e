import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FolderChanges } from '../../store/read-folder.ts';
import type { Store } from '../../store/store.ts';
import { SelectedFolder } from './selected-folder.ts';
import { sendVanished } from './vanished.ts';

const KEY = { projectId: 'p', mailboxId: 'm', folderId: 'f' };

/** Opens a folder whose store returns one of `pages` for each query of changes. */
async function folderWith(
  uids: readonly number[],
  answers: Partial<FolderChanges>[],
): Promise<SelectedFolder> {
  const left = [...answers];
  const store: Pick<Store, 'snapshot' | 'changesSince' | 'takeRecent'> = {
    snapshot: async () => ({
      uidValidity: 1,
      uidNext: 1_000_000,
      highestModseq: 1,
      keywords: [],
      uids: Uint32Array.from(uids),
      firstUnseen: null,
      recentUid: 1,
    }),
    takeRecent: async () => null,
    changesSince: async (_, modseq) => ({
      modseq: modseq + 1,
      uidNext: 1_000_000,
      hasRecent: false,
      keywords: [],
      changed: [],
      vanished: [],
      ...left.shift(),
      hasMore: left.length > 0,
    }),
  };
  const opened = await SelectedFolder.open(store as Store, KEY, false);
  assert.ok(opened !== null);
  return opened.selected;
}

function changeOf(uid: number) {
  return { uid, modseq: 2, flags: 0, keywords: [] };
}

const MANY = Array.from({ length: 100_000 }, (_, at) => at + 1);

test('sync of 100,000 changes yields to the event loop', async () => {
  const selected = await folderWith(MANY, [{ changed: MANY.map(changeOf) }]);
  let ticks = 0;
  const count = () => {
    ticks++;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const changes = await selected.sync(true);
  clearImmediate(timer);
  assert.equal(changes?.changed.length, MANY.length);
  assert.ok(ticks >= 9, `${ticks} turns`);
});

test('sync reports no flag changes of a message that a later page of changes lists as expunged', async () => {
  const selected = await folderWith(
    [1, 2, 3],
    [
      { changed: [changeOf(2), changeOf(3), changeOf(10), changeOf(11)] },
      { vanished: [{ first: 3, last: 10 }] },
    ],
  );
  const changes = await selected.sync(true);
  assert.deepEqual(
    [
      changes?.expunged.numbers,
      changes?.changed.map(({ number }) => number),
      changes?.exists,
      selected.uidAt(3),
    ],
    [[3], [2], 3, 11],
  );
});

test('VANISHED is split into lines of 5,000 UIDs', async () => {
  const lines: string[] = [];
  let drains = 0;
  const output = { line: (text: string) => void lines.push(text), drained: async () => ++drains > 0 };
  await sendVanished({ output }, Uint32Array.from(MANY.slice(0, 12_000)));
  assert.deepEqual(lines, ['* VANISHED 1:5000', '* VANISHED 5001:10000', '* VANISHED 10001:12000']);
  assert.equal(drains, 3);
});
