import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readEntity } from '../../rfc/mime/index.ts';
import { classifyReply, explainReply } from '../../sending/replies/classify-reply.ts';
import { CAUSES, EXISTS, NOT, TAKES, THINGS, WRONGS } from '../../sending/replies/vocabulary.ts';
import { hasOf, MARKERS } from './markers.ts';
import { readReport } from './read-report.ts';
import { takeApart } from './report-parts.ts';

interface Expected {
  reason: string;
  hard: boolean;
  feedback: string;
}

/** The expected result for a file: `hard` or `soft` for each recipient, `complaint`, or `other`. */
function expectedResult(expected: readonly Expected[]): string {
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

const VOCABULARY: readonly (readonly string[])[] = [
  ...[CAUSES, THINGS, WRONGS].flatMap((lists) => Object.values(lists)),
  EXISTS,
  NOT,
  TAKES,
];

/** The marker words that matter for a file: the words that decide its verdict, and the words that identify it as a report. */
function exercised(raw: Buffer): Set<string> {
  const words = new Set<string>();
  const report = readReport(raw);
  for (const { replyCode, enhancedCode, diagnostic } of report.kind === 'dsn' ? report.recipients : []) {
    for (const word of explainReply({ replyCode, enhancedCode, text: diagnostic }).because) words.add(word);
    // These words only suppress verdicts, so no verdict depends on them.
    for (const word of [...THINGS.service, ...THINGS.other])
      if (hasOf(diagnostic.toLowerCase(), [word])) words.add(word);
  }
  const { fields, text } = takeApart(raw, readEntity(raw));
  const whole = [text, ...fields.map(({ value }) => value)].join('\n').toLowerCase();
  for (const list of Object.values(MARKERS)) {
    for (const word of list) if (hasOf(whole, [word])) words.add(word);
  }
  return words;
}

/** Calls `run` without these marker words. */
function without<Result>(words: ReadonlySet<string>, run: () => Result): Result {
  const lists = [...VOCABULARY, ...Object.values(MARKERS)] as string[][];
  const saved = lists.map((list) => [...list]);
  for (const list of lists) list.splice(0, list.length, ...list.filter((word) => !words.has(word)));
  try {
    return run();
  } finally {
    for (const [index, list] of lists.entries()) list.splice(0, list.length, ...(saved[index] ?? []));
  }
}

const corpora = process.env['POSTHORN_CORPORA'];

describe('the collection of bounces', { skip: corpora === undefined }, () => {
  const folder = join(corpora ?? '', 'bounces');
  const load = (): { name: string; family: string; raw: Buffer; want: string }[] => {
    const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Record<
      string,
      Expected[]
    >;
    return Object.entries(expected).map(([name, want]) => ({
      name,
      family: name.replace(/-\d+\.eml$/, ''),
      raw: readFileSync(join(folder, name)),
      want: expectedResult(want),
    }));
  };

  it('is classified as hard or soft with at least 95 % correct results', (t) => {
    const files = load();
    const misses = files.filter(({ raw, want }) => read(raw) !== want);
    for (const { name, want, raw } of misses) t.diagnostic(`${name}: ${want}, read as ${read(raw)}`);
    const right = (files.length - misses.length) / files.length;
    t.diagnostic(`${(right * 100).toFixed(1)} % of ${files.length} files`);
    assert.ok(files.length > 0 && right >= 0.95);
  });

  it('is classified with at least 95 % correct results without words that only one family of files needs', (t) => {
    const files = load();
    const familiesOf = new Map<string, Set<string>>();
    for (const { raw, family } of files) {
      for (const word of exercised(raw)) {
        familiesOf.set(word, (familiesOf.get(word) ?? new Set()).add(family));
      }
    }
    let misses = 0;
    for (const family of new Set(files.map((file) => file.family))) {
      const own = [...familiesOf].filter(([, families]) => families.size === 1 && families.has(family));
      without(new Set(own.map(([word]) => word)), () => {
        for (const { name, raw, want } of files.filter((file) => file.family === family)) {
          const got = read(raw);
          if (got === want) continue;
          misses += 1;
          t.diagnostic(`${name}: ${want}, read as ${got}`);
        }
      });
    }
    const right = (files.length - misses) / files.length;
    t.diagnostic(`${(right * 100).toFixed(1)} % of ${files.length} files, each family left out`);
    assert.ok(right >= 0.95);
  });

  it('gets the same verdict when a server adds words around its reply', (t) => {
    const around = [
      (text: string) => `Your message could not be delivered: ${text}`,
      (text: string) => `Message rejected by the server. ${text}`,
      (text: string) => `Delivery was refused for policy reasons: ${text}`,
      (text: string) => `Guten Tag, ${text}`,
      (text: string) => `${text} For more information see https://support.example.com/policy/blocked-spam`,
      (text: string) => `${text} Please contact your administrator for help.`,
      (text: string) => `${text} Message rejected due to local policy.`,
      (text: string) => text.toUpperCase(),
      (text: string) => text.replaceAll(' ', '  '),
    ];
    let read = 0;
    let changed = 0;
    for (const { name, raw } of load()) {
      const report = readReport(raw);
      for (const { replyCode, enhancedCode, diagnostic } of report.kind === 'dsn' ? report.recipients : []) {
        const before = classifyReply({ replyCode, enhancedCode, text: diagnostic });
        for (const put of around) {
          const after = classifyReply({ replyCode, enhancedCode, text: put(diagnostic) });
          read += 1;
          if (after.type === before.type && after.suppress === before.suppress) continue;
          changed += 1;
          t.diagnostic(`${name}: ${before.type}, read as ${after.type}: ${put(diagnostic).slice(0, 100)}`);
        }
      }
    }
    t.diagnostic(`${changed} of ${read} changed`);
    assert.ok(read > 0 && changed / read <= 0.01);
  });
});
