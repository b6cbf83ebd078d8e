import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newEmail } from '../../../test/support/emails.ts';
import type { Database } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import { newUuid } from '../../model/ids.ts';
import { BatchAcceptor } from './accept-batch.ts';
import { Replays } from './replays.ts';

test('batches that templates expand beyond the memory limit are rejected, and batches of other projects are not', async () => {
  const database = {} as Database;
  const open = Promise.withResolvers<void>();
  const acceptor = new BatchAcceptor({
    database,
    replays: new Replays(database),
    async check(_sender, { subject }) {
      if (subject === 'last') {
        await open.promise;
        throw new AppError('domain-not-verified', 'It ends here.');
      }
      return newEmail({ html: 'x'.repeat(2_000_000) });
    },
    onQueued() {},
    templateUses: { note() {} },
  });
  const code = async (answer: Promise<unknown>) => {
    try {
      await answer;
    } catch (error) {
      return (error as AppError).code;
    }
    throw new TypeError('it was accepted');
  };
  const send = (projectId: string) => {
    const email = { from: 'a@own.example', to: ['b@dst.test'] };
    const emails = [...Array.from({ length: 7 }, () => email), { ...email, subject: 'last' }];
    return code(
      acceptor.accept(
        { projectId, plan: 'paid', trackOpens: false, trackClicks: false, restrictions: null },
        { emails },
        null,
        null,
        null,
      ),
    );
  };
  const [flood, other] = [newUuid(), newUuid()];
  const responses = Array.from({ length: 10 }, () => send(flood));
  const rejections = responses.map((answer) => answer.then((code) => code === 'unavailable'));
  await Promise.race(rejections);
  const late = send(other);
  open.resolve();
  const codes = await Promise.all(responses);
  assert.ok(codes.filter((code) => code === 'unavailable').length >= 8, codes.join(' '));
  assert.equal(await late, 'domain-not-verified');
  assert.equal(await send(flood), 'domain-not-verified');
});

test('a project writes one batch at a time, while other projects and plans write concurrently', async () => {
  const open = Promise.withResolvers<void>();
  let begun = 0;
  const transaction = () => ({
    async execute() {
      begun++;
      await open.promise;
      return { outcome: 'accepted', at: 0 };
    },
  });
  const database = { transaction } as unknown as Database;
  const acceptor = new BatchAcceptor({
    database,
    replays: new Replays(database),
    check: async () => newEmail(),
    onQueued() {},
    templateUses: { note() {} },
  });
  const send = (projectId: string, plan: 'free' | 'paid') =>
    acceptor
      .accept(
        { projectId, plan, trackOpens: false, trackClicks: false, restrictions: null },
        { emails: [{ from: 'a@own.example', to: ['b@dst.test'] }] },
        null,
        null,
        null,
      )
      .then(
        () => 'accepted',
        (error: AppError) => error.code,
      );
  const all: Promise<string>[] = [];
  for (const plan of ['paid', 'free'] as const) {
    begun = 0;
    const flood = newUuid();
    const responses = Array.from({ length: 60 }, () => send(flood, plan));
    assert.equal(await Promise.race(responses), 'unavailable');
    assert.equal(begun, 1);
    responses.push(send(newUuid(), plan));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(begun, 2);
    all.push(...responses);
  }
  open.resolve();
  const codes = await Promise.all(all);
  assert.equal(codes.filter((code) => code === 'unavailable').length, 2 * 19);
});
