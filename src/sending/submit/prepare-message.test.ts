import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { newUuid } from '../../model/ids.ts';
import { type Preparing, prepareMessage } from './prepare-message.ts';
import { Preparer } from './preparer.ts';

const OWN = [
  { address: 'ada@acme.test', domain: 'acme.test', key: 'ada', isReserved: false },
  { address: 'sales@shop.test', domain: 'shop.test', key: 'sales', isReserved: false },
];
const PREPARING: Preparing = {
  submissionId: newUuid(),
  senders: { own: OWN, shared: [] },
  displayName: null,
  replyTo: null,
  fileBytes: 20 * 1024 * 1024,
  received: 'by mx.posthorn.test (Posthorn) with ESMTPSA id sub_1',
  storesCopy: false,
};

const REST = 'Message-ID: <1@acme.test>\r\nDate: Mon, 23 Nov 2026 10:00:00 +0000\r\n\r\nHello\r\n';

function prepare(message: string | Buffer, preparing: Partial<Preparing> = {}) {
  return prepareMessage(Buffer.from(message), { ...PREPARING, ...preparing });
}

/** The outgoing message without the Received field. */
function sent(message: string | Buffer, preparing: Partial<Preparing> = {}): string {
  const prepared = prepare(message, preparing);
  assert.equal(prepared.outcome, 'prepared', JSON.stringify(prepared));
  if (prepared.outcome !== 'prepared') return '';
  assert.deepEqual(prepared.digest, hash('sha256', prepared.data, 'buffer'));
  const text = prepared.data.toString('latin1');
  const [received = ''] = /^Received: [^\r]*\r\n\t[^\r]*\r\n/.exec(text) ?? [];
  assert.match(
    received,
    /^Received: by mx\.posthorn\.test \(Posthorn\) with ESMTPSA id sub_1;\r\n\t\w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000\r\n$/,
  );
  return text.slice(received.length);
}

test('a reserved alias of the mailbox is rejected in every field that names a sender', () => {
  const own = [...OWN, { address: 'news@acme.test', domain: 'acme.test', key: 'news', isReserved: true }];
  for (const head of [
    'From: news@acme.test\r\n',
    'From: ada@acme.test\r\nSender: news@acme.test\r\n',
    'Resent-From: news@acme.test\r\nFrom: ada@acme.test\r\n',
    'Resent-From: ada@acme.test\r\nResent-Sender: News+x@acme.test\r\nFrom: ada@acme.test\r\n',
  ]) {
    const prepared = prepare(head + REST, { senders: { own, shared: [] } });
    assert.equal(prepared.outcome === 'prepared' ? null : prepared.refusal, 'senderNotAllowed', head);
    const other = head.replaceAll(/news/gi, 'ada');
    assert.equal(sent(other + REST, { senders: { own, shared: [] } }), other + REST);
  }
});

suite('for another mailbox', () => {
  const shared = (sending: 'as' | 'on-behalf') => ({
    senders: {
      own: OWN,
      shared: [
        {
          mailboxId: newUuid(),
          sending,
          own: [
            { address: 'info@acme.test', domain: 'acme.test', key: 'info', isReserved: false },
            { address: 'news@acme.test', domain: 'acme.test', key: 'news', isReserved: true },
          ],
          displayName: 'Acme',
          replyTo: 'help@acme.test',
          signatureHtml: null,
        },
      ],
    },
    displayName: 'Ada',
    replyTo: 'ada@shop.test',
  });
  /** The lines before `REST` of the message as sent; null if it is rejected. */
  const head = (fields: string, sending: 'as' | 'on-behalf'): string | null => {
    const prepared = prepare(`${fields}Subject: x\r\n${REST}`, shared(sending));
    if (prepared.outcome === 'refused') {
      assert.equal(prepared.refusal, 'senderNotAllowed');
      return null;
    }
    const text = prepared.data.toString('latin1').replace(/^Received: [^\r]*\r\n\t[^\r]*\r\n/, '');
    const added = text.slice(text.indexOf('+0000\r\n') + 7, text.indexOf('\r\n\r\n') + 2);
    return text.slice(0, text.indexOf('Subject:')) + added;
  };
  const from = 'From: Acme <info@acme.test>\r\n';
  const reply = 'Reply-To: help@acme.test\r\n';
  // biome-ignore format: a table
  const TABLE: [fields: string, as: string | null, onBehalf: string | null][] = [
    [from, from + reply, `${from}Sender: Ada <ada@acme.test>\r\n${reply}`],
    [`${from}Sender: ada@acme.test\r\n`, `${from}Sender: ada@acme.test\r\n${reply}`, `${from}Sender: ada@acme.test\r\n${reply}`],
    [`${from}Sender: sales+x@shop.test\r\n`, `${from}Sender: sales+x@shop.test\r\n${reply}`, `${from}Sender: sales+x@shop.test\r\n${reply}`],
    [`${from}Sender: info@acme.test\r\n`, `${from}Sender: info@acme.test\r\n${reply}`, null],
    [`${from}Sender: ceo@acme.test\r\n`, null, null],
    ['From: INFO+x@acme.test\r\n', `From: Acme <INFO+x@acme.test>\r\n${reply}`, `From: Acme <INFO+x@acme.test>\r\nSender: Ada <ada@acme.test>\r\n${reply}`],
    ['From: news@acme.test\r\n', null, null],
    ['From: ceo@acme.test\r\nSender: ada@acme.test\r\n', null, null],
    ['From: "ceo@acme.test" <info@acme.test>\r\n', null, null],
    ['From: "info@acme.test" <info@acme.test>\r\n', `From: "info@acme.test" <info@acme.test>\r\n${reply}`, `From: "info@acme.test" <info@acme.test>\r\nSender: Ada <ada@acme.test>\r\n${reply}`],
    ['From: "info@acme.test" <ada@acme.test>\r\n', null, null],
    ['From: ada@acme.test\r\n', 'From: Ada <ada@acme.test>\r\nReply-To: ada@shop.test\r\n', 'From: Ada <ada@acme.test>\r\nReply-To: ada@shop.test\r\n'],
    ['From: ada@acme.test\r\nSender: info@acme.test\r\n', null, null],
    ['Resent-From: info@acme.test\r\nFrom: ada@acme.test\r\n', null, null],
    ['Resent-From: info@acme.test\r\nFrom: boss@bank.test\r\n', null, null],
    [`Resent-From: info@acme.test\r\n${from}`, `Resent-From: info@acme.test\r\n${from}${reply}`, null],
  ];
  for (const [fields, as, onBehalf] of TABLE)
    test(JSON.stringify(fields), () =>
      assert.deepEqual([head(fields, 'as'), head(fields, 'on-behalf')], [as, onBehalf]),
    );

  test('the copy names the member and has the Bcc fields, and the message does not', () => {
    const prepared = prepare(
      `${from}Bcc: b@x.test\r\nX-Posthorn-Sent-By: eve@acme.test\r\n${REST}`,
      shared('as'),
    );
    assert.equal(prepared.outcome, 'prepared');
    if (prepared.outcome !== 'prepared') return;
    assert.equal(prepared.sharedBy?.sending, 'as');
    assert.doesNotMatch(prepared.data.toString(), /ada@|eve@|Bcc/);
    const copy = prepared.copy?.toString() ?? '';
    assert.deepEqual(copy.match(/^(?:X-Posthorn-Sent-By|Bcc):.*$/gm), [
      'X-Posthorn-Sent-By: ada@acme.test',
      'Bcc: b@x.test',
    ]);
  });
});

suite('a message with a forged sender is rejected', () => {
  const b64 = (text: string): string => `=?utf-8?b?${Buffer.from(text).toString('base64')}?=`;
  const FORGED: Record<string, string> = {
    'another address': 'From: ceo@bank.test\r\n',
    'another address of the domain': 'From: ceo@acme.test\r\n',
    'two From fields, the own one first': 'From: ada@acme.test\r\nFrom: ceo@bank.test\r\n',
    'two From fields, the own one last': 'From: ceo@bank.test\r\nSubject: x\r\nFrom: ada@acme.test\r\n',
    'two equal From fields': 'From: ada@acme.test\r\nFrom: ada@acme.test\r\n',
    'two From fields in other letters': 'fRoM: ada@acme.test\r\nFROM: ceo@bank.test\r\n',
    'several addresses, one of them foreign': 'From: ada@acme.test, ceo@bank.test\r\n',
    'several addresses, folded': 'From: ada@acme.test,\r\n ceo@bank.test\r\n',
    'a group': 'From: Friends: ceo@bank.test, ada@acme.test;\r\n',
    'an empty group': 'From: undisclosed:;\r\nSender: ada@acme.test\r\n',
    'a second pair of brackets': 'From: <ceo@bank.test> <ada@acme.test>\r\n',
    'brackets in brackets': 'From: <ada@acme.test<ceo@bank.test>>\r\n',
    'text after the brackets': 'From: <ceo@bank.test> ada@acme.test\r\n',
    'an address in quotes before another': 'From: "ada@acme.test" <ceo@bank.test>\r\n',
    'another address in the name': 'From: "ceo@bank.test" <ada@acme.test>\r\n',
    'another address in the name without quotes': 'From: ceo@bank.test <ada@acme.test>\r\n',
    'another address in encoded words': `From: ${b64('ceo@bank.test')} <ada@acme.test>\r\n`,
    'another address over two encoded words': `From: ${b64('ceo@ba')} ${b64('nk.test')} <ada@acme.test>\r\n`,
    'another address in encoded words within quotes': `From: "${b64('ceo@bank.test')}" <ada@acme.test>\r\n`,
    'another address in Q encoding': 'From: =?utf-8?q?ceo=40bank=2Etest?= <ada@acme.test>\r\n',
    'another address with full-width characters': 'From: "ceo＠bank．test" <ada@acme.test>\r\n',
    'a whole mailbox in encoded words': `From: ${b64('Boss <ceo@bank.test>')} <ada@acme.test>\r\n`,
    'encoded words as the local part': `From: ${b64('ceo@bank.test')}@acme.test\r\n`,
    'encoded words as the whole': `From: ${b64('<ceo@bank.test>')}\r\n`,
    'a NUL in encoded words': `From: ${b64('Boss\0')} <ada@acme.test>\r\n`,
    'a line end in encoded words': `From: ${b64('Boss\r\nFrom: ceo@bank.test')} <ada@acme.test>\r\n`,
    'right-to-left text': `From: ${b64('\u202etset.knab@oec')} <ada@acme.test>\r\n`,
    'another address in a comment': 'From: ada@acme.test (ceo@bank.test)\r\n',
    'a comment in the address': 'From: ada(comment)@acme.test\r\n',
    'a comment before the address': 'From: (ada@acme.test) ceo@bank.test\r\n',
    'a route': 'From: <@acme.test:ceo@bank.test>\r\n',
    'another local part in quotes': 'From: "ada@acme.test"@bank.test\r\n',
    'an at sign in the local part': 'From: "ceo@bank.test"@acme.test\r\n',
    'a NUL in the address': 'From: ada@acme.test\0@bank.test\r\n',
    'a NUL before a field': 'From: ada@acme.test\r\n\0From: ceo@bank.test\r\n',
    'a bare CR before another From': 'From: ada@acme.test\r\nX-A: b\rFrom: ceo@bank.test\r\n',
    'a bare LF before another From': 'From: ada@acme.test\r\nX-A: b\nFrom: ceo@bank.test\r\n',
    'a bare CR within From': 'From: ada@acme.test\r, ceo@bank.test\r\n',
    'space before the colon': 'From : ceo@bank.test\r\nFrom: ada@acme.test\r\n',
    'a tab before the colon': 'From\t: ceo@bank.test\r\nFrom: ada@acme.test\r\n',
    'an obsolete name alone': 'From : ada@acme.test\r\n',
    'a line that is not a field before another From':
      'From: ada@acme.test\r\nnothing\r\nFrom: ceo@bank.test\r\n',
    'a non-ASCII field name': 'Frоm: ceo@bank.test\r\nFrom: ada@acme.test\r\n',
    'a header that begins with a space': ' From: ceo@bank.test\r\nFrom: ada@acme.test\r\n',
    'the first line of a mailbox file': 'From ceo@bank.test Mon Nov 23\r\nFrom: ada@acme.test\r\n',
    'no header': 'Hello,\r\n\r\nthis is a letter.\r\n',
    'an empty header': '\r\nFrom: ada@acme.test\r\n',
    'no From': 'Sender: ada@acme.test\r\n',
    'an empty From': 'From:\r\n',
    'a From of spaces': 'From: \r\n \r\n',
    'octets that are not text': 'From: \xff\xfe <ada@acme.test>\r\n',
    'a foreign Sender': 'From: ada@acme.test\r\nSender: ceo@bank.test\r\n',
    'two Senders': 'From: ada@acme.test\r\nSender: ada@acme.test\r\nSender: ceo@bank.test\r\n',
    'a foreign Resent-From': 'Resent-From: ceo@bank.test\r\nFrom: ada@acme.test\r\n',
    'a foreign Resent-Sender':
      'Resent-From: ada@acme.test\r\nResent-Sender: ceo@bank.test\r\nFrom: ada@acme.test\r\n',
    'a second, foreign Resent-From':
      'Resent-From: ada@acme.test\r\nResent-From: ceo@bank.test\r\nFrom: ada@acme.test\r\n',
    'a message that another sender redirected last':
      'Resent-From: ceo@bank.test\r\nResent-From: ada@acme.test\r\nFrom: boss@bank.test\r\n',
    'a redirected message with a foreign Resent-Sender':
      'Resent-Sender: ceo@bank.test\r\nResent-From: ada@acme.test\r\nFrom: boss@bank.test\r\n',
    'a redirected message with two From fields':
      'Resent-From: ada@acme.test\r\nFrom: boss@bank.test\r\nFrom: ceo@bank.test\r\n',
    'a redirected message without From': 'Resent-From: ada@acme.test\r\nSender: boss@bank.test\r\n',
    'a redirected message whose latest fields have no Resent-From':
      'Resent-To: b@x.test\r\nResent-To: c@x.test\r\nResent-From: ada@acme.test\r\nFrom: boss@bank.test\r\n',
    'a foreign domain that begins with the own one': 'From: ada@acme.test.bank.test\r\n',
    'a look-alike domain': 'From: ada@аcme.test\r\n',
    'a tag of another mailbox': 'From: ceo+ada@acme.test\r\n',
    'the local part of one address and the domain of the other': 'From: ada@shop.test\r\n',
    'an invisible character in the address': 'From: ada\u200b@acme.test\r\n',
    'a second From after two thousand fields': `From: ada@acme.test\r\n${'X: y\r\n'.repeat(2_000)}From: ceo@bank.test\r\n`,
    'a second From after a long field': `From: ada@acme.test\r\nX: ${'y'.repeat(300_000)}\r\nFrom: ceo@bank.test\r\n`,
  };
  for (const [name, head] of Object.entries(FORGED))
    test(name, () => {
      const octets = name === 'octets that are not text' ? Buffer.from(head + REST, 'latin1') : head + REST;
      const refused = prepare(octets);
      assert.equal(refused.outcome, 'refused', JSON.stringify(refused));
      assert.ok(
        refused.outcome === 'refused' && ['senderNotAllowed', 'badMessage'].includes(refused.refusal),
      );
    });
});

test('the error for a rejected sender address names the allowed addresses', () => {
  const refused = prepare(`From: Ada <ada@bank.test>\r\n${REST}`);
  assert.ok(refused.outcome === 'refused');
  assert.equal(
    refused.text,
    'From is ada@bank.test, and this mailbox can send from ada@acme.test, sales@shop.test, and their tagged forms (name+tag).',
  );
});

suite('a valid message is sent unchanged', () => {
  const RIGHT: Record<string, string> = {
    'a bare address': 'From: ada@acme.test\r\n',
    'a tagged form': 'From: ada+lists@acme.test\r\n',
    'an alias': 'From: Sales <sales@shop.test>\r\n',
    'another case and spelling': 'from: "Ada, L." <ADA@Acme.TEST>\r\n',
    'encoded words': 'From: =?utf-8?q?J=C3=B6rg?= <ada@acme.test>\r\n',
    'a name in UTF-8': 'From: Jörg <ada@acme.test>\r\n',
    'its own address as its name': 'From: "ada@acme.test" <ada@acme.test>\r\n',
    'an at sign that is not part of an address': 'From: "Ada @ Acme" <ada@acme.test>\r\n',
    'a folded name': 'From: "Ada\r\n Lovelace"\r\n\t<ada@acme.test>\r\n',
    'a name in a comment, the old form': 'From: ada@acme.test (Ada Lovelace)\r\n',
    'own addresses in Sender and Resent-From':
      'Resent-From: sales@shop.test\r\nFrom: ada@acme.test\r\nSender: ada+x@acme.test\r\n',
    'a foreign Reply-To': 'From: ada@acme.test\r\nReply-To: boss@elsewhere.test\r\n',
  };
  for (const [name, head] of Object.entries(RIGHT))
    test(name, () => assert.equal(sent(head + REST), Buffer.from(head + REST).toString('latin1')));

  test('a message with any other fields and any body', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^X-[A-Z]{1,5}: [ -~]{0,60}$/), { maxLength: 5 }),
        fc.uint8Array({ maxLength: 300 }),
        (fields, body) => {
          const text = Buffer.from(body)
            .toString('latin1')
            .replace(/\r\n?|\n/g, '\r\n');
          const ended = text.endsWith('\r\n') ? text : `${text}\r\n`;
          const head = `${fields.map((field) => `${field}\r\n`).join('')}From: ada@acme.test\r\nMessage-ID: <1@x>\r\nDate: x\r\n\r\n`;
          assert.equal(sent(Buffer.from(head + ended, 'latin1')), head + ended);
        },
      ),
    );
  });
});

test('missing fields are added after the existing fields', () => {
  const text = sent('Subject: x\r\nFrom: ada@acme.test\r\n\r\nHello\r\n', {
    displayName: 'Jörg "J" Müller',
    replyTo: 'Help <help@acme.test>',
  });
  assert.match(
    text,
    /^Subject: x\r\nFrom: =\?UTF-8\?[^\r]+\?= <ada@acme\.test>\r\nDate: \w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000\r\nMessage-ID: <[0-9a-z]{26}@acme\.test>\r\nReply-To: Help <help@acme\.test>\r\n\r\nHello\r\n$/,
  );
});

test('an existing display name and Reply-To are not replaced', () => {
  const message = `From: Ada <ada@acme.test>\r\nReply-To: me@elsewhere.test\r\n${REST}`;
  assert.equal(sent(message, { displayName: 'Other', replyTo: 'help@acme.test' }), message);
});

test('an empty Message-ID is replaced', () => {
  // 900 characters of three octets each are too long for a database index.
  for (const id of ['', `<${'\u6c34'.repeat(900)}@x>`]) {
    const text = sent(`From: ada@acme.test\r\nDate: x\r\nMessage-ID: ${id}\r\n\r\n`);
    assert.match(text, /^From: ada@acme\.test\r\nDate: x\r\nMessage-ID: <[0-9a-z]{26}@acme\.test>\r\n\r\n$/);
  }
});

test('hidden recipients and fields reserved for this server are removed', () => {
  const fields = [
    'Return-Path: <ceo@bank.test>',
    'From: ada@acme.test',
    'BCC: c@x.test,\r\n d@x.test',
    'To: b@x.test',
    'Resent-Bcc: e@x.test',
    'Authentication-Results: mx.posthorn.test; dmarc=pass',
    'X-Posthorn-Return: r+1@send.acme.test',
    'x-posthorn-tag: a',
    'Bcc: f@x.test',
  ];
  const message = `${fields.join('\r\n')}\r\n${REST}`;
  assert.equal(sent(message), `From: ada@acme.test\r\nTo: b@x.test\r\n${REST}`);
  const prepared = prepare(message, { storesCopy: true });
  assert.ok(prepared.outcome === 'prepared');
  const copy = prepared.copy?.toString() ?? '';
  assert.ok(
    copy.endsWith(
      `From: ada@acme.test\r\nBCC: c@x.test,\r\n d@x.test\r\nTo: b@x.test\r\nResent-Bcc: e@x.test\r\nBcc: f@x.test\r\n${REST}`,
    ),
  );
  assert.doesNotMatch(copy, /Return-Path|Authentication-Results|X-Posthorn/i);
});

test('no separate copy is made if there are no hidden recipients', () => {
  const prepared = prepare(`From: ada@acme.test\r\n${REST}`, { storesCopy: true });
  assert.ok(prepared.outcome === 'prepared');
  assert.equal(prepared.copy, null);
});

test('all lines end with CRLF, including the last line', () => {
  const text = sent('From: ada@acme.test\nMessage-ID: <1@x>\rDate: x\r\n\rone\r\rtwo\n\nthree');
  assert.equal(
    text,
    'From: ada@acme.test\r\nMessage-ID: <1@x>\r\nDate: x\r\n\r\none\r\n\r\ntwo\r\n\r\nthree\r\n',
  );
});

test('a message in a mail loop is rejected', () => {
  const refused = prepare(`${'Received: from a by b; x\r\n'.repeat(51)}From: ada@acme.test\r\n${REST}`);
  assert.equal(refused.outcome === 'refused' && refused.refusal, 'loop');
});

suite('the decoded size of a file is limited', () => {
  const LIMIT = 3_000;
  const multipart = (...parts: string[]): string =>
    `From: ada@acme.test\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`;
  const base64 = (size: number): string =>
    `Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n${(
      Buffer.alloc(size, 7)
        .toString('base64')
        .match(/.{1,76}/g) ?? []
    ).join('\r\n')}`;
  const inMessage = (message: string): string => `Content-Type: message/rfc822\r\n\r\n${message}`;
  const outcomes: [string, string, boolean][] = [
    ['exactly the limit', multipart(base64(LIMIT)), true],
    ['one octet more', multipart(base64(LIMIT + 1)), false],
    ['several files that exceed it together', multipart(base64(2_000), base64(2_000)), true],
    [
      'in an attached message',
      multipart(
        inMessage(
          multipart(base64(LIMIT + 1))
            .replaceAll('=b\r\n', '=c\r\n')
            .replaceAll('--b', '--c'),
        ),
      ),
      false,
    ],
    [
      'in quoted-printable',
      multipart(`Content-Transfer-Encoding: quoted-printable\r\n\r\n${'=41=\r\n'.repeat(1_400)}`),
      true,
    ],
    [
      'in quoted-printable, larger',
      multipart(`Content-Transfer-Encoding: quoted-printable\r\n\r\n${'=41=41=\r\n'.repeat(1_600)}`),
      false,
    ],
    ['as text', multipart(`Content-Type: text/plain\r\n\r\n${'a'.repeat(LIMIT + 1)}`), false],
    ['in a message without MIME structure', `From: ada@acme.test\r\n\r\n${'a'.repeat(LIMIT + 1)}`, false],
    [
      'in a multipart with an encoding of its own',
      `From: ada@acme.test\r\nContent-Type: multipart/mixed; boundary=b\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.alloc(LIMIT + 9, 'x').toString('base64')}`,
      false,
    ],
    [
      'below the deepest level that is parsed',
      `From: ada@acme.test\r\n${Array.from({ length: 40 }, (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`).join('')}\r\n${'a'.repeat(LIMIT + 1)}`,
      false,
    ],
  ];
  for (const [name, message, isTaken] of outcomes)
    test(`a file is ${isTaken ? 'accepted' : 'rejected'}: ${name}`, () => {
      const prepared = prepare(message, { fileBytes: LIMIT });
      assert.equal(
        prepared.outcome === 'refused' ? prepared.refusal : 'taken',
        isTaken ? 'taken' : 'fileTooLarge',
      );
    });
});

test('equal messages have the same fingerprint, and a message without Message-ID has none', () => {
  const first = prepare(`From: ada@acme.test\r\n${REST}`);
  const later = prepare(`From: ada@acme.test\r\n${REST}`, { submissionId: newUuid() });
  const other = prepare(`From: ada@acme.test\r\n${REST}more\r\n`);
  assert.ok(first.outcome === 'prepared' && later.outcome === 'prepared' && other.outcome === 'prepared');
  assert.deepEqual(first.fingerprint, later.fingerprint);
  assert.notDeepEqual(first.fingerprint, other.fingerprint);
  const without = prepare('From: ada@acme.test\r\n\r\n');
  assert.equal(without.outcome === 'prepared' && without.fingerprint, null);
});

suite('a long header made to be slow is parsed in linear time', () => {
  const LONG = 60_000;
  const SLOW: Record<string, string> = {
    'spaces before a character': `From: ada@acme.test${' '.repeat(LONG)}x`,
    'a name of one word in a comment': `From: ada@acme.test (${'a'.repeat(LONG)})`,
    'quotes in a comment, and an encoded address': `From: ada@acme.test (${"'".repeat(LONG)}b=?utf-8?q?=40?=x.y)`,
    'a Message-ID with spaces': `From: ada@acme.test\r\nMessage-ID: <x${' '.repeat(LONG)}y>${' '.repeat(LONG)}x`,
  };
  for (const [name, header] of Object.entries(SLOW))
    test(name, () => {
      const started = process.cpuUsage();
      prepare(`${header}\r\n\r\nHello\r\n`);
      const { user, system } = process.cpuUsage(started);
      // Linear time takes a few milliseconds; quadratic time would take 180 to 3,000 ms.
      assert.ok(user + system < 100_000, `${(user + system) / 1_000} ms`);
    });
});

test('prepareMessage never throws, whatever the input', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), anyText({ maxLength: 80 }), (octets, value) => {
      prepare(Buffer.from(octets));
      prepare(`From: ${value}\r\n${REST}`);
      prepare(Buffer.concat([Buffer.from('From: ada@acme.test\r\n'), octets]));
    }),
  );
});

test('a large message is prepared in another thread with the same result as in this thread', async () => {
  await using preparer = new Preparer();
  const large = Buffer.from(`From: ada@acme.test\r\nBcc: c@x.test\r\n${REST}${'a line\n'.repeat(20_000)}`);
  const here = prepare(large, { storesCopy: true });
  const there = await preparer.prepare(newUuid(), large, { ...PREPARING, storesCopy: true });
  assert.deepEqual(there, here);
  assert.ok(
    there.outcome === 'prepared' && Buffer.isBuffer(there.data) && Buffer.isBuffer(there.fingerprint),
  );
  const forged = await preparer.prepare(
    newUuid(),
    Buffer.from(`From: b@x.test\r\n${'x'.repeat(70_000)}`),
    PREPARING,
  );
  assert.equal(forged.outcome, 'refused');
});

suite('a redirected message', () => {
  const ORIGINAL = `From: "Boss, The" <boss@bank.test>\r\nSender: staff@bank.test\r\nTo: ada@acme.test\r\n\r\nHello\r\n`;
  const profile = { displayName: 'Ada', replyTo: 'other@acme.test' };

  test('a redirected message is sent as it is, from the mailbox in Resent-From', () => {
    const redirected = `Resent-From: ada@acme.test\r\nResent-Date: x\r\nResent-To: b@x.test\r\n${ORIGINAL}`;
    assert.equal(sent(redirected, profile), redirected);
    const prepared = prepare(redirected, profile);
    assert.ok(prepared.outcome === 'prepared');
    assert.deepEqual(
      [prepared.redirected?.from.domain, prepared.from.address],
      ['bank.test', 'ada@acme.test'],
    );
  });

  test('a redirected message gets only a missing Resent-Date, and loses private fields', () => {
    const dropped =
      'Resent-Bcc: c@x.test\r\nReturn-Path: <x@x.test>\r\nAuthentication-Results: mx; dmarc=pass\r\n';
    assert.match(
      sent(`Resent-From: ada@acme.test\r\n${dropped}${ORIGINAL}`, profile),
      new RegExp(
        `^Resent-Date: [^\\r]+\\r\\nResent-From: ada@acme\\.test\\r\\n${ORIGINAL.replaceAll('.', '\\.')}$`,
      ),
    );
  });

  test('the domains of all addresses that From and Sender show are found', () => {
    const authorOf = (fields: string) => {
      const prepared = prepare(`Resent-From: ada@acme.test\r\n${fields}\r\n\r\nHello\r\n`);
      assert.ok(prepared.outcome === 'prepared', JSON.stringify(prepared));
      return prepared.redirected ?? assert.fail('the message is not redirected');
    };
    for (const [fields, ...shown] of [
      ['From: "Boss <boss@acme.test>" <x@bank.test>', 'acme.test', 'bank.test'],
      ['From: "boss@hr.acme.test" <x@bank.test>', 'hr.acme.test', 'bank.test'],
      ['From: "boss\\@ac\\me.test" <x@bank.test>', 'acme.test', 'bank.test'],
      ['From: =?utf-8?q?boss=EF=BC=A0acme.test?= <x@bank.test>', 'acme.test', 'bank.test'],
      ['From: =?utf-8?q?boss=40acme.test|?= <x@bank.test>', 'acme.test|', 'bank.test'],
      ['From: "boss@acme.test"@bank.test', 'acme.test', 'bank.test'],
      ['From: "boss@\ufeffacme.test" <x@bank.test>', 'acme.test', 'bank.test'],
      ['From: "boss\u2009@acme\u200a.test" <x@bank.test>', 'acme.test', 'bank.test'],
      ['From: "boss@bank.test"\r\n\t<boss@bank.test>', 'bank.test', 'bank.test'],
      ['From: "Boss @ Bank" <"the boss"@bank.test>', 'bank.test'],
    ] as const)
      assert.deepEqual(authorOf(fields).from.shownDomains, shown, fields);
    const { sender } = authorOf('From: x@bank.test (Boss)\r\nSender: boss@acme.test');
    assert.deepEqual(sender?.shownDomains, ['acme.test']);
    for (const [from, hides] of [
      ['"Boss, The" <boss@bank.test>', false],
      ['"Boss"\r\n\t<boss@bank.test>', false],
      ['=?utf-8?q?=E2=80=AEx?= <x@bank.test>', true],
    ] as const)
      assert.equal(authorOf(`From: ${from}`).from.hasInvisibleCharacter, hides, from);
  });

  test('a message that was redirected before can be redirected again', () => {
    const earlier = `Resent-Sender: x@bank.test\r\nResent-From: y@bank.test\r\nResent-Date: x\r\n`;
    const redirected = `Resent-Date: y\r\nResent-From: sales@shop.test\r\nReceived: x\r\n${earlier}${ORIGINAL}`;
    assert.equal(sent(redirected), redirected);
  });
});
