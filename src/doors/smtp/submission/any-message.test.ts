/** Applications with an API key submit messages of every structure, and their bodies are sent unchanged. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { HOSTED_DOMAIN } from '../../../../test/support/api.ts';
import { createApiKey } from '../../../accounts/keys/api-keys.ts';
import { decodeEncodedWords, readEntity } from '../../../rfc/mime/index.ts';
import { mailOf, startTestSubmission, submitMessage, type TestSubmission } from './submission.fixture.ts';

let listener: TestSubmission;
before(async () => {
  listener = await startTestSubmission();
});
after(() => listener[Symbol.asyncDispose]());

const FROM = `shop@${HOSTED_DOMAIN}`;
const HEADER = `From: Shop <${FROM}>\r\nTo: b@dst.test\r\nSubject: Hello\r\nDate: Mon, 23 Nov 2026 03:00:00 +0500\r\nMessage-ID: <one@app.test>\r\n`;
const TEXT = 'Content-Type: text/plain\r\n\r\nHi';
const parts = (...each: string[]): string => `${each.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`;
const multipart = (type: string): string => `Content-Type: multipart/${type}; boundary=b\r\n`;
const pdf = `Content-Type: application/pdf; name="a.pdf"\r\nContent-Disposition: attachment; filename="a.pdf"\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from('%PDF').toString('base64')}`;
const alternative = (...each: string[]): string =>
  `Content-Type: multipart/alternative; boundary=c\r\n\r\n${parts(...each).replaceAll('--b', '--c')}`;

async function caller(fields?: Parameters<TestSubmission['newCaller']>[0]) {
  const { projectId, token } = await listener.newCaller(fields);
  const client = await listener.signedIn('apikey', token);
  return {
    projectId,
    submit: (mail: string | Buffer, to?: string[]) => submitMessage(client, mail, to && { to }),
    emails: () => listener.emailsOf(projectId),
    sent: () => listener.sentBy(projectId),
    files: async () =>
      (
        await listener.db.database
          .selectFrom('emailMessages')
          .select('layout')
          .where('projectId', '=', projectId)
          .orderBy('emailId', 'desc')
          .execute()
      )[0]?.layout.files.map(({ name, type }) => `${name} ${type}`),
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
}

function headAndBody(message: Buffer): { head: string; body: Buffer } {
  const at = message.indexOf('\r\n\r\n') + 4;
  return { head: message.toString('latin1', 0, at), body: message.subarray(at) };
}

/** `text` and `html` are compared with the email, `files` with the names and types of its files. */
interface Case {
  what: string;
  header?: string;
  body: string;
  text?: string;
  html?: string;
  files?: string[];
}

const CASES: Case[] = [
  {
    what: 'an attachment',
    header: multipart('mixed'),
    body: parts(TEXT, pdf),
    text: 'Hi',
    files: ['a.pdf application/pdf'],
  },
  {
    what: 'only an attachment',
    header: 'Content-Type: image/png\r\nContent-Disposition: attachment; filename=a.png\r\n',
    body: '\x89PNG\r\n',
    files: ['a.png image/png'],
  },
  {
    what: 'an inline image',
    header: multipart('related'),
    body: parts(
      'Content-Type: text/html\r\n\r\n<img src="cid:logo">',
      'Content-Type: image/png\r\nContent-ID: <logo>\r\nContent-Disposition: inline; filename=logo.png\r\n\r\nPNG',
    ),
    html: '<img src="cid:logo">',
    files: ['logo.png image/png'],
  },
  {
    what: 'an invitation',
    header: multipart('alternative'),
    body: parts(TEXT, 'Content-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR'),
    text: 'Hi',
    files: [' text/calendar'],
  },
  {
    what: 'AMP',
    header: multipart('alternative'),
    body: parts(
      TEXT,
      'Content-Type: text/x-amp-html\r\n\r\n<html amp4email>',
      'Content-Type: text/html\r\n\r\n<p>Hi',
    ),
    text: 'Hi',
    html: '<p>Hi',
    files: [],
  },
  { what: 'an empty body', body: '' },
  { what: 'an empty multipart', header: multipart('mixed'), body: '--b--\r\n' },
  {
    what: 'a signed message',
    header:
      'Content-Type: multipart/signed; micalg=sha-256; protocol="application/pkcs7-signature"; boundary=b\r\n',
    body: parts(
      alternative(TEXT),
      'Content-Type: application/pkcs7-signature; name=smime.p7s\r\nContent-Transfer-Encoding: base64\r\n\r\nMIAG',
    ),
    text: 'Hi',
    files: ['smime.p7s application/pkcs7-signature'],
  },
  {
    what: 'an encrypted message',
    header: 'Content-Type: multipart/encrypted; protocol="application/pgp-encrypted"; boundary=b\r\n',
    body: parts(
      'Content-Type: application/pgp-encrypted\r\n\r\nVersion: 1',
      'Content-Type: application/octet-stream; name=encrypted.asc\r\n\r\n-----BEGIN PGP MESSAGE-----',
    ),
    files: [' application/pgp-encrypted', 'encrypted.asc application/octet-stream'],
  },
  {
    what: 'a forwarded message',
    header: multipart('mixed'),
    body: parts(TEXT, `Content-Type: message/rfc822\r\n\r\nFrom: c@dst.test\r\nSubject: Old\r\n\r\nOld`),
    text: 'Hi',
    files: [' message/rfc822'],
  },
  {
    what: 'two texts',
    header: multipart('mixed'),
    body: parts(TEXT, 'Content-Type: text/plain\r\n\r\nFooter'),
    text: 'Hi',
    files: [' text/plain'],
  },
  {
    what: 'octets that are not of the charset',
    header: 'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n',
    body: 'Gr=FC=DFe\r\n',
    text: 'Gr��e',
  },
  {
    what: 'an unknown charset',
    header: 'Content-Type: text/plain; charset=x-nonsense\r\nContent-Transfer-Encoding: 8bit\r\n',
    body: 'Gr\xfc\xdfe\r\n',
  },
  {
    what: 'an unknown transfer encoding',
    header: 'Content-Transfer-Encoding: x-uuencode\r\n',
    body: 'begin\r\n',
    text: 'begin',
  },
  { what: 'a NUL', body: 'a\0b\r\n', text: 'a\ufffdb' },
  {
    what: 'a boundary that never occurs',
    header: multipart('mixed'),
    body: 'text\r\n',
  },
  {
    what: 'a hundred nested multiparts',
    header: 'Content-Type: multipart/mixed; boundary=b0\r\n',
    body: Array.from(
      { length: 100 },
      (_, n) => `--b${n}\r\nContent-Type: multipart/mixed; boundary=b${n + 1}\r\n\r\n`,
    ).join(''),
  },
  {
    what: 'ten thousand parts',
    header: multipart('mixed'),
    body: parts(...Array.from({ length: 10_000 }, () => 'Content-Type: image/png\r\n\r\nx')),
  },
  { what: 'long lines', body: `${'a'.repeat(5_000)}\r\n`, text: 'a'.repeat(5_000) },
];

test('messages of every structure are accepted, shown as far as possible, and sent with the same body', async () => {
  using app = await caller();
  for (const { what, header = '', body, text, html, files } of CASES) {
    const mail = Buffer.from(
      mailOf(`${HEADER.replace('one@', `${what.replaceAll(' ', '-')}@`)}${header}`, body),
      'latin1',
    );
    assert.match(await app.submit(mail), /^250 2\.0\.0 Queued/, what);
    const [email] = await app.emails();
    if (text !== undefined) assert.equal(email?.text.trimEnd(), text, what);
    if (html !== undefined) assert.equal(email?.html, html, what);
    if (files !== undefined) assert.deepEqual(await app.files(), files, what);
    const sent = headAndBody(await app.sent());
    // DATA ends the last line, and the test client adds a line end of its own.
    assert.equal(sent.body.toString('latin1'), `${body}\r\n`, what);
    for (const field of header.split('\r\n').filter((line) => line !== ''))
      assert.ok(sent.head.includes(`\r\n${field}\r\n`), `${what}: ${field}`);
  }
});

test('the outgoing header has the checked addresses once, and keeps the date, the Message-ID and the other fields', async () => {
  using app = await caller();
  const given = [
    'Received: from a.test by b.test',
    'Return-Path: <x@victim.test>',
    'DKIM-Signature: v=1; d=victim.test',
    'Authentication-Results: b.test; dkim=pass',
    `from: =?utf-8?q?J=C3=B6rg?= <${FROM}>`,
    `Sender: ${FROM}`,
    'To: b@dst.test',
    'Bcc: secret@dst.test',
    'Reply-To: a@dst.test, "B, C" <c@dst.test>',
    'Reply-To: d@dst.test',
    'Subject: =?iso-8859-1?Q?Gr=FC=DFe?=',
    'Date: Mon, 23 Nov 2026 03:00:00 +0500',
    'Message-ID: <two@app.test>',
    'In-Reply-To: <one@app.test>',
    'X-Twice: 1',
    'X-Twice: 2',
    'X-Posthorn-Tag: order',
    'X-SES-CONFIGURATION-SET: all',
    'X-PM-Tag: order',
    'X-Mailgun-Tag: a',
    'X-Mailgun-Tag: b',
    'X-MC-Tags: a',
    'X-SMTPAPI: {}',
    'X-Mailin-Tag: a',
    'Resent-From: ceo@victim.test',
    'List-Unsubscribe: <https://app.test/u>',
  ];
  assert.match(
    await app.submit(mailOf(`${given.join('\r\n')}\r\n`), ['b@dst.test', 'secret@dst.test']),
    /^250/,
  );
  const { head } = headAndBody(await app.sent());
  const fields = head
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .filter((line) => line !== '');
  const named = (name: string) => fields.filter((line) => line.toLowerCase().startsWith(`${name}:`));
  assert.deepEqual(
    named('from').map((line) => decodeEncodedWords(line)),
    [`From: Jörg <${FROM}>`],
  );
  assert.deepEqual(named('reply-to'), ['Reply-To: a@dst.test, "B, C" <c@dst.test>, d@dst.test']);
  assert.deepEqual(named('subject'), ['Subject: =?iso-8859-1?Q?Gr=FC=DFe?=']);
  assert.deepEqual(named('date'), ['Date: Mon, 23 Nov 2026 03:00:00 +0500']);
  assert.deepEqual(named('message-id'), ['Message-ID: <two@app.test>']);
  assert.deepEqual(named('in-reply-to'), ['In-Reply-To: <one@app.test>']);
  assert.deepEqual(named('x-twice'), ['X-Twice: 1', 'X-Twice: 2']);
  assert.deepEqual(named('list-unsubscribe'), ['List-Unsubscribe: <https://app.test/u>']);
  assert.deepEqual(named('mime-version'), ['MIME-Version: 1.0']);
  assert.equal(
    named('dkim-signature').every((line) => line.includes(`d=${HOSTED_DOMAIN}`)),
    true,
  );
  assert.doesNotMatch(
    head,
    /received|return-path|authentication-results|bcc|secret|victim|x-(ses|pm|mailgun|mc|smtpapi|mailin)|resent|posthorn-tag/i,
  );
  const [email] = await app.emails();
  assert.equal(email?.message_id, '<two@app.test>');
  assert.equal(email.reply_to, 'a@dst.test, "B, C" <c@dst.test>, d@dst.test');
  assert.equal(email.subject, 'Grüße');
  assert.deepEqual(email.headers, {
    'In-Reply-To': '<one@app.test>',
    'X-Twice': '1',
    'List-Unsubscribe': '<https://app.test/u>',
  });
  const { layout } = await listener.db.database
    .selectFrom('emailMessages')
    .select('layout')
    .where('projectId', '=', app.projectId)
    .executeTakeFirstOrThrow();
  assert.deepEqual(layout.removed, [
    'X-SES-CONFIGURATION-SET',
    'X-PM-Tag',
    'X-Mailgun-Tag',
    'X-MC-Tags',
    'X-SMTPAPI',
    'X-Mailin-Tag',
    'Resent-From',
  ]);
});

test('a message without a date, a Message-ID or a type gets them', async () => {
  using app = await caller();
  assert.match(
    await app.submit(mailOf(`From: ${FROM}\r\nDate: tomorrow\r\nMessage-ID: none\r\n`, 'Grüße')),
    /^250/,
  );
  const { head } = headAndBody(await app.sent());
  assert.match(head, /\r\nDate: \w{3}, \d/);
  assert.match(head, /\r\nMessage-ID: <[\w]+@hosted\.example>/);
  assert.match(head, /\r\nContent-Type: text\/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n/);
});

test('tracking changes only the HTML, and only if the project tracks messages submitted by SMTP', async () => {
  const { database } = listener.db;
  const html = '<p><a href="https://app.test/">Buy</a></p>';
  const mail = (type: string, cid: string) =>
    mailOf(
      `${HEADER.replace('<one', `<${cid}`)}${multipart(type)}`,
      parts(alternative(TEXT, `X-Part: 1\r\nContent-Type: text/html\r\n\r\n${html}`), pdf),
    );
  for (const smtpTracking of [false, true]) {
    using app = await caller();
    const { projectId } = app;
    await database
      .updateTable('projects')
      .set({ trackOpens: true, trackClicks: true, smtpTracking })
      .where('id', '=', projectId)
      .execute();
    const fresh = await createApiKey(database, projectId, 'fresh', null);
    using client = await listener.signedIn('x', fresh.token);
    assert.match(await submitMessage(client, mail('mixed', 'a')), /^250/);
    const sent = (await app.sent()).toString('latin1');
    assert.equal(sent.includes(html), !smtpTracking);
    assert.ok(sent.includes(pdf));
    assert.ok(sent.includes(`--c\r\n${TEXT}\r\n--c\r\n`));
    if (smtpTracking) {
      const part = readEntity(Buffer.from(sent, 'latin1')).parts[0]?.parts[1];
      assert.deepEqual([part?.type, part?.transferEncoding], ['text/html', 'base64']);
      assert.ok(part?.fields.some(({ name, value }) => name === 'x-part' && value === '1'));
      const shown = Buffer.from(sent.slice(part?.bodyStart, part?.end), 'base64').toString();
      assert.match(shown, /<a href="http:\/\/localhost\/t\/[^"]+">Buy<\/a>/);
    }
    // A signature covers the HTML.
    assert.match(await submitMessage(client, mail('signed', 'b')), /^250/);
    assert.ok((await app.sent()).toString('latin1').includes(html));
  }
});

test('an unsubscribe placeholder is replaced in the text, the HTML and the header', async () => {
  using app = await caller();
  const body = parts('Content-Type: text/plain\r\n\r\n{{unsubscribe_url}}', pdf);
  const list = 'List-Unsubscribe: <{{unsubscribe_url}}>\r\n';
  assert.match(await app.submit(mailOf(`${HEADER}${list}${multipart('mixed')}`, body)), /^250/);
  const sent = (await app.sent()).toString('latin1');
  assert.match(
    sent.replaceAll('\r\n ', ' '),
    /\r\nList-Unsubscribe: <http:\/\/localhost\/[^{}>]+>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n/,
  );
  assert.ok(!sent.includes('{{unsubscribe_url}}'));
  assert.ok(sent.includes(pdf));
});

test('a file that is larger than the plan allows is rejected with the limit', async () => {
  using app = await caller({ plan: 'free' });
  const file = 'Content-Type: application/zip\r\nContent-Transfer-Encoding: base64\r\n\r\n';
  const line = `${'A'.repeat(76)}\r\n`;
  const mail = mailOf(`${HEADER}${multipart('mixed')}`, parts(TEXT, `${file}${line.repeat(370_000)}`));
  assert.match(
    await app.submit(mail),
    /^552 5\.3\.4 A file in the message has 20\.2 MB\. The plan of the project allows 20 MB per file\.$/,
  );
  assert.match(await app.submit(mail.replace(line.repeat(9_000), '')), /^250/);
  const [email] = await app.emails();
  assert.equal(email?.text, 'Hi');
});

test('while an older version may run, only messages that it can send are accepted', async () => {
  const keptMessages = { areKept: () => Promise.resolve(false) };
  await using older = await startTestSubmission({ keptMessages });
  const { projectId, token } = await older.newCaller();
  using client = await older.signedIn('apikey', token);
  assert.match(await submitMessage(client, mailOf(HEADER)), /^250/);
  const mail = mailOf(`${HEADER}${multipart('mixed')}`, parts(TEXT, pdf));
  assert.match(await submitMessage(client, mail), /^451 4\.3\.0 The service is being upgraded/);
  assert.equal((await older.emailsOf(projectId)).length, 1);
  const rows = await older.db.database.selectFrom('emailMessages').select('emailId').execute();
  assert.deepEqual(rows, []);
});

test('the object of a large message is deleted if its email is not written', async () => {
  using app = await caller({ plan: 'free' });
  const { projectId } = app;
  const mail = mailOf(`${HEADER}${multipart('mixed')}`, parts(TEXT, `\r\n${'A'.repeat(100_000)}`));
  const useStorage = (storageBytes: string) =>
    listener.db.database.updateTable('projects').set({ storageBytes }).where('id', '=', projectId).execute();
  const objects = async () => {
    let count = 0;
    for await (const _ of listener.objects.list(projectId)) count++;
    return count;
  };
  await useStorage(`${2 ** 40}`);
  assert.match(await app.submit(mail), /^452 4\.3\.1/);
  assert.equal(await objects(), 0);
  await useStorage('0');
  assert.match(await app.submit(mail), /^250 2\.0\.0 Queued/);
  assert.match(await app.submit(mail), /^250 2\.0\.0 Already queued/);
  assert.equal(await objects(), 1);
  assert.ok((await app.sent()).includes('A'.repeat(100_000)));
});
