import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newUuid } from '../../model/ids.ts';
import { type HandOver, InsideProvider, type MailboxesHere } from './inside.ts';
import { consequenceOf } from './outcome-events.ts';
import type { Outcome, OutboundMessage, Provider } from './provider.ts';

const MESSAGE: OutboundMessage = {
  projectId: newUuid(),
  emailId: newUuid(),
  mailFrom: 'bounces@send.shop.example',
  rcptTo: 'anna@acme.example',
  messageId: '<1@shop.example>',
  data: Buffer.from('Subject: hi\r\n\r\nhi\r\n'),
  smtputf8: false,
  attempt: 1,
  mayCommit: () => true,
};

/** A provider for outside mail that records the recipients. */
function outside(isFinal: boolean): Provider & { sent: string[] } {
  const sent: string[] = [];
  return {
    sent,
    capacity: 7,
    isFinal,
    destinations: null,
    send({ rcptTo }): Promise<Outcome> {
      sent.push(rcptTo);
      const reply = {
        replyCode: 250,
        enhancedCode: '2.0.0',
        text: 'out',
        remoteMta: null,
        tls: true,
        dialogue: null,
      };
      return Promise.resolve({ outcome: 'accepted', reply, providerMessageId: null });
    },
    close: () => Promise.resolve(),
  };
}

/** The mailbox anna@acme.example, which belongs to the project of `MESSAGE`. */
function mailboxes(handOver: HandOver): MailboxesHere {
  return {
    find: (address) => (address === MESSAGE.rcptTo ? { projectId: MESSAGE.projectId, handOver } : null),
  };
}

const replying =
  (replyCode: number, enhancedCode: string, text: string): HandOver =>
  () =>
    Promise.resolve({ replyCode, enhancedCode, text });

const free = () => Promise.resolve('free' as const);

const CASES: [
  name: string,
  handOver: HandOver,
  events: string[],
  category: string | null,
  isOver: boolean,
][] = [
  ['accepts it', replying(250, '2.0.0', 'in the mailbox'), ['sent', 'delivered'], null, true],
  ['is full', replying(452, '4.2.2', 'The mailbox is full'), ['deferred'], null, false],
  ['is full for long', replying(552, '5.2.2', 'The mailbox is full'), ['bounced'], 'mailbox_full', true],
  ['thinks it is spam', replying(550, '5.7.1', 'the message looks like spam'), ['bounced'], 'content', true],
];
for (const isFinal of [false, true])
  for (const [name, handOver, types, category, isOver] of CASES)
    test(`a local mailbox that ${name}: ${types.join(', ')}, with a provider that is ${isFinal ? 'direct' : 'a server in transit'}`, async () => {
      const provider = outside(isFinal);
      const outcome = await new InsideProvider(provider, mailboxes(handOver), 'mx.example', free).send(
        MESSAGE,
      );
      assert.deepEqual(provider.sent, []);
      assert.ok(outcome.outcome !== 'abandoned');
      const { events, settlement, suppress } = consequenceOf(outcome, {
        recipientIndex: 0,
        address: MESSAGE.rcptTo,
        attempt: 1,
        ageMs: 0,
        nowMs: 0,
        jitter: 0,
        isFinal,
        waitFor: null,
      });
      assert.deepEqual(
        events.map(({ type }) => type),
        types,
      );
      assert.equal(settlement.kind === 'done', isOver);
      assert.equal(suppress, false);
      const [last] = events.slice(-1);
      assert.equal(last?.type === 'bounced' ? last.detail.category : null, category);
    });

const MOVED = 'The MX of acme.example moved to mx.other.example, so the message is sent there';
const AGAIN =
  'According to the last DNS response the MX of acme.example is another server. The next attempt will query DNS again';
for (const [found, note, route, outcomeThen, noteThen] of [
  ['this server', null, { bestHosts: ['mx.here.example'] }, 'transient', AGAIN],
  ['this server', MOVED, { bestHosts: ['mx.here.example'] }, 'transient', AGAIN],
  ['a host like ours', null, { bestHosts: ['mx.other.example', 'mx2.here.example'] }, 'transient', AGAIN],
  ['a null MX', null, { bestHosts: [] }, 'unroutable', undefined],
  ['a null MX', MOVED, { bestHosts: [] }, 'unroutable', MOVED],
  ['a host without an address', MOVED, { bestHosts: ['mx.other.example'] }, 'unroutable', MOVED],
  [
    'a name of this server that is not declared',
    null,
    { bestHosts: ['mail.acme.example'] },
    'unroutable',
    undefined,
  ],
  ['no domain', null, { reason: 'no_such_domain' }, 'unroutable', undefined],
] as const)
  test(`mail for a mailbox whose MX ${note === null ? 'was never ours' : 'moved away'} is ${outcomeThen} if DNS now names ${found}`, async () => {
    const reply = {
      replyCode: null,
      enhancedCode: null,
      text: 'x',
      remoteMta: null,
      tls: false,
      dialogue: null,
    };
    const provider: Provider = {
      ...outside(true),
      send: async () => ({ outcome: 'unroutable', reason: 'no_route', reply, ...route }),
    };
    const find = () => ({ note, ownHosts: new Set(['mx.here.example', 'mx2.here.example']) });
    const outcome = await new InsideProvider(provider, { find }, 'mx.here.example', free).send(MESSAGE);
    assert.equal(outcome.outcome, outcomeThen);
    assert.equal('reply' in outcome && outcome.reply.note, noteThen);
  });

test('mail for an address without a local mailbox is sent outside', async () => {
  const provider = outside(true);
  const inside = new InsideProvider(provider, mailboxes(replying(250, '2.0.0', 'taken')), 'mx.example', free);
  await inside.send({ ...MESSAGE, rcptTo: 'bob@acme.example' });
  assert.deepEqual(provider.sent, ['bob@acme.example']);
  assert.deepEqual([inside.capacity, inside.isFinal, inside.destinations], [7, true, null]);
});

test('a message is not delivered locally after the lease is lost, and a mailbox gets the same bytes as an outside recipient', async () => {
  const delivered: Buffer[] = [];
  const handOver: HandOver = ({ data }) => {
    delivered.push(data);
    return Promise.resolve({ replyCode: 250, enhancedCode: '2.0.0', text: 'taken' });
  };
  const inside = new InsideProvider(outside(false), mailboxes(handOver), 'mx.example', free);
  const { outcome } = await inside.send({ ...MESSAGE, mayCommit: () => false });
  assert.equal(outcome, 'abandoned');
  assert.deepEqual(delivered, []);
  await inside.send(MESSAGE);
  assert.deepEqual(delivered, [MESSAGE.data]);
});

test('a local delivery with an unknown result throws, so that it is retried', async () => {
  const inside = new InsideProvider(
    outside(false),
    mailboxes(() => Promise.reject(new Error('away'))),
    'mx.example',
    free,
  );
  await assert.rejects(inside.send(MESSAGE), /away/);
});

for (const [verdict, isSentOutside] of [
  ['outside', true],
  ['withdrawn', false],
] as const)
  test(`service mail with the verdict ${verdict} for its link is not delivered to a local mailbox`, async () => {
    const handOver: HandOver = () => assert.fail('a mailbox got it');
    const message = { ...MESSAGE, isService: true };
    const judge = () => Promise.resolve(verdict);
    const provider = outside(true);
    const inside = new InsideProvider(provider, mailboxes(handOver), 'mx.example', judge);
    for (const outcome of [await inside.send(message), await inside.sendLocally(message)]) {
      assert.equal(outcome?.outcome, 'permanent');
      assert.equal('reply' in outcome && outcome.reply?.replyCode, 550);
    }
    // This recipient has no local mailbox.
    await inside.send({ ...message, rcptTo: 'ada@else.example' });
    assert.equal(provider.sent.length, isSentOutside ? 1 : 0);
  });
