import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../test/support/eventually.ts';
import { sealedDatabase } from '../../test/support/postgres.ts';
import { Alerts } from './alerts.ts';
import type { AlertChannel, ChannelResult } from './channel.ts';
import { claimMessages, settleMessage } from './claim-messages.ts';
import { newMember, SETTINGS } from './members.fixture.ts';
import { insertMessage } from './messages.ts';
import { MessageSender } from './message-sender.ts';

const db = await sealedDatabase();
const { database, sealer } = db;
after(() => db[Symbol.asyncDispose]());
beforeEach(() => database.deleteFrom('alertSubscriptions').execute());
const baseUrl = () => 'https://mail.acme.example';
const DELIVERED: ChannelResult = { isDelivered: true, httpStatus: 200 };

/** Adds an alert for a new member with a message that is due. */
async function newMessage(channel: 'email' | 'slack', url?: string): Promise<void> {
  const alerts = new Alerts({ database, sealer, environment: 'development', channels: {}, baseUrl });
  const member = await newMember(database);
  await alerts.create(member, { ...SETTINGS, channel, ...(url !== undefined && { url }) });
  const { id } = await database
    .selectFrom('alertSubscriptions')
    .select('id')
    .where('userId', '=', member.userId)
    .executeTakeFirstOrThrow();
  await database
    .transaction()
    .execute((tx) => insertMessage(tx, id, { type: 'alert.opened', problems: [], more: 0 }));
}

for (const [slow, kind] of [
  ['a slow chat', 'slack'],
  ['a mail server that does not respond', 'email'],
] as const)
  test(`messages to others are sent while ${slow} delays its own`, async () => {
    const released = Promise.withResolvers<ChannelResult>();
    const sent: string[] = [];
    const waiting: AlertChannel = { send: () => released.promise };
    const slack: AlertChannel = {
      async send(_, { url }) {
        if (url?.endsWith('/slow') === true) return released.promise;
        sent.push(url ?? '');
        return DELIVERED;
      },
    };
    if (kind === 'slack') await newMessage('slack', 'https://hooks.acme.example/slow');
    else for (let at = 0; at < 9; at++) await newMessage('email');
    for (let at = 0; at < 8; at++) await newMessage('slack', `https://hooks.acme.example/${at}`);
    const sender = new MessageSender({
      database,
      sealer,
      channels: { email: waiting, slack },
      baseUrl,
      logger: { error() {} } as never,
    });
    const sending = sender.send();
    assert.ok(await eventually(() => sent.length === 8, 5_000), `${sent.length} were sent`);
    released.resolve(DELIVERED);
    await sending;
    const { rows } = await sql`select from alert_messages where sent_at is null`.execute(database);
    assert.equal(rows.length, 0);
  });

test('an outcome waits for the subscription before it locks the message, so that a removal cannot deadlock', async () => {
  await newMessage('slack', 'https://hooks.acme.example/');
  const [claimed] = await claimMessages(database, ['slack'], 1);
  assert.ok(claimed);
  let settling: Promise<void> | undefined;
  await database.transaction().execute(async (tx) => {
    await sql`select from alert_subscriptions where id = ${claimed.subscriptionId} for update`.execute(tx);
    settling = settleMessage(database, claimed, DELIVERED);
    const isBlocked = async () => {
      const { rows } = await sql<{ blocked: boolean }>`
        select exists (
          select from pg_stat_activity where datname = current_database() and pg_backend_pid() = any (pg_blocking_pids(pid))
        ) as blocked`.execute(tx);
      return rows[0]?.blocked === true;
    };
    assert.ok(await eventually(isBlocked, 5_000));
    await sql`select from alert_messages where id = ${claimed.id} for update nowait`.execute(tx);
    await sql`delete from alert_subscriptions where id = ${claimed.subscriptionId}`.execute(tx);
  });
  await settling;
});
