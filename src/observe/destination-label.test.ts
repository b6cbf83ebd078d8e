import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../test/support/any-text.ts';
import { DestinationLabels } from './destination-label.ts';

function times(count: number, label: (destination: string) => string, destination: string): string[] {
  return Array.from({ length: count }, () => label(destination));
}

suite('DestinationLabels', () => {
  test('returns the name of a destination from its tenth attempt among a thousand', () => {
    const { labelOf } = new DestinationLabels();
    assert.deepEqual(new Set(times(9, labelOf, 'example.com')), new Set(['other']));
    assert.equal(labelOf('example.com'), 'example.com');
    assert.equal(labelOf('example.net'), 'other');
  });

  test('returns other for a destination with few of many attempts', () => {
    const { labelOf } = new DestinationLabels();
    for (let round = 0; round < 100; round++) {
      assert.equal(labelOf('seldom.example'), 'other');
      for (let n = 0; n < 999; n++) labelOf(`d${round}-${n}.example`);
    }
  });

  test('still returns the name of a destination after attempts to many others', () => {
    const { labelOf } = new DestinationLabels();
    times(10, labelOf, 'example.com');
    for (let n = 0; n < 5_000; n++) labelOf(`d${n}.example`);
    assert.equal(labelOf('example.com'), 'example.com');
  });

  test('returns the names of at most a hundred of 10,000 destinations', () => {
    const { labelOf } = new DestinationLabels();
    const labels = new Set<string>();
    for (let n = 0; n < 10_000; n++)
      for (const label of times(20, labelOf, `d${n}.example`)) labels.add(label);
    assert.equal(labels.size, 101);
    assert.ok(labels.has('other'));
  });

  const WITHOUT_A_NAME = [
    ['an address literal', '[192.0.2.1]'],
    ['an IPv6 literal', '[IPv6:2001:db8::1]'],
    ['a name without a dot', 'localhost'],
    ['nothing', ''],
    ['a quote and a line feed', 'a"\n} 1.example'],
    ['letters outside ASCII', 'bücher.example'],
    ['a name that is too long', `${'a.'.repeat(127)}example`],
    ['two dots', 'a..example'],
  ] as const;
  for (const [what, destination] of WITHOUT_A_NAME) {
    test(`returns other for ${what}`, () => {
      const { labelOf } = new DestinationLabels();
      assert.deepEqual(new Set(times(30, labelOf, destination)), new Set(['other']));
    });
  }

  test('never throws, and returns a domain name or other', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(anyText(), fc.domain())), (destinations) => {
        const { labelOf } = new DestinationLabels();
        for (const destination of destinations)
          for (const label of times(11, labelOf, destination)) assert.match(label, /^[a-z0-9_.-]{1,253}$/);
      }),
    );
  });
});
