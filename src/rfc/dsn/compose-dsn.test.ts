import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { decodeText, type Entity, readEntity } from '../mime/index.ts';
import { composeDsn, type DsnContent } from './compose-dsn.ts';
import { readDeliveryStatus } from './delivery-status.ts';
import type { RecipientStatus } from './format-status.ts';

const FAILED: RecipientStatus = {
  finalRecipient: 'a@rcpt.example',
  originalRecipient: 'rfc822;Alias+one@rcpt.example',
  action: 'failed',
  status: '5.1.1',
  remoteMta: 'mx.rcpt.example',
  diagnostic: { type: 'smtp', text: '550 5.1.1 no such user' },
  lastAttempt: new Date('2026-11-23T02:00:00Z'),
  willRetryUntil: null,
};
const ORIGINAL = Buffer.from('Message-ID: <1@acme.example>\r\nSubject: Hello\r\n\r\nIt works.\r\n');

const contentOf = (overrides: Partial<DsnContent> = {}, recipients = [FAILED]): DsnContent => ({
  from: mailbox('MAILER-DAEMON@mail.example', 'Mail delivery'),
  to: mailbox('b@acme.example', null),
  subject: 'Not delivered: Hello',
  date: new Date('2026-11-23T02:00:01Z'),
  messageId: '<dsn-1@mail.example>',
  about: '<1@acme.example>',
  text: 'Your message was not delivered.\n',
  status: {
    envelopeId: 'QQ+1',
    reportingMta: 'mail.example',
    arrivalDate: new Date('2026-11-23T01:59:00Z'),
    recipients,
  },
  original: ORIGINAL,
  isWhole: true,
  ...overrides,
});

function mailbox(address: string, displayName: string | null) {
  const [localPart = '', domain = ''] = address.split('@');
  return { displayName, address, localPart, domain, unicode: false };
}

/** Parses a report. @returns the three parts of the report */
function partsOf(content: DsnContent): { message: Entity; types: string[]; texts: string[]; raw: Buffer } {
  const raw = composeDsn(content);
  const message = readEntity(raw);
  return {
    raw,
    message,
    types: message.parts.map(({ type }) => type),
    texts: message.parts.map((part) => decodeText(raw, part, 1_000_000)),
  };
}

describe('composeDsn', () => {
  it('composeDsn writes a text part, a machine-readable part and the original message', () => {
    const raw = composeDsn(contentOf()).toString('latin1');
    const boundary = /boundary="([^"]+)"/.exec(raw)?.[1] ?? 'none';
    assert.equal(
      raw.replaceAll(boundary, 'B'),
      [
        'From: Mail delivery <MAILER-DAEMON@mail.example>',
        'To: b@acme.example',
        'Subject: Not delivered: Hello',
        'Date: Mon, 23 Nov 2026 02:00:01 +0000',
        'Message-ID: <dsn-1@mail.example>',
        'In-Reply-To: <1@acme.example>',
        'References: <1@acme.example>',
        'Auto-Submitted: auto-replied',
        'MIME-Version: 1.0',
        'Content-Type: multipart/report; report-type=delivery-status;',
        ' boundary="B"',
        '',
        '--B',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Transfer-Encoding: 7bit',
        '',
        'Your message was not delivered.',
        '',
        '--B',
        'Content-Type: message/delivery-status',
        'Content-Transfer-Encoding: 7bit',
        '',
        'Original-Envelope-Id: QQ+1',
        'Reporting-MTA: dns; mail.example',
        'Arrival-Date: Mon, 23 Nov 2026 01:59:00 +0000',
        '',
        'Original-Recipient: rfc822; Alias+one@rcpt.example',
        'Final-Recipient: rfc822; a@rcpt.example',
        'Action: failed',
        'Status: 5.1.1',
        'Remote-MTA: dns; mx.rcpt.example',
        'Diagnostic-Code: smtp; 550 5.1.1 no such user',
        'Last-Attempt-Date: Mon, 23 Nov 2026 02:00:00 +0000',
        '',
        '--B',
        'Content-Type: message/rfc822',
        'Content-Transfer-Encoding: 7bit',
        '',
        'Message-ID: <1@acme.example>',
        'Subject: Hello',
        '',
        'It works.',
        '',
        '--B--',
        '',
      ].join('\r\n'),
    );
  });

  it('composeDsn returns only the header if requested', () => {
    const { types, texts } = partsOf(contentOf({ isWhole: false }));
    assert.deepEqual(types, ['text/plain', 'message/delivery-status', 'text/rfc822-headers']);
    assert.equal(texts[2]?.trim(), 'Message-ID: <1@acme.example>\nSubject: Hello');
  });

  it('composeDsn truncates a header of megabytes at a line end', () => {
    const original = Buffer.from(`${`X: ${'x'.repeat(900)}\r\n`.repeat(2_000)}\r\nbody`);
    const { raw } = partsOf(contentOf({ original, isWhole: false }));
    assert.ok(raw.length < 70_000);
    assert.match(raw.toString('latin1'), /xxx\r\n\r\n--=_/);
  });

  it('composeDsn reports addresses that are not ASCII according to RFC 6533', () => {
    const original = Buffer.from('Subject: Grüße\r\n\r\nHi.\r\n');
    const recipient: RecipientStatus = {
      ...FAILED,
      finalRecipient: 'jörg@rcpt.example',
      originalRecipient: 'utf-8;jörg@rcpt.example',
      diagnostic: { type: 'smtp', text: '550 Jörg gibt es nicht' },
    };
    const { types, texts } = partsOf(contentOf({ original }, [recipient]));
    assert.deepEqual(types, ['text/plain', 'message/global-delivery-status', 'message/global']);
    assert.match(texts[1] ?? '', /Original-Recipient: utf-8; jörg@rcpt.example\n/);
    assert.partialDeepStrictEqual(readDeliveryStatus(texts[1] ?? '').recipients, [
      { finalRecipient: 'jörg@rcpt.example', diagnostic: '550 Jörg gibt es nicht' },
    ]);
    assert.equal(partsOf(contentOf({ original, isWhole: false })).types[2], 'message/global-headers');
  });

  it('composeDsn returns ASCII if the addresses are ASCII, even if the reply of the server is not', () => {
    const diagnostic = { type: 'smtp', text: '550 Jörg gibt es nicht' };
    const { types, texts } = partsOf(contentOf({}, [{ ...FAILED, diagnostic }]));
    assert.equal(types[1], 'message/delivery-status');
    assert.match(texts[1] ?? '', /^Diagnostic-Code: smtp; 550 J\?rg gibt es nicht$/m);
  });

  it('composeDsn escapes reserved characters in an ASCII address of type utf-8', () => {
    const { types, texts } = partsOf(
      contentOf({}, [{ ...FAILED, originalRecipient: 'UTF-8;a+b\\@c.example' }]),
    );
    assert.equal(types[1], 'message/delivery-status');
    assert.match(texts[1] ?? '', /^Original-Recipient: UTF-8; a\\x\{2B\}b\\x\{5C\}@c.example$/m);
    assert.equal(readDeliveryStatus(texts[1] ?? '').recipients[0]?.originalRecipient, 'a+b\\@c.example');
  });

  it('composeDsn separates the parts even if the message contains the boundary of another report', () => {
    const boundary = /boundary="([^"]+)"/.exec(composeDsn(contentOf()).toString('latin1'))?.[1];
    const original = Buffer.from(`Subject: x\r\n\r\n--${boundary}\r\n\r\n--${boundary}--\r\n`);
    const { types, raw } = partsOf(contentOf({ original }));
    assert.equal(types.length, 3);
    assert.ok(raw.includes(original));
  });

  it('composeDsn preserves any text of servers and clients, in lines within the length limit', () => {
    const hostile = fc.oneof(
      anyText(),
      fc
        .array(
          fc.constantFrom(
            '\r\n',
            '\n',
            '\r',
            '\0',
            '\u2028',
            'Action: delivered',
            ' ',
            ';',
            '+0A',
            '\\x{A}',
            'ö',
            '=?utf-8?q?x?=',
            '--=_',
            '\ud800',
          ),
        )
        .map((pieces) => pieces.join('')),
      fc.string({ minLength: 1_000, maxLength: 3_000 }),
    );
    const recipients = fc.array(
      fc.record({
        finalRecipient: fc.constantFrom(
          'a@b.example',
          '"x  y"@b.example',
          'jörg@b.example',
          `${'x'.repeat(64)}@b.example`,
        ),
        originalRecipient: fc.option(hostile),
        action: fc.constantFrom('failed' as const, 'delayed' as const, 'relayed' as const),
        status: fc.constantFrom('5.1.1', '4.4.7', '2.1.5'),
        remoteMta: fc.option(hostile),
        diagnostic: fc.option(fc.record({ type: fc.constant('smtp'), text: hostile })),
        lastAttempt: fc.option(fc.constant(new Date(0))),
        willRetryUntil: fc.option(fc.constant(new Date(0))),
      }),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(
        recipients,
        hostile,
        hostile,
        hostile,
        hostile,
        fc.boolean(),
        (recipients, words, subject, about, envelopeId, isWhole) => {
          const content = contentOf({ subject, about, text: words, isWhole }, recipients);
          const { raw, message, types, texts } = partsOf({
            ...content,
            status: { ...content.status, envelopeId },
          });
          assert.equal(types.length, 3);
          assert.equal(
            texts[0]?.trimEnd(),
            words.toWellFormed().replaceAll('\r\n', '\n').replaceAll('\r', '\n').trimEnd(),
          );
          const read = readDeliveryStatus(texts[1] ?? '');
          assert.equal(read.reportingMta, 'mail.example');
          assert.deepEqual(
            read.recipients.map(({ finalRecipient, action, status }) => ({ finalRecipient, action, status })),
            recipients.map(({ finalRecipient, action, status }) => ({ finalRecipient, action, status })),
          );
          assert.deepEqual(
            message.fields
              .map(({ name }) => name)
              .filter((name) => name !== 'in-reply-to' && name !== 'references'),
            ['from', 'to', 'subject', 'date', 'message-id', 'auto-submitted', 'mime-version', 'content-type'],
          );
          for (const line of raw.toString('latin1').split('\r\n')) {
            assert.ok(!/[\r\n\0]/.test(line));
            assert.ok(line.length <= 998);
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});
