import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newEmail } from '../../../test/support/emails.ts';
import type { Database } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import { newUuid } from '../../model/ids.ts';
import { BatchAcceptor } from './accept-batch.ts';
import { Replays } from './replays.ts';

test('batches that templates make long are refused when too many are held at once, of one project before others', async () => {
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
  const answers = Array.from({ length: 10 }, () => send(flood));
  const refused = answers.map((answer) => answer.then((code) => code === 'unavailable'));
  await Promise.race(refused);
  const late = send(other);
  open.resolve();
  const codes = await Promise.all(answers);
  assert.ok(codes.filter((code) => code === 'unavailable').length >= 8, codes.join(' '));
  assert.equal(await late, 'domain-not-verified');
  assert.equal(await send(flood), 'domain-not-verified');
});
