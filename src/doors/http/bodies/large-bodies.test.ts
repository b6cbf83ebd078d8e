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

test('reading a valid email returns its value, its fingerprint and its envelope', async () => {
  await using bodies = newReader();
  const body = { projectId: 'one', operationId: 'sendEmail', bytes: bytesOf(email) };
  const { value, errors, examined } = await bodies.read(body);
  assert.deepEqual([value, errors], [email, null]);
  assert.deepEqual(Buffer.from(examined?.fingerprint ?? []), fingerprint(email));
  assert.ok(examined !== null && 'envelope' in examined && 'recipients' in examined.envelope);
  assert.deepEqual(examined.envelope.recipients, ['b@y.test']);
});

test('reading a view of a larger buffer does not change the rest of the buffer', async () => {
  await using bodies = newReader();
  const shared = Buffer.concat([bytesOf(email), Buffer.from('neighbor')]);
  const bytes = shared.subarray(0, -'neighbor'.length);
  const { value } = await bodies.read({ projectId: 'one', operationId: 'sendEmail', bytes });
  assert.deepEqual(value, email);
  assert.equal(shared.subarray(-'neighbor'.length).toString(), 'neighbor');
});

test('a large email has the same errors as a small email', async () => {
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

test('projects are served round-robin, even if one project has many waiting bodies', async () => {
  await using bodies = newReader();
  const order: string[] = [];
  const read = async (projectId: string) => {
    await bodies.read({ projectId, operationId: 'other', bytes: bytesOf({}) });
    order.push(projectId);
  };
  await Promise.all(['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(read));
  assert.deepEqual(order, ['a', 'a', 'b', 'c', 'a', 'b', 'a']);
});

test('after a large email, the thread pauses 25 ms per MiB before it reads the next body', async (t) => {
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
  // Without the pause, the paused thread would read its next body before a new thread has started and read a body.
  await idle.read({ projectId: 'one', operationId: 'sendEmail', bytes: bytesOf(email) });
  assert.equal(isNextRead, false);
  t.mock.timers.tick(5);
  await next;
});

test('a crash of the thread fails only the body that it reads, and the next body is read', async () => {
  await using bodies = newReader();
  const read = (operationId: string) => bodies.read({ projectId: 'one', operationId, bytes: bytesOf({}) });
  const [lost, next] = await Promise.allSettled([read('unknown'), read('other')]);
  assert.equal(lost.status, 'rejected');
  assert.equal(next.status, 'fulfilled');
});

test('a body that arrives while an idle thread stops is read by a new thread', async () => {
  await using bodies = newReader({ threadIdleMs: 0 });
  const read = () => bodies.read({ projectId: 'one', operationId: 'other', bytes: bytesOf({}) });
  for (let time = 0; time < 3; time++) {
    await read();
    await setTimeout(2);
    assert.deepEqual((await read()).value, {});
  }
});
