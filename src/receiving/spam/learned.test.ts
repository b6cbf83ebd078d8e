import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { testDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import { Blobs } from '../../blobs/blobs.ts';
import { ObjectFiles } from '../../blobs/object-files.ts';
import type { FolderRole, FolderUse } from '../../model/folder-roles.ts';
import type { DatabaseTransaction } from '../../db/database.ts';
import { Store } from '../../store/store.ts';
import { newMailbox, newMessage } from '../../../test/support/mail.ts';
import { readCorpus } from '../../../test/spam/corpus.ts';
import { FLAG } from '../../store/flags.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { Learned, LEAST_MAILBOXES, type SpamKind, reasonsOf } from './learned.ts';
import { Lessons } from './lessons.ts';
import { LEAST_LESSONS, spamProbability } from './chi-square.ts';
import { domainFeaturesOf } from './features.ts';
import { USUAL_JUNK_SCORE, verdictOf } from './verdict.ts';
import { readSample } from './score.ts';
import {
  addSafeSenderOfProject,
  addSender,
  listSenders,
  removeSafeSenderOfProject,
} from '../rules/sender-lists.ts';
import { checkSenders } from './senders.ts';
import { GENUINE, letter } from './spam-mail.fixture.ts';
import type { Authentication } from '../authenticate/authentication.ts';

let db: TestDatabase;
let learned: Learned;
before(async () => {
  db = await testDatabase();
  learned = new Learned(db.database);
});
after(() => db[Symbol.asyncDispose]());

/** A campaign, whose messages differ in every fourth word and in their sender. */
function campaignOf(text: string): (at: number) => Buffer {
  return (at) => {
    const words = text.split(' ').map((word, n) => (n % 4 === 3 ? `other${at}n${n}` : word));
    const fields = {
      From: `Offers <team${at}@host${at}.example>`,
      Subject: `${words.slice(0, 3).join(' ')} ${at}`,
    };
    return letter({ fields, body: `${words.join(' ')}\r\n` }).arrival.raw;
  };
}

const PILLS = campaignOf(
  'order our blue tablets online today without any visit to a doctor and we ship them in plain boxes to your door within three days, every new customer receives ten tablets free of charge with the first order and pays later by card or transfer, so order now before the stock of our pharmacy is gone',
);
const CASINO = campaignOf(
  'welcome player, the wheel waits for you tonight and a bonus of two hundred percent is already in your account, spin the wheel one hundred times at no cost and keep all that you win, payouts arrive in minutes and our tables never close, join the club of winners before midnight',
);
const WANTED = readCorpus('a', 'ham').slice(0, 30);

const PROVEN = GENUINE;
const UNPROVEN: Authentication = {
  ...GENUINE,
  spf: { result: 'none', domain: '' },
  dkim: [],
  dmarc: { result: 'none', domain: 'host1.example', published: 'none' },
};

/** The results for a message whose author is at the domain that DMARC checked. */
const checkedFor = (author: string, authentication: Authentication): Authentication => ({
  ...authentication,
  dmarc: { ...authentication.dmarc, domain: author.slice(author.lastIndexOf('@') + 1) },
});

const teach = (mailbox: MailboxKey, raw: Buffer, kind: SpamKind, authentication = PROVEN) =>
  learned.train(
    {
      ...mailbox,
      digest: hash('sha256', raw, 'buffer'),
      head: raw,
      authentication: checkedFor(readSample(raw).author, authentication),
    },
    kind,
  );

const compared = (raw: Buffer, domains: readonly number[] = []) => ({
  ...readSample(raw),
  domains,
  readsWanted: false,
});

const reasonsFor = async ({ projectId, mailboxId }: MailboxKey, raw: Buffer) =>
  (await learned.reasonsFor(projectId, [mailboxId], compared(raw))).get(mailboxId) ?? [];

const rulesFor = async (mailbox: MailboxKey, raw: Buffer) =>
  (await reasonsFor(mailbox, raw)).map(({ rule }) => rule);

const senderFor = async (
  { projectId, mailboxId }: MailboxKey,
  author: string,
  authentication = PROVEN,
  list = '',
) => {
  const senders = checkSenders({ author, list }, checkedFor(author, authentication));
  const reason = (await learned.reasonsForSenders(projectId, [mailboxId], senders)).get(mailboxId);
  return reason === undefined ? [] : [reason.rule];
};

const totalsOf = async ({ projectId, mailboxId }: MailboxKey) =>
  db.database
    .selectFrom('mailboxSpamTraining')
    .select(['junk', 'ham'])
    .where('projectId', '=', projectId)
    .where('mailboxId', '=', mailboxId)
    .executeTakeFirst();

/** Further mailboxes of the project. */
async function colleagues({ projectId }: MailboxKey, count: number): Promise<MailboxKey[]> {
  return Promise.all(Array.from({ length: count }, () => newMailbox(db.database, { projectId })));
}

describe('lessons', () => {
  test('make variants of a marked campaign spam at once, only for the mailbox that marked it', async () => {
    const mailbox = await newMailbox(db.database);
    const [other] = await colleagues(mailbox, 1);
    assert.ok(other !== undefined);
    for (let at = 0; at < 10; at++) await teach(mailbox, PILLS(at), 'junk');
    for (let at = 10; at < 13; at++) {
      assert.deepEqual(await rulesFor(mailbox, PILLS(at)), ['LEARNED_VARIANT']);
      assert.deepEqual(await rulesFor(other, PILLS(at)), []);
    }
    for (const raw of [CASINO(1), ...WANTED.map((message) => message.raw)])
      assert.ok(!(await rulesFor(mailbox, raw)).includes('LEARNED_VARIANT'));
  });

  test('count for the project when three mailboxes agree', async () => {
    const mailbox = await newMailbox(db.database);
    const teachers = await colleagues(mailbox, LEAST_MAILBOXES);
    for (const [at, teacher] of teachers.entries()) {
      assert.deepEqual(await rulesFor(mailbox, PILLS(20)), []);
      for (let n = 0; n < 3; n++) await teach(teacher, PILLS(at * 3 + n), 'junk');
    }
    assert.deepEqual(await rulesFor(mailbox, PILLS(20)), ['LEARNED_VARIANT_3']);
    assert.deepEqual(await rulesFor(await newMailbox(db.database), PILLS(20)), []);
  });

  test('about words count once there are enough of both kinds', async () => {
    const mailbox = await newMailbox(db.database);
    const words = {
      junk: 'casino winner jackpot bonus spins deposit',
      ham: 'meeting invoice deadline report quarter',
    };
    const mailOf = (kind: SpamKind, at: number) =>
      letter({ body: `${words[kind]} letter${at}\r\n`, fields: { Subject: `x${at}` } }).arrival.raw;
    const byWords = async (kind: SpamKind) =>
      (await rulesFor(mailbox, mailOf(kind, 99))).filter((rule) => /^LEARNED_\d/.test(rule));
    for (let at = 0; at < LEAST_LESSONS.junk; at++) await teach(mailbox, mailOf('junk', at), 'junk');
    assert.deepEqual(await byWords('ham'), []);
    for (let at = 0; at < LEAST_LESSONS.ham; at++) await teach(mailbox, mailOf('ham', at), 'ham');
    assert.match(String(await byWords('junk')), /^LEARNED_9/);
    assert.deepEqual(await byWords('ham'), ['LEARNED_05']);
  });

  test('of one mailbox about words do not count for the others, however many they are', async () => {
    const mailbox = await newMailbox(db.database);
    const [loud, ...others] = await colleagues(mailbox, 6);
    assert.ok(loud !== undefined);
    const words = {
      junk: 'casino winner jackpot bonus spins deposit',
      ham: 'meeting invoice deadline report quarter',
    };
    const mailOf = (kind: SpamKind, at: number) =>
      letter({ body: `${words[kind]} letter${at}\r\n`, fields: { Subject: `x${at}` } }).arrival.raw;
    const teachMany = (teacher: MailboxKey, kind: SpamKind, count: number) =>
      Promise.all(Array.from({ length: count }, (_, at) => teach(teacher, mailOf(kind, at), kind)));
    const projectTotals = () =>
      db.database
        .selectFrom('spamTraining')
        .select(['junk', 'ham'])
        .where('projectId', '=', mailbox.projectId)
        .executeTakeFirst();
    const byWords = async () => {
      const reasons = await reasonsFor(mailbox, mailOf('junk', 99));
      return reasons.filter(({ rule }) => /^LEARNED_\d/.test(rule));
    };
    await teachMany(loud, 'junk', LEAST_LESSONS.junk * 4);
    await teachMany(loud, 'ham', LEAST_LESSONS.ham * 4);
    assert.deepEqual(await projectTotals(), LEAST_LESSONS);
    for (const other of others.slice(0, 2)) await teach(other, mailOf('junk', 1), 'junk');
    assert.deepEqual(await byWords(), []);
    for (const other of others) {
      await teachMany(other, 'junk', LEAST_LESSONS.junk);
      await teachMany(other, 'ham', LEAST_LESSONS.ham);
    }
    const found = await byWords();
    assert.equal(found.length, 1);
    assert.ok(
      found.every(({ weight }) => weight > 0 && weight <= 3.5),
      JSON.stringify(found),
    );
  });

  test('that a message is wanted count for its variants, against the trained classifier too', async () => {
    const mailbox = await newMailbox(db.database);
    for (let at = 0; at < 3; at++) await teach(mailbox, PILLS(at), 'ham');
    const reasons = await reasonsFor(mailbox, PILLS(5));
    assert.deepEqual(
      reasons.map(({ rule }) => rule),
      ['LEARNED_WANTED'],
    );
    const verdict = verdictOf([{ rule: 'VERY_LIKE_SPAM', weight: 6 }, ...reasons], 'high');
    assert.deepEqual(verdict, { score: -2.5, reasons });
  });

  test('count a message once, with its last classification', async () => {
    const mailbox = await newMailbox(db.database);
    const raw = PILLS(1);
    await Promise.all([teach(mailbox, raw, 'junk'), teach(mailbox, raw, 'junk')]);
    assert.deepEqual(await totalsOf(mailbox), { junk: 1, ham: 0 });
    await teach(mailbox, raw, 'ham');
    assert.deepEqual(await totalsOf(mailbox), { junk: 0, ham: 1 });
    const counted = await db.database
      .selectFrom('spamTokens')
      .select(['junk', 'ham', 'junkMailboxes'])
      .where('projectId', '=', mailbox.projectId)
      .execute();
    assert.ok(counted.length > 20);
    assert.ok(
      counted.every(({ junk, ham, junkMailboxes }) => junk === 0 && ham === 1 && junkMailboxes === 0),
    );
  });

  test('are read for all mailboxes of a project at once, each with its own', async () => {
    const teacher = await newMailbox(db.database);
    const [marking, keeping, idle] = await colleagues(teacher, 3);
    const stranger = await newMailbox(db.database);
    assert.ok(marking !== undefined && keeping !== undefined && idle !== undefined);
    await teach(marking, PILLS(1), 'junk');
    for (const mailbox of [keeping, stranger]) await teach(mailbox, PILLS(1), 'ham');
    const ids = [marking, keeping, idle, stranger].map(({ mailboxId }) => mailboxId);
    const found = await learned.reasonsFor(teacher.projectId, ids, compared(PILLS(2)));
    assert.deepEqual(
      ids.map((id) => found.get(id)?.map(({ rule }) => rule)),
      [['LEARNED_VARIANT'], ['LEARNED_WANTED'], [], []],
    );
    const { author } = readSample(PILLS(1));
    const senders = { proven: [author], claimed: [] };
    const known = await learned.reasonsForSenders(teacher.projectId, ids, senders);
    assert.deepEqual(
      ids.map((id) => known.get(id)?.rule),
      ['SENDER_MARKED', 'SENDER_KNOWN', undefined, undefined],
    );
  });

  describe('about the domain of a proven author', () => {
    const mailFrom = (author: string, at: number, list: string | null = null) =>
      letter({ fields: { From: `Jo <${author}>`, Subject: `${at}`, 'List-Id': list }, body: `${at}\r\n` })
        .arrival.raw;
    /** Whether the domain counts for a message of this author. */
    const isMarked = async (
      { projectId, mailboxId }: MailboxKey,
      author: string,
      authentication = PROVEN,
      given: { list?: string; isOwn?: boolean } = {},
    ) => {
      const named = { author, list: '', ...given };
      const domains = domainFeaturesOf(named, checkSenders(named, checkedFor(author, authentication)));
      const message = compared(mailFrom(author, 9), domains);
      const found = await learned.reasonsFor(projectId, [mailboxId], message);
      return found.get(mailboxId)?.some(({ rule }) => rule === 'LEARNED_DOMAIN') ?? false;
    };
    const markTwice = async (mailbox: MailboxKey, author: string, authentication = PROVEN) => {
      for (const at of [1, 2]) await teach(mailbox, mailFrom(author, at), 'junk', authentication);
    };

    test('count from the second message, until mail of it is wanted, even after that lesson is forgotten', async () => {
      const mailbox = await newMailbox(db.database);
      const author = 'receipts@shop.example';
      await teach(mailbox, mailFrom('sales@news.shop.example', 1), 'junk');
      await teach(mailbox, mailFrom('sales@news.shop.example', 1), 'junk');
      assert.equal(await isMarked(mailbox, author), false);
      await teach(mailbox, mailFrom('sales@news.shop.example', 2), 'junk');
      assert.equal(await isMarked(mailbox, author), true);
      assert.equal(await isMarked(mailbox, author, UNPROVEN), false);
      assert.equal(await isMarked(mailbox, 'sales@othershop.example'), false);
      await teach(mailbox, mailFrom(author, 3), 'ham');
      assert.equal(await isMarked(mailbox, author), false);
      await sql`delete from spam_features where mailbox_id = ${mailbox.mailboxId} and kind = 'ham'`.execute(
        db.database,
      );
      assert.equal(await isMarked(mailbox, author), false);
    });

    test('do not count if many people have addresses there, or if it is not proven', async () => {
      const mailbox = await newMailbox(db.database);
      const SHARED = [
        'gmail.com',
        'yahoo.co.uk',
        'hotmail.se',
        'outlook.cz',
        'live.nl',
        'gmx.eu',
        'abv.bg',
        'googlegroups.com',
        'acme.onmicrosoft.com',
        'cs.university.edu',
        'university.ac.uk',
        'university.edu.au',
      ];
      for (const domain of SHARED) {
        await markTwice(mailbox, `jo@${domain}`);
        assert.equal(await isMarked(mailbox, `al@${domain}`), false, domain);
      }
      await markTwice(mailbox, 'boss@forged.example', UNPROVEN);
      assert.equal(await isMarked(mailbox, 'boss@forged.example'), false);
      await markTwice(mailbox, 'jo@jo.github.io');
      assert.equal(await isMarked(mailbox, 'al@jo.github.io'), true);
      assert.equal(await isMarked(mailbox, 'al@al.github.io'), false);
    });

    test('are not learned from posts on mailing lists, and do not count for them or for mail of this installation', async () => {
      const mailbox = await newMailbox(db.database);
      for (const at of [1, 2])
        await teach(mailbox, mailFrom('jo@company.example', at, '<devel.lists.example>'), 'junk');
      assert.equal(await isMarked(mailbox, 'al@company.example'), false);
      await markTwice(mailbox, 'jo@shop.example');
      assert.equal(await isMarked(mailbox, 'al@shop.example'), true);
      assert.equal(
        await isMarked(mailbox, 'al@shop.example', PROVEN, { list: 'devel.lists.example' }),
        false,
      );
      assert.equal(await isMarked(mailbox, 'al@shop.example', PROVEN, { isOwn: true }), false);
    });

    test('are not learned for domains that this installation serves', async () => {
      const mailbox = await newMailbox(db.database);
      const { rows } = await sql<{ name: string }>`
        select d.name from domains d join mailboxes m on m.project_id = d.project_id and m.domain_id = d.id
        where m.id = ${mailbox.mailboxId}`.execute(db.database);
      const domain = rows[0]?.name ?? '';
      await sql`update domains set status = 'verified' where name = ${domain}`.execute(db.database);
      await markTwice(mailbox, `colleague@${domain}`);
      assert.equal(await isMarked(mailbox, `boss@${domain}`), false);
      await sql`update domains set status = 'failed' where name = ${domain}`.execute(db.database);
      for (const at of [3, 4]) await teach(mailbox, mailFrom(`colleague@${domain}`, at), 'junk');
      assert.equal(await isMarked(mailbox, `boss@${domain}`), true);
    });

    test('and about similar texts do not put a receipt of the shop into Junk, unless it reads like spam', async () => {
      const mailbox = await newMailbox(db.database);
      const author = 'Acme Garden <news@garden.example>';
      const body = (text: string) => `${text} Rosenweg, Zauberland; Gartenbau Holunder.\r\n`;
      const newsletter = (at: number) =>
        letter({
          fields: { From: author },
          body: body(`Our offers of week ${'abc'[at]}: spades, seeds, soil.`),
        }).arrival.raw;
      for (const at of [0, 1, 2]) await teach(mailbox, newsletter(at), 'junk');
      const receipt = letter({
        fields: { From: 'Acme Garden <receipts@garden.example>' },
        body: body(
          'Thank you for your order 4711: one watering can, blue, 29.90 euros, paid by card. A courier rings twice on Thursday afternoon, and your neighbour Quentin may sign instead. Keep the attached invoice for the warranty, which ends in August.',
        ),
      }).arrival.raw;
      const named = { author: 'receipts@garden.example', list: '' };
      const domains = domainFeaturesOf(named, checkSenders(named, checkedFor(named.author, PROVEN)));
      const found = await learned.reasonsFor(
        mailbox.projectId,
        [mailbox.mailboxId],
        compared(receipt, domains),
      );
      const reasons = found.get(mailbox.mailboxId) ?? [];
      assert.deepEqual(
        reasons.map(({ rule }) => rule),
        ['LEARNED_SIMILAR'],
      );
      const HOST = [
        { rule: 'NO_REVERSE_NAME', weight: 1.5 },
        { rule: 'SPF_SOFTFAIL', weight: 1 },
        { rule: 'HELO_ONE_LABEL', weight: 1 },
      ];
      for (const { rule } of [...reasons, { rule: 'LEARNED_DOMAIN' }]) {
        const learnedReason = { rule, weight: 3.5 };
        assert.ok(verdictOf([learnedReason, ...HOST], 'medium').score < USUAL_JUNK_SCORE, rule);
        const withClassifier = verdictOf([learnedReason, { rule: 'LIKE_SPAM', weight: 2.5 }], 'medium');
        assert.ok(withClassifier.score >= USUAL_JUNK_SCORE, rule);
      }
    });
  });

  test('of one busy mailbox do not displace those of others', async () => {
    const mailbox = await newMailbox(db.database);
    const teachers = (await colleagues(mailbox, LEAST_MAILBOXES + 1)).toSorted((a, b) =>
      a.mailboxId < b.mailboxId ? -1 : 1,
    );
    const [busy, ...others] = teachers;
    assert.ok(busy !== undefined);
    for (let at = 0; at < 60; at++) await teach(busy, PILLS(100 + at), 'junk');
    for (const other of others) await teach(other, PILLS(20), 'junk');
    assert.deepEqual(await rulesFor(mailbox, PILLS(20)), ['LEARNED_VARIANT_3']);
  });

  test('of a deleted mailbox are dropped', async () => {
    const mailbox = await newMailbox(db.database);
    const gone = { ...mailbox, mailboxId: mailbox.projectId };
    await teach(gone, PILLS(1), 'junk');
    assert.equal(await totalsOf(gone), undefined);
  });
});

describe('a sender', () => {
  test('stays known however many others are marked, and the oldest mark is forgotten', async () => {
    const mailbox = await newMailbox(db.database);
    await learned.knowSenders(mailbox, ['friend@safe.example']);
    await sql`
      insert into mailbox_senders (project_id, mailbox_id, sender, is_proven, standing, noted_at)
      select ${mailbox.projectId}, ${mailbox.mailboxId}, 'x' || n || '@spam.example', true, 'spam', now() + n * interval '1 second'
      from generate_series(1, 5000) n`.execute(db.database);
    await sql`
      update mailbox_senders set noted_at = now() - interval '1 day'
      where mailbox_id = ${mailbox.mailboxId} and sender in ('friend@safe.example', 'x1@spam.example')`.execute(
      db.database,
    );
    await teach(mailbox, PILLS(1), 'junk');
    assert.deepEqual(await senderFor(mailbox, 'friend@safe.example'), ['SENDER_KNOWN']);
    assert.deepEqual(await senderFor(mailbox, 'x1@spam.example'), []);
    assert.deepEqual(await senderFor(mailbox, 'x2@spam.example'), ['SENDER_MARKED']);
  });

  const author = (at: number) => readSample(PILLS(at)).author;

  test('whose mail was moved into Junk stays marked until its mail is moved out', async () => {
    const mailbox = await newMailbox(db.database);
    await teach(mailbox, PILLS(1), 'junk');
    assert.deepEqual(await senderFor(mailbox, author(1)), ['SENDER_MARKED']);
    assert.deepEqual(await senderFor(mailbox, author(2)), []);
    await teach(mailbox, PILLS(1), 'ham');
    assert.deepEqual(await senderFor(mailbox, author(1)), ['SENDER_KNOWN']);
  });

  test('is not marked by mail that only claims to be from it, and is known only if it is proven', async () => {
    const mailbox = await newMailbox(db.database);
    await learned.knowSenders(mailbox, [author(1)]);
    await teach(mailbox, PILLS(1), 'junk', UNPROVEN);
    assert.deepEqual(await senderFor(mailbox, author(1)), ['SENDER_KNOWN']);
    assert.deepEqual(await senderFor(mailbox, author(1), UNPROVEN), ['SENDER_MARKED']);
    await teach(mailbox, PILLS(1), 'ham', UNPROVEN);
    assert.deepEqual(await senderFor(mailbox, author(1), UNPROVEN), []);
  });
});

test('customers of one host do not prove each other, and neither do the lists of one', () => {
  const sent: Authentication = {
    ...GENUINE,
    spf: { result: 'pass', domain: 'evil.github.io' },
    dkim: [],
    dmarc: { result: 'none', domain: 'friend.github.io', published: 'none' },
  };
  const senders = checkSenders({ author: 'jo@friend.github.io', list: 'devel.friend.github.io' }, sent);
  assert.deepEqual(senders, { proven: [], claimed: ['jo@friend.github.io'] });
});

describe('an author', () => {
  const authorOf = (from: string) => readSample(letter({ fields: { From: from } }).arrival.raw).author;
  const evil: Authentication = {
    ...GENUINE,
    spf: { result: 'pass', domain: 'evil.example' },
    dkim: [],
    dmarc: { result: 'pass', domain: 'evil.example', published: 'none' },
  };
  const CASES: [from: string, proven: string[]][] = [
    ['Boss <a@evil.example> (<friend@safe.example>)', ['a@evil.example']],
    ['(<friend@safe.example>) a@evil.example', ['a@evil.example']],
    ['"<friend@safe.example>" <a@evil.example>', ['a@evil.example']],
    ['friend@safe.example <a@evil.example>', ['a@evil.example']],
    ['<friend@safe.example>, <a@evil.example>', []],
    ['Boss <a@EVIL.example.>', ['a@evil.example']],
    ['Boss <friend@safe.example', []],
    ['', []],
  ];
  for (const [from, proven] of CASES)
    test(`of \`${from}\` is ${proven.length === 0 ? 'not proven' : 'proven'} by a check of evil.example`, () => {
      assert.deepEqual(checkSenders({ author: authorOf(from), list: '' }, evil).proven, proven);
      const unpublished: Authentication = { ...evil, dmarc: { ...evil.dmarc, result: 'none' } };
      assert.deepEqual(checkSenders({ author: authorOf(from), list: '' }, unpublished).proven, proven);
    });

  test('at an internationalized domain is named in A-labels, as DMARC names it', () => {
    const author = authorOf('Jo <jo@b\u00fccher.example>');
    assert.equal(author, 'jo@xn--bcher-kva.example');
  });
});

describe('a safe sender', () => {
  const author = 'jo@news.friends.example';
  const add = (mailbox: MailboxKey, sender: string) => addSender(db.database, mailbox, 'safe', sender);

  for (const sender of ['Jo@News.Friends.example', 'news.friends.example', '@friends.example'])
    test(`${sender} is recognized if it is proven, and only in its mailbox`, async () => {
      const mailbox = await newMailbox(db.database);
      const [other] = await colleagues(mailbox, 1);
      assert.ok(other !== undefined);
      await add(mailbox, sender);
      assert.deepEqual(await senderFor(mailbox, author), ['SENDER_SAFE']);
      assert.deepEqual(await senderFor(mailbox, author, UNPROVEN), []);
      assert.deepEqual(await senderFor(mailbox, 'jo@otherfriends.example'), []);
      assert.deepEqual(await senderFor(other, author), []);
    });

  test('of a project is safe in all its mailboxes, until it is removed', async () => {
    const mailbox = await newMailbox(db.database);
    const [other] = await colleagues(mailbox, 1);
    assert.ok(other !== undefined);
    await addSafeSenderOfProject(db.database, mailbox.projectId, 'friends.example');
    assert.deepEqual(await senderFor(other, author), ['SENDER_SAFE']);
    assert.deepEqual(await senderFor(await newMailbox(db.database), author), []);
    await removeSafeSenderOfProject(db.database, mailbox.projectId, 'friends.example');
    assert.deepEqual(await senderFor(other, author), []);
  });

  test('is not safe after its mail was moved into Junk, and not marked after it was added again', async () => {
    const mailbox = await newMailbox(db.database);
    const raw = letter({ fields: { From: `Jo <${author}>` } }).arrival.raw;
    await add(mailbox, author);
    await add(mailbox, 'friends.example');
    await teach(mailbox, raw, 'junk');
    assert.deepEqual(await senderFor(mailbox, author), ['SENDER_MARKED']);
    const listed = await listSenders(db.database, mailbox, 'safe');
    assert.deepEqual(
      listed.map(({ sender }) => sender),
      ['friends.example'],
    );
    await add(mailbox, 'friends.example');
    assert.deepEqual(await senderFor(mailbox, author), ['SENDER_SAFE']);
  });
});

describe('a mailing list', () => {
  const LIST = 'devel.lists.acme.example';
  const post = (at: number) =>
    letter({
      fields: { From: `Jo <jo${at}@host${at}.example>`, 'List-Id': `Devel <${LIST}>` },
      body: `${at}\r\n`,
    }).arrival.raw;

  test('is known once a message of it was kept, if its host is proven, and stays so when one of its messages is spam', async () => {
    const mailbox = await newMailbox(db.database);
    await teach(mailbox, post(1), 'ham', UNPROVEN);
    assert.deepEqual(await senderFor(mailbox, 'other@host9.example', PROVEN, LIST), []);
    await teach(mailbox, post(2), 'ham');
    await teach(mailbox, post(3), 'junk');
    assert.deepEqual(await senderFor(mailbox, 'other@host9.example', PROVEN, LIST), ['SENDER_KNOWN']);
    assert.deepEqual(await senderFor(mailbox, 'other@host9.example', UNPROVEN, LIST), []);
    assert.deepEqual(await senderFor(mailbox, 'jo3@host3.example', PROVEN, LIST), ['SENDER_MARKED']);
  });
});

describe('what users do', () => {
  test('teaches: moves into and out of Junk, filing, starring and writing', async () => {
    const blobs = new Blobs(db.database, new ObjectFiles('/nowhere'));
    const lessons = new Lessons({ database: db.database, blobs, learned });
    const store = new Store(db.database, null, lessons);
    const mailbox = await newMailbox(db.database);
    const raw = PILLS(1);
    const [stored] = await store.append([newMessage(mailbox, { bytes: raw })]);
    assert.ok(stored?.outcome === 'stored');
    let at = { folderId: stored.folderId, uid: stored.uid };
    const here = () => ({ ...mailbox, folderId: at.folderId });
    const range = () => [{ first: at.uid, last: at.uid }];
    const learnedNow = async () => {
      await lessons[Symbol.asyncDispose]();
      const totals = await totalsOf(mailbox);
      return totals === undefined ? null : [totals.junk, totals.ham];
    };
    const move = async (role: FolderRole) => {
      const result = await store.move(here(), range(), { role });
      assert.ok(result.outcome === 'filed');
      at = { folderId: result.folderId, uid: result.uids[0]?.to ?? 0 };
      return learnedNow();
    };
    assert.equal(await move('archive'), null);
    assert.deepEqual(await move('junk'), [1, 0]);
    const star = () => store.flag(here(), range(), { op: 'add', flags: FLAG.flagged, keywords: [] });
    await star();
    assert.deepEqual(await learnedNow(), [1, 0]);
    assert.deepEqual(await move('trash'), [1, 0]);
    assert.deepEqual(await move('junk'), [1, 0]);
    assert.deepEqual(await move('inbox'), [0, 1]);
    const [second] = await store.append([newMessage(mailbox, { bytes: CASINO(1) })]);
    assert.ok(second?.outcome === 'stored');
    at = second;
    await star();
    assert.deepEqual(await learnedNow(), [0, 2]);
    for (const [n, folder] of ([{ role: 'sent' }, { name: 'Sent' }] as const).entries()) {
      const facts = { to: [{ name: '', address: `New.Friend${n}@friends.example` }] };
      await store.append([newMessage(mailbox, { facts, folder })]);
      await learnedNow();
      assert.deepEqual(await senderFor(mailbox, `new.friend${n}@friends.example`), ['SENDER_KNOWN']);
    }
    const [third] = await store.append([newMessage(mailbox, { bytes: CASINO(2) })]);
    assert.ok(third?.outcome === 'stored');
    const answer = (tx: DatabaseTransaction) =>
      store.flagIn(tx, mailbox, third.objectId, { flags: FLAG.answered, keywords: [] });
    (await db.database.transaction().execute(answer))();
    assert.deepEqual(await learnedNow(), [0, 3]);
  });

  test('teaches nothing wrong in the folders of mail apps', async () => {
    const blobs = new Blobs(db.database, new ObjectFiles('/nowhere'));
    const lessons = new Lessons({ database: db.database, blobs, learned });
    const store = new Store(db.database, null, lessons);
    const FOLDERS: [name: string, uses: FolderUse[], junk: number, ham: number][] = [
      ['Deleted Items', [], 0, 0],
      ['Mine/spam', [], 0, 0],
      ['Gone', ['trash'], 0, 0],
      ['Unwanted', ['junk'], 1, 0],
      ['Spam', ['junk'], 1, 0],
      ['Trashy novels', [], 0, 1],
    ];
    for (const [name, uses, junk, ham] of FOLDERS) {
      const mailbox = await newMailbox(db.database);
      const [stored] = await store.append([newMessage(mailbox, { bytes: PILLS(1) })]);
      assert.ok(stored?.outcome === 'stored');
      if (name.includes('/')) await store.createFolder(mailbox, { name: 'Mine' });
      await store.createFolder(mailbox, { name, uses });
      const from = { ...mailbox, folderId: stored.folderId };
      const range = [{ first: stored.uid, last: stored.uid }];
      assert.equal((await store.move(from, range, { name })).outcome, 'filed');
      await lessons[Symbol.asyncDispose]();
      const totals = (await totalsOf(mailbox)) ?? { junk: 0, ham: 0 };
      assert.deepEqual(totals, { junk, ham }, name);
    }
  });
});

describe('the probability that a message is spam', () => {
  const totals = { junk: 100, ham: 100 };
  const CASES: [name: string, tokens: { junk: number; ham: number }[], from: number, to: number][] = [
    [
      'is high if all its words are spam words',
      Array.from({ length: 30 }, () => ({ junk: 50, ham: 0 })),
      0.99,
      1,
    ],
    ['is low if it has no spam words', Array.from({ length: 30 }, () => ({ junk: 0, ham: 50 })), 0, 0.01],
    [
      'is medium if spam words and other words balance',
      [
        ...Array.from({ length: 30 }, () => ({ junk: 50, ham: 0 })),
        ...Array.from({ length: 30 }, () => ({ junk: 0, ham: 50 })),
      ],
      0.4,
      0.6,
    ],
    [
      'is a number even for many words',
      Array.from({ length: 5_000 }, () => ({ junk: 100, ham: 0 })),
      0.99,
      1,
    ],
  ];
  for (const [name, tokens, from, to] of CASES) {
    test(name, () => {
      const probability = spamProbability(tokens, totals);
      assert.ok(probability !== null && probability >= from && probability <= to, `${probability}`);
    });
  }

  test('is unknown if too few words are significant', () => {
    assert.equal(spamProbability([{ junk: 50, ham: 0 }], totals), null);
    assert.equal(
      spamProbability(
        Array.from({ length: 50 }, () => ({ junk: 10, ham: 10 })),
        totals,
      ),
      null,
    );
  });
});

test('learned words do not decide alone about a message that reads like wanted mail', () => {
  const own = {
    junk: 10,
    ham: 30,
    tokens: Array.from({ length: 40 }, (): [number, number] => [10, 1]),
    overlaps: null,
    isDomainMarked: false,
  };
  const project = { junk: 0, ham: 0, tokens: null, others: null };
  const weightIf = (readsWanted: boolean) => reasonsOf(own, project, { total: 50, readsWanted });
  assert.deepEqual(weightIf(false), [{ rule: 'LEARNED_99', weight: Infinity }]);
  assert.deepEqual(weightIf(true), [{ rule: 'LEARNED_99', weight: 3.5 }]);
  // Similar mail, and mail of the same domain, has the same words.
  const hinted = { ...own, isDomainMarked: true };
  assert.deepEqual(reasonsOf(hinted, project, { total: 50, readsWanted: true }), weightIf(true));
  const both = reasonsOf({ ...hinted, tokens: null }, project, { total: 50, readsWanted: true });
  assert.deepEqual(
    both.map(({ rule }) => rule),
    ['LEARNED_DOMAIN'],
  );
});
