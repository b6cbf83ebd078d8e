/** The effect of rules and block lists on incoming mail. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { newMailbox } from '../../../test/support/mail.ts';
import { FLAG } from '../../store/flags.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { addSender } from '../rules/sender-lists.ts';
import { addRule, enableRule, moveRule, removeRule } from '../rules/mailbox-rules.ts';
import { actionFrom, conditionFrom } from '../rules/rule-words.ts';
import { filerFixture, mail, to } from './filer.fixture.ts';

const fixture = filerFixture();
const { filerWith, heldBy } = fixture;

async function rule(mailbox: MailboxKey, then: string, when = 'subject contains hello') {
  const conditions = [conditionFrom(when)];
  const actions = then.split('; ').map(actionFrom);
  return addRule(fixture.database, mailbox, { name: 'a rule', is_any: false, conditions, actions });
}

/** A delivery to the mailbox with the current version of its filters, so that changed filters apply. */
async function delivery(mailbox: MailboxKey, address = 'anna@acme.example') {
  const { filingVersion } = await fixture.database
    .selectFrom('mailboxes')
    .select('filingVersion')
    .where('id', '=', mailbox.mailboxId)
    .executeTakeFirstOrThrow();
  return to(mailbox, 'medium', address, filingVersion);
}

async function filedMessages(mailbox: MailboxKey) {
  return (await heldBy(mailbox)).map(({ name, flags, keywords }) => ({ name, flags, keywords }));
}

test('a rule creates its folder, and files and flags the message', async () => {
  const anna = await newMailbox(fixture.database);
  await rule(anna, 'file Shop/Invoices; mark read; keyword work');
  const filer = filerWith();
  for (let n = 0; n < 2; n++)
    assert.equal(await filer.file(mail(), [await delivery(anna)], false), 'accepted');
  const filed = { name: 'Shop/Invoices', flags: FLAG.seen, keywords: ['work'] };
  assert.deepEqual(await filedMessages(anna), [filed, filed]);
});

test('a message is filed in the Inbox if the folder that its rule names cannot be created', async () => {
  const anna = await newMailbox(fixture.database);
  await rule(anna, 'file Shop');
  await filerWith().file(mail(), [await delivery(anna)], false);
  assert.equal((await heldBy(anna))[0]?.name, 'Shop');
  await fixture.database
    .insertInto('folders')
    .values(
      Array.from({ length: 1_000 }, (_, n) => ({
        ...anna,
        id: crypto.randomUUID(),
        name: `f${n}`,
        role: null,
        uidValidity: n + 2_000_000_000,
      })),
    )
    .execute();
  await rule(anna, 'file Elsewhere', 'subject contains other');
  const other = mail('From: b@sender.example\r\nSubject: other\r\n\r\nx\r\n');
  assert.equal(await filerWith().file(other, [await delivery(anna)], false), 'accepted');
  assert.deepEqual(
    (await heldBy(anna)).map(({ name }) => name),
    ['Shop', 'INBOX'],
  );
});

test('keywords beyond the limit of the folder are omitted', async () => {
  const anna = await newMailbox(fixture.database);
  await filerWith().file(mail(), [await delivery(anna)], false);
  await fixture.database
    .updateTable('folders')
    .set({ keywords: Array.from({ length: 100 }, (_, n) => `k${n}`) })
    .where('mailboxId', '=', anna.mailboxId)
    .execute();
  await rule(anna, 'keyword work; flag');
  assert.equal(await filerWith().file(mail(), [await delivery(anna)], false), 'accepted');
  assert.deepEqual((await filedMessages(anna))[1], { name: 'INBOX', flags: FLAG.flagged, keywords: [] });
});

describe('a message that a rule or a block refuses', () => {
  test("is rejected with the rule's text, and not stored", async () => {
    const anna = await newMailbox(fixture.database);
    await rule(anna, 'refuse Please use the form');
    const filed = await filerWith().file(mail(), [await delivery(anna)], false);
    assert.deepEqual(filed, { refused: '5.7.1 Please use the form' });
    assert.deepEqual(await heldBy(anna), []);
  });

  test('is filed in Trash if another mailbox accepts the message', async () => {
    const [anna, bert] = [await newMailbox(fixture.database), await newMailbox(fixture.database)];
    await addSender(fixture.database, anna, 'blocked', 'Sender.example');
    const both = [await delivery(anna), await delivery(bert)];
    assert.equal(await filerWith().file(mail(), both, false), 'accepted');
    assert.deepEqual([await fixture.foldersOf(anna), await fixture.foldersOf(bert)], [['trash'], ['inbox']]);
    assert.equal(await filerWith().file(mail(), [await delivery(anna)], true), 'accepted');
  });

  test('is rejected if all mailboxes refuse the message, even for different reasons', async () => {
    const [anna, bert] = [await newMailbox(fixture.database), await newMailbox(fixture.database)];
    await addSender(fixture.database, anna, 'blocked', 'b@sender.example');
    await rule(bert, 'refuse No');
    const filed = await filerWith().file(mail(), [await delivery(anna), await delivery(bert)], false);
    assert.ok(typeof filed === 'object' && filed.refused.startsWith('5.7.1 The recipient'));
  });
});

test('a bounce report for a mailbox is filed in the Inbox, whatever the rules of the mailbox say', async () => {
  const anna = await newMailbox(fixture.database);
  await rule(anna, 'delete', 'size over 0');
  const report = { ...(await delivery(anna)), isReturnPath: true, isReport: true };
  assert.equal(await filerWith().file(mail(), [report], false), 'accepted');
  assert.deepEqual(await fixture.foldersOf(anna), ['inbox']);
});

test('spam is filed in Junk unless a rule has a condition on the spam score', async () => {
  const anna = await newMailbox(fixture.database);
  const filer = filerWith({ score: 9 });
  await rule(anna, 'file Friends', 'from contains sender');
  await filer.file(mail(), [await delivery(anna)], false);
  await rule(anna, 'delete', 'spam over 8');
  await filer.file(mail(), [await delivery(anna)], false);
  assert.deepEqual(await fixture.foldersOf(anna), ['junk', 'trash']);
});

test('a rule can test the names and types of attachments', async () => {
  const anna = await newMailbox(fixture.database);
  await rule(anna, 'flag', 'file matches *.pdf');
  await filerWith({ files: [{ name: 'x.PDF', type: 'application/pdf' }] }).file(
    mail(),
    [await delivery(anna)],
    false,
  );
  assert.equal((await filedMessages(anna))[0]?.flags, FLAG.flagged);
});

test('a message is accepted if the rules cannot be loaded', async () => {
  const anna = await newMailbox(fixture.database);
  await rule(anna, 'delete');
  await fixture.database.updateTable('mailboxRules').set({ name: 'broken' }).execute();
  const logged: unknown[] = [];
  const options = {
    filters: { of: () => Promise.reject(new Error('a bug')) },
    logger: { info: () => {}, error: (...line: unknown[]) => logged.push(line) },
  };
  assert.equal(await filerWith({}, options).file(mail(), [await delivery(anna)], false), 'accepted');
  assert.deepEqual(await fixture.foldersOf(anna), ['inbox']);
  assert.equal(logged.length, 1);
});

test('rules run in order, even after the order changes', async () => {
  const anna = await newMailbox(fixture.database);
  const filer = filerWith();
  const filedInto = async () => {
    await filer.file(mail(), [await delivery(anna)], false);
    return (await heldBy(anna)).at(-1)?.name;
  };
  const [one, two] = [await rule(anna, 'file One'), await rule(anna, 'file Two')];
  assert.deepEqual([one.position, two.position], [1, 2]);
  assert.equal(await filedInto(), 'One');
  assert.equal(await moveRule(fixture.database, anna, two.id, 1), 1);
  assert.equal(await filedInto(), 'Two');
  await enableRule(fixture.database, anna, two.id, false);
  assert.equal(await filedInto(), 'One');
  await removeRule(fixture.database, anna, one.id);
  assert.equal(await filedInto(), 'INBOX');
  await assert.rejects(removeRule(fixture.database, anna, one.id), /no such rule/);
});

test('a mailbox has at most a hundred rules, which together have at most 64 KiB', async () => {
  const [anna, bert] = [await newMailbox(fixture.database), await newMailbox(fixture.database)];
  await rule(anna, 'flag');
  await sql`
    insert into mailbox_rules select project_id, mailbox_id, gen_random_uuid(), n, name, is_enabled, is_any, conditions, actions, created_at
    from mailbox_rules, generate_series(2, 100) n where mailbox_id = ${anna.mailboxId}`.execute(
    fixture.database,
  );
  await assert.rejects(rule(anna, 'flag'), /valid/);
  const long = `subject contains ${'x'.repeat(500)}`;
  const conditions = Array.from({ length: 20 }, () => conditionFrom(long));
  const large = { name: 'large', is_any: true, conditions, actions: [actionFrom('flag')] };
  for (let n = 0; n < 5; n++) await addRule(fixture.database, bert, large);
  await assert.rejects(addRule(fixture.database, bert, large), /valid/);
  await assert.rejects(addRule(fixture.database, bert, { ...large, conditions: [] }), /valid/);
});

for (const [condition, action, fault] of [
  ['size over 0', 'refuse Grüße', /"actions":.+ASCII/],
  ['spam over 2000', 'flag', /"conditions":.+-1,000 to 1,000/],
  ['header Ä is x', 'flag', /"conditions":.+name of a field/],
  [`file is ${'x'.repeat(501)}`, 'flag', /"conditions":.+1 to 500/],
] as const)
  test(`a rule with "${condition.slice(0, 20)}" and "${action}" is rejected with an error that names the limit`, async () => {
    const anna = await newMailbox(fixture.database);
    const rule = {
      name: 'x',
      is_any: false,
      conditions: [conditionFrom(condition)],
      actions: [actionFrom(action)],
    };
    await assert.rejects(addRule(fixture.database, anna, rule), (error) => fault.test(JSON.stringify(error)));
  });
