import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { classifyReply } from '../../sending/replies/classify-reply.ts';
import { readReport } from './read-report.ts';

interface Expected {
  reason: string;
  hard: boolean;
  feedback: string;
}

/** What counts of a file: for each recipient hard or soft; or that it is a complaint, or no report of a delivery. */
function wanted(expected: readonly Expected[]): string {
  const [first] = expected;
  if (first?.feedback === 'auth-failure' || first?.reason === 'vacation') return 'other';
  if (first?.reason === 'feedback') return 'complaint';
  return expected
    .map(({ hard }) => (hard ? 'hard' : 'soft'))
    .sort()
    .join(' ');
}

function read(raw: Buffer): string {
  const report = readReport(raw);
  if (report.kind !== 'dsn') return report.kind;
  return report.recipients
    .map(({ action, replyCode, enhancedCode, diagnostic }) => {
      const isRefused = action === 'failed' || action === 'delayed';
      return isRefused ? classifyReply({ replyCode, enhancedCode, text: diagnostic }).type : 'soft';
    })
    .sort()
    .join(' ');
}

const corpora = process.env['POSTHORN_CORPORA'];

describe('the collection of bounces', { skip: corpora === undefined }, () => {
  it('is read right, hard or soft, for at least 95 %', (t) => {
    const folder = join(corpora ?? '', 'bounces');
    const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Record<
      string,
      Expected[]
    >;
    const names = Object.keys(expected);
    const misses = names.flatMap((name) => {
      const want = wanted(expected[name] ?? []);
      const got = read(readFileSync(join(folder, name)));
      return got === want ? [] : [`${name}: ${want} (${expected[name]?.[0]?.reason}), read as ${got}`];
    });
    for (const miss of misses) t.diagnostic(miss);
    const right = (names.length - misses.length) / names.length;
    t.diagnostic(`${(right * 100).toFixed(1)} % of ${names.length} files`);
    assert.ok(names.length > 0);
    assert.ok(right >= 0.95);
  });
});
