import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createApiKey } from '../../../accounts/keys/api-keys.ts';
import { recordSender } from '../../../mailboxes/reserved-addresses.ts';
import { TokenBuckets } from '../../../concurrency/rate-limit.ts';
import { recordEvents } from '../../../sending/events/record-events.ts';
import { newWebhook } from '../../../../test/support/webhooks.ts';
import { newEvent } from '../../../../test/support/events.ts';
import { HOSTED_DOMAIN } from '../../../../test/support/api.ts';
import { TestClient } from '../dialogue.fixture.ts';
import {
  submitMessage,
  mailOf,
  plain,
  startTestSubmission,
  type TestSubmission,
} from './submission.fixture.ts';

let listener: TestSubmission;
before(async () => {
  listener = await startTestSubmission();
  await recordSender(listener.db.database, { address: SERVICE, localPart: 'service', domain: HOSTED_DOMAIN });
});
after(() => listener[Symbol.asyncDispose]());

/** The sender of service mail. */
const SERVICE = `service@${HOSTED_DOMAIN}`;
const FROM = `shop@${HOSTED_DOMAIN}`;
const HEADER = `From: Shop <${FROM}>\r\nTo: b@dst.test\r\nSubject: Hello\r\n`;

async function caller(fields?: Parameters<TestSubmission['newCaller']>[0]) {
  const { projectId, token } = await listener.newCaller(fields);
  const client = await listener.signedIn('apikey', token);
  return {
    projectId,
    token,
    client,
    emails: () => listener.emailsOf(projectId),
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
}

describe('applications with an API key', () => {
  test('an email that an application submits is stored like an email of the API', async () => {
    using app = await caller();
    const reply = await submitMessage(
      app.client,
      mailOf(
        [
          `From: =?utf-8?q?J=C3=B6rgs?= Laden <${FROM}>`,
          'To: "Müller, B" <b@dst.test>, undisclosed: ;',
          'Cc: (a comment) c@dst.test',
          'Reply-To: help@dst.test',
          'Subject: =?utf-8?b?R3LDvMOfZQ==?=',
          'Date: Mon, 23 Nov 2026 03:00:00 +0000',
          'Message-ID: <one@app.test>',
          'MIME-Version: 1.0',
          'X-Order: 4711',
          'X-Posthorn-Tag: order, paid',
          'X-Posthorn-Tag: shop',
          'X-Posthorn-Stream: bulk',
          'Content-Type: multipart/alternative; boundary=b',
          '',
        ].join('\r\n'),
        [
          '--b',
          'Content-Type: text/plain; charset=iso-8859-1',
          'Content-Transfer-Encoding: quoted-printable',
          '',
          'Gr=FC=DFe',
          '--b',
          'Content-Type: text/html; charset=utf-8',
          'Content-Transfer-Encoding: base64',
          '',
          Buffer.from('<p>Grüße</p>').toString('base64'),
          '--b--',
          '',
        ].join('\r\n'),
      ),
      { from: 'whatever@app.test', to: ['b@dst.test', 'c@dst.test', 'hidden@dst.test'] },
    );
    assert.match(reply, /^250 2\.0\.0 Queued as em_/);
    const [email, ...more] = await app.emails();
    assert.deepEqual(more, []);
    assert.equal(`250 2.0.0 Queued as ${email?.id}`, reply);
    assert.equal(email?.status, 'queued');
    assert.equal(email.from, `Jörgs Laden <${FROM}>`);
    assert.deepEqual(email.to, ['"Müller, B" <b@dst.test>']);
    assert.deepEqual(email.cc, ['a comment <c@dst.test>']);
    assert.deepEqual(email.bcc, ['hidden@dst.test']);
    assert.equal(email.reply_to, 'help@dst.test');
    assert.equal(email.subject, 'Grüße');
    assert.equal(email.text, 'Grüße');
    assert.equal(email.html, '<p>Grüße</p>');
    assert.deepEqual(email.headers, { 'X-Order': '4711' });
    assert.deepEqual(email.tags, ['order', 'paid', 'shop']);
    assert.equal(email.stream, 'bulk');
    assert.deepEqual(
      email.events.map(({ type }) => type),
      ['queued'],
    );
  });

  test('a repeated message, recognized by its bytes or an idempotency key, gets the reply to the first one', async () => {
    using app = await caller();
    const mail = mailOf(`${HEADER}Message-ID: <one@app.test>\r\n`);
    const first = await submitMessage(app.client, mail);
    assert.equal(await submitMessage(app.client, mail), first.replace('Queued as', 'Already queued as'));
    // The same bytes with another recipient are another message.
    assert.match(await submitMessage(app.client, mail, { to: ['c@dst.test'] }), /^250 2\.0\.0 Queued as/);
    // A repeated message without a Message-ID cannot be recognized.
    for (let time = 0; time < 2; time++)
      assert.match(await submitMessage(app.client, mailOf(HEADER)), /^250 2\.0\.0 Queued as/);
    const keyed = (id: number) =>
      mailOf(`${HEADER}Message-ID: <${id}@app.test>\r\nIdempotency-Key: order-4711\r\n`);
    assert.match(await submitMessage(app.client, keyed(2)), /^250 2\.0\.0 Queued as/);
    assert.match(await submitMessage(app.client, keyed(3)), /^250 2\.0\.0 Already queued as/);
    assert.match(
      await submitMessage(app.client, keyed(4), { to: ['c@dst.test'] }),
      /^550 5\.6\.0 .*Idempotency-Key/,
    );
    const emails = await app.emails();
    assert.equal(emails.length, 5);
    assert.ok(emails.every((email) => email.headers['Idempotency-Key'] === undefined));
  });

  test('emails trigger webhooks if the project has enabled webhooks for SMTP', async () => {
    const { database } = listener.db;
    for (const isOn of [false, true]) {
      using app = await caller();
      const { projectId } = app;
      await database.updateTable('projects').set({ smtpEvents: isOn }).where('id', '=', projectId).execute();
      await newWebhook(database, listener.db.sealer, { projectId, events: ['email.queued', 'email.sent'] });
      // Use a new key, because the data of the first key is cached.
      const fresh = await createApiKey(database, projectId, 'fresh', null);
      using client = await listener.signedIn('apikey', fresh.token);
      assert.match(await submitMessage(client, mailOf(HEADER)), /^250/);
      const [email] = await database
        .selectFrom('emails')
        .select('id')
        .where('projectId', '=', projectId)
        .execute();
      await database
        .transaction()
        .execute((tx) =>
          recordEvents(tx, [{ projectId, emailId: email?.id ?? '', events: [newEvent('sent', null, null)] }]),
        );
      const due = await database
        .selectFrom('dueDeliveries')
        .select('type')
        .where('projectId', '=', projectId)
        .execute();
      assert.deepEqual(due.map(({ type }) => type).sort(), isOn ? ['email.queued', 'email.sent'] : []);
      assert.deepEqual(
        (await app.emails())[0]?.events.map(({ type }) => type),
        ['queued', 'sent'],
      );
    }
  });

  test('the reply to an email beyond the plan says when the plan allows more emails', async () => {
    using app = await caller({ plan: 'free' });
    for (let sent = 0; sent < 100; sent++)
      assert.match(await submitMessage(app.client, mailOf(HEADER)), /^250/);
    assert.match(
      await submitMessage(app.client, mailOf(HEADER)),
      /^452 4\.7\.1 The project has sent the 100 emails .* Try again at 20\d\d-\d\d-01T00:00/,
    );
  });

  test('emails beyond the request rate of the key are deferred', async () => {
    const requests = new TokenBuckets(0.001, 2, () => 0);
    await using limited = await startTestSubmission({ services: { requests } });
    const { token } = await limited.newCaller();
    using client = await limited.signedIn('apikey', token);
    for (let sent = 0; sent < 2; sent++) assert.match(await submitMessage(client, mailOf(HEADER)), /^250/);
    assert.match(
      await submitMessage(client, mailOf(HEADER)),
      /^452 4\.7\.1 This API key has sent too many emails at once\. Try again at/,
    );
  });

  test('recipients and sender domains that the key does not allow are rejected', async () => {
    using app = await caller({
      restrictions: { fromDomains: [HOSTED_DOMAIN], recipients: ['*@acme.example'] },
    });
    const to = (...addresses: string[]) => submitMessage(app.client, mailOf(HEADER), { to: addresses });
    assert.match(await to('ada@acme.example', 'Bob@ACME.example'), /^250/);
    assert.match(
      await to('ada@acme.example', 'b@dst.test'),
      /^550 5\.7\.1 this API key cannot send to b@dst\.test; allowed: \*@acme\.example$/,
    );
    const from = mailOf('From: a@own.example\r\n');
    assert.match(
      await submitMessage(app.client, from, { to: ['ada@acme.example'] }),
      /^550 5\.7\.1 from: own\.example is not a domain that this API key can send from/,
    );
    assert.equal((await app.emails()).length, 1);
  });

  test('a client whose IP address the key does not allow gets the same reply as for an unknown key', async () => {
    const here = await listener.newCaller({ restrictions: { addresses: ['127.0.0.1', '::1'] } });
    using client = await listener.signedIn('apikey', here.token);
    assert.match(await submitMessage(client, mailOf(HEADER)), /^250/);
    const elsewhere = await listener.newCaller({ restrictions: { addresses: ['192.0.2.0/24'] } });
    const answers = [elsewhere.token, `svc_live_${'a'.repeat(32)}`].map(async (token) => {
      using stranger = await TestClient.connect(listener.port);
      await stranger.line();
      stranger.send(`EHLO app\r\nAUTH PLAIN ${plain('apikey', token)}\r\n`);
      for (;;) {
        const line = await stranger.line();
        if (line?.startsWith('250') !== true) return line;
      }
    });
    const [ofElsewhere, ofWrong] = await Promise.all(answers);
    assert.equal(ofElsewhere, ofWrong);
    assert.match(ofWrong ?? '', /^535 5\.7\.8/);
  });

  test('an email with 2 MiB of text, 2 MiB of HTML and 100 recipients can be sent in chunks', async () => {
    using app = await caller();
    const text = 'Grüße '.repeat(260_000);
    const mail = Buffer.from(
      mailOf(
        `${HEADER}Content-Type: multipart/mixed; boundary=b\r\n`,
        `--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${text}\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${text}\r\n--b--\r\n`,
      ),
    );
    const to = Array.from({ length: 100 }, (_, at) => `r${at}@dst.test`);
    app.client.send(
      `MAIL FROM:<> SIZE=${mail.length}\r\n${to.map((address) => `RCPT TO:<${address}>\r\n`).join('')}`,
    );
    for (let answers = 0; answers <= to.length; answers++)
      assert.match((await app.client.line()) ?? '', /^250/);
    app.client.send('RCPT TO:<late@dst.test>\r\n');
    assert.match((await app.client.line()) ?? '', /^452 4\.5\.3/);
    app.client.send(`BDAT ${mail.length} LAST\r\n`);
    app.client.send(mail);
    assert.match((await app.client.line()) ?? '', /^250 2\.0\.0 Queued as/);
    const [email] = await app.emails();
    assert.equal(email?.text, text);
    assert.equal(email.html, text);
    assert.equal(email.bcc.length, 100);
  });
});

const refused: [what: string, mail: string, reply: RegExp][] = [
  ['no From', mailOf('To: b@dst.test\r\n'), /^550 5\.7\.1 from: /],
  ['an empty From', mailOf('From:\r\n'), /^550 5\.7\.1 from: /],
  [
    'two From fields',
    mailOf(`From: ${FROM}\r\nFrom: ceo@victim.test\r\n`),
    /^550 5\.7\.1 from: .*more than once/,
  ],
  [
    'two From fields in another case',
    mailOf(`FROM: ${FROM}\r\nfrom: ceo@victim.test\r\n`),
    /^550 5\.7\.1 from: /,
  ],
  ['two addresses in From', mailOf(`From: ${FROM}, ceo@victim.test\r\n`), /^550 5\.7\.1 from: /],
  ['a group in From', mailOf(`From: us: ${FROM}, ceo@victim.test;\r\n`), /^550 5\.7\.1 from: /],
  ['a route in From', mailOf(`From: <@a.test:${FROM}>\r\n`), /^550 5\.7\.1 from: /],
  ['an address after another one', mailOf(`From: <ceo@victim.test> <${FROM}>\r\n`), /^550 5\.7\.1 from: /],
  ['an encoded address', mailOf(`From: =?utf-8?q?ceo=40victim.test?=\r\n`), /^550 5\.7\.1 from: /],
  ['an encoded local part', mailOf(`From: =?utf-8?q?ceo?=@${HOSTED_DOMAIN}\r\n`), /^550 5\.7\.1 from: /],
  [
    'a line break in an encoded name',
    mailOf(`From: =?utf-8?q?a=0D=0ABcc=3A_x=40y.test?= <${FROM}>\r\n`),
    /^550 5\.7\.1 from: /,
  ],
  [
    'a From that belongs to others',
    mailOf('From: ceo@victim.test\r\n'),
    /^550 5\.7\.1 The domain victim\.test is not verified .* Verify it, or send from /,
  ],
  [
    'a From that belongs to the operator',
    mailOf(`From: postmaster@${HOSTED_DOMAIN}\r\n`),
    /^550 5\.7\.1 from: /,
  ],
  [
    'a Sender that belongs to others',
    mailOf(`${HEADER}Sender: ceo@victim.test\r\n`),
    /^550 5\.7\.1 sender: /,
  ],
  [
    'two Sender fields',
    mailOf(`${HEADER}Sender: ${FROM}\r\nSender: ceo@victim.test\r\n`),
    /^550 5\.7\.1 sender: /,
  ],
  [
    'a space before the colon of a field',
    mailOf(`${HEADER}Bcc : x@victim.test\r\n`),
    /^550 5\.6\.0 message: malformed: line 4 of the header is not a field/,
  ],
  ['a NUL in the header', mailOf(`${HEADER}X-A: a\0b\r\n`), /^550 5\.6\.0 message: .*contains a NUL/],
  [
    'two types',
    mailOf(`${HEADER}Content-Type: text/plain\r\nContent-Type: text/html\r\n`),
    /^550 5\.6\.0 content-type: .*more than once/,
  ],
  [
    'a header that is too long',
    mailOf(`${HEADER}X-A: ${'a'.repeat(300_000)}\r\n`),
    /^550 5\.6\.0 message: .*longer than/,
  ],
  ['two subjects', mailOf(`${HEADER}Subject: other\r\n`), /^550 5\.6\.0 subject: /],
  [
    'an unknown X-Posthorn field',
    mailOf(`${HEADER}X-Posthorn-Tags: a\r\n`),
    /^550 5\.6\.0 X-Posthorn-Tags: /,
  ],
  [
    'an unknown stream',
    mailOf(`${HEADER}X-Posthorn-Stream: news\r\n`),
    /^550 5\.6\.0 X-Posthorn-Stream: transactional or bulk/,
  ],
  [
    'too many tags',
    mailOf(`${HEADER}X-Posthorn-Tag: ${'a,'.repeat(21)}\r\n`),
    /^550 5\.6\.0 X-Posthorn-Tag: /,
  ],
  ['an invalid recipient field', mailOf(`From: ${FROM}\r\nTo: ghost\r\n`), /^550 5\.1\.3 to: /],
];

const decoded: [
  what: string,
  header: string,
  body: string,
  expected: { text?: string; html?: string; subject?: string },
][] = [
  [
    'flowed text',
    'Content-Type: text/plain; charset=utf-8; format=flowed; delsp=yes\r\n',
    'お知らせの長い \r\n段落です。\r\n From here on',
    { text: 'お知らせの長い段落です。\nFrom here on' },
  ],
  [
    'a charset of a code page',
    'Content-Type: text/plain; charset=MS949\r\nContent-Transfer-Encoding: quoted-printable\r\n',
    '=C7=D1=94=EE',
    { text: '한뷁' },
  ],
  [
    'HTML with its own charset, which has a name',
    'Content-Type: text/html; name="mail.html"\r\nContent-Disposition: inline; filename="mail.html"\r\nContent-Transfer-Encoding: quoted-printable\r\n',
    '<meta charset=3Dwindows-1251>=C7',
    { html: '<meta charset=windows-1251>З' },
  ],
  [
    'a subject whose characters are cut',
    'Subject: =?utf-8?Q?=E0=B8?=\r\n =?utf-8?Q?=99?=\r\n',
    'x',
    { subject: 'น' },
  ],
];

test('the email of an application has the text that its message meant', async () => {
  using app = await caller();
  for (const [what, header, body, expected] of decoded) {
    const mail = mailOf(`From: ${FROM}\r\nTo: b@dst.test\r\n${header}`, body);
    assert.match(await submitMessage(app.client, mail), /^250/, what);
    const [email] = await app.emails();
    for (const [name, value] of Object.entries(expected))
      assert.equal(email?.[name as 'text']?.trimEnd(), value, what);
  }
});

test('the header of an application may be in the charset that its body names', async () => {
  using app = await caller();
  const submit = (header: string): Promise<string> =>
    submitMessage(app.client, Buffer.from(mailOf(`From: ${FROM}\r\n${header}`, 'x'), 'latin1'));
  const type = 'Content-Type: text/plain; charset=gb2312\r\n';
  assert.match(await submit(`To: \xd6\xd0 <b@dst.test>\r\nSubject: \xd6\xd0 a\r\n${type}`), /^250/);
  const [email] = await app.emails();
  assert.equal(email?.subject, '中 a');
  assert.deepEqual(email.to, ['中 <b@dst.test>']);
});

test('fields that are not sent need not be decodable', async () => {
  using app = await caller();
  const mail = mailOf(
    `Received: from \xfc by a.test\r\nDKIM-Signature: v=1; n==?x-nonsense?Q?=FC?=\r\nARC-Seal: \xfc\r\n${HEADER}`,
    'x',
  );
  assert.match(await submitMessage(app.client, Buffer.from(mail, 'latin1')), /^250/);
});

test('text from a terminal is sent unchanged', async () => {
  using app = await caller();
  assert.match(await submitMessage(app.client, mailOf(HEADER, '\x1b[1mok\x1b(B\x1b[m')), /^250/);
  const [email] = await app.emails();
  assert.equal(email?.text?.trimEnd(), '\x1b[1mok\x1b(B\x1b[m');
});

test('an application cannot send as the service itself', async () => {
  using app = await caller();
  for (const from of [SERVICE, `Service+x@${HOSTED_DOMAIN}`, `"service"@${HOSTED_DOMAIN}`])
    assert.match(
      await submitMessage(app.client, mailOf(`From: ${from}\r\nTo: b@dst.test\r\n`)),
      /^550 5\.7\.1 from: .*belongs to the operator/,
    );
  assert.deepEqual(await app.emails(), []);
});

test('the reply to an invalid message of an application says what to change, and the message is not stored', async () => {
  using app = await caller();
  for (const [what, mail, reply] of refused) assert.match(await submitMessage(app.client, mail), reply, what);
  assert.match(await submitMessage(app.client, '', { to: ['no address'] }), /^501 5\.5\.4/);
  assert.match(await submitMessage(app.client, '', { to: ['a@b@dst.test'] }), /^553 5\.1\.3/);
  assert.match(await submitMessage(app.client, '', { from: 'a b' }), /^501 5\.5\.4/);
  assert.match(await submitMessage(app.client, '', { from: 'nowhere' }), /^501 5\.1\.7/);
  assert.deepEqual(await app.emails(), []);
});
