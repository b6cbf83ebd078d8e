/** Tests of the behavior that every object store must have, whether the objects are in files or in a bucket. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { ByteRange, ObjectName, ObjectStore } from '../../src/blobs/object-store.ts';
import { newUuid } from '../../src/model/ids.ts';

const newName = (projectId = newUuid()): ObjectName => ({ projectId, id: newUuid() });

async function idsIn(store: ObjectStore, projectId?: string): Promise<string[]> {
  const found: string[] = [];
  for await (const name of store.list(projectId)) found.push(name.id);
  return found.sort();
}

const BEHAVIORS: [behavior: string, check: (store: ObjectStore) => Promise<void>][] = [
  [
    'returns the stored bytes of an object of any size',
    async (store) => {
      for (const size of [0, 1, 65_537, 3_000_000]) {
        const [name, bytes] = [newName(), randomBytes(size)];
        await store.put(name, bytes);
        assert.deepEqual(await store.get(name), bytes);
      }
    },
  ],
  [
    'returns a range of an object, truncated at the end of the object',
    async (store) => {
      const name = newName();
      await store.put(name, Buffer.from('0123456789'));
      const parts: [ByteRange, string][] = [
        [{ start: 0, end: 1 }, '0'],
        [{ start: 3, end: 6 }, '345'],
        [{ start: 8, end: 600 }, '89'],
        [{ start: 0, end: 10 }, '0123456789'],
        [{ start: 4, end: 4 }, ''],
        [{ start: 10, end: 20 }, ''],
        [{ start: 50, end: 60 }, ''],
      ];
      for (const [range, text] of parts)
        assert.equal((await store.get(name, range))?.toString(), text, JSON.stringify(range));
    },
  ],
  [
    'returns null for an object that was not stored, and for the id of an object of another project',
    async (store) => {
      const name = newName();
      assert.equal(await store.get(name), null);
      assert.equal(await store.get(name, { start: 0, end: 1 }), null);
      await store.put(name, Buffer.from('mine'));
      assert.equal(await store.get({ ...name, projectId: newUuid() }), null);
    },
  ],
  [
    'deletes objects, and can delete an object again',
    async (store) => {
      const [name, other] = [newName(), newName()];
      await store.put(name, Buffer.from('x'));
      await store.put(other, Buffer.from('y'));
      await store.delete(name);
      await store.delete(name);
      assert.equal(await store.get(name), null);
      assert.equal((await store.get(other))?.toString(), 'y');
    },
  ],
  [
    'lists the objects of all projects, or of one project',
    async (store) => {
      const [one, other] = [newName(), newName()];
      const second = newName(one.projectId);
      for (const name of [one, other, second]) await store.put(name, Buffer.from('z'));
      assert.deepEqual(await idsIn(store, one.projectId), [one.id, second.id].sort());
      assert.deepEqual(await idsIn(store, newUuid()), []);
      const all = await idsIn(store);
      for (const { id } of [one, other, second]) assert.ok(all.includes(id));
    },
  ],
];

/** Registers a test for each behavior. */
export function testObjects(storeOf: () => ObjectStore): void {
  for (const [behavior, check] of BEHAVIORS) test(behavior, () => check(storeOf()));
}
