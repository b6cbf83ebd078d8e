import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { pino } from 'pino';
import { newMailbox, newMessage } from '../../../test/support/mail.ts';
import { newDomain } from '../../../test/support/projects.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { Blobs } from '../../blobs/blobs.ts';
import { ObjectFiles } from '../../blobs/object-files.ts';
import * as clock from '../../model/clock.ts';
import { HOUR_MS } from '../../model/day.ts';
import { newUuid } from '../../model/ids.ts';
import type { NewMessage } from '../../store/append.ts';
import { RetentionRole } from '../../retention/retention.ts';
import { TIMINGS } from '../../retention/timings.ts';
import { FLAG } from '../../store/flags.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { Store } from '../../store/store.ts';
import type { Authentication } from '../authenticate/authentication.ts';
import { LEAST_LESSONS } from './chi-square.ts';
import { KeptMail, MOST_OF_MAILBOX } from './kept-mail.ts';
import { Learned } from './learned.ts';
import { Lessons } from './lessons.ts';
import { GENUINE, letter } from './spam-mail.fixture.ts';
import type { SpamReason } from './verdict.ts';

let db: TestDatabase;
let learned: Learned;
let lessons: Lessons;
let store: Store;
const objects = new ObjectFiles('/nowhere');
before(async () => {
  db = await testDatabase();
  learned = new Learned(db.database);
  const blobs = new Blobs(db.database, objects);
  lessons = new Lessons({ database: db.database, blobs, learned });
  store = new Store(db.database, null, lessons);
});
// Otherwise, the job would also visit the mailboxes of other tests that have the same hour, and use up its limits there.
beforeEach(async () => {
  await db.database.deleteFrom('messages').execute();
  await db.database.deleteFrom('settings').where('name', '=', 'kept_mail_hour').execute();
});
after(() => db[Symbol.asyncDispose]());

const [FIRST_HOUR, HOURS] = [Math.floor(clock.nowMs() / HOUR_MS), 24];

/** The hour in which the mailbox is visited. */
function visitOf({ mailboxId }: MailboxKey): number {
  const part = Number.parseInt(mailboxId.slice(-2), 16) % HOURS;
  return FIRST_HOUR + ((part - (FIRST_HOUR % HOURS) + HOURS) % HOURS);
}

interface Kept extends Partial<Omit<NewMessage, 'facts'>> {
  from?: string;
  replyTo?: string;
  body?: string;
  reasons?: SpamReason[];
  results?: Partial<Authentication>;
  /** Hours before the visit at which the message arrived. */
  hoursAgo?: number;
}

/** A message of another author each time, that arrived a week ago, was read, and is in the Inbox. */
function kept(mailbox: MailboxKey, at: number, given: Kept = {}): NewMessage {
  const { from = `jo@host${at}.example`, replyTo, body, reasons = [], results, hoursAgo, ...fields } = given;
  const domain = from.slice(from.indexOf('@') + 1);
  const bytes = letter({
    fields: { From: `Jo <${from}>`, Subject: `Notes ${at}` },
    body: `${body ?? 'meeting invoice deadline report quarter'} letter${at}\r\n`,
  }).arrival.raw;
  return newMessage(mailbox, {
    bytes,
    facts: {
      from: [{ name: 'Jo', address: from }],
      replyTo: replyTo === undefined ? [] : [{ name: '', address: replyTo }],
    },
    flags: FLAG.seen,
    internalDate: new Date((visitOf(mailbox) - (hoursAgo ?? 180)) * HOUR_MS),
    authentication: { ...GENUINE, dmarc: { result: 'pass', domain, published: 'none' }, ...results },
    spam: { score: reasons.reduce((sum, { weight }) => sum + weight, 0), reasons },
    ...fields,
  });
}

async function add(...messages: NewMessage[]) {
  const [stored] = await store.append(messages);
  assert.ok(stored?.outcome === 'stored');
  return stored;
}

/** Runs the job in the hour of the mailbox, which this job has not begun before. */
async function run(mailbox: MailboxKey, job = new KeptMail()): Promise<void> {
  await db.database.deleteFrom('settings').where('name', '=', 'kept_mail_hour').execute();
  for await (const _ of job.learning(db.database, objects, visitOf(mailbox)));
}

async function totalsOf({ mailboxId }: MailboxKey): Promise<[junk: number, ham: number]> {
  const row = await db.database
    .selectFrom('mailboxSpamTraining')
    .select(['junk', 'ham'])
    .where('mailboxId', '=', mailboxId)
    .executeTakeFirst();
  return [row?.junk ?? 0, row?.ham ?? 0];
}

async function countIn(table: 'mailboxSenders' | 'spamFeatures', { mailboxId }: MailboxKey): Promise<number> {
  const rows = await db.database
    .selectFrom(table)
    .select('mailboxId')
    .where('mailboxId', '=', mailboxId)
    .execute();
  return rows.length;
}

/** The user moves a message of this author into Junk. */
function mark(mailbox: MailboxKey, from: string, body: string): Promise<void> {
  const head = letter({ fields: { From: `Jo <${from}>`, Subject: 'x' }, body: `${body}\r\n` }).arrival.raw;
  const dmarc = { result: 'pass', domain: from.slice(from.indexOf('@') + 1), published: 'none' } as const;
  const digest = hash('sha256', head, 'buffer');
  return learned.train({ ...mailbox, digest, head, authentication: { ...GENUINE, dmarc } }, 'junk');
}

describe('mail that was kept and read', () => {
  test('teaches words once, but neither its sender nor its wording', async () => {
    const mailbox = await newMailbox(db.database);
    await add(kept(mailbox, 1), kept(mailbox, 2));
    await run(mailbox);
    await run(mailbox);
    assert.deepEqual(await totalsOf(mailbox), [0, 2]);
    assert.equal(await countIn('mailboxSenders', mailbox), 0);
    assert.equal(await countIn('spamFeatures', mailbox), 0);
    const words = await db.database
      .selectFrom('mailboxSpamTokens')
      .select(['junk', 'ham'])
      .where('mailboxId', '=', mailbox.mailboxId)
      .execute();
    assert.ok(words.some(({ ham }) => ham === 2));
    assert.ok(words.every(({ junk }) => junk === 0));
  });

  const NOTHING: [name: string, given: Kept][] = [
    ['is unread', { flags: 0 }],
    ['is marked as deleted', { flags: FLAG.seen | FLAG.deleted }],
    ['is in another folder', { folder: { role: 'archive' } }],
    ['arrived less than a week ago', { hoursAgo: 167 }],
    ['arrived more than eight days ago', { hoursAgo: 193 }],
    ['was not received, but stored by a mail app', { authentication: null, spam: null }],
    ['reached half of the Junk score', { reasons: [{ rule: 'NAME_IS_OTHER_ADDRESS', weight: 3 }] }],
    [
      'reached half of the Junk score without what spoke for it',
      {
        reasons: [
          { rule: 'NAME_IS_OTHER_ADDRESS', weight: 3 },
          { rule: 'SENDER_KNOWN', weight: -3 },
        ],
      },
    ],
    ['has a high score of rspamd', { spam: { score: 3.5, reasons: [] } }],
    ['fails DMARC', { results: { dmarc: { result: 'fail', domain: 'host1.example', published: 'none' } } }],
    [
      'has an unproven author',
      {
        results: {
          spf: { result: 'none', domain: '' },
          dkim: [],
          dmarc: { result: 'none', domain: 'host1.example', published: 'none' },
        },
      },
    ],
    ['directs replies elsewhere', { replyTo: 'jo@elsewhere.example' }],
  ];
  for (const [name, given] of NOTHING)
    test(`teaches nothing if it ${name}`, async () => {
      const mailbox = await newMailbox(db.database);
      await add(kept(mailbox, 1, given), kept(mailbox, 2));
      await run(mailbox);
      assert.deepEqual(await totalsOf(mailbox), [0, 1]);
    });

  test('teaches nothing if its author is at a domain of this installation', async () => {
    const mailbox = await newMailbox(db.database);
    const name = `own${mailbox.mailboxId.slice(-12)}.example`;
    await newDomain(db.database, mailbox.projectId, name, { status: 'verified' });
    await add(kept(mailbox, 1, { from: `jo@${name}` }), kept(mailbox, 2));
    await run(mailbox);
    assert.deepEqual(await totalsOf(mailbox), [0, 1]);
  });

  test('does not override what users did with the same message, and is overridden by it later', async () => {
    const mailbox = await newMailbox(db.database);
    const { folderId } = await add(kept(mailbox, 1), kept(mailbox, 2), kept(mailbox, 3));
    const inbox = { ...mailbox, folderId };
    const star = (uid: number) =>
      store.flag(inbox, [{ first: uid, last: uid }], { op: 'add', flags: FLAG.flagged, keywords: [] });
    await star(1);
    await lessons[Symbol.asyncDispose]();
    await run(mailbox);
    assert.deepEqual(await totalsOf(mailbox), [0, 3]);
    assert.equal(await countIn('mailboxSenders', mailbox), 1);
    const featuresBefore = await countIn('spamFeatures', mailbox);
    await star(2);
    await lessons[Symbol.asyncDispose]();
    assert.deepEqual(await totalsOf(mailbox), [0, 3]);
    assert.equal(await countIn('mailboxSenders', mailbox), 2);
    assert.ok((await countIn('spamFeatures', mailbox)) > featuresBefore);
    await store.move(inbox, [{ first: 3, last: 3 }], { role: 'junk' });
    await lessons[Symbol.asyncDispose]();
    assert.deepEqual(await totalsOf(mailbox), [1, 2]);
    const words = await db.database
      .selectFrom('mailboxSpamTokens')
      .select(['junk', 'ham'])
      .where('mailboxId', '=', mailbox.mailboxId)
      .execute();
    assert.ok(words.every(({ junk, ham }) => junk <= 1 && ham <= 2));
    await run(mailbox);
    assert.deepEqual(await totalsOf(mailbox), [1, 2]);
  });

  test('teaches nothing if its sender is marked, or if it resembles messages that were moved into Junk', async () => {
    const mailbox = await newMailbox(db.database);
    const campaign =
      'order our blue tablets online today without any visit to a doctor and we ship them in plain boxes to your door within three days, every new customer receives ten tablets free of charge with the first order';
    await mark(mailbox, 'jo@marked.example', 'hello');
    await mark(mailbox, 'al@spam.example', campaign);
    await add(
      kept(mailbox, 1, { from: 'jo@marked.example' }),
      kept(mailbox, 2, { body: campaign }),
      kept(mailbox, 3),
    );
    await run(mailbox);
    assert.deepEqual(await totalsOf(mailbox), [2, 1]);
  });

  test('teaches nothing if it reads like spam, even if earlier lessons said that its words are wanted', async () => {
    const mailbox = await newMailbox(db.database);
    const body =
      'Dear friend, you won the online lottery. To claim your prize of 850,000 dollars send your full name, your address and your phone number to our agent today. Keep this award confidential. God bless you.';
    await add(kept(mailbox, 1, { body, reasons: [{ rule: 'LEARNED_05', weight: -2 }] }), kept(mailbox, 2));
    await run(mailbox);
    assert.deepEqual(await totalsOf(mailbox), [0, 1]);
  });

  test('teaches words to its mailbox alone, and takes no place of what users teach in the project', async () => {
    const mailbox = await newMailbox(db.database);
    const ofProject = async () => {
      const { projectId } = mailbox;
      const counts = db.database.selectFrom('spamTraining').select(['junk', 'ham']);
      const row = await counts.where('projectId', '=', projectId).executeTakeFirst();
      const words = await db.database
        .selectFrom('spamTokens')
        .select((eb) => eb.fn.max('ham').as('most'))
        .where('projectId', '=', projectId)
        .executeTakeFirst();
      return [row?.junk, row?.ham, words?.most ?? 0];
    };
    const { folderId } = await add(...[1, 2, 3].map((at) => kept(mailbox, at)));
    await run(mailbox);
    assert.deepEqual(await ofProject(), [0, 0, 0]);
    const inbox = { ...mailbox, folderId };
    await store.flag(inbox, [{ first: 1, last: 1 }], { op: 'add', flags: FLAG.flagged, keywords: [] });
    await lessons[Symbol.asyncDispose]();
    assert.deepEqual(await totalsOf(mailbox), [0, 3]);
    assert.deepEqual(await ofProject(), [0, 1, 1]);
    await store.move(inbox, [{ first: 1, last: 2 }], { role: 'junk' });
    await lessons[Symbol.asyncDispose]();
    assert.deepEqual(await totalsOf(mailbox), [2, 1]);
    assert.deepEqual(await ofProject(), [2, 0, 0]);
  });

  test(`teaches at most ${MOST_OF_MAILBOX} lessons a day, one of each sender, however often the job begins again`, async () => {
    const mailbox = await newMailbox(db.database);
    await add(
      ...[1, 2].map((at) => kept(mailbox, at, { from: `alerts${at}@mail${at}.host.example` })),
      ...[3, 4].map((at) => kept(mailbox, at, { from: `jo+${at}@gmail.com` })),
      ...Array.from({ length: 7 }, (_, at) => kept(mailbox, at + 10)),
    );
    await run(mailbox);
    await run(mailbox);
    assert.deepEqual(await totalsOf(mailbox), [0, 9]);
    await add(...Array.from({ length: MOST_OF_MAILBOX }, (_, at) => kept(mailbox, at + 100)));
    await run(mailbox);
    await run(mailbox);
    assert.deepEqual(await totalsOf(mailbox), [0, MOST_OF_MAILBOX]);
  });

  test('is no longer learned by a mailbox that marks no spam, once its words can count', async () => {
    const mailbox = await newMailbox(db.database);
    const { mailboxId, projectId } = mailbox;
    await add(kept(mailbox, 1));
    await db.database.insertInto('spamTraining').values({ projectId }).execute();
    await db.database
      .insertInto('mailboxSpamTraining')
      .values({ projectId, mailboxId, ham: LEAST_LESSONS.ham })
      .execute();
    await run(mailbox);
    assert.deepEqual(await totalsOf(mailbox), [0, LEAST_LESSONS.ham]);
    await db.database
      .updateTable('mailboxSpamTraining')
      .set({ junk: 1 })
      .where('mailboxId', '=', mailboxId)
      .execute();
    await run(mailbox);
    assert.deepEqual(await totalsOf(mailbox), [1, LEAST_LESSONS.ham + 1]);
  });
});

describe('the job', () => {
  test('continues where a pass ended, and is idle for the rest of the hour', async () => {
    const mailbox = await newMailbox(db.database);
    await add(...[1, 2, 3].map((at) => kept(mailbox, at)));
    const job = new KeptMail();
    const pass = job.learning(db.database, objects, visitOf(mailbox));
    while ((await totalsOf(mailbox))[1] === 0) assert.equal((await pass.next()).done, false);
    await pass.return();
    assert.deepEqual(await totalsOf(mailbox), [0, 1]);
    await run(mailbox, job);
    assert.deepEqual(await totalsOf(mailbox), [0, 3]);
    await add(kept(mailbox, 4));
    const idle = job.learning(db.database, objects, visitOf(mailbox));
    assert.equal((await idle.next()).done, true);
  });

  test('runs in the worker, beside the jobs that delete expired data', async () => {
    // Two mailboxes, because the hour may end now.
    const mailboxes = await Promise.all(
      [0, 1].map((later) => {
        const part = ((FIRST_HOUR + later) % HOURS).toString(16).padStart(2, '0');
        return newMailbox(db.database, { mailboxId: `${newUuid().slice(0, -2)}${part}` });
      }),
    );
    for (const mailbox of mailboxes) await add(kept(mailbox, 1));
    const logger = pino({ enabled: false });
    const timings = { ...TIMINGS, pauseMs: 0, commitMs: 0 };
    await using retention = new RetentionRole({
      database: db.database,
      keepDays: null,
      objects,
      logger,
      timings,
    });
    await retention.scan();
    const learnedOf = await Promise.all(mailboxes.map(async (mailbox) => (await totalsOf(mailbox))[1]));
    assert.equal(Math.max(...learnedOf), 1);
  });

  test('continues its search for mailboxes where a pass ended', async () => {
    const mailbox = await newMailbox(db.database);
    await newMailbox(db.database);
    await add(kept(mailbox, 1));
    const job = new KeptMail(undefined, 1);
    let isDone: boolean | undefined = false;
    while (isDone !== true) {
      const pass = job.learning(db.database, objects, visitOf(mailbox));
      isDone = (await pass.next()).done;
      await pass.return();
    }
    assert.deepEqual(await totalsOf(mailbox), [0, 1]);
  });

  test('lets projects take turns, so that a project with many mailboxes does not use up the hour', async () => {
    const ofOneHour = () => `${newUuid().slice(0, -2)}00`;
    const small = await newMailbox(db.database, { mailboxId: ofOneHour() });
    const large = await newMailbox(db.database, { mailboxId: ofOneHour() });
    const more = await Promise.all(
      [1, 2, 3, 4].map(() => newMailbox(db.database, { projectId: large.projectId, mailboxId: ofOneHour() })),
    );
    const ofLarge = [large, ...more];
    for (const mailbox of [small, ...ofLarge]) await add(kept(mailbox, 1), kept(mailbox, 2));
    await run(small, new KeptMail({ messages: 4, octets: 1_048_576 }));
    const learnedOf = await Promise.all(
      [small, ...ofLarge].map(async (mailbox) => (await totalsOf(mailbox))[1]),
    );
    assert.equal(learnedOf[0], 2);
    assert.deepEqual(learnedOf.slice(1).sort(), [0, 0, 0, 0, 2]);
  });

  for (const [name, limits] of [
    ['messages', { messages: 2, octets: 1_048_576 }],
    ['octets', { messages: 1_000, octets: 1 }],
  ] as const)
    test(`reads no more ${name} in an hour than it may`, async () => {
      const mailbox = await newMailbox(db.database);
      await add(...[1, 2, 3].map((at) => kept(mailbox, at)));
      const job = new KeptMail(limits);
      await run(mailbox, job);
      await run(mailbox, job);
      assert.deepEqual(await totalsOf(mailbox), [0, name === 'messages' ? 2 : 1]);
    });

  test('is begun by one process in an hour, so that its limits hold for all of them', async () => {
    const mailbox = await newMailbox(db.database);
    await add(...[1, 2, 3].map((at) => kept(mailbox, at)));
    await run(mailbox, new KeptMail({ messages: 2, octets: 1_048_576 }));
    for await (const _ of new KeptMail().learning(db.database, objects, visitOf(mailbox)));
    assert.deepEqual(await totalsOf(mailbox), [0, 2]);
  });
});
