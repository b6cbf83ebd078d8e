import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeBase64, type SaslStep, startExchange } from './mechanisms.ts';

const cases: [name: string, mechanism: string, responses: (string | null)[], end: SaslStep][] = [
  ['PLAIN at once', 'plain', ['\0anna@a.example\0secret'], { user: 'anna@a.example', password: 'secret' }],
  ['PLAIN when asked', 'PLAIN', [null, '\0anna\0sécret'], { user: 'anna', password: 'sécret' }],
  ['PLAIN for oneself', 'PLAIN', ['anna\0anna\0secret'], { user: 'anna', password: 'secret' }],
  ['LOGIN when asked', 'LOGIN', [null, 'anna', 'secret'], { user: 'anna', password: 'secret' }],
  ['LOGIN with the name at once', 'LOGIN', ['anna', 'secret'], { user: 'anna', password: 'secret' }],
  ['LOGIN with nothing at once', 'LOGIN', ['', 'anna', 'secret'], { user: 'anna', password: 'secret' }],
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
  test(`PLAIN is not ${JSON.stringify(response)}`, () => {
    const step = startExchange('PLAIN')?.next(Buffer.from(response));
    assert.ok(step !== undefined && 'fault' in step);
  });
}

test('another mechanism is none', () => assert.equal(startExchange('CRAM-MD5'), null));

test('octets are never more than a name, a password or a fault', () => {
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

test('base64 is decoded where it is base64', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (octets) => {
      assert.deepEqual(decodeBase64(Buffer.from(octets).toString('base64')), Buffer.from(octets));
    }),
  );
  for (const text of ['=', 'A', 'AAA', 'AA=A', 'AAAA=', 'AA==AA==', 'A A=', '****'])
    assert.equal(decodeBase64(text), null, text);
});
