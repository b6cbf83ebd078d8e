import assert from 'node:assert/strict';
import { mock, test, type TestContext } from 'node:test';
import { createDraftSaver, type SaveState } from './draft-saver.ts';

const settle = async () => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};

/** Creates a saver for a draft, and a service whose responses the test triggers. */
function scene(context: TestContext) {
  mock.timers.enable({ apis: ['setTimeout'] });
  context.after(() => mock.timers.reset());
  const saved: string[] = [];
  const states: SaveState[] = [];
  const answers: { resolve(at: Date): void; reject(error: Error): void }[] = [];
  const page = { text: '' };
  const saver = createDraftSaver({
    save() {
      saved.push(page.text);
      const { promise, resolve, reject } = Promise.withResolvers<Date>();
      answers.push({ resolve, reject });
      return promise;
    },
    onState: (state) => states.push(state),
    classifyFailure: (error) => ({ message: String(error), isRetried: !String(error).includes('too large') }),
    pauseMs: 800,
    retriesMs: [2000, 4000],
  });
  return {
    saver,
    saved,
    states,
    write(text: string) {
      page.text = text;
      saver.changed();
    },
    async answer(error?: string) {
      const waiting = answers.shift();
      assert.ok(waiting !== undefined);
      if (error === undefined) waiting.resolve(new Date(0));
      else waiting.reject(new Error(error));
      await settle();
    },
    async tick(ms: number) {
      mock.timers.tick(ms);
      await settle();
    },
  };
}

test('a draft is saved once after the last key, and changes made during that save are saved next', async (context) => {
  const { saver, saved, states, write, answer, tick } = scene(context);
  write('a');
  await tick(700);
  write('ab');
  await tick(700);
  assert.deepEqual(saved, []);
  await tick(100);
  assert.deepEqual(saved, ['ab']);
  write('abc');
  await tick(5000);
  assert.deepEqual(saved, ['ab'], 'one at a time');
  await answer();
  await tick(800);
  assert.deepEqual(saved, ['ab', 'abc']);
  assert.equal(saver.isSaved(), false);
  await answer();
  assert.equal(saver.isSaved(), true);
  assert.deepEqual(states.at(-1), { kind: 'saved', at: new Date(0) });
  await tick(60_000);
  assert.equal(saved.length, 2);
});

test('during continuous typing, a draft is saved soon after the first key', async (context) => {
  const { saved, write, answer, tick } = scene(context);
  for (let at = 0; at < 15; at++) {
    write('a'.repeat(at + 1));
    await tick(100);
  }
  assert.deepEqual(saved, ['a'.repeat(15)]);
  await answer();
  for (let at = 0; at < 15; at++) {
    write('b'.repeat(at + 1));
    await tick(100);
  }
  assert.deepEqual(saved, ['a'.repeat(15), 'b'.repeat(15)]);
});

test('a failed save is retried with the newest text', async (context) => {
  const { saved, states, write, answer, tick } = scene(context);
  write('a');
  await tick(800);
  await answer('away');
  assert.deepEqual(states.at(-1), { kind: 'failed', message: 'Error: away', isRetried: true });
  await tick(2000);
  await answer('away');
  await tick(3999);
  assert.equal(saved.length, 2);
  await tick(1);
  assert.equal(saved.length, 3);
  write('ab');
  await answer();
  await tick(800);
  assert.deepEqual(saved, ['a', 'a', 'a', 'ab']);
});

test('a rejected save is not retried before the next key', async (context) => {
  const { saved, states, write, answer, tick } = scene(context);
  write('a');
  await tick(800);
  await answer('too large');
  await tick(120_000);
  assert.equal(saved.length, 1);
  assert.equal(states.at(-1)?.kind, 'failed');
  write('');
  await tick(800);
  assert.equal(saved.length, 2);
});

test('a flush resolves when all changes are saved, including changes during the save', async (context) => {
  const { saver, saved, write, answer, tick } = scene(context);
  assert.equal(await saver.flush(), true);
  write('a');
  await tick(800);
  write('ab');
  const flushed = saver.flush();
  await answer();
  assert.deepEqual(saved, ['a', 'ab']);
  await answer();
  assert.equal(await flushed, true);
});

test('a stopped saver sends no changes', async (context) => {
  const { saver, saved, write, tick } = scene(context);
  write('a');
  saver.stop();
  await tick(60_000);
  assert.equal(await saver.flush(), false);
  assert.deepEqual(saved, []);
});
