import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { newMailbox } from '../../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newProject } from '../../../test/support/projects.ts';
import { Blobs } from '../../blobs/blobs.ts';
import { ObjectFiles } from '../../blobs/object-files.ts';
import type { SpamLevel } from '../../model/spam-levels.ts';
import { FactsReader } from '../../store/facts/facts-reader.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { Store } from '../../store/store.ts';
import type { Authentication } from '../authenticate/authentication.ts';
import type { Delivery } from '../route/router.ts';
import type { MailFromOutside } from './mail-from-outside.ts';
import { MessageFiler, type MessageFilerOptions } from './message-filer.ts';
import { TIMINGS } from './timings.ts';

const folder = mkdtempSync(join(tmpdir(), 'posthorn-filer-'));
let db: TestDatabase;
let blobs: Blobs;
let store: Store;
const facts = new FactsReader();
before(async () => {
  db = await testDatabase();
  blobs = new Blobs(db.database, new ObjectFiles(folder));
  store = new Store(db.database);
});
after(async () => {
  await facts[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const GENUINE: Authentication = {
  spf: { result: 'pass', domain: 'sender.example' },
  dkim: [],
  dmarc: { result: 'pass', domain: 'sender.example', published: 'none' },
  arc: { result: 'none', sealers: [] },
  iprev: { result: 'pass', name: 'mail.sender.example' },
  policy: 'none',
  header: 'mx.acme.example; spf=pass smtp.mailfrom=sender.example',
};

/** @param score the same for all projects, or for each */
function filerWith(
  {
    score = 0,
    ...authentication
  }: Partial<Authentication> & { score?: number | Record<string, number> } = {},
  options: Partial<MessageFilerOptions> = {},
): MessageFiler {
  const scoreFor = (projectId: string) => (typeof score === 'number' ? score : (score[projectId] ?? 0));
  return new MessageFiler({
    hostname: 'mx.acme.example',
    examiner: {
      examine: async ({ raw }) => ({
        isHeaderTooLong: raw.includes('X-Long:'),
        authentication: { ...GENUINE, ...authentication },
        verdictFor: async (projectId) => ({ score: scoreFor(projectId), reasons: [] }),
      }),
    },
    blobs,
    facts,
    store,
    logger: { info: () => {}, error: () => {} },
    ...options,
  });
}

const RAW = 'From: b@sender.example\r\nSubject: Hello\r\n\r\nHow are you?\r\n';
const mail = (raw: string = RAW): MailFromOutside => ({
  address: '192.0.2.1',
  helo: 'mail.sender.example',
  isExtended: true,
  tls: null,
  reversePath: 'b@sender.example',
  isUtf8: false,
  raw: Buffer.from(raw),
});

const ROOM = { octets: 0, quotaOctets: 1, fullSince: null, storageLeft: null };
const to = (
  mailbox: MailboxKey,
  spamLevel: SpamLevel = 'medium',
  address = 'anna@acme.example',
): Delivery => ({
  address,
  mailbox: { ...mailbox, address, spamLevel, room: ROOM },
});

/** What a mailbox holds: folder and bytes of each message, the oldest first. */
async function heldBy({
  projectId,
  mailboxId,
}: MailboxKey): Promise<{ folder: string | null; bytes: string }[]> {
  const rows = await db.database
    .selectFrom('messages')
    .innerJoin('folders', 'folders.id', 'messages.folderId')
    .innerJoin('messageContents', 'messageContents.objectId', 'messages.objectId')
    .select(['folders.role', 'messageContents.digest'])
    .where('messages.mailboxId', '=', mailboxId)
    .orderBy('messages.saveDate')
    .execute();
  return Promise.all(
    rows.map(async ({ role, digest }) => {
      const blob = await blobs.open(projectId, digest);
      return { folder: role, bytes: ((await blob?.read()) ?? '').toString() };
    }),
  );
}

const foldersOf = async (mailbox: MailboxKey) => (await heldBy(mailbox)).map(({ folder }) => folder);

describe('a message', () => {
  test('is in the Inbox with our fields in front, and is what it was behind them', async () => {
    const anna = await newMailbox(db.database);
    assert.equal(await filerWith().file(mail(), [to(anna)], false), 'accepted');
    const [held] = await heldBy(anna);
    assert.equal(held?.folder, 'inbox');
    const [fields, rest] = [held.bytes.slice(0, -RAW.length), held.bytes.slice(-RAW.length)];
    assert.equal(rest, RAW);
    assert.match(
      fields,
      /^Return-Path: <b@sender\.example>\r\nDelivered-To: anna@acme\.example\r\nReceived: from (.|\r\n)*\r\nAuthentication-Results: mx\.acme\.example;(.|\r\n)*\r\nX-Spam-Status: No, .*\r\n$/,
    );
    const unread = await db.database
      .selectFrom('folders')
      .select('unseen')
      .where('mailboxId', '=', anna.mailboxId)
      .where('role', '=', 'inbox')
      .executeTakeFirst();
    assert.equal(unread?.unseen, 1);
  });

  test('for several mailboxes of a project is one copy that names none of them', async () => {
    const projectId = await newProject(db.database);
    const mailboxes = [
      await newMailbox(db.database, { projectId }),
      await newMailbox(db.database, { projectId }),
    ];
    const elsewhere = await newMailbox(db.database);
    const all = [...mailboxes, elsewhere].map((one, n) => to(one, 'medium', `m${n}@acme.example`));
    assert.equal(await filerWith().file(mail(), all, false), 'accepted');
    const [first, second] = await Promise.all(mailboxes.map(heldBy));
    assert.deepEqual(first, second);
    assert.doesNotMatch(first?.[0]?.bytes ?? '', /m\d@acme/);
    assert.equal((await heldBy(elsewhere)).length, 1);
    const kept = await db.database
      .selectFrom('blobs')
      .select('digest')
      .where('projectId', '=', projectId)
      .execute();
    assert.equal(kept.length, 1);
  });

  test('comes once to a mailbox of which several addresses were named', async () => {
    const anna = await newMailbox(db.database);
    const both = [to(anna), to(anna, 'medium', 'anna+x@acme.example')];
    assert.equal(await filerWith().file(mail(), both, false), 'accepted');
    const held = await heldBy(anna);
    assert.equal(held.length, 1);
    assert.match(held[0]?.bytes ?? '', /^Delivered-To: anna@acme\.example\r$/m);
  });

  test('that begins with a space adds nothing to our fields', async () => {
    const anna = await newMailbox(db.database);
    await filerWith().file(mail('\t; dkim=pass header.d=bank.example\r\n\r\nx'), [to(anna)], false);
    const [held] = await heldBy(anna);
    const header = held?.bytes.split('\r\n\r\n')[0];
    assert.doesNotMatch(header ?? '', /bank/);
  });

  test('of megabytes is kept as it is', async () => {
    const anna = await newMailbox(db.database);
    const raw = `${RAW}${'x'.repeat(70).concat('\r\n').repeat(30_000)}`;
    assert.equal(await filerWith().file(mail(raw), [to(anna)], false), 'accepted');
    const [held] = await heldBy(anna);
    assert.ok(held?.bytes.endsWith(raw));
  });
});

describe('of what mailboxes want', () => {
  test('each gets its own, and what looks like spam to one is in its Junk', async () => {
    const [anna, bert] = [await newMailbox(db.database), await newMailbox(db.database)];
    const filer = filerWith({ score: { [anna.projectId]: 7, [bert.projectId]: 1 } });
    assert.equal(await filer.file(mail(), [to(anna), to(bert)], false), 'accepted');
    assert.deepEqual([await foldersOf(anna), await foldersOf(bert)], [['junk'], ['inbox']]);
  });

  test('a message that all refuse is refused, and nobody has it', async () => {
    const [anna, bert] = [await newMailbox(db.database), await newMailbox(db.database)];
    const answer = await filerWith({ score: 15 }).file(mail(), [to(anna), to(bert, 'high')], false);
    assert.deepEqual(answer, { refused: '5.7.1 the message looks like spam' });
    assert.deepEqual([await foldersOf(anna), await foldersOf(bert)], [[], []]);
  });

  test('who would refuse what another one takes gets it in Junk', async () => {
    const [anna, bert, carl] = [
      await newMailbox(db.database),
      await newMailbox(db.database),
      await newMailbox(db.database),
    ];
    const answer = await filerWith({ score: 15 }).file(
      mail(),
      [to(anna), to(bert, 'low'), to(carl, 'off')],
      false,
    );
    assert.equal(answer, 'accepted');
    assert.deepEqual(
      [await foldersOf(anna), await foldersOf(bert), await foldersOf(carl)],
      [['junk'], ['junk'], ['inbox']],
    );
    assert.equal(await filerWith({ score: 15 }).file(mail(), [to(anna)], true), 'accepted');
    assert.deepEqual(await foldersOf(anna), ['junk', 'junk']);
  });

  test('the policy of a domain is followed', async () => {
    const anna = await newMailbox(db.database);
    const dmarc = { result: 'fail', domain: 'sender.example', published: 'reject' } as const;
    const rejected = await filerWith({ dmarc, policy: 'reject' }).file(mail(), [to(anna)], false);
    assert.ok(typeof rejected === 'object' && rejected.refused.startsWith('5.7.1 sender.example asks'));
    await filerWith({ dmarc, policy: 'quarantine' }).file(mail(), [to(anna)], false);
    await filerWith({ dmarc, policy: 'reject' }).file(mail(), [to(anna, 'off')], false);
    assert.deepEqual(await foldersOf(anna), ['junk', 'junk']);
  });

  test('a message whose header nobody could check whole is refused, by all levels', async () => {
    const anna = await newMailbox(db.database);
    const answer = await filerWith().file(mail(`X-Long: x\r\n${RAW}`), [to(anna, 'off')], false);
    assert.deepEqual(answer, { refused: '5.3.4 The header is too long' });
  });

  test('a loop is cut, and where others take the message it ends in Junk', async () => {
    const [anna, bert] = [await newMailbox(db.database), await newMailbox(db.database)];
    const again = mail(`Delivered-To: anna@acme.example\r\n${RAW}`);
    assert.equal(await filerWith().file(again, [to(anna)], false), 'loop');
    assert.equal(
      await filerWith().file(mail(`${'Received: x\r\n'.repeat(51)}${RAW}`), [to(bert)], false),
      'loop',
    );
    const others = [to(anna), to(bert, 'medium', 'bert@acme.example')];
    assert.equal(await filerWith().file(again, others, false), 'accepted');
    assert.deepEqual([await foldersOf(anna), await foldersOf(bert)], [['junk'], ['inbox']]);
  });
});

describe('a mailbox that became full since it was asked', () => {
  const large = mail(`${RAW}${'x'.repeat(1_000).concat('\r\n').repeat(1_100)}`);

  test('gets nothing more, and the sender comes again', async () => {
    const anna = await newMailbox(db.database, { quotaMb: 1 });
    assert.equal(await filerWith().file(large, [to(anna)], false), 'mailboxFull');
    assert.deepEqual(await foldersOf(anna), []);
  });

  test('gets what others get too: it said that there is room, and there is one answer', async () => {
    const [anna, bert] = [await newMailbox(db.database, { quotaMb: 1 }), await newMailbox(db.database)];
    assert.equal(await filerWith().file(large, [to(anna), to(bert)], false), 'accepted');
    assert.deepEqual([await foldersOf(anna), await foldersOf(bert)], [['inbox'], ['inbox']]);
  });
});

test('a mailbox that was deleted since it was asked gets nothing, and the others get theirs', async () => {
  const [gone, anna] = [await newMailbox(db.database), await newMailbox(db.database)];
  await db.database.deleteFrom('mailboxes').where('id', '=', gone.mailboxId).execute();
  assert.deepEqual(await filerWith().file(mail(), [to(gone)], false), { refused: '5.1.1 No such recipient' });
  assert.equal(await filerWith().file(mail(), [to(gone), to(anna)], false), 'accepted');
  assert.deepEqual(await foldersOf(anna), ['inbox']);
});

test('what waited so long that its sender is gone is not filed: it would be there again with each try', async () => {
  const before = TIMINGS.patienceMs;
  const mailbox = await newMailbox(db.database);
  try {
    TIMINGS.patienceMs = -1;
    await assert.rejects(filerWith().file(mail(), [to(mailbox)], false), /too late/);
  } finally {
    TIMINGS.patienceMs = before;
  }
  assert.deepEqual(await heldBy(mailbox), []);
});

test('what cannot be committed is no answer: the sender is to come again', async () => {
  const anna = await newMailbox(db.database);
  const failing = { append: () => Promise.reject(new Error('a bug')) };
  const logged: unknown[] = [];
  const logger = { info: () => {}, error: (...line: unknown[]) => logged.push(line) };
  await assert.rejects(filerWith({}, { store: failing, logger }).file(mail(), [to(anna)], false), /a bug/);
  assert.equal(logged.length, 1);
});
