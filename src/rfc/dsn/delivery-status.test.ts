import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { processorClock } from '../../../test/support/processor-time.ts';
import { readDeliveryStatus } from './delivery-status.ts';

const NOTHING = {
  finalRecipient: null,
  originalRecipient: null,
  action: null,
  status: null,
  statusComment: null,
  diagnostic: null,
  remoteMta: null,
};

describe('readDeliveryStatus', () => {
  it('readDeliveryStatus reads the fields of the message and of each recipient', () => {
    const text = `Original-Envelope-Id: e1
Reporting-MTA: dns; mx.sender.example

Original-Recipient: rfc822;alias@rcpt.example
Final-Recipient: RFC822; <a@rcpt.example>
Action: failed
Status: 5.1.1 (no such user)
Remote-MTA: dns; mx.rcpt.example
Diagnostic-Code: smtp; 550 5.1.1 no
    such user

Final-Recipient: rfc822; b@rcpt.example
Action: Delayed
Status: 4.4.7
`;
    for (const variant of [text, text.replaceAll('\n', '\r\n')]) {
      assert.deepEqual(readDeliveryStatus(variant), {
        reportingMta: 'mx.sender.example',
        recipients: [
          {
            finalRecipient: 'a@rcpt.example',
            originalRecipient: 'alias@rcpt.example',
            action: 'failed',
            status: '5.1.1',
            statusComment: '(no such user)',
            diagnostic: '550 5.1.1 no such user',
            remoteMta: 'mx.rcpt.example',
          },
          { ...NOTHING, finalRecipient: 'b@rcpt.example', action: 'delayed', status: '4.4.7' },
        ],
      });
    }
  });

  it('readDeliveryStatus separates recipients without an empty line between them', () => {
    const { recipients } = readDeliveryStatus(
      'Final-Recipient: rfc822; a@b.example\nAction: failed\nFinal-Recipient: rfc822; c@d.example\nAction: relayed\n',
    );
    assert.deepEqual(
      recipients.map(({ finalRecipient, action }) => [finalRecipient, action]),
      [
        ['a@b.example', 'failed'],
        ['c@d.example', 'relayed'],
      ],
    );
  });

  it('readDeliveryStatus reads addresses that are not ASCII (RFC 6533)', () => {
    const { recipients } = readDeliveryStatus(
      'Final-Recipient: utf-8; j\\x{F6}rg\\x{D800}@b.example\nAction: failed\n',
    );
    assert.equal(recipients[0]?.finalRecipient, 'jörg\\x{D800}@b.example');
  });

  it('readDeliveryStatus returns null for missing and invalid fields', () => {
    const { recipients } = readDeliveryStatus(
      'Action: exploded\nStatus: nothing\nDiagnostic-Code: just words\n',
    );
    assert.deepEqual(recipients, [{ ...NOTHING, diagnostic: 'just words' }]);
    assert.deepEqual(readDeliveryStatus('').recipients, []);
  });

  it('readDeliveryStatus returns at most 1000 recipients', () => {
    const text = 'Final-Recipient: rfc822; a@b.example\nAction: failed\n\n'.repeat(5_000);
    assert.equal(readDeliveryStatus(text).recipients.length, 1_000);
  });

  it('readDeliveryStatus never throws, and takes bounded time for hostile texts', () => {
    const pieces =
      'Final-Recipient:|Action:|Status:|failed|5.1.1|rfc822;|\n| |\r\n|x|;|\\x{|<|>|utf-8;'.split('|');
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 30 }), (words) => {
        for (const { status } of readDeliveryStatus(words.join('')).recipients) {
          assert.ok(status === null || /^[245]\.\d+\.\d+$/.test(status));
        }
      }),
    );
    for (const unit of [
      ' ',
      'a',
      'A:',
      'A: b\n x',
      'Status: ',
      'Status: 5.',
      '\n',
      'Diagnostic-Code: x\n y\n',
    ]) {
      const usedMs = processorClock();
      readDeliveryStatus(unit.repeat(200_000));
      assert.ok(usedMs() < 2_000, JSON.stringify(unit));
    }
  });
});
