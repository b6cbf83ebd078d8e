import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newUuid } from '../../model/ids.ts';
import { packUndo, type ActionStep, unpackUndo } from './undo-steps.ts';

const [A, B] = [newUuid(), newUuid()];

test('undo steps are equal after packing and unpacking', () => {
  const ranges = [
    { first: 1, last: 5 },
    { first: 9, last: 9 },
  ];
  const steps: ActionStep[] = [
    { folderId: A, ranges, toFolderId: B },
    { folderId: A, ranges, op: 'add', flag: 1 },
    { folderId: B, ranges: [], op: 'remove', flag: 4 },
  ];
  assert.deepEqual(unpackUndo(packUndo(steps)), steps);
});

const assertRejected = (text: string) =>
  assert.throws(
    () => unpackUndo(text),
    { code: 'bad-request', message: 'This action can no longer be undone.' },
    text,
  );

test('a text that was not packed from undo steps is rejected', () => {
  const later = Date.now() + 60_000;
  for (const value of [
    null,
    [later],
    [1, []],
    ['x', []],
    [later, [null]],
    [later, [['x', [1, 2], B]]],
    [later, [[A, [1], B]]],
    [later, [[A, [2, 1], B]]],
    [later, [[A, [0, 1], B]]],
    [later, [[A, [1, 2 ** 31], B]]],
    [later, [[A, ['1', 1.5], B]]],
    [later, [[A, [1, 2], '+', 8]]],
    [later, [[A, [1, 2], '*', 1]]],
    [later, [[A, [1, 2], "' or 1"]]],
    [later, Array.from({ length: 2_001 }, () => [A, [], B])],
  ])
    assertRejected(Buffer.from(JSON.stringify(value)).toString('base64url'));
  fc.assert(
    fc.property(fc.string(), fc.json(), (text, json) => {
      assertRejected(text);
      assertRejected(Buffer.from(json).toString('base64url'));
    }),
  );
});
