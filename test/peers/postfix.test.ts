import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { queueIsEmpty } from '../faults/support.ts';
import { eventually } from '../support/eventually.ts';
import { outboundMessage, relayTo } from '../support/relay-to.ts';
import { type Service, startService } from '../support/service.ts';
import {
  type Arrival,
  assertReadsAs,
  ownPart,
  readArrivals,
  recipientsOf,
  valueOf,
  withOtherBody,
} from './arrival.ts';
import { composer } from './composed.ts';
import { both, keyRecords, verifyWithDkimpy } from './dkim.ts';
import { DEFAULTS, DOMAINS, EMAILS, type SampleEmail } from './emails.ts';
import { startOpendkim } from './opendkim.ts';
import { hookLimit, peerFolder, withPeers } from './peers.ts';
import { type Postfix, startPostfix } from './postfix.ts';

const OPENDKIM_RESULT = /dkim=(\w+) [^;]*header\.a=([a-z0-9-]+)/g;

describe('mail that the service sends through Postfix', withPeers, () => {
  const stack = new AsyncDisposableStack();
  let postfix: Postfix;
  let service: Service;
  let records: Record<string, string>;
  let arrivals: Arrival[];
  const ids = new Map<SampleEmail, string>();

  before(async () => {
    const milter = `${stack.use(peerFolder('milter')).path}/socket`;
    postfix = stack.use(await startPostfix({ domains: DOMAINS, milter }));
    service = stack.use(
      await startService({
        env: { POSTHORN_PROVIDER: 'smtp', POSTHORN_SMTP_URL: `smtp://127.0.0.1:${postfix.port}` },
      }),
    );
    records = await keyRecords(service);
    stack.use(await startOpendkim(milter, records));
    await Promise.all(EMAILS.map(async (sample) => ids.set(sample, await send(service, sample.email))));
    const expected = EMAILS.flatMap(recipientsOf).length;
    await eventually(() => postfix.delivered().length >= expected, 60_000);
    // Wait until every copy has been delivered.
    assert.ok(await queueIsEmpty(service, 60_000), 'the service has mail left');
    assert.ok(await eventually(() => postfix.queued().length === 0, 60_000), postfix.log());
    arrivals = await readArrivals(postfix);
  }, hookLimit);
  after(() => stack.disposeAsync(), hookLimit);

  const nameOf = (sample: SampleEmail): string => ids.get(sample)?.slice('em_'.length).toLowerCase() ?? '';
  const copiesOf = (sample: SampleEmail): Arrival[] => {
    const messageId = `<${nameOf(sample)}@posthorn.localhost>`;
    return arrivals.filter((arrival) => valueOf(arrival, 'Message-ID') === messageId);
  };

  for (const sample of EMAILS) {
    test(`an email ${sample.name} arrives as it was sent, once for each recipient`, () => {
      const copies = copiesOf(sample);
      assert.deepEqual(copies.map(({ recipient }) => recipient).toSorted(), recipientsOf(sample).toSorted());
      for (const copy of copies) assertReadsAs(copy, sample);
    });
  }

  test('no other message arrives', () => {
    assert.equal(arrivals.length, EMAILS.flatMap(recipientsOf).length);
  });

  test('every email has the status sent, and was sent over TLS', async () => {
    for (const id of ids.values()) {
      const { body } = await service.client().get<{ status: string; events: unknown[] }>(`/v1/emails/${id}`);
      assert.equal(body.status, 'sent');
    }
    for (const arrival of arrivals) {
      assert.match(
        valueOf(arrival, 'Received'),
        /using TLSv1\.3 with cipher .* with (?:UTF8SMTPS|ESMTPS) id/,
      );
    }
  });

  test('every recipient of every message has its own return path', () => {
    const returnPaths = arrivals.map((arrival) => valueOf(arrival, 'Return-Path'));
    for (const returnPath of returnPaths)
      assert.match(returnPath, /^<b\+[0-9a-hjkmnp-tv-z]{62}@send\.posthorn\.localhost>$/);
    assert.equal(new Set(returnPaths).size, EMAILS.flatMap(recipientsOf).length);
  });

  test('no byte of a message changes in transit', async () => {
    const compose = await composer(service);
    for (const sample of EMAILS) {
      const composed = await compose(ids.get(sample) ?? '');
      for (const { data } of copiesOf(sample)) assert.ok(ownPart(data).equals(composed), sample.name);
    }
  });

  test('both DKIM signatures of every message verify with dkimpy', async () => {
    const verified = await verifyWithDkimpy(
      records,
      arrivals.map(({ data }) => data),
    );
    for (const results of verified) assert.deepEqual(results, both('pass'));
  });

  test('dkimpy verifies no signature of a message with one changed byte', async () => {
    const verified = await verifyWithDkimpy(records, changed());
    for (const results of verified) assert.deepEqual(results, both('fail'));
  });

  test('both DKIM signatures of every message pass OpenDKIM', () => {
    for (const arrival of arrivals) assert.deepEqual(opendkimResults(arrival), both('pass'));
  });

  test('OpenDKIM passes no signature of a message with one changed byte', async () => {
    await using relay = relayTo(postfix.port);
    const [data] = changed();
    assert.ok(data);
    const rcptTo = 'changed@dst.test';
    const outcome = await relay.send(outboundMessage({ rcptTo, data: ownPart(data) }));
    assert.equal(outcome.outcome, 'accepted');
    await eventually(() => postfix.delivered().length > arrivals.length, 60_000);
    const arrival = (await readArrivals(postfix)).find(({ recipient }) => recipient === rcptTo);
    assert.ok(arrival, postfix.log());
    assert.deepEqual(opendkimResults(arrival), both('fail'));
  });

  /** All messages with a non-empty body, each with one changed byte in the body. */
  const changed = (): Buffer[] =>
    arrivals.flatMap(({ data }) => {
      const other = withOtherBody(data);
      return other === null ? [] : [other];
    });
});

async function send(service: Service, email: Record<string, unknown>): Promise<string> {
  const { status, body } = await service
    .client()
    .post<{ id: string }>('/v1/emails', { ...DEFAULTS, ...email });
  assert.equal(status, 202, JSON.stringify(body));
  return body.id;
}

/** OpenDKIM's result for each signature, from the field that OpenDKIM added. */
function opendkimResults(arrival: Arrival): string[][] {
  const results = valueOf(arrival, 'Authentication-Results').matchAll(OPENDKIM_RESULT);
  return Array.from(results, ([, result = '', algorithm = '']) => [algorithm, result]);
}
