/** Labels, pinned, muted and snoozed conversations. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { newMailbox, newMessage } from '../../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { assertSound } from '../../../test/support/sound-mailbox.ts';
import type { MailActionRequest } from '../../contract/mail/actions.ts';
import { FairReads } from '../../db/fair-reads.ts';
import * as clock from '../../model/clock.ts';
import { decodeId, encodeId, NIL_UUID } from '../../model/ids.ts';
import { FLAG } from '../../store/flags.ts';
import { Store } from '../../store/store.ts';
import { MailLabels, MAX_LABELS } from '../labels/mail-labels.ts';
import { MailList } from '../list/mail-list.ts';
import { MailSearch } from '../list/search/mail-search.ts';
import { MailActions } from './mail-actions.ts';
import { Snoozing } from './snoozing.ts';

let db: TestDatabase;
let store: Store;
let reads: FairReads;
before(async () => {
  db = await testDatabase();
  store = new Store(db.database);
  reads = new FairReads(db.database, 2);
});
after(() => db[Symbol.asyncDispose]());

const RECEIVED = new Date('2026-11-01T08:00:00Z');
const DAY_MS = 86_400_000;

/** A mailbox with the conversations `a`, `b` and `c` in the Inbox; `c` is the newest. */
async function filledMailbox() {
  const mailbox = await newMailbox(db.database);
  const search = new MailSearch({ store, reads });
  const snoozing = new Snoozing({ database: db.database, store });
  const actions = new MailActions({ store, reads, search, snoozing });
  const lists = new MailList({ store, reads });
  const labels = new MailLabels({ database: db.database, reads, store });
  let received = 0;
  const add = (name: string, more: Parameters<typeof newMessage>[1] = {}) =>
    store.append([
      newMessage(mailbox, {
        internalDate: new Date(RECEIVED.getTime() + ++received * 60_000),
        ...more,
        facts: {
          messageId: `<${name}-${received}@x.example>`,
          references: [`<${name}@x.example>`],
          subject: name,
        },
      }),
    ]);
  for (const name of ['a', 'b', 'c']) await add(name, { flags: FLAG.seen });
  const folder = async (named: string) => {
    const found = (await store.folders(mailbox)).find(({ name }) => name === named);
    return { key: { ...mailbox, folderId: found?.id ?? '' }, id: encodeId('fld', found?.id ?? '') };
  };
  const rows = async (named: string) =>
    (await lists.conversations(mailbox, { folder: (await folder(named)).id, limit: 50 }))?.data ?? [];
  const inbox = await rows('INBOX');
  const ids = new Map(inbox.map(({ subject, id }) => [subject, id]));
  return {
    mailbox,
    add,
    folder,
    rows,
    labels,
    snoozing,
    subjects: async (named: string) => (await rows(named)).map(({ subject }) => subject).join(' '),
    thread: (name: string) => ids.get(name) ?? '',
    run: (action: MailActionRequest['action'], names: string, more: Partial<MailActionRequest> = {}) =>
      actions.run(mailbox, {
        action,
        conversations: names.split(' ').map((name) => ids.get(name) ?? ''),
        ...more,
      }),
    undo: (undo: string | null) => actions.undo(mailbox, [undo ?? '']),
    conversation: (name: string) =>
      lists.conversation(mailbox, decodeId('thr', ids.get(name) ?? '') ?? NIL_UUID, null),
    async found(q: string) {
      const { data, problem } = await search.search(mailbox, { q, limit: 50 }, new AbortController().signal);
      return problem ?? data.map(({ subject }) => subject).join(' ');
    },
    /** Lets the time of all snoozed messages come, and wakes them. */
    async wake() {
      await sql`update snoozed_messages set until = ${clock.now()}
        where mailbox_id = ${mailbox.mailboxId} and woken_at is null`.execute(db.database);
      return snoozing.wakeDue(mailbox);
    },
    sound: () => assertSound(db.database, mailbox),
  };
}

const later = (days = 1) => new Date(clock.nowMs() + days * DAY_MS).toISOString();

test('a label is a keyword of all messages of a conversation, and can be undone', async () => {
  const box = await filledMailbox();
  await box.add('a');
  await store.move((await box.folder('INBOX')).key, [{ first: 1, last: 1 }], { role: 'archive' });
  const { undo, changed } = await box.run('label', 'a b', { label: 'Plan-2026' });
  assert.equal(changed, 3);
  assert.deepEqual(
    (await box.rows('INBOX')).map(({ subject, labels }) => [subject, labels]),
    [
      ['a', ['plan-2026']],
      ['c', []],
      ['b', ['plan-2026']],
    ],
  );
  assert.equal(await box.found('label:plan-2026'), 'a b');
  assert.equal(await box.found('-label:plan-2026'), 'c');
  await box.undo(undo);
  assert.equal(await box.found('label:plan-2026'), '');
  await box.sound();
});

test('a label keeps the spelling of a keyword that a mail app has set', async () => {
  const box = await filledMailbox();
  const inbox = await box.folder('INBOX');
  await store.flag(inbox.key, [{ first: 1, last: 1 }], { op: 'add', flags: 0, keywords: ['Plan'] });
  await box.run('label', 'b', { label: 'plan' });
  const flags = await store.flags(inbox.key, [{ first: 1, last: 9 }]);
  assert.deepEqual(
    flags.map(({ keywords }) => keywords.join()),
    ['Plan', 'Plan', ''],
  );
  assert.equal(await box.found('label:PLAN'), 'b a');
});

for (const [label, what] of [
  ['$muted', 'a keyword with another meaning'],
  ['NonJunk', 'a keyword by which apps remember what they did'],
  ['two words', 'a text that is no keyword'],
] as const) {
  test(`${what} cannot be a label`, async () => {
    const box = await filledMailbox();
    await assert.rejects(box.run('label', 'a', { label }), { code: 'validation-failed' });
  });
}

test('labels have names and colors, are listed with those of mail apps, and are found by name', async () => {
  const box = await filledMailbox();
  const inbox = await box.folder('INBOX');
  await store.flag(inbox.key, [{ first: 1, last: 1 }], {
    op: 'add',
    flags: 0,
    keywords: ['$label1', '$Forwarded', 'NonJunk', 'kids'],
  });
  const saved = await box.labels.save(box.mailbox, { name: ' Über  uns ', color: 'teal' });
  assert.deepEqual(saved, { keyword: 'uber-uns', name: 'Über uns', color: 'teal', unread: 0 });
  await box.run('label', 'c', { label: saved.keyword });
  await box.run('unseen', 'c');
  const listed = async () =>
    (await box.labels.list(box.mailbox)).map(({ keyword, name, color, unread }) =>
      [keyword, name, color, unread].join(),
    );
  assert.deepEqual(await listed(), ['$label1,Important,red,0', 'kids,kids,,0', 'uber-uns,Über uns,teal,1']);
  assert.equal(await box.found('label:"über uns"'), 'c');
  await box.labels.save(box.mailbox, { keyword: 'kids', name: 'Children', color: 'pink' });
  assert.equal(await box.found('label:children'), 'a');
  await assert.rejects(box.labels.save(box.mailbox, { name: 'CHILDREN', color: null }), {
    code: 'already-exists',
  });
  assert.equal(await box.found('label:none'), 'There is no label none.');
});

test('two labels whose names have no Latin letters get different keywords', async () => {
  const box = await filledMailbox();
  const first = await box.labels.save(box.mailbox, { name: '家族', color: null });
  const second = await box.labels.save(box.mailbox, { name: '仕事', color: null });
  assert.notEqual(first.keyword, second.keyword);
  assert.match(first.keyword, /^label-/);
});

test('a deleted label disappears from messages and from the list, and messages stay', async () => {
  const box = await filledMailbox();
  const { keyword } = await box.labels.save(box.mailbox, { name: 'Plan', color: 'red' });
  await box.run('label', 'a b', { label: keyword });
  assert.deepEqual(await box.labels.remove(box.mailbox, keyword), { is_complete: true });
  assert.deepEqual(await box.labels.list(box.mailbox), []);
  assert.equal(await box.subjects('INBOX'), 'c b a');
  assert.deepEqual((await store.folders(box.mailbox))[0]?.keywords, []);
  await box.sound();
});

test(`a mailbox has at most ${MAX_LABELS} labels`, async () => {
  const box = await filledMailbox();
  for (let at = 0; at < MAX_LABELS; at++)
    await box.labels.save(box.mailbox, { name: `Label ${at}`, color: null });
  await assert.rejects(box.labels.save(box.mailbox, { name: 'One more', color: null }), {
    code: 'validation-failed',
  });
});

test('pinned conversations are listed first on every page', async () => {
  const box = await filledMailbox();
  const inbox = await box.folder('INBOX');
  const { undo } = await box.run('pin', 'a', { from: inbox.id });
  assert.equal(await box.subjects('INBOX'), 'a c b');
  await box.add('d');
  assert.equal(await box.subjects('INBOX'), 'a d c b');
  const lists = new MailList({ store, reads });
  const walked: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Awaited<ReturnType<MailList['conversations']>> = await lists.conversations(box.mailbox, {
      folder: inbox.id,
      limit: 1,
      ...(cursor !== undefined && { cursor }),
    });
    walked.push(...(page?.data ?? []).map(({ subject, pinned }) => `${subject}${pinned ? '!' : ''}`));
    cursor = page?.next ?? null;
  }
  assert.deepEqual(walked, ['a!', 'd', 'c', 'b']);
  for (const at of [0, 1, 2, 3]) {
    const page = await lists.conversations(box.mailbox, { folder: inbox.id, limit: 1, at });
    assert.equal(page?.data[0]?.subject, ['a', 'd', 'c', 'b'][at]);
  }
  assert.equal(await box.found('is:pinned'), 'a');
  await box.undo(undo);
  assert.equal(await box.subjects('INBOX'), 'd c b a');
  await box.sound();
});

test('new mail of a muted conversation goes to the Archive, and other new mail to the Inbox', async () => {
  const box = await filledMailbox();
  await box.run('mute', 'a');
  await box.add('a', { isNewMail: true });
  await box.add('b', { isNewMail: true });
  assert.equal(await box.subjects('INBOX'), 'b c');
  assert.deepEqual(
    (await box.rows('Archive')).map(({ subject, messages, unread, muted }) => [
      subject,
      messages,
      unread,
      muted,
    ]),
    [['a', 2, 1, true]],
  );
  assert.equal(await box.found('is:muted'), 'a');
  await box.run('unmute', 'a');
  await box.add('a', { isNewMail: true });
  assert.equal(await box.subjects('Archive'), 'a');
  assert.equal(await box.subjects('INBOX'), 'a b c');
  await box.sound();
});

test('muting a conversation can be undone', async () => {
  const box = await filledMailbox();
  const { undo } = await box.run('mute', 'a');
  assert.equal(await box.subjects('INBOX'), 'c b');
  await box.undo(undo);
  assert.deepEqual(
    (await box.rows('INBOX')).map(({ subject, muted }) => [subject, muted]),
    [
      ['c', false],
      ['b', false],
      ['a', false],
    ],
  );
});

test('a message that a mail app copies into a muted conversation stays where the app put it', async () => {
  const box = await filledMailbox();
  await box.run('mute', 'a');
  await box.add('a');
  assert.equal(await box.subjects('INBOX'), 'a c b');
});

test('a snoozed conversation waits in Snoozed, and returns to the top of its folder as unread', async () => {
  const box = await filledMailbox();
  await box.add('a', { flags: FLAG.seen });
  const until = later();
  await box.run('snooze', 'a', { from: (await box.folder('INBOX')).id, until });
  assert.equal(await box.subjects('INBOX'), 'c b');
  assert.deepEqual(
    (await box.rows('Snoozed')).map(({ subject, snoozed_until }) => [subject, snoozed_until]),
    [['a', until]],
  );
  assert.equal(await box.found('is:snoozed'), 'a');
  assert.deepEqual(
    await box.snoozing
      .findDue(10)
      .then((due) => due.filter(({ mailboxId }) => mailboxId === box.mailbox.mailboxId)),
    [],
  );
  assert.equal(await box.wake(), 2);
  assert.equal(await box.subjects('Snoozed'), '');
  const [top] = await box.rows('INBOX');
  assert.deepEqual([top?.subject, top?.unread, top?.messages], ['a', 1, 2]);
  assert.ok(top?.snoozed_until !== null);
  assert.equal(await box.found('is:snoozed'), '');
  assert.equal(await box.wake(), 0);
  await box.sound();
});

test('the conversation shows a message that was snoozed where it was first received', async () => {
  const box = await filledMailbox();
  await box.run('snooze', 'a', { from: (await box.folder('INBOX')).id, until: later() });
  await box.wake();
  await box.add('a', { folder: { role: 'sent' }, flags: FLAG.seen });
  await box.add('a', { flags: FLAG.seen, folder: { role: 'sent' } });
  const shown = await box.conversation('a');
  assert.deepEqual(
    shown?.messages.map(({ received_at }) => received_at.slice(11, 16)),
    ['08:01', '08:04', '08:05'],
  );
  const [top] = await box.rows('INBOX');
  assert.ok(new Date(top?.newest_at ?? '').getTime() > RECEIVED.getTime() + DAY_MS);
});

test('snoozing can be undone, and the message then stays in its folder', async () => {
  const box = await filledMailbox();
  const { undo } = await box.run('snooze', 'a b', { from: (await box.folder('INBOX')).id, until: later() });
  assert.equal(await box.subjects('INBOX'), 'c');
  await box.undo(undo);
  assert.equal(await box.subjects('INBOX'), 'c b a');
  assert.deepEqual(
    (await box.rows('INBOX')).map(({ snoozed_until }) => snoozed_until),
    [null, null, null],
  );
  await box.wake();
  assert.equal(await box.subjects('INBOX'), 'c b a');
  await box.sound();
});

test('a message that a mail app takes out of Snoozed is no longer snoozed', async () => {
  const box = await filledMailbox();
  await box.run('snooze', 'a', { from: (await box.folder('INBOX')).id, until: later() });
  await store.move((await box.folder('Snoozed')).key, [{ first: 1, last: 9 }], { role: 'archive' });
  assert.equal((await box.rows('Archive'))[0]?.snoozed_until, null);
  assert.equal(await box.wake(), 1);
  assert.equal(await box.subjects('Archive'), 'a');
  assert.equal(await box.subjects('INBOX'), 'c b');
});

test('a snoozed message can get another time, and can return at once', async () => {
  const box = await filledMailbox();
  await box.run('snooze', 'a', { from: (await box.folder('INBOX')).id, until: later() });
  const snoozed = (await box.folder('Snoozed')).id;
  const until = later(3);
  await box.run('snooze', 'a', { from: snoozed, until });
  assert.equal((await box.rows('Snoozed'))[0]?.snoozed_until, until);
  assert.deepEqual(await box.run('unsnooze', 'a'), { changed: 1, undo: null, continue: null, remaining: 0 });
  assert.equal(await box.subjects('INBOX'), 'a c b');
});

test('new mail ends the snooze of its conversation, and is listed as the newest message', async () => {
  const box = await filledMailbox();
  await box.run('snooze', 'a', { from: (await box.folder('INBOX')).id, until: later() });
  await box.add('a', { isNewMail: true });
  assert.equal(await box.snoozing.wakeDue(box.mailbox), 1);
  const [top] = await box.rows('INBOX');
  assert.deepEqual([top?.subject, top?.messages, top?.unread], ['a', 2, 1]);
  assert.equal(await box.subjects('Snoozed'), '');
});

test('a snoozed message returns to the Inbox if its folder was deleted', async () => {
  const box = await filledMailbox();
  await store.createFolder(box.mailbox, { name: 'Plans' });
  await store.move((await box.folder('INBOX')).key, [{ first: 1, last: 1 }], { name: 'Plans' });
  await box.run('snooze', 'a', { from: (await box.folder('Plans')).id, until: later() });
  await store.deleteFolder((await box.folder('Plans')).key);
  await box.wake();
  assert.equal(await box.subjects('INBOX'), 'a c b');
});

test('a message is woken once, even if several processes try at the same time', async () => {
  const box = await filledMailbox();
  await box.run('snooze', 'a b c', { from: (await box.folder('INBOX')).id, until: later() });
  const others = [1, 2, 3].map(() => new Snoozing({ database: db.database, store: new Store(db.database) }));
  await sql`update snoozed_messages set until = ${clock.now()} where mailbox_id = ${box.mailbox.mailboxId}`.execute(
    db.database,
  );
  const woken = await Promise.all(others.map((snoozing) => snoozing.wakeDue(box.mailbox)));
  assert.equal(
    woken.reduce((sum, each) => sum + each, 0),
    3,
  );
  assert.equal((await box.rows('INBOX')).length, 3);
  await box.sound();
});

for (const [until, what] of [
  [() => new Date(clock.nowMs() - 1_000).toISOString(), 'in the past'],
  [() => later(800), 'in many years'],
] as const) {
  test(`mail cannot be snoozed to a time ${what}`, async () => {
    const box = await filledMailbox();
    await assert.rejects(box.run('snooze', 'a', { until: until() }), { code: 'validation-failed' });
  });
}

test('the row of a snoozed message is deleted with the message', async () => {
  const box = await filledMailbox();
  await box.run('snooze', 'a', { from: (await box.folder('INBOX')).id, until: later() });
  await store.expunge((await box.folder('Snoozed')).key, { ranges: null, isDeletedOnly: false });
  const left = await db.database
    .selectFrom('snoozedMessages')
    .select('objectId')
    .where('mailboxId', '=', box.mailbox.mailboxId)
    .execute();
  assert.deepEqual(left, []);
});
