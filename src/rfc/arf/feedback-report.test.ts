import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readFeedbackReport } from './feedback-report.ts';

describe('readFeedbackReport', () => {
  it('readFeedbackReport reads the example of RFC 5965', () => {
    const text = `Feedback-Type: abuse
User-Agent: SomeGenerator/1.0
Version: 1
Original-Mail-From: <somespammer@example.net>
Original-Rcpt-To: <user@example.com>
Arrival-Date: Thu, 8 Mar 2005 14:00:00 EDT
Reporting-MTA: dns; mail.example.com
Source-IP: 192.0.2.1
Authentication-Results: mail.example.com;
               spf=fail smtp.mail=somespammer@example.com
Reported-Domain: example.net
Original-Rcpt-To: rfc822; second@example.com
`;
    for (const variant of [text, text.replaceAll('\n', '\r\n')]) {
      assert.deepEqual(readFeedbackReport(variant), {
        feedbackType: 'abuse',
        reportingMta: 'mail.example.com',
        originalMailFrom: 'somespammer@example.net',
        originalRcptTo: ['user@example.com', 'second@example.com'],
      });
    }
  });

  it('readFeedbackReport rejects a report without a feedback type', () => {
    assert.equal(readFeedbackReport('User-Agent: x\n'), null);
    assert.equal(readFeedbackReport('Feedback-Type:\n'), null);
  });

  it('readFeedbackReport never throws, and returns at most 100 recipients', () => {
    const pieces = 'Feedback-Type:|abuse|Original-Rcpt-To:|<|>|a@b.example|\n| |\r\n|:'.split('|');
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 30 }), (words) => {
        const report = readFeedbackReport(words.join(''));
        assert.ok(report === null || report.feedbackType.length > 0);
      }),
    );
    const many = readFeedbackReport(
      `Feedback-Type: abuse\n${'Original-Rcpt-To: a@b.example\n'.repeat(10_000)}`,
    );
    assert.equal(many?.originalRcptTo.length, 100);
  });
});
