import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { authenticate } from '../../src/receiving/authenticate/authenticate.ts';
import { CachedDns } from '../../src/receiving/authenticate/cached-dns.ts';
import { GENUINE } from '../../src/receiving/spam/spam-mail.fixture.ts';
import { PLAIN, startMailDns } from '../../src/receiving/authenticate/signed-mail.fixture.ts';
import { Rspamd } from '../../src/receiving/spam/rspamd.ts';
import { DnsResolver } from '../../src/net/dns.ts';
import { dkimRecord, encodePublicKey } from '../../src/rfc/dkim/record.ts';
import type { DnsServer } from '../support/dns-server.ts';
import { hookLimit, runPython, withPeers } from './peers.ts';
import { type RspamdServer, startRspamd } from './rspamd.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const ed25519 = generateKeyPairSync('ed25519');
const ARRIVAL = { address: '127.0.0.1', helo: 'mx.acme.example', mailFrom: 'alice@acme.example' };
const GTUBE = ['XJS*C4JDBQADN1.NSBN3*2IDNEN*', 'GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X'].join('');

let dns: DnsServer;
before(async () => {
  dns = await startMailDns();
  dns.zone['r._domainkey.acme.example'] = { TXT: [dkimRecord('rsa-sha256', encodePublicKey(rsa.publicKey))] };
  dns.zone['e._domainkey.acme.example'] = {
    TXT: [dkimRecord('ed25519-sha256', encodePublicKey(ed25519.publicKey))],
  };
}, hookLimit);
after(() => dns[Symbol.asyncDispose]());

interface Signing {
  message: string;
  selector: string;
  key: string;
  algorithm: string;
  canonical: [header: string, body: string];
}

describe('signatures of dkimpy', withPeers, () => {
  const keys = {
    'rsa-sha256': rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    'ed25519-sha256': Buffer.from(
      ed25519.privateKey.export({ format: 'jwk' }).d as string,
      'base64url',
    ).toString('base64'),
  };
  for (const algorithm of ['rsa-sha256', 'ed25519-sha256'] as const) {
    for (const canonical of [
      ['relaxed', 'relaxed'],
      ['simple', 'simple'],
      ['relaxed', 'simple'],
    ] as [string, string][]) {
      test(`a signature by dkimpy passes, and fails after a change: ${algorithm}, ${canonical.join('/')}`, async () => {
        const signing: Signing = {
          message: PLAIN.replace('Hello', ' Hello   there\r\n\tand   here '),
          selector: algorithm === 'rsa-sha256' ? 'r' : 'e',
          key: keys[algorithm],
          algorithm,
          canonical,
        };
        const { signed } = await runPython<{ signed: string }>(
          new URL('sign-dkim.py', import.meta.url),
          signing,
        );
        const authenticator = {
          dns: new CachedDns(new DnsResolver(dns.address)),
          hostname: 'mx.posthorn.example',
        };
        const raw = Buffer.from(signed, 'base64');
        const { dkim } = await authenticate({ ...ARRIVAL, raw }, authenticator);
        assert.deepEqual(dkim, [
          { result: 'pass', domain: 'acme.example', selector: signing.selector, algorithm },
        ]);
        const changed = Buffer.concat([raw, Buffer.from('more\r\n')]);
        const { dkim: broken } = await authenticate({ ...ARRIVAL, raw: changed }, authenticator);
        assert.notEqual(broken[0]?.result, 'pass');
      });
    }
  }
});

describe("Debian's rspamd", withPeers, () => {
  let server: RspamdServer;
  before(async () => {
    server = await startRspamd(dns.address);
  }, withPeers);
  after(() => server[Symbol.asyncDispose]());

  const check = async (body: string) => {
    await using rspamd = new Rspamd(server.url);
    const verdict = await rspamd.check({ ...ARRIVAL, raw: Buffer.from(`${PLAIN}${body}`) }, GENUINE);
    assert.ok(verdict !== null);
    return verdict;
  };

  test('rspamd does not rate an ordinary message as spam', async () => {
    const { score, reasons } = await check('');
    assert.ok(score < 6, JSON.stringify(reasons));
  });

  test('rspamd rates the GTUBE test text as spam, and gives the reasons', async () => {
    const { score, reasons } = await check(`${GTUBE}\r\n`);
    assert.ok(score >= 15, JSON.stringify(reasons));
  });
});
