import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { DnsServer } from '../../../test/support/dns-server.ts';
import { Networks } from '../../net/networks.ts';
import type { Authentication } from './authentication.ts';
import { checked, PLAIN, sign, startMailDns } from './signed-mail.fixture.ts';
import { TrustedRelays } from './trusted-relays.ts';

const RELAY = '198.51.100.7';
const SECOND = '2001:db8:25::1';
const relays = new TrustedRelays(new Networks(['198.51.100.0/28', '2001:db8:25::/64']));
const FROM_RELAY = { address: RELAY, helo: 'gw.posthorn.example', mailFrom: 'alice@acme.example' };

/** The Received fields of the servers on the path. @param clients the client that each server saw, the last server first */
function received(...clients: string[]): string {
  return clients
    .map(
      (client) =>
        `Received: from mx.acme.example (mx.acme.example [${client}])\r\n\tby gw (Postfix) id 1;\r\n`,
    )
    .join('');
}

const clientOf = (header: string, client = FROM_RELAY) =>
  relays.clientOf(Buffer.from(`${header}${PLAIN}`), client);
const unknown = { address: '', helo: '', mailFrom: 'alice@acme.example', isRelayed: true };
const known = (address: string) => ({ ...unknown, address, helo: 'mx.acme.example' });

describe('the client behind a relay', () => {
  test('is read from the topmost Received field, or from the next field if the topmost one names a relay', () => {
    assert.deepEqual(clientOf(received('192.0.2.1', '203.0.113.9')), known('192.0.2.1'));
    assert.deepEqual(
      clientOf(received(SECOND, RELAY, '127.0.0.1', '192.0.2.1', '203.0.113.9')),
      known('192.0.2.1'),
    );
  });

  test('is unknown if a Received field does not clearly name a client, whatever the fields below contain', () => {
    assert.deepEqual(clientOf(''), unknown);
    assert.deepEqual(clientOf(received(SECOND)), unknown);
    assert.deepEqual(clientOf(`Received: by gw with SMTP id 1\r\n${received('192.0.2.1')}`), unknown);
    assert.deepEqual(clientOf(`Received: from x (nonsense) by gw\r\n${received('192.0.2.1')}`), unknown);
    assert.deepEqual(clientOf(received(...Array.from({ length: 20 }, () => RELAY), '192.0.2.1')), unknown);
  });

  test('is read from the header only, because the sender controls the body', () => {
    const text = `${PLAIN}\r\n${received('192.0.2.1')}`;
    assert.deepEqual(relays.clientOf(Buffer.from(text), FROM_RELAY), unknown);
  });

  test('is the connecting client if that client is not a trusted relay', () => {
    const stranger = { ...FROM_RELAY, address: '192.0.2.77' };
    assert.deepEqual(clientOf(received('127.0.0.1'), stranger), stranger);
  });

  test("is never an address that the sender wrote below the relays' fields", () => {
    const piece = fc.constantFrom(
      'Received: ',
      'from a (a [203.0.113.9]) by x',
      '\r\n',
      ' ',
      'Subject: x',
      '[203.0.113.9]',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const written = pieces.join('');
        const own = `Received: from a (a [192.0.2.1]) by gw; x\r\n`;
        const { address } = relays.clientOf(Buffer.from(`${own}X-A: ${written}\r\n\r\n`), FROM_RELAY);
        assert.equal(address, '192.0.2.1', written);
      }),
    );
  });
});

describe('mail from a relay', () => {
  let dns: DnsServer;
  before(async () => {
    dns = await startMailDns();
    dns.zone = { ...dns.zone, 'acme.example': { TXT: ['v=spf1 ip4:192.0.2.1 -all'] } };
  });
  after(() => dns[Symbol.asyncDispose]());

  async function authenticate(message: string | Buffer, isTrusted = true): Promise<Authentication> {
    const raw = Buffer.from(message as string);
    return checked(dns, raw, isTrusted ? relays.clientOf(raw, FROM_RELAY) : FROM_RELAY);
  }
  const summary = ({ spf, dmarc, policy }: Authentication): string[] => [spf.result, dmarc.result, policy];

  test('is checked against the client from which the relay received the message', async () => {
    const message = received('192.0.2.1') + PLAIN;
    assert.deepEqual(summary(await authenticate(message, false)), ['fail', 'fail', 'reject']);
    const authentication = await authenticate(message);
    assert.deepEqual(summary(authentication), ['pass', 'pass', 'none']);
    assert.match(authentication.header, /policy\.iprev=192\.0\.2\.1/);
  });

  test('is not rejected if DMARC fails and the domain of its author publishes p=reject', async () => {
    const authentication = await authenticate(received('203.0.113.9') + PLAIN);
    assert.deepEqual(summary(authentication), ['fail', 'fail', 'quarantine']);
    assert.equal(authentication.dmarc.published, 'reject');
  });

  test('has no SPF result if the client is unknown, but can pass DMARC by its DKIM signature', async () => {
    assert.deepEqual(summary(await authenticate(PLAIN)), ['none', 'fail', 'quarantine']);
    assert.deepEqual(summary(await authenticate(await sign(PLAIN))), ['none', 'pass', 'none']);
    assert.equal((await authenticate(PLAIN)).iprev.result, 'temperror');
  });
});
