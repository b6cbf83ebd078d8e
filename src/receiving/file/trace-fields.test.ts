import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { type Trace, traceFields, withTrace } from './trace-fields.ts';

const TRACE: Trace = {
  mail: {
    address: '192.0.2.1',
    helo: 'mail.sender.example',
    isExtended: true,
    tls: { protocol: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384' },
    reversePath: 'b@sender.example',
    isUtf8: false,
  },
  hostname: 'mx.acme.example',
  id: 'id-1',
  onlyRecipient: 'anna+x@acme.example',
  authentication: {
    header:
      'mx.acme.example; spf=pass smtp.mailfrom=sender.example; dkim=pass header.d=sender.example header.s=s1; dmarc=pass',
    iprev: { result: 'pass', name: 'mail.sender.example' },
  },
  spamStatus: 'No, score=0.0 required=6.0 tests=none',
  receivedAt: new Date('2026-11-22T18:30:00.123Z'),
};

test('the trace fields name the client, the protocol, the time and the recipient', () => {
  assert.equal(
    traceFields(TRACE),
    [
      'Return-Path: <b@sender.example>',
      'Delivered-To: anna+x@acme.example',
      'Received: from mail.sender.example (mail.sender.example [192.0.2.1])',
      '\t(using TLSv1.3 with cipher TLS_AES_256_GCM_SHA384)',
      '\tby mx.acme.example (Posthorn) with ESMTPS id id-1',
      '\tfor <anna+x@acme.example>;',
      '\tSun, 22 Nov 2026 18:30:00 +0000',
      'Authentication-Results: mx.acme.example;',
      '\tspf=pass smtp.mailfrom=sender.example;',
      '\tdkim=pass header.d=sender.example header.s=s1; dmarc=pass',
      'X-Spam-Status: No, score=0.0 required=6.0 tests=none',
      '',
    ].join('\r\n'),
  );
});

test('the trace fields name no recipient if the message has several recipients', () => {
  const fields = traceFields({ ...TRACE, onlyRecipient: null });
  assert.doesNotMatch(fields, /anna|Delivered-To|\bfor\b/);
});

for (const [protocol, mail] of [
  ['SMTP', { isExtended: false, tls: null }],
  ['ESMTP', { tls: null }],
  ['ESMTPS', {}],
  ['UTF8SMTP', { isUtf8: true, tls: null }],
  ['UTF8SMTPS', { isUtf8: true }],
] as const) {
  test(`the protocol can be ${protocol}`, () => {
    const fields = traceFields({ ...TRACE, mail: { ...TRACE.mail, ...mail } });
    assert.match(fields, new RegExp(`\\) with ${protocol} id `));
  });
}

describe('for any client name', () => {
  test('the trace fields have the same structure and no line is longer than 998 octets', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const helo = text.replace(/[\s\p{C}]/gu, '') || 'x';
        const fields = traceFields({ ...TRACE, mail: { ...TRACE.mail, helo, address: '2001:db8::1' } });
        assert.equal(fields.match(/^\S+:/gm)?.length, 5);
        assert.match(fields, /^Received: from \S+ \(mail\.sender\.example \[IPv6:2001:db8::1\]\)\r$/m);
        for (const line of fields.split('\r\n')) assert.ok(Buffer.byteLength(line) < 998);
      }),
    );
  });
});

for (const [name, message, expected] of [
  ['a header is unchanged', 'Subject: x\r\n\r\nbody', 'F: 1\r\nSubject: x\r\n\r\nbody'],
  ['an empty header is unchanged', '\r\nbody', 'F: 1\r\n\r\nbody'],
  [
    'a first line that would continue our fields becomes body',
    ' ; dkim=pass\r\n\r\nx',
    'F: 1\r\n\r\n ; dkim=pass\r\n\r\nx',
  ],
  ['a first line with a tab becomes body too', '\tx', 'F: 1\r\n\r\n\tx'],
  ['an empty message gets an empty line', '', 'F: 1\r\n\r\n'],
] as const) {
  test(name, () => assert.equal(withTrace('F: 1\r\n', Buffer.from(message)).toString(), expected));
}
