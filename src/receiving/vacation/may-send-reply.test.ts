import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { readMessageFacts } from '../../store/facts/message-facts.ts';
import { MailTexts } from '../rules/mail-texts.ts';
import type { Authentication } from '../authenticate/authentication.ts';
import { type VacationReplyQuery, maySendVacationReply } from './may-send-reply.ts';

const FIELDS = 'From: Bert <bert@sender.example>\r\nTo: Anna <anna@acme.example>\r\n';

function authenticated(
  spf: Authentication['spf']['result'],
  dmarc: Authentication['dmarc']['result'],
): VacationReplyQuery['authentication'] {
  return {
    spf: { result: spf, domain: 'sender.example' },
    dmarc: { result: dmarc, domain: 'sender.example', published: 'none' },
  };
}

function queryFor(
  header: string = FIELDS,
  rest: Partial<Omit<VacationReplyQuery, 'facts' | 'texts'>> = {},
): VacationReplyQuery {
  const raw = Buffer.from(`${header}\r\nHello\r\n`);
  const facts = readMessageFacts(raw);
  return {
    raw,
    reversePath: 'bert@sender.example',
    facts,
    texts: new MailTexts(facts, []),
    own: ['anna@acme.example', 'sales@acme.example'],
    authentication: authenticated('pass', 'pass'),
    ...rest,
  };
}

const withReply: [name: string, queryFor: VacationReplyQuery][] = [
  ['a person', queryFor()],
  ['mail with Auto-Submitted: No', queryFor(`${FIELDS}Auto-Submitted: No (really)\r\n`)],
  ['mail to a tagged address', queryFor('From: b@sender.example\r\nTo: Anna+shop@ACME.example\r\n')],
  ['mail to the alias in the envelope', queryFor('From: b@sender.example\r\nCc: SALES@acme.example\r\n')],
  ['mail of a domain without DMARC', queryFor(FIELDS, { authentication: authenticated('none', 'none') })],
  [
    'forwarded mail with a valid signature',
    queryFor(FIELDS, { authentication: authenticated('fail', 'pass') }),
  ],
  ['mail with Precedence: first-class', queryFor(`${FIELDS}Precedence: first-class\r\n`)],
  [
    'a return path that only resembles a bounce address',
    queryFor(FIELDS, { reversePath: 'tigger-bouncer@sender.example' }),
  ],
];
for (const [name, asked] of withReply)
  test(`${name} gets a reply`, () =>
    assert.equal(maySendVacationReply(asked)?.address.address, asked.reversePath));

const silent: [name: string, queryFor: VacationReplyQuery][] = [
  ['the null reverse-path', queryFor(FIELDS, { reversePath: '' })],
  ['an invalid return path', queryFor(FIELDS, { reversePath: 'bert' })],
  ['an address literal', queryFor(FIELDS, { reversePath: 'bert@[192.0.2.1]' })],
  ...[
    'MAILER-DAEMON',
    'noreply',
    'no-reply',
    'do_not_reply',
    'owner-dogs',
    'dogs-request',
    'dogs-bounces',
    'bounce+x',
    'listserv',
    'postmaster',
    'news-noreply-1',
  ].map((name): [string, VacationReplyQuery] => [
    `a program: ${name}`,
    queryFor(FIELDS, { reversePath: `${name}@sender.example` }),
  ]),
  ...[
    'Auto-Submitted: auto-replied',
    'Auto-Submitted: auto-generated; x=y',
    'auto-submitted: AUTO-NOTIFIED',
    'X-Auto-Response-Suppress: OOF',
    'Precedence: Bulk',
    'Precedence: list',
    'Precedence: junk',
    'List-Id: <dogs.example>',
    'List-Unsubscribe: <https://dogs.example>',
    'List-Help: x',
    'Feedback-ID: 1:2:3:dogs',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=x',
  ].map((field): [string, VacationReplyQuery] => [`mail with ${field}`, queryFor(`${FIELDS}${field}\r\n`)]),
  ['mail to other addresses', queryFor('From: b@sender.example\r\nTo: everybody@acme.example\r\n')],
  ['mail without recipients in the header', queryFor('From: b@sender.example\r\n')],
  ['mail from a tagged address of the mailbox', queryFor(FIELDS, { reversePath: 'Anna+x@acme.example' })],
  ['mail with the mailbox in From', queryFor('From: anna@acme.example\r\nTo: anna@acme.example\r\n')],
  ['a forged author', queryFor(FIELDS, { authentication: authenticated('pass', 'fail') })],
  ['a forged return path', queryFor(FIELDS, { authentication: authenticated('fail', 'none') })],
  [
    'a return path with an SPF softfail',
    queryFor(FIELDS, { authentication: authenticated('softfail', 'none') }),
  ],
  [
    'the forged return path of a genuine author',
    queryFor(FIELDS, { authentication: authenticated('fail', 'pass'), reversePath: 'victim@other.example' }),
  ],
  ['the author address of a program', queryFor('From: no-reply@shop.example\r\nTo: anna@acme.example\r\n')],
  [
    'mail that hides its Precedence behind a long header',
    queryFor(`${FIELDS}${'X-A: b\r\n'.repeat(2_000)}Precedence: bulk\r\n`),
  ],
];
for (const [name, asked] of silent)
  test(`${name} gets no reply`, () => assert.equal(maySendVacationReply(asked), null));

test('the reply is addressed to the author and sent to the return path', () => {
  const found = maySendVacationReply(queryFor(FIELDS, { reversePath: 'm+1234@send.sender.example' }));
  assert.equal(found?.shown.address, 'bert@sender.example');
  assert.equal(found?.address.address, 'm+1234@send.sender.example');
  const two = maySendVacationReply(queryFor('From: a@x.example, b@x.example\r\nTo: anna@acme.example\r\n'));
  assert.equal(two?.shown.address, 'bert@sender.example');
});

test('the decision about a reply never throws, whatever the message and return path', () => {
  fc.assert(
    fc.property(anyText(), anyText(), (header, reversePath) => {
      maySendVacationReply(queryFor(`${FIELDS}${header}\r\n`, { reversePath }));
    }),
  );
});
