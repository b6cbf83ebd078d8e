import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairSlots } from './fair-slots.ts';

const NEVER = new AbortController().signal;

/** Starts tasks that run until the test ends them, and records the names of the tasks that have begun. */
function startBench(options: { slots: number; slotsPerOwner: number; maxWaitingPerOwner?: number }) {
  const slots = new FairSlots({ maxWaitingPerOwner: 100, makeError: () => new Error('refused'), ...options });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    start: (name: string, owner: string, signal = NEVER): Promise<string> =>
      slots.run(owner, signal, () => {
        begun.push(name);
        const { promise, resolve } = Promise.withResolvers<void>();
        ends.set(name, resolve);
        return promise.then(() => name);
      }),
    /** Ends a task and lets its continuations run. */
    end: async (name: string): Promise<void> => {
      ends.get(name)?.();
      await settle();
    },
  };
}

/** Lets all pending continuations run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test('an owner uses at most its maximum number of slots, even if other slots are free', async () => {
  const { begun, start, end } = startBench({ slots: 4, slotsPerOwner: 2 });
  for (const name of ['a1', 'a2', 'a3']) void start(name, 'a');
  await settle();
  assert.deepEqual(begun, ['a1', 'a2']);
  void start('b1', 'b');
  await settle();
  assert.deepEqual(begun, ['a1', 'a2', 'b1']);
  await end('a1');
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3']);
});

test('a freed slot goes to the waiting owner with the fewest slots, no matter how long the queues are', async () => {
  const { begun, start, end } = startBench({ slots: 4, slotsPerOwner: 2 });
  for (const name of ['a1', 'a2', 'a3', 'a4']) void start(name, 'a');
  for (const name of ['b1', 'b2', 'b3', 'b4']) void start(name, 'b');
  void start('c1', 'c');
  await settle();
  await end('a1');
  assert.equal(begun.at(-1), 'c1');
});

test('slots are given to owners round-robin', async () => {
  const { begun, start, end } = startBench({ slots: 1, slotsPerOwner: 1 });
  for (const name of ['a1', 'a2', 'a3']) void start(name, 'a');
  for (const name of ['b1', 'b2']) void start(name, 'b');
  await settle();
  for (const name of ['a1', 'b1', 'a2', 'b2', 'a3']) await end(name);
  assert.deepEqual(begun, ['a1', 'b1', 'a2', 'b2', 'a3']);
});

test('only the owner with a full queue is rejected', async () => {
  const { begun, start, end } = startBench({ slots: 1, slotsPerOwner: 1, maxWaitingPerOwner: 1 });
  void start('a1', 'a');
  void start('a2', 'a');
  await assert.rejects(start('a3', 'a'), /refused/);
  void start('b1', 'b');
  await end('a1');
  await end('b1');
  assert.deepEqual(begun, ['a1', 'b1', 'a2']);
});

test('aborting a waiting task rejects at once, and the next task gets the slot', async () => {
  const { begun, start, end } = startBench({ slots: 1, slotsPerOwner: 1 });
  const controller = new AbortController();
  void start('a1', 'a');
  const pending = start('a2', 'a', controller.signal);
  void start('a3', 'a');
  controller.abort(new Error('enough'));
  await assert.rejects(pending, /enough/);
  await end('a1');
  assert.deepEqual(begun, ['a1', 'a3']);
  await assert.rejects(start('a4', 'a', controller.signal), /enough/);
});

test('aborting a running task rejects at once, and the slot is released when the task ends', async () => {
  const { begun, start, end } = startBench({ slots: 1, slotsPerOwner: 1 });
  const controller = new AbortController();
  const pending = start('a1', 'a', controller.signal);
  void start('b1', 'b');
  controller.abort(new Error('enough'));
  await assert.rejects(pending, /enough/);
  assert.deepEqual(begun, ['a1']);
  await end('a1');
  assert.deepEqual(begun, ['a1', 'b1']);
});

test('a failed task releases its slot', async () => {
  const { begun, start } = startBench({ slots: 1, slotsPerOwner: 1 });
  const slots = new FairSlots({
    slots: 1,
    slotsPerOwner: 1,
    maxWaitingPerOwner: 0,
    makeError: () => new Error('refused'),
  });
  await assert.rejects(
    slots.run('a', NEVER, () => Promise.reject(new Error('failed'))),
    /failed/,
  );
  assert.equal(await slots.run('b', NEVER, async () => 'fine'), 'fine');
  void start('a1', 'a');
  await settle();
  assert.deepEqual(begun, ['a1']);
});
