import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { firstUuidAt } from '../../model/ids.ts';
import { FactsReader } from '../../store/facts/facts-reader.ts';
import {
  countOperatorMail,
  deletingOldOperatorMail,
  OPERATOR_MAIL_LIMITS,
  OperatorInbox,
} from './operator-mail.ts';

const facts = new FactsReader();
let db: TestDatabase;
let mail: OperatorInbox;
before(async () => {
  db = await testDatabase();
});
beforeEach(async () => {
  await db.database.deleteFrom('operatorMail').execute();
  mail = new OperatorInbox({ database: db.database, facts });
});
after(async () => {
  await facts[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
});

const CLIENT = { reversePath: 'a@good.example', address: '192.0.2.1', helo: 'mx.good.example' };
const keep = (text: string, of = mail) => of.keep({ ...CLIENT, raw: Buffer.from(text) }, ['postmaster']);

/** Stores this many messages of this many octets each. */
async function fill(messages: number, octets: number): Promise<void> {
  await sql`
    insert into operator_mail
    select gen_random_uuid(), sha256(n::text::bytea), '{postmaster}', '', '', '', '', '', ${octets}, ''
    from generate_series(1, ${messages}::int) n`.execute(db.database);
}

test('mail for operators is stored up to a thousand messages', async () => {
  await fill(OPERATOR_MAIL_LIMITS.messages - 1, 10);
  assert.equal(await mail.hasSpace(null), true);
  const twice = [
    keep('Subject: one\r\n\r\n'),
    keep('Subject: two\r\n\r\n', new OperatorInbox({ database: db.database, facts })),
  ];
  assert.deepEqual((await Promise.all(twice)).toSorted(), ['full', 'stored']);
  assert.equal(await new OperatorInbox({ database: db.database, facts }).hasSpace(null), false);
  const { messages } = await countOperatorMail(db.database);
  assert.equal(messages, OPERATOR_MAIL_LIMITS.messages);
});

test('mail for operators is stored up to 100 MB, and a message that exceeds the limit is rejected', async () => {
  await fill(10, OPERATOR_MAIL_LIMITS.octets / 10 - 10);
  assert.equal(await mail.hasSpace(100), true);
  assert.equal(await mail.hasSpace(101), false);
  assert.equal(await keep(`Subject: ${'x'.repeat(100)}\r\n\r\n`), 'full');
  assert.equal(await keep('Subject: x\r\n\r\n'), 'stored');
});

test('mail for operators with the same bytes is stored once, and accepted again even if no space is left', async () => {
  assert.equal(await keep('Subject: one\r\n\r\n'), 'stored');
  await fill(OPERATOR_MAIL_LIMITS.messages - 1, 10);
  assert.equal(await keep('Subject: one\r\n\r\n'), 'stored');
  assert.equal(await keep('Subject: two\r\n\r\n'), 'full');
});

test('mail for operators with NUL characters and overlong fields is stored', async () => {
  const odd = `From: ${'x'.repeat(2_000)}\0@a\r\nSubject: a\0b ${'y'.repeat(5_000)}\r\n\r\n\0`;
  assert.equal(await keep(odd), 'stored');
  const row = await db.database.selectFrom('operatorMail').selectAll().executeTakeFirstOrThrow();
  assert.ok(row.subject.length <= 500 && row.author.length <= 500);
  assert.equal(row.raw.toString(), odd);
});

test('mail for operators is deleted after 30 days', async () => {
  const dayMs = 24 * 3_600_000;
  await fill(2, 10);
  const { rows } = await sql<{ id: string }>`select id from operator_mail`.execute(db.database);
  for (const [at, days] of [29, 31].entries())
    await db.database
      .updateTable('operatorMail')
      .set({ id: firstUuidAt(new Date(Date.now() - days * dayMs)) })
      .where('id', '=', rows[at]?.id ?? '')
      .execute();
  for await (const _ of deletingOldOperatorMail(db.database));
  assert.equal((await countOperatorMail(db.database)).messages, 1);
});
