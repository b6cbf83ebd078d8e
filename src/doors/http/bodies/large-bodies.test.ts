import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Type } from 'typebox';
import { SendEmail } from '../../../contract/emails.ts';
import { fingerprint } from '../../../sending/accept/fingerprint.ts';
import { LargeBodies } from './large-bodies.ts';

const newReader = (timings?: { threadIdleMs: number }) =>
  new LargeBodies({ sendEmail: SendEmail, other: Type.Object({}) }, timings);
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));
const email = { from: 'a@x.test', to: ['b@Y.test'], html: 'x'.repeat(1_000_000) };

test('a valid email comes back with its fingerprint and its envelope', async () => {
  await using bodies = newReader();
  const body = { projectId: 'one', operationId: 'sendEmail', bytes: bytesOf(email) };
  const { value, errors, examined } = await bodies.read(body);
  assert.deepEqual([value, errors], [email, null]);
  assert.deepEqual(Buffer.from(examined?.fingerprint ?? []), fingerprint(email));
  assert.ok(examined !== null && 'envelope' in examined && 'recipients' in examined.envelope);
  assert.deepEqual(examined.envelope.recipients, ['b@y.test']);
});

test('bytes that share their memory with others are read, and the others stay as they are', async () => {
  await using bodies = newReader();
  const shared = Buffer.concat([bytesOf(email), Buffer.from('neighbour')]);
  const bytes = shared.subarray(0, -9);
  const { value } = await bodies.read({ projectId: 'one', operationId: 'sendEmail', bytes });
  assert.deepEqual(value, email);
  assert.equal(shared.subarray(-9).toString(), 'neighbour');
});

test('errors in a large email are reported as for a small one', async () => {
  await using bodies = newReader();
  const read = (text: string) =>
    bodies.read({ projectId: 'one', operationId: 'sendEmail', bytes: Buffer.from(text) });
  const { errors } = await read(JSON.stringify({ ...email, subjekt: 1 }));
  assert.deepEqual(Object.keys(errors ?? {}), ['subjekt']);
  await assert.rejects(read('{"a":'), { code: 'malformed-json' });
  await assert.rejects(read('{"subject":"\\u0000"}'), { code: 'validation-failed' });
  const { examined } = await read(JSON.stringify({ ...email, to: ['nobody'] }));
  assert.ok(examined !== null && 'envelope' in examined && 'errors' in examined.envelope);
  assert.match(examined.envelope.errors['to'] ?? '', /^to\[0\]: not an address/);
});

test('projects are served round-robin, however many bodies one of them has sent before', async () => {
  await using bodies = newReader();
  const order: string[] = [];
  const read = async (projectId: string) => {
    await bodies.read({ projectId, operationId: 'other', bytes: bytesOf({}) });
    order.push(projectId);
  };
  await Promise.all(['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(read));
  assert.deepEqual(order, ['a', 'a', 'b', 'c', 'a', 'b', 'a']);
});

test('after a large email the next body is read only when 25 ms for each of its MiB have passed', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  await using bodies = newReader();
  await using idle = newReader();
  let isNextRead = false;
  const read = () => bodies.read({ projectId: 'one', operationId: 'sendEmail', bytes: bytesOf(email) });
  const first = read();
  const next = read().then(() => {
    isNextRead = true;
  });
  await first;
  t.mock.timers.tick(20);
  // A thread without the pause would have finished by the time that a new one has.
  await idle.read({ projectId: 'one', operationId: 'sendEmail', bytes: bytesOf(email) });
  assert.equal(isNextRead, false);
  t.mock.timers.tick(5);
  await next;
});

test('when the thread ends, the body that it read is lost, and the next one is read', async () => {
  await using bodies = newReader();
  const read = (operationId: string) => bodies.read({ projectId: 'one', operationId, bytes: bytesOf({}) });
  const [lost, next] = await Promise.allSettled([read('unknown'), read('other')]);
  assert.equal(lost.status, 'rejected');
  assert.equal(next.status, 'fulfilled');
});

test('a body that arrives while an idle thread is stopping is read by a new one', async () => {
  await using bodies = newReader({ threadIdleMs: 0 });
  const read = () => bodies.read({ projectId: 'one', operationId: 'other', bytes: bytesOf({}) });
  for (let time = 0; time < 3; time++) {
    await read();
    await setTimeout(2);
    assert.deepEqual((await read()).value, {});
  }
});
