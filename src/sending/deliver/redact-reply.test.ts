import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactReply } from './redact-reply.ts';

const REPLY = {
  replyCode: 450,
  enhancedCode: '4.7.1',
  text: '',
  remoteMta: 'mx.one.test',
  tls: true,
  dialogue: [{ atMs: 0, by: 'client' as const, text: 'RCPT TO:<a@one.test>' }],
};

for (const [text, left] of [
  ['4.3.2 not now, see https://one.test/help', '4.3.2 not now, see https://one.test/help'],
  ['4.7.1 <b+06GZ@send.acme.example>: too much mail', '4.7.1 <***>: too much mail'],
  ['4.7.1 B+06gz@SEND.ACME.EXAMPLE, not now', '4.7.1 ***, not now'],
  ['4.7.1 Send.Acme.Example is not known (Acme.example)', '4.7.1 *** is not known (***)'],
  ['4.7.1 no mail for a@one.test from you', '4.7.1 no mail for *** from you'],
] as const) {
  test(`redactReply turns "${text}" into "${left}"`, () => {
    assert.deepEqual(redactReply({ ...REPLY, text }, 'send.acme.example'), {
      ...REPLY,
      text: left,
      dialogue: null,
    });
  });
}
