import assert from 'node:assert/strict';
import { generateKeyPairSync, hash } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { verifyArc } from '../../../test/support/verify-arc.ts';
import { relaxBody } from './canonical.ts';
import { type ArcSealing, sealArc } from './seal-arc.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
const RECORD = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;
const KEY = { domain: 'acme.example', selector: 's1', algorithm: 'rsa-sha256', privateKey } as const;
const RESULTS =
  'mx.acme.example; spf=pass smtp.mailfrom=sender.example; dkim=pass header.d=sender.example header.s=s1; dmarc=pass header.from=sender.example; arc=none; iprev=pass';
const HEADER =
  'From: b@sender.example\r\nTo: anna@acme.example\r\nSubject: Hello\r\n  you\r\nDate: x\r\nMessage-ID: <1@x>\r\n';
const BODY = Buffer.from('Hello  you \r\n\r\n');

const sealing = (more: Partial<ArcSealing> = {}): ArcSealing => ({
  results: RESULTS,
  chain: 'none',
  bodyHash: hash('sha256', relaxBody(BODY), 'buffer'),
  timestamp: 1_795_000_000,
  ...more,
});

const seal = async (header = HEADER, more: Partial<ArcSealing> = {}) =>
  (await sealArc(header, KEY, sealing(more))) + header;

const verify = (header: string, body = BODY) =>
  verifyArc(Buffer.concat([Buffer.from(`${header}\r\n`, 'latin1'), body]), RECORD);

describe('ARC seals', () => {
  test('an ARC seal starts a chain that an independent verifier accepts', async () => {
    const sealed = await seal();
    assert.match(sealed, /^ARC-Seal: i=1; a=rsa-sha256; t=1795000000; cv=none;\r\n\td=acme\.example; s=s1;/);
    assert.equal(await verify(sealed), 'pass 1');
    for (const line of sealed.split('\r\n')) assert.ok(line.length <= 78 || line.startsWith('\tdkim='), line);
  });

  test('an ARC seal continues a valid chain', async () => {
    const once = await seal();
    const twice = await seal(`Received: from mx\r\n${once}`, { chain: 'pass' });
    assert.match(twice, /^ARC-Seal: i=2; .*cv=pass/);
    assert.equal(await verify(twice), 'pass 2');
    assert.equal(await verify(await seal(twice, { chain: 'pass' })), 'pass 3');
  });

  test('an ARC seal marks a failed chain with cv=fail, and the chain cannot be extended', async () => {
    const failed = await seal((await seal()).replace('cv=none', 'cv=none '), { chain: 'fail' });
    assert.match(failed, /^ARC-Seal: i=2; .*cv=fail/);
    assert.match(await verify(failed), /^fail/);
    assert.equal(await sealArc(failed, KEY, sealing({ chain: 'fail' })), '');
  });

  test('an ARC seal becomes invalid when the body, the subject or an earlier field changes', async () => {
    const sealed = await seal();
    assert.match(await verify(sealed, Buffer.from('Hello him\r\n')), /^fail/);
    assert.match(await verify(sealed.replace('Hello', 'Goodbye')), /^fail/);
    assert.match(await verify(sealed.replace('spf=pass', 'spf=fail')), /^fail/);
  });
});

for (const [name, spoil] of [
  ['is missing a field', (header: string) => header.replace('ARC-Message-Signature:', 'X-Other:')],
  ['has a duplicate field', (header: string) => `ARC-Seal: i=1; cv=none; b=x\r\n${header}`],
  ['starts with set 2', (header: string) => header.replaceAll('i=1;', 'i=2;')],
] as const)
  test(`an ARC chain that ${name} is sealed with cv=fail, even if the verification passed`, async () => {
    assert.match(await seal(spoil(await seal()), { chain: 'pass' }), /^ARC-Seal: i=\d; .*cv=fail/);
  });

test('an ARC chain of 50 sets is not sealed again', async () => {
  assert.equal(
    await sealArc(`ARC-Seal: i=50; cv=pass; b=x\r\n${HEADER}`, KEY, sealing({ chain: 'pass' })),
    '',
  );
});

test('sealArc adds three fields or none to any header', async () => {
  const field = fc.oneof(
    anyText().map((text) => `X: ${text}`),
    fc
      .tuple(
        fc.constantFrom('ARC-Seal', 'arc-message-signature', 'ARC-Authentication-Results'),
        fc.integer({ min: -1, max: 60 }),
        anyText(),
      )
      .map(([name, at, rest]) => `${name}: i=${at}; ${rest}`),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(field, { maxLength: 6 }), async (fields) => {
      const header = Buffer.from(
        fields.map((text) => `${text.replaceAll(/[\r\n]/g, ' ')}\r\n`).join(''),
      ).toString('latin1');
      const added = await sealArc(header, KEY, sealing({ chain: 'pass' }));
      assert.ok(added === '' || added.match(/^ARC-/gm)?.length === 3);
    }),
    { numRuns: 30 },
  );
});

test('sealArc takes linear time for a megabyte of ARC fields', async () => {
  const header = `ARC-Seal:${'i= ;'.repeat(250_000)}\r\n`;
  const startedMs = performance.now();
  await sealArc(header, KEY, sealing());
  assert.ok(performance.now() - startedMs < 2_000);
});
