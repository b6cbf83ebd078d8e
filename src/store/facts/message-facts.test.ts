import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { processorClock } from '../../../test/support/processor-time.ts';
import { type MessageFacts, readMessageFacts } from './message-facts.ts';

function factsOf(text: string): MessageFacts {
  return readMessageFacts(Buffer.from(text.replaceAll('\n', '\r\n')));
}

/** This message and its envelope are from RFC 9051, section 8. */
const RFC_EXAMPLE = `Date: Wed, 17 Jul 1996 02:23:25 -0700 (PDT)
From: Terry Gray <gray@cac.washington.edu>
Subject: IMAP4rev2 WG mtg summary and minutes
To: imap@cac.washington.edu
cc: minutes@CNRI.Reston.VA.US, John Klensin <KLENSIN@MIT.EDU>
Message-Id: <B27397-0100000@cac.washington.edu>
MIME-Version: 1.0
Content-Type: TEXT/PLAIN; CHARSET=US-ASCII

`;

const MIXED = `From: =?utf-8?q?J=C3=B6rg?= <j@x.test>
To: Friends: a@x.test, "B, C" <b@x.test>;, d@x.test
Subject: Re: [list] =?utf-8?b?R3LDvMOfZQ==?=
Date: Sun, 22 Nov 2026 10:00:00 +0100
Message-ID: <new@x.test>
In-Reply-To: <old@x.test>
References: <first@x.test>
 <old@x.test>
Content-Type: multipart/mixed; boundary="outer"

--outer
Content-Type: multipart/alternative; boundary=inner

--inner
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

On Monday K. wrote:
> quoted words

Gr=FC=DFe aus K=F6ln
--inner
Content-Type: text/html; charset=utf-8

<p>Grüße aus Köln</p><p>only in html</p><script>hidden()</script>
--inner--
--outer
Content-Type: application/pdf
Content-Disposition: attachment; filename*0*=utf-8''%C3%9Cber; filename*1=sicht.pdf
Content-Transfer-Encoding: base64

QUJD
--outer
Content-Type: message/rfc822

Subject: inside
From: k@x.test

inner words
--outer--
`;

/** Parses an envelope or a body structure like a mail app: only strings, lists and numbers. */
function parseImap(text: string): unknown {
  let at = 0;
  const value = (): unknown => {
    if (text.startsWith('NIL', at)) {
      at += 3;
      return null;
    }
    if (text[at] === '"') {
      const end = /"(?:[^"\\\r\n\0]|\\["\\])*"/y;
      end.lastIndex = at;
      const match = end.exec(text);
      assert.ok(match !== null, text.slice(at, at + 50));
      at = end.lastIndex;
      return match[0].slice(1, -1).replace(/\\(.)/g, '$1');
    }
    if (text[at] === '(') {
      at++;
      const list: unknown[] = [];
      while (text[at] !== ')') {
        if (text[at] === ' ') at++;
        list.push(value());
      }
      at++;
      return list;
    }
    const digits = /^\d+/.exec(text.slice(at, at + 20))?.[0];
    assert.ok(digits !== undefined, text.slice(at, at + 50));
    at += digits.length;
    return Number(digits);
  };
  const parsed = value();
  assert.equal(at, text.length);
  return parsed;
}

describe('readMessageFacts', () => {
  it('returns the envelope of the example in RFC 9051', () => {
    assert.equal(
      factsOf(RFC_EXAMPLE).envelope,
      '("Wed, 17 Jul 1996 02:23:25 -0700 (PDT)" "IMAP4rev2 WG mtg summary and minutes" ' +
        '(("Terry Gray" NIL "gray" "cac.washington.edu")) (("Terry Gray" NIL "gray" "cac.washington.edu")) ' +
        '(("Terry Gray" NIL "gray" "cac.washington.edu")) ((NIL NIL "imap" "cac.washington.edu")) ' +
        '((NIL NIL "minutes" "CNRI.Reston.VA.US")("John Klensin" NIL "KLENSIN" "MIT.EDU")) NIL NIL ' +
        '"<B27397-0100000@cac.washington.edu>")',
    );
  });

  it('parses a message with alternative texts, an attachment and an embedded message', () => {
    const facts = factsOf(MIXED);
    assert.deepEqual(
      { ...facts, envelope: parseImap(facts.envelope), bodyStructure: parseImap(facts.bodyStructure) },
      {
        envelope: [
          'Sun, 22 Nov 2026 10:00:00 +0100',
          'Re: [list] =?utf-8?b?R3LDvMOfZQ==?=',
          ...Array.from({ length: 3 }, () => [['=?utf-8?q?J=C3=B6rg?=', null, 'j', 'x.test']]),
          [
            [null, null, 'Friends', null],
            [null, null, 'a', 'x.test'],
            ['B, C', null, 'b', 'x.test'],
            [null, null, null, null],
            [null, null, 'd', 'x.test'],
          ],
          null,
          null,
          '<old@x.test>',
          '<new@x.test>',
        ],
        bodyStructure: [
          [
            [
              'text',
              'plain',
              ['charset', 'iso-8859-1'],
              null,
              null,
              'quoted-printable',
              59,
              3,
              null,
              null,
              null,
              null,
            ],
            ['text', 'html', ['charset', 'utf-8'], null, null, '7bit', 68, 0, null, null, null, null],
            'alternative',
            ['boundary', 'inner'],
            null,
            null,
            null,
          ],
          [
            'application',
            'pdf',
            null,
            null,
            null,
            'base64',
            4,
            null,
            ['attachment', ['filename*', 'Übersicht.pdf']],
            null,
            null,
          ],
          [
            'message',
            'rfc822',
            null,
            null,
            null,
            '7bit',
            46,
            [
              null,
              'inside',
              ...Array.from({ length: 3 }, () => [[null, null, 'k', 'x.test']]),
              ...Array.from({ length: 5 }, () => null),
            ],
            ['text', 'plain', ['charset', 'us-ascii'], null, null, '7bit', 11, 0, null, null, null, null],
            3,
            null,
            null,
            null,
            null,
          ],
          'mixed',
          ['boundary', 'outer'],
          null,
          null,
          null,
        ],
        messageId: '<new@x.test>',
        references: ['<first@x.test>', '<old@x.test>'],
        ancestors: ['<first@x.test>', '<old@x.test>'],
        subject: 'Re: [list] Grüße',
        baseSubject: 'grüße',
        crlfGrowth: 0,
        event: null,
        usualFields: `${(MIXED.split('\n\n', 1)[0] ?? '').replaceAll('\n', '\r')}\r`,
        from: [{ name: 'Jörg', address: 'j@x.test' }],
        replyTo: [],
        to: [
          { name: '', address: 'a@x.test' },
          { name: 'B, C', address: 'b@x.test' },
          { name: '', address: 'd@x.test' },
        ],
        cc: [],
        bcc: [],
        sentAt: new Date('2026-11-22T09:00:00Z'),
        sentOn: '2026-11-22',
        header:
          '\nfrom: jorg <j@x.test>\nto: friends: a@x.test, "b, c" <b@x.test>;, d@x.test' +
          '\n to: friends: <a@x.test>, b, c <b@x.test>;, <d@x.test>\nsubject: re: [list] grusse' +
          '\ndate: sun, 22 nov 2026 10:00:00 +0100\nmessage-id: <new@x.test>\nin-reply-to: <old@x.test>' +
          '\nreferences: <first@x.test> <old@x.test>\ncontent-type: multipart/mixed; boundary="outer"\n' +
          '\ncontent-type: multipart/alternative; boundary=inner\ncontent-type: text/plain; charset=iso-8859-1' +
          '\ncontent-transfer-encoding: quoted-printable\ncontent-type: text/html; charset=utf-8' +
          "\ncontent-type: application/pdf\ncontent-disposition: attachment; filename*0*=utf-8''%c3%9cber; filename*1=sicht.pdf" +
          '\ncontent-transfer-encoding: base64\ncontent-type: message/rfc822\nsubject: inside\nfrom: k@x.test',
        preview: 'Grüße aus Köln',
        text:
          're: [list] grusse jorg j@x.test a@x.test b, c b@x.test d@x.test ubersicht.pdf inside k@x.test\n\n' +
          'on monday k. wrote: > quoted words grusse aus koln\nonly in html\ninner words',
        attachments: 2,
      },
    );
  });

  it('returns the ids of the messages replied to, the day as written in Date, and the header without signature data', () => {
    const facts = factsOf(
      'Date: Sun, 22 Nov 2026 23:30:00 -0800\nIn-Reply-To: Your <a@x.test> of <b@x.test>\nReferences: none\nEmpty:\n' +
        'DKIM-Signature: v=1; d=x.test; b=abcd\n efgh; bh=ijkl=; h=from\n\nbody',
    );
    assert.deepEqual(facts.ancestors, ['<a@x.test>']);
    assert.equal(facts.sentOn, '2026-11-22');
    assert.ok(
      facts.header.endsWith('\nempty: \ndkim-signature: v=1; d=x.test; b=; bh=; h=from\n'),
      facts.header,
    );
  });

  for (const [what, text, html, expected] of [
    [
      'a text that stands in for the HTML',
      'Read online',
      '<p>Your parcel arrives on Monday.',
      'Your parcel arrives on Monday.',
    ],
    ['a short text with short HTML', 'See you', '<p>See you!</p>', 'See you'],
    [
      'a text of usual length',
      'Your parcel arrives on Monday, with two books.',
      `<p>${'Ad '.repeat(50)}`,
      'Your parcel arrives on Monday, with two books.',
    ],
  ] as const)
    it(`previews ${what}`, () =>
      assert.equal(
        factsOf(
          `Content-Type: multipart/alternative; boundary=b\n\n--b\n\n${text}\n--b\nContent-Type: text/html\n\n${html}\n--b--`,
        ).preview,
        expected,
      ));

  it('parses malformed messages', () => {
    const broken: readonly [text: string, expected: Partial<MessageFacts>][] = [
      ['', { subject: '', preview: '', sentAt: null, messageId: null, attachments: 0 }],
      ['just text\nwithout a header\n', { preview: 'just text without a header' }],
      ['Subject: no empty line', { subject: 'no empty line', preview: '' }],
      ['Subject: nul\0nul\n\nte\0xt\n', { subject: 'nulnul', preview: 'te xt', text: 'nulnul\n\nte xt' }],
      ['Subject: s\nDate: never\nMessage-ID: broken\n\n', { sentAt: null, messageId: null }],
      ['Content-Type: multipart/mixed\n\nwords', { preview: 'words' }],
      ['Content-Type: multipart/mixed; boundary=b\n\n--b\n\nwords', { preview: 'words' }],
      ['Content-Type: text/plain; charset=made-up\n\nwords', { preview: 'words' }],
      ['Subject: \ud83d half\n\n', { subject: '\ufffd half' }],
    ];
    for (const [text, expected] of broken) {
      const facts = factsOf(text);
      for (const [name, value] of Object.entries(expected)) {
        assert.deepEqual(facts[name as keyof MessageFacts], value, `${JSON.stringify(text)}: ${name}`);
      }
      parseImap(facts.envelope);
      parseImap(facts.bodyStructure);
    }
    assert.equal(
      readMessageFacts(Buffer.from('Subject: gr\xfc\xdfe\n\n', 'latin1')).envelope,
      '(NIL "grüße" NIL NIL NIL NIL NIL NIL NIL NIL)',
    );
  });

  it('returns facts that PostgreSQL and mail programs can read, within the limits, for any octets', () => {
    const pieces = fc.constantFrom(
      ...'--b|--b--|\r\n|\n|\r\n\r\n|Content-Type: |multipart/mixed; boundary=b|message/rfc822|text/html; charset=utf-16|'.split(
        '|',
      ),
      ...'Subject: |From: |=?utf-8?b?|?=|<p>|"|\\|(|)|a@b.test|, |;|:|<|>|filename*0*=|Content-Disposition: attachment; '.split(
        '|',
      ),
      '\0',
      '\xff',
      '\xed\xa0\x80',
      '=ED=A0=80',
    );
    const made = fc.array(pieces, { maxLength: 60 }).map((words) => Buffer.from(words.join(''), 'latin1'));
    const noise = fc.uint8Array({ maxLength: 300 }).map((octets) => Buffer.from(octets));
    fc.assert(
      fc.property(fc.oneof(made, noise), (raw) => {
        const facts = readMessageFacts(raw);
        parseImap(facts.envelope);
        parseImap(facts.bodyStructure);
        const json = JSON.stringify(facts);
        assert.ok(json.isWellFormed() && !json.includes('\\u0000') && !/\\ud[89a-f]/.test(json), json);
        assert.ok([...facts.preview].length <= 200);
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('is bounded in time and size for hostile messages', () => {
    const MIB = 1_048_576;
    const fill = (unit: string): string => unit.repeat(Math.ceil((3 * MIB) / unit.length));
    const mixed = 'Content-Type: multipart/mixed; boundary=b\n\n';
    const hostile = {
      'nested parts': fill(`${mixed}--b\n`),
      'nested messages': fill('Content-Type: message/rfc822\n\n'),
      'many parts': mixed + fill('--b\n\nx\n'),
      'parts with different boundaries': Array.from(
        { length: 60_000 },
        (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`,
      ).join(''),
      addresses: `From: a@b.test\nTo: ${fill('abcdefgh@example.test,\n ')}\nSubject: behind\n\nbody`,
      'empty addresses': `To: ${fill(',')}\nSubject: behind\n\n`,
      fields: fill('A: b\n'),
      'a long line': `Subject: ${fill('x')}`,
      'no header': fill('\xff'),
      'folded space': `A: b\n${fill(' \n')}`,
      tags: `Content-Type: text/html\n\n${fill('<a href=')}`,
      entities: `Content-Type: text/html\n\n${fill('&')}`,
      lines: `Content-Type: multipart/alternative; boundary=b\n\n--b\n\n${'ab '.repeat(60_000)}\n--b\nContent-Type: text/html\n\n${fill('ab<br>')}`,
      'soft breaks': `Content-Transfer-Encoding: quoted-printable\n\n${fill('=\n')}`,
      accents: `\n${fill('\xcc\x81')}`,
    };
    for (const [name, text] of Object.entries(hostile)) {
      const usedMs = processorClock();
      const facts = readMessageFacts(Buffer.from(text, 'latin1'));
      assert.ok(usedMs() < 3_000, `${name}: ${usedMs()} ms`);
      assert.ok(JSON.stringify(facts).length < 1_000_000, name);
      parseImap(facts.envelope);
      parseImap(facts.bodyStructure);
    }
    assert.equal(readMessageFacts(Buffer.from(hostile.addresses)).subject, 'behind');
  });

  const corpora = process.env['POSTHORN_CORPORA'];
  it('parses the messages of public corpora', { skip: corpora === undefined && 'no corpora' }, () => {
    const folder = join(corpora as string, 'messages');
    for (const name of readdirSync(folder)) {
      const raw = readFileSync(join(folder, name));
      const facts = readMessageFacts(raw);
      parseImap(facts.envelope);
      parseImap(facts.bodyStructure);
    }
  });
});
