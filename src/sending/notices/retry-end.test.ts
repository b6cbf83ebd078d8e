/** Delay notices say when the retries end. The state of the queue determines this time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { recipientOf } from '../../../test/support/submissions.ts';
import type { DatabaseTransaction } from '../../db/database.ts';
import { pauseDestination, resumeDestination } from '../../queue/paused-destinations.ts';
import { changeProviderKind, releaseFromSandbox } from '../../queue/provider-kind.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { NoticesWorld, uuidOf } from './notices.fixture.ts';

const world = new NoticesWorld();

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The time at which the retries end, according to the only delay notice: in its text, and in its field Will-Retry-Until. */
async function retriedUntil(sent: MailboxKey): Promise<{ text: string; words: number; field: number }> {
  await world.notices.scan();
  const [notice, ...others] = await world.inboxOf(sent);
  assert.equal(notice?.field('subject'), 'Delayed: Lunch?');
  assert.equal(others.length, 0);
  const [text = '', status = ''] = notice?.texts ?? [];
  const [, words = ''] = /The message will be retried until (.*)\.$/m.exec(text) ?? [];
  const [, field = ''] = /^Will-Retry-Until: (.*)$/m.exec(status) ?? [];
  return { text, words: Date.parse(words), field: Date.parse(field) };
}

/** Compares times to the minute, because dates in messages have whole seconds and the test itself takes time. */
function assertNear(actualMs: number, expectedMs: number): void {
  assert.ok(Math.abs(actualMs - expectedMs) < 60_000, `${new Date(actualMs)} is not ${new Date(expectedMs)}`);
}

const setSetting = (name: string, value: string) =>
  sql`insert into settings (name, value) values (${name}, ${value})`.execute(world.db.database);
const inTransaction = <T>(work: (tx: DatabaseTransaction) => Promise<T>) =>
  world.db.database.transaction().execute(work);

test('a delay notice states when the three days since acceptance end', async () => {
  const { words, field } = await retriedUntil(await world.submit({ submissionId: uuidOf(5 * HOUR_MS) }));
  for (const until of [words, field]) assertNear(until, Date.now() - 5 * HOUR_MS + 3 * DAY_MS);
});

const WAITS_THAT_ENDED: Record<string, (sent: { submissionId: string }) => Promise<unknown>> = {
  'the message was released from the sandbox': async ({ submissionId }) => {
    await sql`update queue set is_sandbox = true where email_id = ${submissionId}`.execute(world.db.database);
    await inTransaction((tx) => releaseFromSandbox(tx, null));
  },
  'the provider of the installation changed back': async () => {
    await inTransaction((tx) => changeProviderKind(tx, 'sandbox'));
    await inTransaction((tx) => changeProviderKind(tx, 'real'));
  },
  'mail to its domain was resumed': async () => {
    await pauseDestination(world.db.database, 'dst.test', new Date(Date.now() - DAY_MS));
    await inTransaction((tx) => resumeDestination(tx, 'dst.test', new Date()));
  },
};

for (const [when, wait] of Object.entries(WAITS_THAT_ENDED))
  test(`a delay notice counts the three days from when ${when}`, async () => {
    const sent = await world.submit({
      submissionId: uuidOf(2 * DAY_MS),
      recipients: [recipientOf('b@DST.test')],
    });
    await wait(sent);
    const { words, field } = await retriedUntil(sent);
    for (const until of [words, field]) assertNear(until, Date.now() + 3 * DAY_MS);
  });

const WAITS: Record<string, { begin: () => Promise<unknown>; says: RegExp }> = {
  'the message was accepted for real delivery and the installation is a sandbox': {
    begin: async () => {
      await sql`update queue set is_sandbox = false`.execute(world.db.database);
      await inTransaction((tx) => changeProviderKind(tx, 'sandbox'));
    },
    says: /accepted for real delivery, but this server is a sandbox now/,
  },
  'the message was accepted by a sandbox and the installation sends real mail': {
    begin: async () => {
      await sql`update queue set is_sandbox = true`.execute(world.db.database);
      await inTransaction((tx) => changeProviderKind(tx, 'real'));
    },
    says: /accepted while this server was a sandbox, so it is not sent/,
  },
  'no process has been able to send for hours': {
    begin: () => setSetting('provider_away_since', new Date(Date.now() - 2 * HOUR_MS).toISOString()),
    says: /is not sending mail at the moment/,
  },
  'mail to its domain is paused': {
    begin: () => pauseDestination(world.db.database, 'dst.test', new Date()),
    says: /has paused mail to this domain/,
  },
};

for (const [why, { begin, says }] of Object.entries(WAITS))
  test(`a delay notice states the reason instead of an end of the retries while ${why}`, async () => {
    const sent = await world.submit({ submissionId: uuidOf(5 * HOUR_MS) });
    await begin();
    const { text, words, field } = await retriedUntil(sent);
    assert.deepEqual([words, field], [Number.NaN, Number.NaN]);
    assert.match(text, says);
    assert.match(text, /Waiting does not count toward the retry time\./);
    assert.doesNotMatch(text, /will be retried/);
  });
