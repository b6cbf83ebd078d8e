/** Automatic mail of a mailbox: vacation replies and forwarded messages. */
import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { newAlias, newMailbox } from '../../../test/support/mail.ts';
import { newProject } from '../../../test/support/projects.ts';
import { emptyQueue } from '../../../test/support/queue-rows.ts';
import { Mailboxes } from '../../mailboxes/mailboxes.ts';
import { recordSender } from '../../mailboxes/reserved-addresses.ts';
import * as clock from '../../model/clock.ts';
import { firstUuidAt, newUuid } from '../../model/ids.ts';
import { decodeEncodedWords, decodeText, fieldValue, readEntity } from '../../rfc/mime/index.ts';
import { ReturnPaths } from '../../reports/return-path.ts';
import { ServiceTokens } from '../../sending/service-mail/service-tokens.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { endForwarding, setForwarding } from '../forward/forwarding.ts';
import { addSender } from '../rules/sender-lists.ts';
import { addRule } from '../rules/mailbox-rules.ts';
import { actionFrom, conditionFrom } from '../rules/rule-words.ts';
import { setVacation } from '../vacation/vacation.ts';
import { filerFixture, mail, to } from './filer.fixture.ts';

const fixture = filerFixture();
const { filerWith, heldBy } = fixture;
beforeEach(() => emptyQueue(fixture.database));

const RAW =
  'From: Bert <b@sender.example>\r\nTo: anna@acme.example\r\nSubject: Grüße\r\nMessage-ID: <1@sender.example>\r\n\r\nHi\r\n';

async function delivery(mailbox: MailboxKey, address = 'anna@acme.example') {
  const { filingVersion } = await fixture.database
    .selectFrom('mailboxes')
    .select('filingVersion')
    .where('id', '=', mailbox.mailboxId)
    .executeTakeFirstOrThrow();
  return to(mailbox, 'medium', address, filingVersion);
}

/** The messages of the mailbox that are in the queue, with their bytes. */
async function sentBy({ projectId, mailboxId }: MailboxKey) {
  const { rows } = await sql<{
    kind: string;
    reversePath: string;
    address: string;
    notify: number;
    digest: Buffer;
    bytes: Buffer;
  }>`
    select s.kind, s.reverse_path, r.address, r.notify, s.digest from submissions s
    join submission_recipients r on r.project_id = s.project_id and r.submission_id = s.id
    join queue q on q.project_id = s.project_id and q.email_id = s.id
    where s.project_id = ${projectId} and s.mailbox_id = ${mailboxId} order by s.id, r.address`.execute(
    fixture.database,
  );
  return Promise.all(
    rows.map(async ({ digest, ...row }) => ({ ...row, bytes: await fixture.bytesOf(projectId, digest) })),
  );
}

/** Copies the mailbox's sent mail this many times, so that the copies count against today's limit. */
async function sentAgain({ mailboxId }: MailboxKey, times: number): Promise<void> {
  await sql`
    insert into submissions select (s).* from (
      select json_populate_record(s, json_build_object('id', uuidv7())) as s from submissions s, generate_series(1, ${times}::int)
      where s.mailbox_id = ${mailboxId}) m`.execute(fixture.database);
}

const AWAY = {
  subject: null,
  text: 'I am back on Mönday.',
  html: null,
  startsAt: null,
  endsAt: null,
  days: 7,
};
const days = (count: number) => new Date(clock.nowMs() + count * 24 * 3_600_000);

async function away(vacation: Partial<typeof AWAY> | { startsAt?: Date; endsAt?: Date } = {}) {
  const anna = await newMailbox(fixture.database);
  await setVacation(fixture.database, anna, { ...AWAY, ...vacation });
  return anna;
}

describe('a mailbox with a vacation reply', () => {
  test('replies in the thread of the message, with fields that prevent automatic replies', async () => {
    const anna = await away();
    assert.equal(await filerWith().file(mail(RAW), [await delivery(anna)], false), 'accepted');
    const [answer, ...others] = await sentBy(anna);
    assert.deepEqual(others, []);
    assert.ok(answer);
    assert.deepEqual(
      [answer.kind, answer.reversePath, answer.address, answer.notify],
      ['vacation', '', 'b@sender.example', 0],
    );
    const entity = readEntity(answer.bytes);
    const field = (name: string) => fieldValue(entity.fields, name);
    assert.equal(field('from'), 'anna@acme.example');
    assert.equal(field('to'), 'b@sender.example');
    assert.equal(field('auto-submitted'), 'auto-replied');
    assert.equal(field('in-reply-to'), '<1@sender.example>');
    assert.equal(field('references'), '<1@sender.example>');
    assert.match(field('subject') ?? '', /^Auto: =\?utf-8/i);
    assert.equal(decodeText(answer.bytes, entity, 1_000).trim(), 'I am back on Mönday.');
    assert.deepEqual(await fixture.foldersOf(anna), ['inbox']);
  });

  test('replies to each sender once, and once more after a week or after a change of the text', async () => {
    const anna = await away();
    const filer = filerWith();
    const write = async (from: string) => {
      const raw = RAW.replace('b@sender.example', from);
      await filer.file({ ...mail(raw), reversePath: from }, [await delivery(anna)], false);
      return (await sentBy(anna)).length;
    };
    assert.equal(await write('b@sender.example'), 1);
    assert.equal(await write('B@sender.example'), 1);
    assert.equal(await write('c@sender.example'), 2);
    await sql`update vacation_answers set answered_at = answered_at - interval '8 days'`.execute(
      fixture.database,
    );
    assert.equal(await write('b@sender.example'), 3);
    await setVacation(fixture.database, anna, { ...AWAY, text: 'Longer' });
    assert.equal(await write('b@sender.example'), 4);
  });

  test('replies with a new display name as soon as it is set', async () => {
    const anna = await away();
    const filer = filerWith();
    const names: (string | null)[] = [];
    for (const display_name of ['Anna', 'Anna Müller']) {
      await new Mailboxes({ database: fixture.database, hostedDomain: 'hosted.example' }).update(
        anna.projectId,
        anna.mailboxId,
        { display_name },
      );
      const from = `${names.length}@sender.example`;
      const message = { ...mail(RAW.replace('b@sender.example', from)), reversePath: from };
      await filer.file(message, [await delivery(anna)], false);
      const { fields } = readEntity((await sentBy(anna)).at(-1)?.bytes ?? Buffer.alloc(0));
      names.push(decodeEncodedWords(fieldValue(fields, 'from') ?? ''));
    }
    assert.deepEqual(names, ['Anna <anna@acme.example>', 'Anna Müller <anna@acme.example>']);
  });

  test('does not reply from a reserved address, but still receives mail', async () => {
    const anna = await away();
    const { domain } = await fixture.database
      .selectFrom('mailboxes')
      .select('domain')
      .where('id', '=', anna.mailboxId)
      .executeTakeFirstOrThrow();
    await recordSender(fixture.database, { address: `anna@${domain}`, localPart: 'anna', domain });
    await filerWith().file(mail(RAW), [await delivery(anna)], false);
    assert.deepEqual(await sentBy(anna), []);
    assert.deepEqual(await fixture.foldersOf(anna), ['inbox']);
  });

  test('sends at most 200 replies a day', async () => {
    const anna = await away();
    await filerWith().file(mail(RAW), [await delivery(anna)], false);
    await sentAgain(anna, 199);
    const other = { ...mail(RAW.replace('b@', 'c@')), reversePath: 'c@sender.example' };
    await filerWith().file(other, [await delivery(anna)], false);
    assert.equal((await sentBy(anna)).length, 1);
  });

  test('replies to a return path once, even if the authors differ', async () => {
    const anna = await away();
    for (const author of ['b', 'c', 'd'])
      await filerWith().file(mail(RAW.replace('b@', `${author}@`)), [await delivery(anna)], false);
    assert.equal((await sentBy(anna)).length, 1);
  });

  test('replies to a local mailbox at its own address, not at its return path', async () => {
    const [anna, bert] = [await away(), await newMailbox(fixture.database)];
    const returnPaths = new ReturnPaths(createSecretKey(Buffer.alloc(32, 2)));
    const reversePath = returnPaths.mintForMailbox(bert, clock.now(), 'send.sender.example');
    const filer = filerWith({}, { returnPaths });
    await filer.file({ ...mail(RAW), reversePath }, [await delivery(anna)], false);
    const forged = reversePath.replace('@send.', '@elsewhere.');
    const other = { ...mail(RAW.replace('b@', 'c@')), reversePath: forged };
    await filer.file(other, [await delivery(anna)], false);
    assert.deepEqual(
      (await sentBy(anna)).map(({ address }) => address),
      [`anna@${bert.mailboxId.slice(-12)}.example`, forged],
    );
  });

  test('does not reply to mail that its owner sends from an alias', async () => {
    const anna = await away();
    const alias = `sales@${anna.mailboxId.slice(-12)}.example`;
    await newAlias(fixture.database, 'sales', [anna]);
    const message = { ...mail(RAW.replace('b@sender.example', alias)), reversePath: 'm+1@send.acme.example' };
    await filerWith().file(message, [await delivery(anna)], false);
    assert.deepEqual(await sentBy(anna), []);
  });

  for (const [when, vacation, answers] of [
    ['before the start date', { startsAt: days(1) }, 0],
    ['between the dates', { startsAt: days(-1), endsAt: days(1) }, 1],
    ['after the end date', { endsAt: days(-1) }, 0],
  ] as const) {
    test(`sends ${answers} replies ${when}`, async () => {
      const anna = await away(vacation);
      await filerWith().file(mail(RAW), [await delivery(anna)], false);
      assert.equal((await sentBy(anna)).length, answers);
    });
  }

  test('does not reply to spam, and replies once to a message that is delivered twice', async () => {
    const anna = await away();
    await filerWith({ score: 9 }).file(mail(RAW), [await delivery(anna)], false);
    const message = { ...mail(RAW), objectId: newUuid() };
    await filerWith().file(message, [await delivery(anna)], false);
    assert.equal(await filerWith().file(message, [await delivery(anna)], false), 'accepted');
    assert.equal((await sentBy(anna)).length, 1);
    assert.deepEqual(await fixture.foldersOf(anna), ['junk', 'inbox']);
  });
});

describe('a mailbox that forwards', () => {
  test('stores a copy, and forwards the same bytes with a return path for forwards', async () => {
    const anna = await newMailbox(fixture.database);
    await setForwarding(fixture.database, anna, 'anna@Elsewhere.example', true);
    assert.equal(await filerWith().file(mail(RAW), [await delivery(anna)], false), 'accepted');
    const [forward] = await sentBy(anna);
    assert.equal(forward?.kind, 'forward');
    assert.equal(forward?.address, 'anna@elsewhere.example');
    assert.match(forward?.reversePath ?? '', /^f\+.{62}@send\.acme\.example$/);
    const [stored] = await heldBy(anna);
    assert.equal(forward?.bytes.toString(), stored?.bytes);
    await endForwarding(fixture.database, anna);
    await filerWith().file(mail(RAW), [await delivery(anna)], false);
    assert.equal((await sentBy(anna)).length, 1);
  });

  test('stores no copy if its owner wants none, and forwards a redelivered message only once', async () => {
    const anna = await newMailbox(fixture.database);
    await setForwarding(fixture.database, anna, 'anna@elsewhere.example', false);
    const message = { ...mail(RAW), objectId: newUuid() };
    for (let n = 0; n < 2; n++)
      assert.equal(await filerWith().file(message, [await delivery(anna)], false), 'accepted');
    assert.deepEqual(
      (await sentBy(anna)).map(({ kind }) => kind),
      ['moved'],
    );
    assert.deepEqual(await heldBy(anna), []);
  });

  test('forwards a message only once if the message arrives through several other forwarding mailboxes', async () => {
    const anna = await newMailbox(fixture.database);
    await setForwarding(fixture.database, anna, 'c@x.example', true);
    const filer = filerWith();
    for (const [passedBy, raw] of [
      ['b', RAW],
      ['c', RAW],
      ['d', RAW.replace('Hi', 'Other')],
    ] as const) {
      const bytes = `Delivered-To: ${passedBy}@acme.example\r\n${raw}`;
      const message = { ...mail(bytes), objectId: newUuid(), isForwarded: true };
      assert.equal(await filer.file(message, [await delivery(anna)], false), 'accepted');
    }
    assert.equal((await sentBy(anna)).length, 2);
    assert.equal((await heldBy(anna)).length, 3);
  });

  test('stores mail that must not be forwarded: spam, deleted mail, bounce reports and looping mail', async () => {
    const anna = await newMailbox(fixture.database);
    await setForwarding(fixture.database, anna, 'anna@elsewhere.example', false);
    const file = async (raw: string, more = {}, score = 0) =>
      filerWith({ score }).file(mail(raw), [{ ...(await delivery(anna)), ...more }], false);
    await file(RAW, {}, 9);
    await file(RAW, { isReturnPath: true, isReport: true });
    await addRule(fixture.database, anna, {
      name: 'x',
      is_any: false,
      conditions: [conditionFrom('subject contains offer')],
      actions: [actionFrom('delete')],
    });
    await file(RAW.replace('Grüße', 'offer'));
    const before = `Delivered-To: anna@acme.example\r\n${RAW}`;
    assert.equal(await file(before), 'loop');
    const throughAlias = { ...(await delivery(anna)), address: 'team@acme.example' };
    await filerWith().file(mail(before), [throughAlias], false);
    assert.deepEqual(await fixture.foldersOf(anna), ['junk', 'inbox', 'trash', 'inbox']);
    assert.deepEqual(await sentBy(anna), []);
  });

  test('forwards a report with the null reverse-path, so that no report about the report is sent', async () => {
    const anna = await newMailbox(fixture.database);
    await setForwarding(fixture.database, anna, 'anna@elsewhere.example', true);
    await filerWith().file({ ...mail(RAW), reversePath: '' }, [await delivery(anna)], false);
    assert.equal((await sentBy(anna))[0]?.reversePath, '');
  });

  test('also forwards to the targets of rules, except disabled targets and addresses of the mailbox', async () => {
    const anna = await newMailbox(fixture.database);
    for (const target of ['c@x.example', 'd@x.example', 'anna@acme.example', 'ANNA+x@acme.example'])
      await addRule(fixture.database, anna, {
        name: 'x',
        is_any: false,
        conditions: [conditionFrom('size over 0')],
        actions: [actionFrom(`forward ${target}`)],
      });
    await sql`insert into forward_failures values (${anna.projectId}, ${anna.mailboxId}, 'd@x.example', 10, now(), now(), 'No')`.execute(
      fixture.database,
    );
    await filerWith().file(mail(RAW), [await delivery(anna)], false);
    assert.deepEqual(
      (await sentBy(anna)).map(({ kind, address }) => [kind, address]),
      [['forward', 'c@x.example']],
    );
  });

  test('forwards at most a thousand messages a day, and stores further messages', async () => {
    const anna = await newMailbox(fixture.database);
    await setForwarding(fixture.database, anna, 'anna@elsewhere.example', false);
    await filerWith().file(mail(RAW), [await delivery(anna)], false);
    await sentAgain(anna, 999);
    await filerWith().file(mail(RAW), [await delivery(anna)], false);
    assert.equal((await sentBy(anna)).length, 1);
    assert.deepEqual(await fixture.foldersOf(anna), ['inbox']);
  });
});

describe('service mail', () => {
  const tokens = new ServiceTokens(createSecretKey(Buffer.alloc(32, 3)));
  const messageId = (age = 0) => tokens.messageIdFor(firstUuidAt(days(-age)), 'hosted.example');
  const withId = (id: string) => RAW.replace('<1@sender.example>', id);

  const withField = (id: string) => `X-Posthorn-Service: ${id}\r\n${RAW}`;

  /** A mailbox that forwards, replies, and has a rule that forwards. */
  async function automaticMailbox(): Promise<MailboxKey> {
    const anna = await away();
    await setForwarding(fixture.database, anna, 'anna@elsewhere.example', false);
    const rule = { name: 'x', is_any: false, conditions: [conditionFrom('size over 0')] };
    const actions = [actionFrom('forward c@x.example'), actionFrom('keyword service')];
    await addRule(fixture.database, anna, { ...rule, actions });
    return anna;
  }

  for (const [name, message, isService] of [
    ['from this instance', { ...mail(RAW), isOwn: true, isService: true }, true],
    ['from outside with a live token', mail(withId(messageId())), true],
    ['from outside whose Message-ID was replaced', mail(withField(messageId())), true],
    ['that a local mailbox forwards', { ...mail(withId(messageId())), isForwarded: true }, true],
    ['with a token of eight days ago', mail(withId(messageId(8))), false],
    ['with a token of eight days ago in its field', mail(withField(messageId(8))), false],
    ['with a forged token', mail(withId(messageId().replace(/.@/, '!@'))), false],
    ['that quotes a live token', mail(RAW.replace('Hi', messageId())), false],
  ] as const)
    test(`${name} ${isService ? 'is stored, but neither forwarded nor answered' : 'is forwarded and answered as usual'}`, async () => {
      const anna = await automaticMailbox();
      const filer = filerWith({}, { serviceTokens: tokens });
      assert.equal(await filer.file(message, [await delivery(anna)], false), 'accepted');
      assert.deepEqual(
        (await sentBy(anna)).map(({ kind }) => kind).sort(),
        isService ? [] : ['forward', 'moved', 'vacation'],
      );
      const stored = (await heldBy(anna)).map(({ folder, keywords }) => [folder, keywords]);
      assert.deepEqual(stored, isService ? [['inbox', ['service']]] : []);
    });

  describe('for a mailbox that several people can open', () => {
    const service = { ...mail(RAW), isOwn: true, isService: true };
    const sharedMailbox = async (projectId: string) => {
      const info = await newMailbox(fixture.database, { projectId });
      await fixture.database
        .updateTable('mailboxes')
        .set({ isShared: true })
        .where('id', '=', info.mailboxId)
        .execute();
      return info;
    };

    test('is refused with a reason', async () => {
      const info = await sharedMailbox(await newProject(fixture.database));
      assert.deepEqual(await filerWith().file(service, [await delivery(info)], false), {
        refused: '5.7.1 Several people can open this mailbox, so it receives no mail of the service',
      });
      assert.deepEqual(await heldBy(info), []);
    });

    for (const [name, hasOthers] of [
      ['another mailbox', false],
      ['another recipient of the connection', true],
    ] as const)
      test(`is replaced with a notice if ${name} gets it`, async () => {
        const projectId = await newProject(fixture.database);
        const [info, ann] = [
          await sharedMailbox(projectId),
          await newMailbox(fixture.database, { projectId }),
        ];
        const recipients = [await delivery(info, 'all@acme.example')];
        if (!hasOthers) recipients.push(await delivery(ann, 'all@acme.example'));
        const objectId = newUuid();
        for (let attempt = 0; attempt < 2; attempt++)
          assert.equal(await filerWith().file({ ...service, objectId }, recipients, hasOthers), 'accepted');
        const [notice, ...others] = await heldBy(info);
        assert.deepEqual(others, []);
        assert.match(notice?.bytes ?? '', /sent a message to all@acme\.example/);
        assert.ok(!notice?.bytes.includes('Hi'));
        assert.equal((await heldBy(ann)).length, hasOthers ? 0 : 1);
      });
  });

  test('with a copied token does not bypass the block list', async () => {
    const anna = await automaticMailbox();
    await addSender(fixture.database, anna, 'blocked', 'b@sender.example');
    const filer = filerWith({}, { serviceTokens: tokens });
    assert.deepEqual(await filer.file(mail(withId(messageId())), [await delivery(anna)], false), {
      refused: '5.7.1 The recipient does not accept mail from this sender',
    });
  });
});

test('a message is filed even if its automatic mail cannot be stored', async () => {
  const anna = await newMailbox(fixture.database);
  await setForwarding(fixture.database, anna, 'anna@elsewhere.example', false);
  const returnPaths = { mintForForward: () => 'not for PostgreSQL: \0', verifyMailbox: () => null };
  assert.equal(
    await filerWith({}, { returnPaths }).file(mail(RAW), [await delivery(anna)], false),
    'accepted',
  );
  assert.deepEqual(await fixture.foldersOf(anna), ['inbox']);
  assert.deepEqual(await sentBy(anna), []);
});
