// Runs in its own process: it counts everything in the process.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { parseExposition } from '../../test/support/exposition.ts';
import { labelValuesOf } from './define.ts';
import { destinationLabel } from './destination-label.ts';
import { attemptDuration, attempts, httpRequests } from './instruments.ts';
import { measureProcess, registry } from './registry.ts';

const MAX_SERIES = 3_000;
const OUTCOMES = ['accepted', 'transient', 'permanent', 'unroutable', 'abandoned', 'crashed'];
const HOSTILE = [
  '"} 1\nposthorn_x 1',
  '\\',
  'a\nb',
  '[192.0.2.1]',
  '',
  '\u{0}',
  '😀.example',
  'x'.repeat(100_000),
];

await import('./pools.ts');
measureProcess('worker-1');

async function expose() {
  return parseExposition(await registry.metrics());
}

suite('the instruments of a process', () => {
  test('start at 0 if all their label values are known', async () => {
    const { sum } = await expose();
    assert.equal(sum('posthorn_bounces_total', { type: 'hard', category: 'unknown_user' }), 0);
    assert.equal(sum('posthorn_tracking_hits_total', { kind: 'click', result: 'lost' }), 0);
    assert.equal(sum('posthorn_emails_accepted_total'), 0);
  });

  test('stay within the series limit with 10,000 destinations, hostile names and every operation', async () => {
    const names = [...HOSTILE, ...Array.from({ length: 10_000 }, (_, n) => `d${n}.example`)];
    for (const name of names) {
      for (let n = 0; n < 12; n++) {
        const outcome = OUTCOMES[n % OUTCOMES.length] as string;
        attempts.inc({ destination: destinationLabel(name), outcome });
      }
    }
    for (const outcome of OUTCOMES) attemptDuration.observe({ outcome }, 1);
    for (let n = 0; n < 26; n++)
      for (const status of ['1xx', '2xx', '3xx', '4xx', '5xx'])
        httpRequests.observe({ operation: `o${n}`, status }, 1);
    const { series, sum, valuesOf } = await expose();
    assert.equal(valuesOf('posthorn_delivery_attempts_total', 'destination').size, 101);
    assert.equal(sum('posthorn_delivery_attempts_total'), names.length * 12);
    assert.ok(series.length < MAX_SERIES, `${series.length}`);
  });

  test('have only listed label values', async () => {
    for (const { name, family, labels } of (await expose()).series) {
      const known = labelValuesOf.get(family) ?? {};
      for (const [label, value] of Object.entries(labels)) {
        const values = known[label];
        if (values !== undefined && values !== null)
          assert.ok(values.includes(value), `${name} ${label} ${value}`);
      }
    }
  });

  test('have the label process on every series, because each process counts separately', async () => {
    for (const { name, labels } of (await expose()).series) assert.equal(labels['process'], 'worker-1', name);
  });
});
