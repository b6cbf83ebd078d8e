import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newMailbox } from '../../../test/support/mail.ts';
import { Networks } from '../../net/networks.ts';
import { newProject } from '../../../test/support/projects.ts';
import { Store } from '../../store/store.ts';
import { TrustedRelays } from '../authenticate/trusted-relays.ts';
import { filerFixture, mail, RAW, to } from './filer.fixture.ts';
import type { MessageFilerOptions } from './message-filer.ts';

const fixture = filerFixture();
const { filerWith, heldBy } = fixture;
const foldersOf: typeof fixture.foldersOf = (mailbox) => fixture.foldersOf(mailbox);

describe('a message', () => {
  test('is stored unchanged in the Inbox, with our trace fields in front', async () => {
    const anna = await newMailbox(fixture.database);
    assert.equal(await filerWith().file(mail(), [to(anna)], false), 'accepted');
    const [stored] = await heldBy(anna);
    assert.equal(stored?.folder, 'inbox');
    const [fields, rest] = [stored.bytes.slice(0, -RAW.length), stored.bytes.slice(-RAW.length)];
    assert.equal(rest, RAW);
    assert.match(
      fields,
      /^Return-Path: <b@sender\.example>\r\nDelivered-To: anna@acme\.example\r\nReceived: from (.|\r\n)*\r\nAuthentication-Results: mx\.acme\.example;(.|\r\n)*\r\nX-Spam-Status: No, .*\r\n$/,
    );
    const unread = await fixture.database
      .selectFrom('folders')
      .select('unseen')
      .where('mailboxId', '=', anna.mailboxId)
      .where('role', '=', 'inbox')
      .executeTakeFirst();
    assert.equal(unread?.unseen, 1);
  });

  test('is stored with the results of its checks, without the text of Authentication-Results, which is in the message', async () => {
    const anna = await newMailbox(fixture.database);
    await filerWith().file(mail(), [to(anna)], false);
    const { authentication } = await fixture.database
      .selectFrom('messageContents')
      .select('authentication')
      .where('mailboxId', '=', anna.mailboxId)
      .executeTakeFirstOrThrow();
    const { header: _, ...results } = fixture.examination().authentication;
    assert.deepEqual(authentication, results);
  });

  test("from a trusted relay is examined by the relay's client, even when a mailbox forwards the message", async () => {
    const examined: object[] = [];
    const examiner: MessageFilerOptions['examiner'] = {
      async examine({ address, helo, mailFrom, isRelayed }) {
        examined.push({ address, helo, mailFrom, isRelayed });
        return fixture.examination({ iprev: { result: 'pass', name: 'other.example' } });
      },
    };
    const relays = new TrustedRelays(new Networks(['198.51.100.7']));
    const anna = await newMailbox(fixture.database);
    const filer = filerWith({}, { examiner, relays });
    const received = 'Received: from mx.test (mx.test [192.0.2.1]) by gw (Postfix) id 1; x\r\n';
    const client = { address: '198.51.100.7', helo: 'gw.test' };
    await filer.file({ ...mail(received + RAW), ...client }, [to(anna)], false);
    const [stored] = await heldBy(anna);
    assert.match(stored?.bytes ?? '', /^Received: from gw\.test \(\[198\.51\.100\.7\]\)\r$/m);
    const origin = { ...client, mailFrom: 'b@sender.example' };
    const passedOn = { ...mail(stored?.bytes), address: '127.0.0.1', origin };
    await filer.file(passedOn, [to(await newMailbox(fixture.database))], false);
    const expected = { address: '192.0.2.1', helo: 'mx.test', mailFrom: 'b@sender.example', isRelayed: true };
    assert.deepEqual(examined, [expected, expected]);
  });

  test('for several mailboxes of a project is stored once and names none of the recipients', async () => {
    const projectId = await newProject(fixture.database);
    const mailboxes = [
      await newMailbox(fixture.database, { projectId }),
      await newMailbox(fixture.database, { projectId }),
    ];
    const elsewhere = await newMailbox(fixture.database);
    const all = [...mailboxes, elsewhere].map((one, n) => to(one, 'medium', `m${n}@acme.example`));
    assert.equal(await filerWith().file(mail(), all, false), 'accepted');
    const [first, second] = await Promise.all(mailboxes.map(heldBy));
    assert.deepEqual(first, second);
    assert.doesNotMatch(first?.[0]?.bytes ?? '', /m\d@acme/);
    assert.equal((await heldBy(elsewhere)).length, 1);
    const blobs = await fixture.database
      .selectFrom('blobs')
      .select('digest')
      .where('projectId', '=', projectId)
      .execute();
    assert.equal(blobs.length, 1);
  });

  test('is delivered once to a mailbox with several addresses among the recipients', async () => {
    const anna = await newMailbox(fixture.database);
    const both = [to(anna), to(anna, 'medium', 'anna+x@acme.example')];
    assert.equal(await filerWith().file(mail(), both, false), 'accepted');
    const stored = await heldBy(anna);
    assert.equal(stored.length, 1);
    assert.match(stored[0]?.bytes ?? '', /^Delivered-To: anna@acme\.example\r$/m);
  });

  test('for an alias names the alias in each mailbox, and is delivered once to a mailbox that is also a recipient', async () => {
    const [anna, bert] = [await newMailbox(fixture.database), await newMailbox(fixture.database)];
    const alias = [anna, bert].map((one) => to(one, 'medium', 'team@acme.example'));
    assert.equal(await filerWith().file(mail(), alias, false), 'accepted');
    assert.equal(await filerWith().file(mail(), [to(anna), ...alias], false), 'accepted');
    for (const mailbox of [anna, bert]) {
      const stored = await heldBy(mailbox);
      assert.deepEqual(
        stored.map(({ bytes }) => /^Delivered-To: (.*)\r$/m.exec(bytes)?.[1]),
        ['team@acme.example', undefined],
      );
    }
  });

  test('that begins with a space cannot extend our trace fields', async () => {
    const anna = await newMailbox(fixture.database);
    await filerWith().file(mail('\t; dkim=pass header.d=bank.example\r\n\r\nx'), [to(anna)], false);
    const [stored] = await heldBy(anna);
    const header = stored?.bytes.split('\r\n\r\n')[0];
    assert.doesNotMatch(header ?? '', /bank/);
  });

  test('of several megabytes is stored unchanged', async () => {
    const anna = await newMailbox(fixture.database);
    const raw = `${RAW}${'x'.repeat(70).concat('\r\n').repeat(30_000)}`;
    assert.equal(await filerWith().file(mail(raw), [to(anna)], false), 'accepted');
    const [stored] = await heldBy(anna);
    assert.ok(stored?.bytes.endsWith(raw));
  });
});

describe('mailboxes with different spam levels', () => {
  test('get the message in Junk only if the verdict of their own project is spam', async () => {
    const [anna, bert] = [await newMailbox(fixture.database), await newMailbox(fixture.database)];
    const filer = filerWith({ score: { [anna.projectId]: 7, [bert.projectId]: 1 } });
    assert.equal(await filer.file(mail(), [to(anna), to(bert)], false), 'accepted');
    assert.deepEqual([await foldersOf(anna), await foldersOf(bert)], [['junk'], ['inbox']]);
  });

  test('reject a message and store nothing if all mailboxes refuse the message', async () => {
    const [anna, bert] = [await newMailbox(fixture.database), await newMailbox(fixture.database)];
    const answer = await filerWith({ score: 15 }).file(mail(), [to(anna), to(bert, 'high')], false);
    assert.deepEqual(answer, { refused: '5.7.1 the message looks like spam' });
    assert.deepEqual([await foldersOf(anna), await foldersOf(bert)], [[], []]);
  });

  test('get a refused message in Junk if another mailbox accepts the message', async () => {
    const [anna, bert, carl] = [
      await newMailbox(fixture.database),
      await newMailbox(fixture.database),
      await newMailbox(fixture.database),
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

  test("apply the DMARC policy of the author's domain", async () => {
    const anna = await newMailbox(fixture.database);
    const dmarc = { result: 'fail', domain: 'sender.example', published: 'reject' } as const;
    const rejected = await filerWith({ dmarc, policy: 'reject' }).file(mail(), [to(anna)], false);
    assert.ok(
      typeof rejected === 'object' && rejected.refused.startsWith('5.7.1 sender.example has a DMARC policy'),
    );
    await filerWith({ dmarc, policy: 'quarantine' }).file(mail(), [to(anna)], false);
    await filerWith({ dmarc, policy: 'reject' }).file(mail(), [to(anna, 'off')], false);
    assert.deepEqual(await foldersOf(anna), ['junk', 'junk']);
  });

  test('reject a message whose header is too long to examine, at every level', async () => {
    const anna = await newMailbox(fixture.database);
    const answer = await filerWith().file(mail(`X-Long: x\r\n${RAW}`), [to(anna, 'off')], false);
    assert.deepEqual(answer, { refused: '5.3.4 The header is too long' });
  });

  test('reject a looping message, or get the message in Junk if another mailbox accepts the message', async () => {
    const [anna, bert] = [await newMailbox(fixture.database), await newMailbox(fixture.database)];
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

describe('a mailbox that became full after RCPT', () => {
  const large = mail(`${RAW}${'x'.repeat(1_000).concat('\r\n').repeat(1_100)}`);

  test('gets no more mail, and the sender gets a temporary error', async () => {
    const anna = await newMailbox(fixture.database, { quotaMb: 1 });
    assert.equal(await filerWith().file(large, [to(anna)], false), 'mailboxFull');
    assert.deepEqual(await foldersOf(anna), []);
  });

  test('still gets mail that another mailbox accepts, because all recipients share one reply', async () => {
    const [anna, bert] = [
      await newMailbox(fixture.database, { quotaMb: 1 }),
      await newMailbox(fixture.database),
    ];
    assert.equal(await filerWith().file(large, [to(anna), to(bert)], false), 'accepted');
    assert.deepEqual([await foldersOf(anna), await foldersOf(bert)], [['inbox'], ['inbox']]);
  });
});

test('a mailbox deleted after RCPT gets no copy, but the other recipients get theirs', async () => {
  const [deleted, anna] = [await newMailbox(fixture.database), await newMailbox(fixture.database)];
  await fixture.database.deleteFrom('mailboxes').where('id', '=', deleted.mailboxId).execute();
  assert.deepEqual(await filerWith().file(mail(), [to(deleted)], false), {
    refused: '5.1.1 No such recipient',
  });
  assert.equal(await filerWith().file(mail(), [to(deleted), to(anna)], false), 'accepted');
  assert.deepEqual(await foldersOf(anna), ['inbox']);
});

test('a message whose client has timed out is not filed, because each retry would store it again', async () => {
  const mailbox = await newMailbox(fixture.database);
  const hasty = filerWith({}, { timings: { patienceMs: -1 } });
  await assert.rejects(hasty.file(mail(), [to(mailbox)], false), /waited too long/);
  assert.deepEqual(await heldBy(mailbox), []);
});

test('a message that cannot be committed causes a temporary error, so that the sender retries', async () => {
  const anna = await newMailbox(fixture.database);
  const failing = Object.assign(new Store(fixture.database), {
    append: () => Promise.reject(new Error('a bug')),
  });
  const logged: unknown[] = [];
  const logger = { info: () => {}, error: (...line: unknown[]) => logged.push(line) };
  await assert.rejects(filerWith({}, { store: failing, logger }).file(mail(), [to(anna)], false), /a bug/);
  assert.equal(logged.length, 1);
});
