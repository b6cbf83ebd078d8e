import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Sharing } from './shared.ts';

/** Things whose starts and ends are recorded. @param fails the number of starts that fail */
function things(fails = 0) {
  const sharing = new Sharing();
  const log: string[] = [];
  let started = 0;
  const lease = sharing.share(async () => {
    started += 1;
    const name = `thing ${started}`;
    if (started <= fails) throw new Error(`${name} does not start`);
    log.push(`${name} starts`);
    return { name, [Symbol.asyncDispose]: async () => void log.push(`${name} ends`) };
  });
  return { sharing, log, lease };
}

void test('the first lease of a thing starts the thing, and disposing of the last lease ends the thing', async () => {
  const { log, lease } = things();
  const [one, other] = await Promise.all([lease(), lease()]);
  assert.equal(one.thing, other.thing);
  await one[Symbol.asyncDispose]();
  assert.deepEqual(log, ['thing 1 starts']);
  await other[Symbol.asyncDispose]();
  await (await lease())[Symbol.asyncDispose]();
  assert.deepEqual(log, ['thing 1 starts', 'thing 1 ends', 'thing 2 starts', 'thing 2 ends']);
});

void test('after `keep`, a thing outlives its leases', async () => {
  const { sharing, log, lease } = things();
  const keeping = sharing.keep();
  await (await lease())[Symbol.asyncDispose]();
  await (await lease())[Symbol.asyncDispose]();
  assert.deepEqual(log, ['thing 1 starts']);
  await keeping[Symbol.asyncDispose]();
  assert.deepEqual(log, ['thing 1 starts', 'thing 1 ends']);
});

void test('a thing that fails to start is started again for the next lease', async () => {
  const { log, lease } = things(1);
  await assert.rejects(lease(), /thing 1 does not start/);
  await (await lease())[Symbol.asyncDispose]();
  assert.deepEqual(log, ['thing 2 starts', 'thing 2 ends']);
});
