import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutPrivateFields } from './without-private-fields.ts';

for (const [what, message, shown] of [
  ['none', 'From: a@x\r\nTo: b@x\r\n\r\nBcc: c@x\r\n', 'From: a@x\r\nTo: b@x\r\n\r\nBcc: c@x\r\n'],
  ['one', 'From: a@x\r\nBcc: c@x\r\nTo: b@x\r\n\r\nx', 'From: a@x\r\nTo: b@x\r\n\r\nx'],
  ['one with continuation lines', 'bCC : c@x,\r\n d@x,\r\n\te@x\r\nTo: b@x\r\n\r\nx', 'To: b@x\r\n\r\nx'],
  ['several', 'Bcc: c@x\nA: 1\nResent-Bcc:\n d@x\nB: 2\nBCC:e@x\n\nx', 'A: 1\nB: 2\n\nx'],
  [
    'none, but the member who sent the message',
    'X-Posthorn-Sent-By: ann@x\r\nx-posthorn-service :\r\n <a@x>\r\nTo: b@x\r\n\r\nx',
    'To: b@x\r\n\r\nx',
  ],
  ['the last one, without a body', 'To: b@x\r\nBcc: c@x', 'To: b@x\r\n'],
  [
    'none, but fields with similar names',
    'Bccx: 1\r\nX-Bcc: 2\r\nTo: b@x\r\n bcc: 3\r\n\r\n',
    'Bccx: 1\r\nX-Bcc: 2\r\nTo: b@x\r\n bcc: 3\r\n\r\n',
  ],
] as const)
  test(`only private fields are removed; Bcc fields in the message: ${what}`, () => {
    assert.equal(Buffer.concat(withoutPrivateFields(Buffer.from(message))).toString(), shown);
  });
