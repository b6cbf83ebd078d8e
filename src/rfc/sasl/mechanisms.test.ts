import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeBase64, type SaslStep, startExchange } from './mechanisms.ts';

const cases: [name: string, mechanism: string, responses: (string | null)[], end: SaslStep][] = [
  [
    'PLAIN accepts an initial response',
    'plain',
    ['\0anna@a.example\0secret'],
    { user: 'anna@a.example', password: 'secret' },
  ],
  [
    'PLAIN accepts a response to a challenge',
    'PLAIN',
    [null, '\0anna\0sécret'],
    { user: 'anna', password: 'sécret' },
  ],
  [
    'PLAIN accepts an authorization identity equal to the user',
    'PLAIN',
    ['anna\0anna\0secret'],
    { user: 'anna', password: 'secret' },
  ],
  [
    'LOGIN accepts the responses to two challenges',
    'LOGIN',
    [null, 'anna', 'secret'],
    { user: 'anna', password: 'secret' },
  ],
  [
    'LOGIN accepts the user name as initial response',
    'LOGIN',
    ['anna', 'secret'],
    { user: 'anna', password: 'secret' },
  ],
  [
    'LOGIN accepts an empty initial response',
    'LOGIN',
    ['', 'anna', 'secret'],
    { user: 'anna', password: 'secret' },
  ],
];
for (const [name, mechanism, responses, end] of cases) {
  test(name, () => {
    const exchange = startExchange(mechanism);
    const steps = responses.map((each) => exchange?.next(each === null ? null : Buffer.from(each)));
    assert.deepEqual(steps.at(-1), end);
    assert.ok(steps.slice(0, -1).every((step) => step !== undefined && 'challenge' in step));
  });
}

for (const response of [
  '',
  'anna',
  '\0anna',
  '\0\0secret',
  '\0anna\0',
  '\0anna\0se\0cret',
  'bert\0anna\0secret',
]) {
  test(`PLAIN rejects ${JSON.stringify(response)}`, () => {
    const step = startExchange('PLAIN')?.next(Buffer.from(response));
    assert.ok(step !== undefined && 'fault' in step);
  });
}

test('startExchange returns null for an unknown mechanism', () =>
  assert.equal(startExchange('CRAM-MD5'), null));

test('an exchange with any responses ends with credentials or a fault, and never throws', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('PLAIN', 'LOGIN'),
      fc.array(fc.uint8Array(), { maxLength: 4 }),
      (mechanism, all) => {
        const exchange = startExchange(mechanism);
        for (const each of all) {
          const step = exchange?.next(Buffer.from(each));
          if (step === undefined || !('challenge' in step)) return;
        }
      },
    ),
  );
});

test('decodeBase64 decodes valid base64 and returns null otherwise', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (octets) => {
      assert.deepEqual(decodeBase64(Buffer.from(octets).toString('base64')), Buffer.from(octets));
    }),
  );
  for (const text of ['=', 'A', 'AAA', 'AA=A', 'AAAA=', 'AA==AA==', 'A A=', '****'])
    assert.equal(decodeBase64(text), null, text);
});
