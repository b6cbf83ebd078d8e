import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import PostalMime, { decodeWords, type Email } from 'postal-mime';
import { runs } from '../../../test/support/property-runs.ts';
import { anyText } from '../../../test/support/any-text.ts';
import { type MailboxAddress, parseMailbox } from '../address/index.ts';
import { type ComposedMessage, compose, type MessageContent } from './compose.ts';

function mailbox(text: string): MailboxAddress {
  const parsed = parseMailbox(text);
  assert.ok(!('error' in parsed), text);
  return parsed;
}

const CONTENT: MessageContent = {
  from: mailbox('Acme <hello@acme.test>'),
  to: [mailbox('alice@example.test')],
  cc: [],
  replyTo: [],
  subject: 'Your receipt',
  html: null,
  text: 'Thank you.\n',
  headers: [],
  messageId: '<em_01JD4Z8Y6V3W5X7Z9A1B2C3D4E@acme.test>',
  date: new Date('2026-11-20T15:04:05.678Z'),
};

function composed(content: Partial<MessageContent>): ComposedMessage {
  return compose({ ...CONTENT, ...content });
}

/** Returns the header field with the name `name`, with folds. */
function field(content: Partial<MessageContent>, name: string): string | undefined {
  const fields = composed(content).header.split(/\r\n(?![ \t])/);
  return fields.find((text) => text.toLowerCase().startsWith(`${name.toLowerCase()}:`));
}

function bytes(message: ComposedMessage): Buffer {
  return Buffer.concat([Buffer.from(`${message.header}\r\n`), message.body]);
}

function read(content: Partial<MessageContent>): Promise<Email> {
  return PostalMime.parse(bytes(composed(content)));
}

/** Any text that JSON can carry, without lone surrogates. */
const anyContent = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      anyText(),
      fc.constantFrom(
        ...' |\t|\r|\n|\r\n|\0|=?|?=|.|é|😀|日本|word|word |--=_|From |\u2028|\u0085'.split('|'),
      ),
      fc.constantFrom('a'.repeat(100), 'b'.repeat(1_100), ' '.repeat(20), ' '.repeat(50)),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join('').toWellFormed());
const anyMailbox = fc
  .tuple(
    anyContent,
    fc.constantFrom('a@b.test', '"a b"@b.test', 'jörg@b.test', `${'l'.repeat(64)}@${'d'.repeat(60)}.test`),
  )
  .map(([name, address]) => {
    const quoted = `"${name
      .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '')
      .slice(0, 400)
      .toWellFormed()
      .replace(/["\\]/g, '\\$&')}"`;
    return mailbox(`${quoted} <${address}>`);
  });
const contents = fc.record({
  from: anyMailbox,
  to: fc.array(anyMailbox, { maxLength: 5 }),
  cc: fc.array(anyMailbox, { maxLength: 2 }),
  subject: anyContent,
  html: fc.option(anyContent, { nil: null }),
  text: fc.option(anyContent, { nil: null }),
  headers: fc
    .array(fc.tuple(fc.constantFrom('X-Other', 'References', 'List-Unsubscribe'), anyContent))
    .chain((others) => anyContent.map((text) => [['X-Text', text] as [string, string], ...others])),
});

const id = (at: number) => `<${'0123456789'.repeat(4)}-${at}@mail.example.test>`;
/** Normalizes line ends, and removes line ends at the end of the text, which a body does not preserve. */
const unended = (text: string | null | undefined) => text?.replace(/\r\n?|\n/g, '\n').replace(/\n+$/, '');
/** Replaces line breaks and NUL by spaces, like `compose` in a header field. */
const oneLine = (text: string) => text.replace(/[\r\n\0]+/g, ' ');
const trimmed = (text: string) => text.replace(/^[ \t]+|[ \t]+$/g, '');

describe('compose', () => {
  it('compose writes a text message', () => {
    assert.equal(
      bytes(composed({})).toString(),
      [
        'From: Acme <hello@acme.test>',
        'To: alice@example.test',
        'Subject: Your receipt',
        'Date: Fri, 20 Nov 2026 15:04:05 +0000',
        'Message-ID: <em_01JD4Z8Y6V3W5X7Z9A1B2C3D4E@acme.test>',
        'MIME-Version: 1.0',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Transfer-Encoding: 7bit',
        '',
        'Thank you.',
        '',
      ].join('\r\n'),
    );
  });

  it('compose writes the text part before the HTML part', () => {
    const { header, body } = composed({ html: '<p>What size? Größe!</p>\n', text: 'Größe' });
    assert.match(
      header,
      /\r\nContent-Type: multipart\/alternative;\r\n boundary="=_em01JD4Z8Y6V3W5X7Z9A1B2C3D4Eacmetest"\r\n$/,
    );
    assert.equal(
      body.toString(),
      [
        '--=_em01JD4Z8Y6V3W5X7Z9A1B2C3D4Eacmetest',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Transfer-Encoding: base64',
        '',
        'R3LDtsOfZQ==',
        '--=_em01JD4Z8Y6V3W5X7Z9A1B2C3D4Eacmetest',
        'Content-Type: text/html; charset=utf-8',
        'Content-Transfer-Encoding: quoted-printable',
        '',
        '<p>What size? Gr=C3=B6=C3=9Fe!</p>',
        '',
        '--=_em01JD4Z8Y6V3W5X7Z9A1B2C3D4Eacmetest--',
        '',
      ].join('\r\n'),
    );
  });

  it('compose generates a text part for a message with only HTML', async () => {
    const email = await read({ html: '<p>Hello <b>you</b></p>', text: null });
    assert.equal(email.text?.trim(), 'Hello you');
    assert.equal(email.html?.trim(), '<p>Hello <b>you</b></p>');
  });

  it('compose omits an empty part', async () => {
    const email = await read({ html: '<p>a</p>', text: '' });
    assert.equal(email.text?.trim(), 'a');
    const { header, body } = composed({ html: '', text: 'a' });
    assert.match(header, /\r\nContent-Type: text\/plain; charset=utf-8\r\n/);
    assert.equal(body.toString(), 'a\r\n');
    assert.equal(composed({ html: null, text: '' }).body.toString(), '\r\n');
  });

  it('compose ends the header with the CRLF of its last field, without an empty line, and the body with CRLF', () => {
    for (const content of [{ text: 'a' }, { text: 'é' }, { html: 'a' }, { text: '' }]) {
      const { header, body } = composed(content);
      assert.match(header, /[^\r\n]\r\n$/);
      assert.match(body.toString(), /\r\n$/);
    }
  });

  it('compose separates parts whose content looks like the boundary', async () => {
    const boundary = '--=_em01JD4Z8Y6V3W5X7Z9A1B2C3D4Eacmetest';
    const text = `a\n${boundary}--\n\nb`;
    const email = await read({ html: `${boundary}\n<p>c</p>`, text });
    assert.equal(email.text?.trim(), text);
    assert.equal(email.html?.trim(), `${boundary}\n<p>c</p>`);
  });

  it('compose requires SMTPUTF8 only for a local part that is not ASCII', () => {
    assert.equal(
      composed({ from: mailbox('Jörg <a@münchen.test>'), subject: 'é', text: 'é' }).smtputf8,
      false,
    );
    for (const list of ['to', 'cc', 'replyTo'] as const) {
      assert.equal(composed({ [list]: [mailbox('jörg@a.test')] }).smtputf8, true);
    }
    const { header, smtputf8 } = composed({ from: mailbox('Jörg <jörg@a.test>') });
    assert.equal(smtputf8, true);
    assert.match(header, /^From: =\?UTF-8\?B\?SsO2cmc=\?= <jörg@a\.test>\r\n/);
  });

  it('compose rejects an invalid field name', () => {
    for (const name of ['', 'X:', 'X Y', 'X\r\nBcc', 'Ü', 'x'.repeat(77)]) {
      assert.throws(() => composed({ headers: [[name, 'a']] }), TypeError);
    }
  });

  describe('compose writes display names', () => {
    const names: [text: string, field: string][] = [
      ['Acme', 'From: Acme <a@b.test>'],
      ['Alice Smith', 'From: Alice Smith <a@b.test>'],
      ['"Smith, Alice"', 'From: "Smith, Alice" <a@b.test>'],
      ['"a \\"b\\" \\\\"', 'From: "a \\"b\\" \\\\" <a@b.test>'],
      ['Dr. No', 'From: "Dr. No" <a@b.test>'],
      ['Jörg Schmidt', 'From: =?UTF-8?Q?J=C3=B6rg_Schmidt?= <a@b.test>'],
      ['日本', 'From: =?UTF-8?B?5pel5pys?= <a@b.test>'],
      ['=?UTF-8?Q?x?=', 'From: =?UTF-8?B?PT9VVEYtOD9RP3g/PQ==?= <a@b.test>'],
      [
        'A name that is rather long but just about fits on one line here',
        'From: =?UTF-8?Q?A_name_that_is_rather_long_but_just_about_fits_on_one_line?=\r\n =?UTF-8?Q?_here?= <a@b.test>',
      ],
    ];
    for (const [name, expected] of names) {
      it(`compose writes the display name ${name}`, () =>
        assert.equal(field({ from: mailbox(`${name} <a@b.test>`) }, 'From'), expected));
    }
  });

  it('compose folds a long list of addresses between the addresses', () => {
    const to = Array.from({ length: 50 }, (_, at) => mailbox(`"Person, ${at}" <person-${at}@example.test>`));
    const lines = field({ to }, 'To')?.split('\r\n') ?? [];
    assert.ok(lines.length >= 25);
    assert.ok(lines.every((line) => line.length <= 76));
    assert.ok(lines.slice(0, -1).every((line) => line.endsWith('test>,')));
  });

  describe('compose writes subjects', () => {
    const subjects: [behavior: string, subject: string, field: string][] = [
      ['that are ASCII', 'Hello, "you" <b>', 'Subject: Hello, "you" <b>'],
      ['that are empty', '', 'Subject:'],
      ['without space at the ends', ' a\t', 'Subject: a'],
      ['with line breaks as spaces', 'a\r\nBcc: x@y.test\n\nb\0c', 'Subject: a Bcc: x@y.test b c'],
      ['with few letters outside ASCII', 'Bestellübersicht', 'Subject: =?UTF-8?Q?Bestell=C3=BCbersicht?='],
      ['with many letters outside ASCII', 'Привет', 'Subject: =?UTF-8?B?0J/RgNC40LLQtdGC?='],
      [
        'with only the necessary words encoded',
        'Your Bestellübersicht and Ausgänge now',
        'Subject: Your =?UTF-8?Q?Bestell=C3=BCbersicht_and_Ausg=C3=A4nge?= now',
      ],
      ['that look like encoded words', 'a =?UTF-8?Q?x?=', 'Subject: a =?UTF-8?B?PT9VVEYtOD9RP3g/PQ==?='],
      ['with controls encoded', 'a\x07b', 'Subject: =?UTF-8?B?YQdi?='],
      [
        'folded at spaces',
        'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed  do eiusmod tempor',
        'Subject: Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed  do\r\n eiusmod tempor',
      ],
      [
        'without splitting a character',
        '😀'.repeat(20),
        'Subject: =?UTF-8?B?8J+YgPCfmIDwn5iA8J+YgPCfmIDwn5iA8J+YgPCfmIDwn5iA?=\r\n' +
          ' =?UTF-8?B?8J+YgPCfmIDwn5iA8J+YgPCfmIDwn5iA8J+YgPCfmIDwn5iA8J+YgPCfmIA=?=',
      ],
    ];
    for (const [behavior, subject, expected] of subjects) {
      it(`compose writes subjects ${behavior}`, () => assert.equal(field({ subject }, 'Subject'), expected));
    }
  });

  describe('compose writes additional fields', () => {
    const url = `<https://example.test/${'u'.repeat(100)}>`;
    const fields: [behavior: string, name: string, value: string, field: string][] = [
      ['unchanged', 'X-Entity-Ref-ID', 'a b', 'X-Entity-Ref-ID: a b'],
      [
        'without allowing header injection',
        'X-A',
        'b\r\nBcc: c@d.test\r\n\r\nbody',
        'X-A: b Bcc: c@d.test body',
      ],
      [
        'folded between message identifiers',
        'References',
        `${id(1)} ${id(2)}`,
        `References: ${id(1)}\r\n ${id(2)}`,
      ],
      [
        'without encoded message identifiers',
        'In-Reply-To',
        '<=?UTF-8?Q?x?=@a.test>',
        'In-Reply-To: <=?UTF-8?Q?x?=@a.test>',
      ],
      [
        'folded between URLs',
        'List-Unsubscribe',
        `<mailto:a@b.test>, ${url}`,
        `List-Unsubscribe: <mailto:a@b.test>,\r\n ${url}`,
      ],
      [
        'with percent-encoded URLs',
        'list-unsubscribe',
        '<https://example.test/ü?😀>',
        'list-unsubscribe: <https://example.test/%C3%BC?%F0%9F%98%80>',
      ],
      [
        'with only words encoded in a structured field',
        'List-Id',
        'Ü Ö news <news.example.test>',
        'List-Id: =?UTF-8?B?w5wgw5Y=?= news <news.example.test>',
      ],
      ['with encoded text', 'X-Note', 'für dich', 'X-Note: =?UTF-8?Q?f=C3=BCr?= dich'],
      [
        'folded before an encoded word that is too long for the line',
        `X-${'n'.repeat(70)}`,
        'ü',
        `X-${'n'.repeat(70)}:\r\n =?UTF-8?B?w7w=?=`,
      ],
    ];
    for (const [behavior, name, value, expected] of fields) {
      it(`compose writes additional fields ${behavior}`, () =>
        assert.equal(field({ headers: [[name, value]] }, name), expected));
    }

    it('compose splits a word in an additional field that is longer than a line', () => {
      const token = 'a'.repeat(5_000);
      for (const name of ['X-Long', 'References', 'List-Unsubscribe']) {
        const text = field({ headers: [[name, `b ${token} c`]] }, name) ?? '';
        assert.ok(text.split('\r\n').every((line) => line.length <= 998));
      }
      const text = field({ headers: [['X-Long', token]] }, 'X-Long') ?? '';
      assert.equal(text.replace(/\r\n /g, '').replace(/=\?UTF-8\?Q\?|\?=/g, ''), `X-Long: ${token}`);
    });
  });

  it('compose returns the same bytes for the same content', () => {
    const content = { html: '<p>é</p>', text: null, headers: [['X-A', 'b']] as const };
    assert.deepEqual(bytes(composed(content)), bytes(composed(structuredClone(content))));
  });

  it('compose returns a message that follows RFC 5322 for any content', () => {
    fc.assert(
      fc.property(contents, (content) => {
        const message = composed(content);
        const text = bytes(message).toString('latin1');
        assert.doesNotMatch(text, /\r(?!\n)|(?<!\r)\n|\0/);
        if (!message.smtputf8) assert.doesNotMatch(text, /[^\t\r\n -~]/);
        for (const line of text.split('\r\n')) assert.ok(line.length <= 998);
        for (const line of message.header.split('\r\n')) {
          assert.doesNotMatch(line, /^[ \t]+$|[ \t]$/);
          if (line.includes('=?UTF-8?')) assert.ok(line.length <= 76 || /^\s*<.*>$/.test(line), line);
        }
        const names = message.header.split(/\r\n(?![ \t])/).map((line) => line.split(':')[0]);
        assert.deepEqual(
          names.filter(
            (name) => !name?.startsWith('X-') && name !== 'References' && name !== 'List-Unsubscribe',
          ),
          [
            'From',
            content.to.length > 0 && 'To',
            content.cc.length > 0 && 'Cc',
            'Subject',
            'Date',
            'Message-ID',
            'MIME-Version',
            'Content-Type',
            (content.html ?? '') === '' && 'Content-Transfer-Encoding',
            '',
          ].filter((name) => name !== false),
        );
      }),
      { numRuns: runs(500) },
    );
  });

  it('compose returns a message that another implementation parses to the same content', async () => {
    await fc.assert(
      fc.asyncProperty(contents, async (content) => {
        const email = await read(content);
        const { to, cc, from } = content;
        assert.equal(trimmed(email.subject ?? ''), trimmed(oneLine(content.subject)));
        for (const [given, found] of [
          [[from], [email.from]],
          [to, email.to ?? []],
          [cc, email.cc ?? []],
        ] as const) {
          assert.deepEqual(
            found.map((address) => [trimmed(address?.name ?? ''), address?.address?.replace(/"/g, '')]),
            given.map(({ displayName, address }) => [trimmed(displayName ?? ''), address.replace(/"/g, '')]),
          );
        }
        if (content.text) assert.equal(unended(email.text) ?? '', unended(content.text));
        if (content.html) assert.equal(unended(email.html) ?? '', unended(content.html));
        for (const [name, value] of content.headers) {
          if (name !== 'X-Text') continue;
          const found = email.headers.find(({ key }) => key === name.toLowerCase())?.value;
          assert.equal(trimmed(decodeWords(found ?? '')), trimmed(oneLine(value)));
        }
      }),
      { numRuns: runs(500) },
    );
  });
});
