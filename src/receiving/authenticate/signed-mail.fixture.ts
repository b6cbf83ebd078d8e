import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { sealMessage } from 'mailauth/lib/arc/index.js';
import { type DnsServer, type DnsZone, startDnsServer } from '../../../test/support/dns-server.ts';
import { DnsResolver } from '../../net/dns.ts';
import { dkimRecord, encodePublicKey } from '../../rfc/dkim/record.ts';
import { signDkim } from '../../rfc/dkim/sign.ts';
import { authenticate } from './authenticate.ts';
import type { Arrival, Authentication } from './authentication.ts';
import { CachedDns } from './cached-dns.ts';
import { DEFAULT_SEALERS } from './trusted-sealers.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });

export const HOSTNAME = 'mx.posthorn.example';
/** An address that passes SPF in every zone of this file; `BAD_ADDRESS` passes in none. */
export const GOOD_ADDRESS = '127.0.0.1';
export const BAD_ADDRESS = '127.0.0.9';

export const PLAIN = [
  'From: Alice <alice@acme.example>',
  'To: bob@posthorn.example',
  'Subject: Hello',
  'Date: Fri, 20 Nov 2026 15:04:05 +0000',
  'Message-ID: <1@acme.example>',
  'MIME-Version: 1.0',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'Hi Bob,',
  'bye.',
  '',
].join('\r\n');

/** The DNS records of acme.example (SPF, a DKIM key, DMARC with `reject`), and the keys of the sealers. */
export function mailZone(): DnsZone {
  const key = dkimRecord('rsa-sha256', encodePublicKey(rsa.publicKey));
  return {
    'acme.example': { TXT: ['something=else', 'v=spf1 ip4:127.0.0.1 -all'], A: ['127.0.0.1'] },
    's1._domainkey.acme.example': { TXT: [key] },
    '_dmarc.acme.example': { TXT: ['v=DMARC1; p=reject; sp=quarantine'] },
    'seal._domainkey.google.com': { TXT: [key] },
    'seal._domainkey.other.example': { TXT: [key] },
    'mx.acme.example': { A: ['127.0.0.1'] },
    '1.0.0.127.in-addr.arpa': { PTR: ['mx.acme.example'] },
  };
}

export function startMailDns(): Promise<DnsServer> {
  return startDnsServer(mailZone());
}

export async function sign(message: string, domain = 'acme.example', selector = 's1'): Promise<Buffer> {
  const end = message.indexOf('\r\n\r\n');
  const header = message.slice(0, end + 2);
  const fields = await signDkim(
    { header, body: Buffer.from(message.slice(end + 4)) },
    [{ domain, selector, algorithm: 'rsa-sha256', privateKey: rsa.privateKey }],
    { timestamp: 1_763_650_000 },
  );
  return Buffer.from(`${fields}${message}`);
}

/** Adds an ARC seal. @param results the authentication results that the sealer records */
export async function seal(message: Buffer, signingDomain: string, results: string): Promise<Buffer> {
  const set = await sealMessage(message, {
    signingDomain,
    selector: 'seal',
    privateKey: pem(rsa.privateKey),
    authResults: results,
    cv: 'none',
  });
  return Buffer.concat([set, message]);
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

export async function checked(
  dns: DnsServer,
  raw: Buffer | string,
  arrival: Partial<Arrival> = {},
  sealers: ReadonlySet<string> = DEFAULT_SEALERS,
): Promise<Authentication> {
  const resolver = new DnsResolver(dns.address, { tryTimeoutMs: 1_000, tries: 1 });
  return authenticate(
    {
      raw: Buffer.from(raw as string),
      address: GOOD_ADDRESS,
      helo: 'mx.acme.example',
      mailFrom: 'alice@acme.example',
      ...arrival,
    },
    { dns: new CachedDns(resolver), hostname: HOSTNAME, sealers },
  );
}
