import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { declare } from '../../contract/operation.ts';
import { inOrder, doorOperations, moduleOf, documentationAt } from './declared-operations.ts';

const list = declare({
  summary: 'List things',
  success: { status: 200, description: 'The things.', body: Type.Object({}) },
  errors: ['not-found'],
  doors: {
    api: { route: 'GET /emails', scope: 'emails:read' },
    dashboard: { id: 'listThings', route: 'GET /things', role: 'viewer', success: 'A page.', errors: [] },
  },
});
/** A door whose calls are strings. */
const DOOR = { kind: 'api' as const, raw: [], partsOf: (_call: string) => 'parts', inputOf: () => ({}) };
const things = moduleOf({ list }, async () => ({ run: { list: async (parts: string) => parts } }));

test('each door offers an operation under the id that the operation has at that door', async () => {
  const names = (kind: 'api' | 'dashboard' | 'mail') =>
    Object.keys(doorOperations({ ...DOOR, kind, modules: [things] }, ({ door }) => door));
  assert.deepEqual([names('api'), names('dashboard'), names('mail')], [['list'], ['listThings'], []]);
  const { list: run } = doorOperations({ ...DOOR, modules: [things] }, (operation) => operation.run);
  assert.equal(await run?.('call'), 'parts');
});

test('the documentation of an operation uses the texts of the door, and otherwise the texts of the declaration', () => {
  const { api, dashboard } = list.doors;
  const { body } = list.success;
  assert.deepEqual(documentationAt(list, api), {
    summary: list.summary,
    errors: ['not-found'],
    success: list.success,
  });
  assert.deepEqual(documentationAt(list, dashboard), {
    summary: list.summary,
    errors: [],
    success: { status: 200, description: 'A page.', body },
  });
});

test('two operations of a door cannot have the same id', () => {
  assert.throws(
    () => doorOperations({ ...DOOR, modules: [things, things] }, () => 0),
    /two operations are called list/,
  );
  assert.throws(() => inOrder([], { list: 0 }, { list: 1 }), /two operations have one name/);
});

test('a raw operation must be implemented by its door', async () => {
  const raw = declare({ ...list, raw: true });
  const modules = [moduleOf({ raw }, async () => ({ run: {} }))];
  const implemented = { declaration: raw, run: async (call: string) => call };
  const { raw: run } = doorOperations({ ...DOOR, modules, raw: [implemented] }, (operation) => operation.run);
  assert.equal(await run?.('call'), 'call');
  assert.throws(() => doorOperations({ ...DOOR, modules }, () => 0), /no door implements raw/);
});

test('operations are sorted in the given order, and operations missing from the order come last', () => {
  assert.deepEqual(Object.keys(inOrder(['b', 'a'], { a: 0, c: 1 }, { b: 2 })), ['b', 'a', 'c']);
  assert.throws(() => inOrder(['d'], {}), /there is no operation d/);
});

test('calling an operation without an implementation fails with the name of the operation', async () => {
  const empty = moduleOf({ list }, async () => ({ run: {} }));
  const { list: run } = doorOperations({ ...DOOR, modules: [empty] }, (operation) => operation.run);
  await assert.rejects(async () => run?.('call'), /no implementation of list/);
});
