/** Delivery notices to mailbox owners, read by Python's email package. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { composeNotice, type Notice } from '../../src/sending/notices/compose-notice.ts';
import type { RecipientDetail, NotifiedRecipient } from '../../src/sending/notices/notified-recipient.ts';
import { runPython, withPeers } from './peers.ts';

interface Seen {
  type: [string, string];
  fields: Record<string, string>;
  parts: string[];
  text: string;
  message: Record<string, string>;
  recipients: Record<string, string>[];
  original: string;
  defects: string[];
}

const AT = new Date('2026-11-23T02:00:00Z');
const failed = (address: string, diagnostic: string): NotifiedRecipient => ({
  address,
  originalRecipient: `rfc822;${address}`,
  outcome: 'failed',
  detail: {
    category: 'unknown_user',
    smtp_code: 550,
    enhanced_code: '5.1.1',
    diagnostic,
    remote_mta: 'mx.dst.test',
  } as RecipientDetail,
  endedAt: AT,
  retryEnd: null,
});
const noticeOf = (fields: Partial<Notice>): Notice => ({
  id: '01',
  hostname: 'mail.example',
  mailbox: { localPart: 'anna', domain: 'acme.example' },
  submission: { messageId: '<1@acme.example>', envelopeId: 'QQ 1', returns: null, octets: 60, createdAt: AT },
  recipients: [failed('b@dst.test', '550 5.1.1 no such user')],
  original: Buffer.from('Subject: Mittag?\r\nMessage-ID: <1@acme.example>\r\n\r\nUm zwölf?\r\n'),
  now: AT,
  ...fields,
});
const HOSTILE =
  '550 5.1.1 no\r\n\r\nFinal-Recipient: rfc822; x@y.test\r\nAction: delivered\r\n--=_ =?utf-8?q?x?=';

suite('Python', withPeers, () => {
  test('the email package of Python parses notices without a defect, including recipients and original message', async () => {
    const notices = [
      noticeOf({}),
      noticeOf({ recipients: [failed('b@dst.test', HOSTILE), failed('c@dst.test', 'x'.repeat(3_000))] }),
      noticeOf({ submission: { ...noticeOf({}).submission, returns: 'headers' } }),
    ];
    const seen = await runPython<Seen[]>(
      new URL('./read-dsn.py', import.meta.url),
      notices.map((notice) => composeNotice(notice).toString('base64')),
    );
    for (const [
      at,
      { type, fields, parts, text, message, recipients, original, defects },
    ] of seen.entries()) {
      assert.deepEqual(defects, []);
      assert.deepEqual(type, ['multipart/report', 'delivery-status']);
      assert.deepEqual(parts.slice(0, 2), ['text/plain', 'message/delivery-status']);
      assert.equal(parts[2], at === 2 ? 'text/rfc822-headers' : 'message/rfc822');
      assert.equal(fields['From'], 'Mail delivery <MAILER-DAEMON@mail.example>');
      assert.equal(fields['Subject'], 'Not delivered: Mittag?');
      assert.equal(fields['Auto-Submitted'], 'auto-replied');
      assert.equal(fields['References'], '<1@acme.example>');
      assert.match(text, /The mailbox does not exist/);
      assert.equal(message['Original-Envelope-Id'], 'QQ 1');
      assert.equal(message['Reporting-MTA'], 'dns; mail.example');
      assert.deepEqual(
        recipients.map((one) => [one['Final-Recipient'], one['Action'], one['Status']]),
        notices[at]?.recipients.map(({ address }) => [`rfc822; ${address}`, 'failed', '5.1.1']),
      );
      assert.match(original, /^Subject: Mittag\?$/m);
      assert.equal(original.includes('Um zw'), at !== 2);
    }
  });
});
