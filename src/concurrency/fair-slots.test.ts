import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairSlots } from './fair-slots.ts';

const NEVER = new AbortController().signal;

/** Tasks that run until the test ends them, and the names of those that have begun. */
function bench(options: { places: number; placesOfOne: number; maxWaitingOfOne?: number }) {
  const turns = new FairSlots({ maxWaitingOfOne: 100, refusal: () => new Error('refused'), ...options });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    start: (name: string, owner: string, signal = NEVER): Promise<string> =>
      turns.run(owner, signal, () => {
        begun.push(name);
        const { promise, resolve } = Promise.withResolvers<void>();
        ends.set(name, resolve);
        return promise.then(() => name);
      }),
    /** Ends a piece of work, and lets what follows from it happen. */
    end: async (name: string): Promise<void> => {
      ends.get(name)?.();
      await turn();
    },
  };
}

/** All that promises set off has happened. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test('an owner has no more places than its share, though others are free', async () => {
  const { begun, start, end } = bench({ places: 4, placesOfOne: 2 });
  for (const name of ['a1', 'a2', 'a3']) void start(name, 'a');
  await turn();
  assert.deepEqual(begun, ['a1', 'a2']);
  void start('b1', 'b');
  await turn();
  assert.deepEqual(begun, ['a1', 'a2', 'b1']);
  await end('a1');
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3']);
});

test('the place that becomes free goes to the owner who has the fewest, however long the lines of the others', async () => {
  const { begun, start, end } = bench({ places: 4, placesOfOne: 2 });
  for (const name of ['a1', 'a2', 'a3', 'a4']) void start(name, 'a');
  for (const name of ['b1', 'b2', 'b3', 'b4']) void start(name, 'b');
  void start('c1', 'c');
  await turn();
  await end('a1');
  assert.equal(begun.at(-1), 'c1');
});

test('owners take turns', async () => {
  const { begun, start, end } = bench({ places: 1, placesOfOne: 1 });
  for (const name of ['a1', 'a2', 'a3']) void start(name, 'a');
  for (const name of ['b1', 'b2']) void start(name, 'b');
  await turn();
  for (const name of ['a1', 'b1', 'a2', 'b2', 'a3']) await end(name);
  assert.deepEqual(begun, ['a1', 'b1', 'a2', 'b2', 'a3']);
});

test('an owner whose line is full is refused, and no other one is', async () => {
  const { begun, start, end } = bench({ places: 1, placesOfOne: 1, maxWaitingOfOne: 1 });
  void start('a1', 'a');
  void start('a2', 'a');
  await assert.rejects(start('a3', 'a'), /refused/);
  void start('b1', 'b');
  await end('a1');
  await end('b1');
  assert.deepEqual(begun, ['a1', 'b1', 'a2']);
});

test('an aborted wait rejects at once, and its slot goes to the next task', async () => {
  const { begun, start, end } = bench({ places: 1, placesOfOne: 1 });
  const gives = new AbortController();
  void start('a1', 'a');
  const given = start('a2', 'a', gives.signal);
  void start('a3', 'a');
  gives.abort(new Error('enough'));
  await assert.rejects(given, /enough/);
  await end('a1');
  assert.deepEqual(begun, ['a1', 'a3']);
  await assert.rejects(start('a4', 'a', gives.signal), /enough/);
});

test('a caller that aborts running work gets its rejection at once, and the slot is free when the work has ended', async () => {
  const { begun, start, end } = bench({ places: 1, placesOfOne: 1 });
  const gives = new AbortController();
  const given = start('a1', 'a', gives.signal);
  void start('b1', 'b');
  gives.abort(new Error('enough'));
  await assert.rejects(given, /enough/);
  assert.deepEqual(begun, ['a1']);
  await end('a1');
  assert.deepEqual(begun, ['a1', 'b1']);
});

test('work that fails gives its place back', async () => {
  const { begun, start } = bench({ places: 1, placesOfOne: 1 });
  const turns = new FairSlots({
    places: 1,
    placesOfOne: 1,
    maxWaitingOfOne: 0,
    refusal: () => new Error('refused'),
  });
  await assert.rejects(
    turns.run('a', NEVER, () => Promise.reject(new Error('failed'))),
    /failed/,
  );
  assert.equal(await turns.run('b', NEVER, async () => 'fine'), 'fine');
  void start('a1', 'a');
  await turn();
  assert.deepEqual(begun, ['a1']);
});
