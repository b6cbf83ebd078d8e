import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bounceMessage, ORIGINAL_MESSAGE } from '../../../test/support/bounce-message.ts';
import { BOUNCE_SAMPLES, GONE } from '../../../test/support/bounce-samples.ts';
import { classifyReply } from '../../sending/replies/classify-reply.ts';
import { readReport } from './read-report.ts';

/** Formats each recipient as `address action type category`. */
function outcome(raw: Buffer): string[] {
  const report = readReport(raw);
  if (report.kind !== 'dsn') return [report.kind === 'other' ? `other ${report.why}` : report.kind];
  return report.recipients.map(({ address, action, replyCode, enhancedCode, diagnostic }) => {
    const { type, category } = classifyReply({ replyCode, enhancedCode, text: diagnostic });
    return `${address} ${action} ${type} ${category}`;
  });
}

describe('readReport', () => {
  for (const [program, message, ...recipients] of BOUNCE_SAMPLES) {
    it(`reads ${program}`, () => {
      assert.deepEqual(outcome(bounceMessage(message)), recipients);
    });
  }

  it('returns the reply and the servers in the report', () => {
    const report = readReport(
      bounceMessage({
        text: 'Undelivered.',
        status: `Reporting-MTA: dns; mx.sender.example

Final-Recipient: rfc822; <someone@rcpt.example>
Action: failed
Status: 5.0.0 (permanent failure)
Remote-MTA: dns; mx.rcpt.example
Diagnostic-Code: smtp; 552 5.2.2 someone is\x07 over quota`,
      }),
    );
    assert.ok(report.kind === 'dsn');
    assert.deepEqual(report.recipients, [
      {
        address: 'someone@rcpt.example',
        action: 'failed',
        enhancedCode: '5.2.2',
        replyCode: 552,
        diagnostic: '552 5.2.2 someone is? over quota',
        remoteMta: 'mx.rcpt.example',
        reportingMta: 'mx.sender.example',
      },
    ]);
  });

  const original = {
    messageId: '<original-1@sender.example>',
    returnPath: 'b+token@send.sender.example',
    rcptTo: ['someone@rcpt.example'],
  };

  it('finds the original message in a separate part, and quoted in the text', () => {
    const attached = { text: 'Undelivered.', original: ORIGINAL_MESSAGE };
    const quoted = {
      text: `Your message was not delivered.\n\n--- Below this line is a copy of it.\n\n${ORIGINAL_MESSAGE}`,
    };
    const indented = {
      text: `Not delivered:\n\nMessage headers follow.\n\n${ORIGINAL_MESSAGE.replace(/^/gm, '    ')}`,
    };
    for (const message of [attached, quoted, indented]) {
      const report = readReport(bounceMessage(message));
      assert.ok(report.kind === 'dsn');
      const { fields, ...found } = report.original ?? { fields: [] };
      assert.deepEqual(found, original);
      assert.equal(fields.find(({ name }) => name === 'subject')?.value, 'Hello');
    }
  });

  const FEEDBACK = `Feedback-Type: abuse
User-Agent: SomeGenerator/1.0
Version: 1
Reporting-MTA: dns; mx.rcpt.example
Original-Mail-From: <b+token@send.sender.example>
Original-Rcpt-To: <someone@rcpt.example>`;

  it('reads a complaint', () => {
    const report = readReport(
      bounceMessage({ text: 'An abuse report.', statusType: 'message/feedback-report', status: FEEDBACK }),
    );
    assert.ok(report.kind === 'complaint');
    assert.equal(report.feedbackType, 'abuse');
    assert.equal(report.reportingMta, 'mx.rcpt.example');
    assert.deepEqual(report.recipients, ['someone@rcpt.example']);
    assert.equal(report.original?.messageId, original.messageId);
  });

  it('distinguishes a report about authentication from a complaint', () => {
    const status = FEEDBACK.replace('abuse', 'auth-failure');
    const raw = bounceMessage({ text: 'A report.', statusType: 'message/feedback-report', status });
    assert.deepEqual(readReport(raw), { kind: 'other', why: 'auth-failure-report' });
  });

  it("reads a complaint in the format of Microsoft's junk mail reporting", () => {
    const report = readReport(
      bounceMessage({
        fields: ['From: staff@hotmail.example', 'Subject: complaint about message from 192.0.2.1'],
        text: '',
        original: `X-HmXmrOriginalRecipient: someone@rcpt.example\n${ORIGINAL_MESSAGE}`,
      }),
    );
    assert.ok(report.kind === 'complaint');
    assert.deepEqual(report.recipients, ['someone@rcpt.example']);
  });

  it('reads a notification of Amazon SES', () => {
    const mail = {
      source: 'b+token@send.sender.example',
      destination: ['someone@rcpt.example'],
      commonHeaders: { messageId: '<original-1@sender.example>' },
    };
    const bounce = {
      notificationType: 'Bounce',
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'General',
        reportingMTA: 'dns; a8.smtp-out.amazonses.example',
        bouncedRecipients: [
          {
            emailAddress: 'someone@rcpt.example',
            action: 'failed',
            status: '5.1.1',
            diagnosticCode: 'smtp; 550 5.1.1 user unknown',
          },
        ],
      },
      mail,
    };
    const complaint = {
      notificationType: 'Complaint',
      complaint: {
        complaintFeedbackType: 'abuse',
        complainedRecipients: [{ emailAddress: 'someone@rcpt.example' }],
      },
      mail,
    };
    const fields = ['From: SNS <no-reply@sns.example>', 'Subject: AWS Notification Message'];
    const asText = (json: object): string =>
      `${JSON.stringify(json)}\n\n--\nIf you wish to stop receiving {this}`;
    const wrapped = { Type: 'Notification', Message: JSON.stringify(bounce) };
    assert.deepEqual(outcome(bounceMessage({ fields, text: asText(bounce) })), [GONE]);
    assert.deepEqual(outcome(bounceMessage({ fields, text: asText(wrapped) })), [GONE]);
    const report = readReport(bounceMessage({ fields, text: asText(complaint) }));
    assert.ok(report.kind === 'complaint');
    assert.deepEqual(report.recipients, ['someone@rcpt.example']);
    assert.deepEqual(report.original, { ...original, fields: [] });
  });

  const words: readonly [subject: string, text: string, outcome: string][] = [
    [
      'Mail delivery status',
      'The message to <someone@rcpt.example> was delayed: user unknown. Delivery will be retried for 2 days.',
      'delayed hard unknown_user',
    ],
    [
      'Delivery Status Notification',
      'THIS IS A WARNING MESSAGE ONLY. Not yet delivered to someone@rcpt.example: user unknown',
      'delayed hard unknown_user',
    ],
    [
      'Delivery Notification: Delivery has been successful',
      'Your message was delivered to someone@rcpt.example.',
      'relayed soft other',
    ],
    [
      'Delivery not successful',
      'Your message could not be delivered to someone@rcpt.example.',
      'failed soft other',
    ],
  ];
  for (const [subject, text, expected] of words) {
    it(`reads "${subject}" in prose as ${expected}`, () => {
      const fields = ['From: MAILER-DAEMON@mx.rcpt.example', `Subject: ${subject}`];
      assert.deepEqual(outcome(bounceMessage({ fields, text })), [`someone@rcpt.example ${expected}`]);
    });
  }

  it('reads a declared report without a status part only if its text mentions a failure', () => {
    const declared = (text: string, subject: string): Buffer => {
      const raw = bounceMessage({
        fields: [`Subject: ${subject}`],
        text,
        original: ORIGINAL_MESSAGE,
      }).toString();
      return Buffer.from(raw.replace('multipart/mixed;', 'multipart/report; report-type=delivery-status;'));
    };
    for (const text of ['', 'Thank you for your order. We have it now.', 'Look at this message, please.']) {
      for (const subject of ['Re: Hello', 'Undelivered Mail Returned to Sender']) {
        assert.equal(readReport(declared(text, subject)).kind, 'other', `${subject}: ${text}`);
      }
    }
    for (const text of [
      'Your message was not delivered.',
      '550 5.1.1 someone',
      'someone@rcpt.example: user unknown',
    ]) {
      assert.equal(readReport(declared(text, 'Re: Hello')).kind, 'dsn', text);
    }
  });

  it('does not mistake a read receipt for a report', () => {
    const raw = bounceMessage({
      text: 'Your message was displayed.',
      statusType: 'message/disposition-notification',
      status:
        'Final-Recipient: rfc822;someone@rcpt.example\nDisposition: manual-action/MDN-sent-manually; displayed',
    });
    assert.deepEqual(readReport(raw), { kind: 'other', why: 'read-receipt' });
  });

  it('does not read a report inside the returned message', () => {
    const inner = bounceMessage({
      text: 'Not delivered.',
      status: 'Final-Recipient: rfc822; x@y.example\nAction: failed',
    });
    const raw = bounceMessage({
      fields: ['From: a@rcpt.example', 'Subject: Fwd', 'Return-Path: <a@rcpt.example>'],
      text: 'Look at this.',
      original: inner.toString(),
    });
    assert.deepEqual(readReport(raw), { kind: 'other', why: 'not-a-report' });
  });
});
