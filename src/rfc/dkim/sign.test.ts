import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { dkimRecord, encodePublicKey } from './record.ts';
import { type SigningKey, signDkim, type UnsignedMessage } from './sign.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 });
const ed25519 = generateKeyPairSync('ed25519');
const RSA_KEY: SigningKey = {
  domain: 'example.com',
  selector: 'ph1r',
  algorithm: 'rsa-sha256',
  privateKey: rsa.privateKey,
};
const ED25519_KEY: SigningKey = {
  domain: 'example.com',
  selector: 'ph1e',
  algorithm: 'ed25519-sha256',
  privateKey: ed25519.privateKey,
};
const BOTH = [RSA_KEY, ED25519_KEY];
const RECORDS = new Map([
  ['ph1r._domainkey.example.com', dkimRecord('rsa-sha256', encodePublicKey(rsa.publicKey))],
  ['ph1e._domainkey.example.com', dkimRecord('ed25519-sha256', encodePublicKey(ed25519.publicKey))],
]);
const NOW = { timestamp: 1_763_650_000 };

const HEADER = [
  'From: Alice <alice@example.com>',
  'To: bob@example.net',
  'Subject: Hello',
  'Date: Fri, 20 Nov 2026 15:04:05 +0000',
  'Message-ID: <1@example.com>',
  'MIME-Version: 1.0',
  'Content-Type: text/plain; charset=utf-8',
  'X-Note: not signed',
  '',
].join('\r\n');
const MESSAGE: UnsignedMessage = { header: HEADER, body: Buffer.from('Hi Bob,\r\n\r\nbye.\r\n') };

const bytes = (text: string | Buffer) => (typeof text === 'string' ? Buffer.from(text) : text);

async function signed(message: UnsignedMessage, keys: readonly SigningKey[] = BOTH): Promise<Buffer> {
  const fields = await signDkim(message, keys, NOW);
  return Buffer.concat([bytes(fields), bytes(message.header), bytes('\r\n'), message.body]);
}

/** The results of a verifier that follows the RFC strictly, one for each signature from the top. */
async function verdicts(message: Buffer): Promise<string[]> {
  const { results } = await dkimVerify(message, {
    strict: true,
    resolver: async (name: string) => [[RECORDS.get(name) ?? '']],
  });
  return results.map(({ status }) => status.result);
}

describe('DKIM signatures', () => {
  test('a DKIM signature stays valid after a relay rewrites the fields in except', async () => {
    const rewritten = HEADER.replace('<1@example.com>', '<2@example.org>').replace('15:04:05', '16:00:00');
    for (const [except, verdict] of [
      [['date', 'message-id'], 'pass'],
      [[], 'fail'],
    ] as const) {
      const fields = await signDkim(MESSAGE, BOTH, { ...NOW, except });
      const received = Buffer.concat([bytes(`${fields}${rewritten}\r\n`), MESSAGE.body]);
      assert.deepEqual(await verdicts(received), [verdict, verdict]);
    }
  });

  test('a DKIM signature verifies for RSA and for Ed25519', async () => {
    assert.deepEqual(await verdicts(await signed(MESSAGE)), ['pass', 'pass']);
  });

  test('a DKIM signature has lines of at most 78 characters', async () => {
    const long = { ...RSA_KEY, domain: `${'a'.repeat(60)}.example.com`, selector: 's'.repeat(50) };
    for (const line of (await signDkim(MESSAGE, [long, ED25519_KEY], NOW)).split('\r\n')) {
      assert.ok(line.length <= 78, line);
    }
  });

  test('a DKIM signature has the given time and no l=, x= or i= tag', async () => {
    const text = await signDkim(MESSAGE, [ED25519_KEY], NOW);
    const tags = [...text.matchAll(/[:;]\s*([a-z]+)=/g)].map(([, name]) => name);
    assert.deepEqual(tags, ['v', 'a', 'c', 't', 'd', 's', 'h', 'bh', 'b']);
    assert.match(text, / t=1763650000;/);
  });

  test('signing a message twice at the same time gives the same DKIM signature', async () => {
    assert.equal(await signDkim(MESSAGE, BOTH, NOW), await signDkim(MESSAGE, BOTH, NOW));
  });

  test('a DKIM signature is the same for a header in a buffer and in a string', async () => {
    const header = HEADER.replace('Hello', 'Grüße 📮');
    const fromString = await signDkim({ ...MESSAGE, header }, BOTH, NOW);
    assert.equal(await signDkim({ ...MESSAGE, header: Buffer.from(header) }, BOTH, NOW), fromString);
    assert.deepEqual(await verdicts(await signed({ ...MESSAGE, header })), ['pass', 'pass']);
  });

  test('signDkim returns an empty string if there are no keys', async () => {
    assert.equal(await signDkim(MESSAGE, [], NOW), '');
  });

  test('signDkim rejects a key whose type does not match the algorithm', async () => {
    const swapped: SigningKey[] = [
      { ...RSA_KEY, privateKey: ed25519.privateKey },
      { ...ED25519_KEY, privateKey: rsa.privateKey },
    ];
    for (const key of swapped) await assert.rejects(signDkim(MESSAGE, [key], NOW), TypeError);
  });

  test('a DKIM signature still verifies after an unsigned field or trailing whitespace changes', async () => {
    const text = (await signed(MESSAGE))
      .toString()
      .replace('X-Note: not', 'X-Other: yes\r\nX-Note: was')
      .replace('bye.', 'bye. ');
    assert.deepEqual(await verdicts(bytes(text)), ['pass', 'pass']);
  });

  for (const added of [
    'From: Mallory <mallory@example.com>',
    'To: eve@example.net',
    'Cc: eve@example.net',
    'Subject: Win',
    'Date: Fri, 27 Nov 2026 15:04:05 +0000',
    'Message-ID: <2@example.com>',
    'Reply-To: mallory@example.org',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=x',
    'Content-Transfer-Encoding: base64',
    'List-Unsubscribe: <https://example.org>',
    'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
  ]) {
    test(`a DKIM signature fails after a ${added.slice(0, added.indexOf(':'))} field is added`, async () => {
      const message = (await signed(MESSAGE)).toString();
      const results = await verdicts(bytes(message.replace('From: Alice', `${added}\r\nFrom: Alice`)));
      assert.ok(!results.includes('pass'), results.join());
    });
  }
});

const SIGNED_NAMES = [
  'To',
  'CC',
  'subject',
  'Date',
  'Message-ID',
  'References',
  'List-Unsubscribe',
  'Sender',
  'List-Id',
];
const word = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }).map((text) => text.replace(/[^!-~]/g, '')),
  fc.constantFrom('grün', '\u00a0', '日本', '📮', ':', ';', '=', '@', '"'),
);
const gap = fc.constantFrom(' ', '  ', '\t', ' \t ', '\r\n ', ' \r\n\t');
const fieldBody = fc
  .array(fc.tuple(gap, word), { maxLength: 8 })
  .map((parts) => parts.map(([before, text]) => before + (text || 'x')).join(''));
const field = fc
  .tuple(fc.constantFrom(...SIGNED_NAMES, 'X-One', 'Received'), fieldBody)
  .map(([name, body]) => `${name}:${body}\r\n`);
const header = fc
  .tuple(fc.array(field, { maxLength: 12 }), fc.array(field, { maxLength: 3 }))
  .map(([before, after]) => `${before.join('')}From: alice@example.com\r\n${after.join('')}`);
const body = fc
  .array(fc.oneof(word, fc.constantFrom(' ', '\t', '  ', '\r\n', '\r\n\r\n', ' \r\n')), { maxLength: 30 })
  .map((parts) => Buffer.from(parts.join('')));

describe('DKIM signatures of any message', () => {
  test('the DKIM signatures of any message verify', async () => {
    await fc.assert(
      fc.asyncProperty(header, body, async (text, content) => {
        assert.deepEqual(await verdicts(await signed({ header: text, body: content })), ['pass', 'pass']);
      }),
      { numRuns: 200 },
    );
  });

  test('the DKIM signature of any message fails after a letter in a signed field or in the body changes', async () => {
    await fc.assert(
      fc.asyncProperty(header, body, fc.nat(), async (text, content, choice) => {
        const message: UnsignedMessage = {
          header: `Subject: abc\r\n${text}`,
          body: Buffer.concat([content, bytes('abc')]),
        };
        const original = (await signed(message, [ED25519_KEY])).toString('latin1');
        const unsigned = bytes(message.header).length + 2 + message.body.length;
        const letters = signedLetters(original, original.length - unsigned);
        const at = letters[choice % letters.length] ?? 0;
        const other = original[at] === 'q' ? 'r' : 'q';
        const changed = Buffer.from(original.slice(0, at) + other + original.slice(at + 1), 'latin1');
        assert.ok(!(await verdicts(changed)).includes('pass'), `changed at ${at}`);
      }),
      { numRuns: 200 },
    );
  });
});

/** Offsets of letters in the values of signed fields and in the body, from the offset `from` on. */
function signedLetters(message: string, from: number): number[] {
  const headerEnd = message.indexOf('\r\n\r\n', from);
  const positions: number[] = [];
  const fields = /([A-Za-z-]+):((?:[^\r]|\r\n[ \t])*)\r\n/g;
  fields.lastIndex = from;
  for (
    let match = fields.exec(message);
    match !== null && match.index < headerEnd;
    match = fields.exec(message)
  ) {
    const start = match.index + (match[1]?.length ?? 0) + 1;
    if (['X-One', 'Received'].includes(match[1] ?? '')) continue;
    for (let at = start; at < start + (match[2]?.length ?? 0); at++)
      if (/[a-z]/.test(message[at] ?? '')) positions.push(at);
  }
  for (let at = headerEnd; at < message.length; at++) if (/[a-z]/.test(message[at] ?? '')) positions.push(at);
  return positions;
}
