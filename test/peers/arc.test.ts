/** ARC chains sealed by this project, verified by dkimpy. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { dkimRecord, encodePublicKey } from '../../src/rfc/dkim/record.ts';
import { sealArc } from '../../src/rfc/dkim/seal-arc.ts';
import { hashBody } from '../../src/rfc/dkim/sign.ts';
import { runPython, withPeers } from './peers.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const KEY = { domain: 'acme.example', selector: 's1', algorithm: 'rsa-sha256', privateKey } as const;
const HEADER =
  'From: b@sender.example\r\nTo: anna@acme.example\r\nSubject: Hello\r\n  you\r\nDate: Mon, 23 Nov 2026 04:00:00 +0000\r\nMessage-ID: <1@x>\r\n';
const BODY = Buffer.from('Hello  you \r\n\r\n');

async function seal(header: string, chain: 'none' | 'pass'): Promise<string> {
  const results = `mx.acme.example; spf=pass smtp.mailfrom=sender.example; dmarc=pass header.from=sender.example; arc=${chain}`;
  const sealing = { results, chain, bodyHash: hashBody(BODY), timestamp: Math.floor(Date.now() / 1_000) };
  return (await sealArc(header, KEY, sealing)) + header;
}

test('dkimpy accepts chains of one and three seals, and rejects a changed message', withPeers, async () => {
  const once = await seal(HEADER, 'none');
  const thrice = await seal(await seal(`Received: from x\r\n${once}`, 'pass'), 'pass');
  const messages = [once, thrice, thrice.replace('Hello', 'Goodbye')].map((header) =>
    Buffer.concat([Buffer.from(`${header}\r\n`), BODY]).toString('base64'),
  );
  const results = await runPython<string[]>(new URL('verify-arc.py', import.meta.url), {
    record: dkimRecord('rsa-sha256', encodePublicKey(publicKey)),
    messages,
  });
  assert.deepEqual(results, ['pass', 'pass', 'fail']);
});
