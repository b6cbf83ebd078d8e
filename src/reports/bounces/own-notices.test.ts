/** The notices that this service sends to mailbox owners must be readable by its own report parser. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import type { BOUNCE_CATEGORIES } from '../../model/bounce.ts';
import { composeNotice, type Notice } from '../../sending/notices/compose-notice.ts';
import type { RecipientDetail, NotifiedRecipient } from '../../sending/notices/notified-recipient.ts';
import { readReport } from './read-report.ts';

const AT = new Date('2026-11-23T02:00:00Z');

const bounced = (fields: object): NotifiedRecipient => ({
  address: 'b@dst.test',
  originalRecipient: null,
  outcome: 'failed',
  detail: { smtp_code: 550, remote_mta: 'mx.dst.test', ...fields } as RecipientDetail,
  endedAt: AT,
  retryEnd: null,
});

const noticeOf = (recipients: NotifiedRecipient[]): Notice => ({
  id: '01',
  hostname: 'mail.example',
  mailbox: { localPart: 'anna', domain: 'acme.example' },
  submission: {
    messageId: '<1@acme.example>',
    envelopeId: null,
    returns: null,
    octets: 40,
    createdAt: AT,
  },
  recipients,
  original: Buffer.from('Message-ID: <1@acme.example>\r\n\r\nHi\r\n'),
  now: AT,
});

it("the report parser reads a notice as a report with the server's reply", () => {
  const REPLIES: Partial<Record<(typeof BOUNCE_CATEGORIES)[number], [code: string, text: string]>> = {
    unknown_user: ['5.1.1', '550 5.1.1 User unknown'],
    mailbox_full: ['5.2.2', '552 5.2.2 Mailbox full'],
    message_too_large: ['5.3.4', '552 5.3.4 Message too large'],
    policy: ['5.7.1', '550 5.7.1 Relaying denied'],
  };
  for (const [category, [enhanced_code, diagnostic]] of Object.entries(REPLIES)) {
    const report = readReport(composeNotice(noticeOf([bounced({ category, enhanced_code, diagnostic })])));
    assert.equal(report.kind, 'dsn');
    assert.partialDeepStrictEqual(report, {
      recipients: [{ address: 'b@dst.test', action: 'failed', enhancedCode: enhanced_code, diagnostic }],
      original: { messageId: '<1@acme.example>' },
    });
  }
});

it('the report parser finds the recipients of a notice, whatever the servers replied', () => {
  const hostile = fc.oneof(
    anyText({ maxLength: 200 }),
    fc
      .array(
        fc.constantFrom(
          '\r\n\r\n',
          'Action: delivered',
          '--=_',
          '\u202e',
          'Final-Recipient: rfc822; x@y.test',
          ' ',
          '550 5.1.1',
        ),
      )
      .map((pieces) => pieces.join('')),
  );
  fc.assert(
    fc.property(fc.array(hostile, { minLength: 1, maxLength: 3 }), hostile, (said, host) => {
      const recipients = said.map((diagnostic, at) => ({
        ...bounced({ category: 'content', diagnostic, remote_mta: host }),
        address: `r${at}@dst.test`,
      }));
      const report = readReport(composeNotice(noticeOf(recipients)));
      assert.equal(report.kind, 'dsn');
      assert.deepEqual(
        report.kind === 'dsn' && report.recipients.map(({ address, action }) => [address, action]),
        recipients.map(({ address }) => [address, 'failed']),
      );
    }),
    { numRuns: 60 },
  );
});
