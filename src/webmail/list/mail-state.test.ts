import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newUuid } from '../../model/ids.ts';
import { decodeState, encodeState, type FolderModseq } from './mail-state.ts';

const FOLDERS = fc
  .array(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), { maxLength: 40 })
  .map((modseqs) => modseqs.map((highestModseq): FolderModseq => ({ id: newUuid(), highestModseq })));

test('a state contains the MODSEQ of each folder, and stays valid when folders are added', () => {
  fc.assert(
    fc.property(FOLDERS, FOLDERS, (folders, more) => {
      const state = decodeState(encodeState(folders.toReversed()), [...more, ...folders]);
      assert.deepEqual(state, new Map(folders.map(({ id, highestModseq }) => [id, highestModseq])));
    }),
  );
});

test('a state with a deleted folder and a text that is not a state are rejected', () => {
  const [first, ...rest] = [1, 200, 70_000].map((highestModseq) => ({ id: newUuid(), highestModseq }));
  assert.ok(first);
  const state = encodeState([first, ...rest]);
  assert.equal(decodeState(state, rest), null);
  for (const other of ['', 'AA', `${state}A`, `${state}=`, state.slice(0, -2), 'AQ', '%00'])
    assert.equal(decodeState(other, [first, ...rest]), null, other);
  fc.assert(
    fc.property(fc.string(), (text) => {
      assert.equal(decodeState(text, [first, ...rest]), null);
    }),
  );
});
