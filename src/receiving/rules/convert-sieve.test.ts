import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import {
  parseSieve,
  type SieveArgument,
  type SieveCommand,
  type SieveTest,
} from '../../rfc/sieve/parse-sieve.ts';
import { FLAG } from '../../store/flags.ts';
import { readMessageFacts } from '../../store/facts/message-facts.ts';
import { applyFilters } from './apply-filters.ts';
import { compileRule } from './compile-rule.ts';
import { type ConvertedScript, convertSieve } from './convert-sieve.ts';
import { MailTexts } from './mail-texts.ts';
import { wordsOfNewRule } from './rule-in-words.ts';

function converted(script: string): ConvertedScript {
  const result = convertSieve(script);
  assert.ok('rules' in result, JSON.stringify(result));
  return result;
}

/** Rules as lines: `if a and b, then c, d`. */
function linesOf({ rules }: ConvertedScript): string[] {
  return rules.map(wordsOfNewRule).map(({ match, conditions, actions }) => {
    return `if ${conditions.join(match === 'any' ? ' or ' : ' and ')}, then ${actions.join(', ')}`;
  });
}

const CONVERTED: [script: string, ...rules: string[]][] = [
  [
    'if header :contains "Subject" "Hi" { fileinto "A/B"; stop; }',
    'if subject contains Hi, then file A/B, stop',
  ],
  ['if header "X-A" "1" { addflag "\\\\Seen \\\\Flagged"; }', 'if header x-a is 1, then mark read, flag'],
  [
    'if header :matches ["X-A", "X-B"] ["1*", "\\\\?2"] { keep :flags "work"; }',
    'if header x-a matches 1* or header x-a matches ?2 or header x-b matches 1* or header x-b matches ?2, then file INBOX, keyword work',
  ],
  [
    'if exists ["X-A", "X-B"] { fileinto :create "A"; }',
    'if header x-a matches * and header x-b matches *, then file A',
  ],
  ['if size :over 2M { fileinto "Big"; }', 'if size over 2097152, then file Big'],
  ['if not header :is "X-A" "1" { reject "No, thanks"; }', 'if not header x-a is 1, then refuse No, thanks'],
  ['if true { redirect :copy "a@b.example"; }', 'if not size under 0, then forward a@b.example'],
  ['redirect :copy "a@b.example"; keep;', 'if not size under 0, then file INBOX, forward a@b.example'],
  [
    'if anyof (header "X-A" "1", allof (header "X-B" "2", not header "X-C" "3")) { fileinto "A"; }',
    'if header x-a is 1, then file A',
    'if header x-b is 2 and not header x-c is 3, then file A',
  ],
  [
    'if header "X-A" "1" { fileinto "A"; } elsif header "X-B" "2" { fileinto "B"; } else { addflag "\\\\Seen"; }',
    'if header x-a is 1, then file A',
    'if not header x-a is 1 and header x-b is 2, then file B',
    'if not header x-a is 1 and not header x-b is 2, then mark read',
  ],
  [
    'if header "X-A" "1" { addflag "a"; if header "X-B" "2" { stop; } addflag "b"; }',
    'if header x-a is 1, then keyword a',
    'if header x-a is 1 and header x-b is 2, then stop',
    'if header x-a is 1, then keyword b',
  ],
  ['stop; fileinto "A";', 'if not size under 0, then stop'],
  ['require "fileinto"; if false { fileinto "A"; }'],
  ['if header "X-A" "1" { fileinto :copy "A"; discard; }', 'if header x-a is 1, then file A'],
  [
    'if header "X-A" "1" { reject "No"; } else { fileinto "A"; }',
    'if header x-a is 1, then refuse No',
    'if not header x-a is 1, then file A',
  ],
  [
    'if header "X-A" "1" { reject "No"; stop; } keep;',
    'if header x-a is 1, then refuse No, stop',
    'if not size under 0, then file INBOX',
  ],
];
for (const [script, ...rules] of CONVERTED)
  test(`the script ${script} is converted`, () => {
    const result = converted(script);
    assert.deepEqual(linesOf(result), rules);
    assert.deepEqual([result.differences, result.notConverted], [[], []]);
  });

const DIFFERENT: [script: string, rules: string[], difference: RegExp][] = [
  ['if header "X-A" "1" { discard; }', ['if header x-a is 1, then delete'], /Trash/],
  [
    'fileinto "INBOX.Work.2026";',
    ['if not size under 0, then file Work/2026'],
    /INBOX\.Work\.2026 becomes Work\/2026/,
  ],
  ['redirect "a@b.example";', ['if not size under 0, then forward a@b.example'], /leaves a copy/],
  ['if address "from" "a@b" { fileinto "A"; }', ['if from is a@b, then file A'], /names are compared too/],
  [
    'if address :domain "from" "b" { fileinto "A"; }',
    ['if from matches *@b, then file A'],
    /names are compared too/,
  ],
  [
    'if address :localpart :contains "from" "a" { fileinto "A"; }',
    ['if from matches *a*@*, then file A'],
    /names are compared too/,
  ],
  [
    'if address :matches :domain "from" "*.b" { fileinto "A"; }',
    ['if from matches *@*.b, then file A'],
    /names are compared too/,
  ],
  [
    'if address :contains ["to", "cc"] "a@" { fileinto "A"; }',
    ['if to contains a@, then file A'],
    /^names are compared too/,
  ],
  ['if address "to" "a@b" { fileinto "A"; }', ['if to is a@b, then file A'], /Cc are compared too/],
  [
    'if address "sender" "a@b" { fileinto "A"; }',
    ['if header sender contains a@b, then file A'],
    /the whole field sender is searched/,
  ],
  [
    'if address :contains "sender" "a@" { fileinto "A"; }',
    ['if header sender contains a@, then file A'],
    /the whole field sender is searched/,
  ],
  ['if address "from" "a@b" { reject "No"; }', ['if from is a@b, then refuse No'], /names are compared too/],
  [
    'if not address :contains "from" "a@" { reject "No"; }',
    ['if not from contains a@, then refuse No'],
    /names are compared too/,
  ],
  [
    'if header :comparator "i;octet" "X-A" "a" { fileinto "A"; }',
    ['if header x-a is a, then file A'],
    /case are the same/,
  ],
  [
    'if header "X-A" "1" { fileinto "A"; } if header "X-B" "2" { fileinto "B"; }',
    ['if header x-a is 1, then file A', 'if header x-b is 2, then file B'],
    /the first of the rules decides/,
  ],
];
for (const [script, rules, difference] of DIFFERENT)
  test(`the script ${script} is converted with a remark: ${difference.source}`, () => {
    const result = converted(script);
    assert.deepEqual(linesOf(result), rules);
    assert.deepEqual(result.notConverted, []);
    assert.match(result.differences.map(({ text }) => text).join('\n'), difference);
  });

const NOT_CONVERTED: [script: string, reason: RegExp][] = [
  ['if envelope "from" "a@b" { stop; }', /the test envelope is not supported/],
  ['if header :regex "X-A" "1" { stop; }', /:regex is not supported for header/],
  ['if header :count "ge" "X-A" "1" { stop; }', /:count is not supported/],
  ['if header :matches "X-A" "a?" { stop; }', /the wildcard \?/],
  ['if header :matches "X-A" "a\\\\*" { stop; }', /a literal \*/],
  ['if header :comparator "i;ascii-numeric" "X-A" "1" { stop; }', /comparator/],
  ['if header "X A" "1" { stop; }', /not the name of a field/],
  ['if header "X-A" "" { stop; }', /a compared text must have/],
  ['if address :user "from" "a" { stop; }', /:user is not supported/],
  ['if address :domain "sender" "a" { stop; }', /the addresses of the field sender/],
  ['fileinto "A"; fileinto "B";', /several folders/],
  ['fileinto "A"; keep;', /several folders/],
  ['fileinto :copy "A";', /several folders/],
  ['if true { discard; if header "X-A" "1" { keep; } }', /may have moved the message to Trash: add stop/],
  ['if true { discard; if header "X-A" "1" { fileinto "A"; stop; } }', /may have moved the message to Trash/],
  ['if true { keep; if header "X-A" "1" { reject "No"; stop; } }', /both refused and filed/],
  ['if true { reject "No"; if header "X-A" "1" { keep; } }', /both refused and filed/],
  ['reject "No"; fileinto "A";', /both refused and filed/],
  ['redirect "a@b.example"; reject "No";', /both refused and filed or forwarded/],
  ['if address :contains "from" "a@" { discard; }', /also compares names/],
  ['if address :matches :domain "to" "*.b" { redirect :copy "a@b.example"; }', /also compares names/],
  ['if address "sender" "a@b" { if header "X-A" "1" { reject "No"; } }', /also compares names/],
  ['if not address :contains "from" "a@" { stop; } else { discard; }', /also compares names/],
  ['fileinto "#A";', /starts with #/],
  ['redirect "nowhere";', /@/],
  ['addflag "\\\\Deleted";', /the flag \\Deleted/],
  ['reject "Grüße";', /ASCII/],
  ['set "a" "b";', /the command set is not supported/],
  ['fileinto "${a}";', /variables/],
  ['include "other";', /the command include/],
  ['foreverypart { stop; }', /the command foreverypart/],
  ['else { stop; }', /the command else/],
  ['if header "X-A" "1" { vacation "Away"; }', /cannot depend on a test/],
  ['vacation :mime "Away";', /:mime is not supported/],
  [
    `if header "X-A" [${Array.from({ length: 60 }, (_, at) => `"${at}"`).join(',')}] { stop; }`,
    /too complex/,
  ],
];
for (const [script, reason] of NOT_CONVERTED)
  test(`the script ${script.slice(0, 60)} is not converted: ${reason.source}`, () => {
    const result = converted(script);
    assert.deepEqual([result.rules, result.vacation, result.notConverted.length], [[], null, 1]);
    assert.match(result.notConverted[0]?.text ?? '', reason);
  });

test('a command is converted completely or not at all, and the others are converted', () => {
  const result = converted(
    [
      'if header "X-A" "1" { fileinto "A"; stop; }',
      'if header "X-B" "2" { discard; stop; } else { fileinto "B"; include "c"; }',
      'if header "X-C" "3" { fileinto "C"; stop; }',
    ].join('\n'),
  );
  assert.deepEqual(linesOf(result), [
    'if header x-a is 1, then file A, stop',
    'if header x-c is 3, then file C, stop',
  ]);
  assert.deepEqual(result.notConverted, [{ line: 2, text: 'the command include is not supported' }]);
  assert.deepEqual(result.differences, []);
});

test('after a command that is not converted, no rule is made that removes a message from the Inbox', () => {
  const result = converted(
    [
      'if header "X-A" "1" { discard; stop; }',
      'if envelope "from" "friend@a.example" { keep; stop; }',
      'if header "X-B" "2" { addflag "b"; discard; }',
      'if header "X-C" "3" { fileinto "C"; } else { redirect :copy "a@b.example"; }',
      'if header "X-D" "4" { reject "No"; }',
      'fileinto "D";',
    ].join('\n'),
  );
  assert.deepEqual(linesOf(result), [
    'if header x-a is 1, then delete, stop',
    'if not size under 0, then file D',
  ]);
  assert.deepEqual(
    result.notConverted.map(({ line }) => line),
    [2, 3, 4, 5],
  );
  assert.match(result.notConverted[1]?.text ?? '', /after a command that is not converted \(line 2\)/);
});

test('rules have the names that editors write into comments, or the line', () => {
  const script = '# rule:[Shop \u001b news]\nif true { stop; }\n\n# other\nif true { stop; }';
  assert.deepEqual(
    converted(script).rules.map(({ name }) => name),
    ['Shop   news', 'Sieve script, line 5'],
  );
});

test('a vacation reply is converted with its subject and days', () => {
  const result = converted(
    'vacation :days 90 :subject "Away" :addresses ["a@b"] text:\nBack on Monday.\n.\n;',
  );
  assert.deepEqual(result.vacation, {
    subject: 'Away',
    text: 'Back on Monday.',
    html: null,
    startsAt: null,
    endsAt: null,
    days: 30,
  });
  assert.equal(result.differences.length, 2);
});

test('the period of a vacation reply is converted', () => {
  const periodOf = (test: string) => {
    const { vacation, notConverted, differences } = converted(`if ${test} { vacation "Away"; }`);
    const times = [vacation?.startsAt, vacation?.endsAt].map((time) => time?.toISOString() ?? null);
    return [...times, ...[...differences, ...notConverted].map(({ text }) => text)];
  };
  const date = (operator: string, day: string, zone = ':zone "+0100" ') =>
    `currentdate ${zone}:value "${operator}" "date" "${day}"`;
  assert.deepEqual(periodOf(`allof (${date('ge', '2026-12-20')}, ${date('le', '2027-01-03')})`), [
    '2026-12-19T23:00:00.000Z',
    '2027-01-03T23:00:00.000Z',
  ]);
  assert.deepEqual(periodOf('currentdate :value "le" "iso8601" "2026-12-20T12:00:00+01:00"'), [
    null,
    '2026-12-20T11:00:00.000Z',
  ]);
  assert.deepEqual(periodOf(date('ge', '2026-12-20', '')), [
    '2026-12-20T00:00:00.000Z',
    null,
    'the day begins and ends at midnight UTC',
  ]);
  const unsupported = [null, null, 'currentdate is not supported with these arguments'];
  for (const test of [
    date('eq', '2026-12-20'),
    date('ge', '20.12.2026'),
    date('ge', '2026-13-40'),
    date('ge', '2026-12-20', ':zone "Berlin" '),
    'currentdate :value "ge" "weekday" "1"',
  ])
    assert.deepEqual(periodOf(test), unsupported);
  const [stopped] = converted(`if ${date('ge', '2026-12-20')} { stop; }`).notConverted;
  assert.equal(stopped?.text, 'only a vacation reply can depend on the date');
});

// A reference implementation of the converted part of Sieve, for messages with the fields X-A, X-B and X-C

interface Outcome {
  folder: string | null;
  isDiscarded: boolean;
  isRefused: boolean;
  marks: Set<string>;
}

const NOTHING: Omit<Outcome, 'marks'> = { folder: null, isDiscarded: false, isRefused: false };

type Fields = Readonly<Record<string, string>>;

function isTrue({ name, tests, arguments: args }: SieveTest, fields: Fields): boolean {
  if (name === 'true') return true;
  if (name === 'false') return false;
  if (name === 'not') return !tests.some((each) => isTrue(each, fields));
  if (name === 'allof') return tests.every((each) => isTrue(each, fields));
  if (name === 'anyof') return tests.some((each) => isTrue(each, fields));
  const [names, keys] = args.map(valuesOf);
  return (names ?? []).some((field) => (keys ?? []).includes(fields[field] ?? ''));
}

const valuesOf = (argument: SieveArgument): string[] => (argument.kind === 'strings' ? argument.values : []);

/** @returns false if the script was stopped */
function execute(commands: readonly SieveCommand[], fields: Fields, outcome: Outcome): boolean {
  let isDone = false;
  for (const { name, tests, block, arguments: args } of commands) {
    const [test] = tests;
    if (name === 'if') isDone = false;
    if (block !== null) {
      if (isDone || (test !== undefined && !isTrue(test, fields))) continue;
      isDone = true;
      if (!execute(block, fields, outcome)) return false;
    }
    if (name === 'stop') return false;
    const [value = ''] = args.flatMap(valuesOf);
    // Sieve files a message in several folders, and rules in the first one, with a remark.
    if (name === 'fileinto') outcome.folder ??= value;
    if (name === 'keep') outcome.folder ??= 'INBOX';
    if (name === 'discard') outcome.isDiscarded = true;
    if (name === 'reject') outcome.isRefused = true;
    if (name === 'addflag') outcome.marks.add(value.toLowerCase());
  }
  return true;
}

/** The outcome after all commands have run. */
function decided(outcome: Outcome): Outcome {
  const { folder, isDiscarded, isRefused } = outcome;
  // A script that both rejects and files a message is wrong, and is not converted.
  assert.ok(!isRefused || folder === null);
  if (isRefused) return { ...NOTHING, isRefused, marks: new Set() };
  // RFC 5228, section 4.4: `discard` only cancels the implicit keep.
  return { ...outcome, isDiscarded: isDiscarded && folder === null };
}

async function applied({ rules }: ConvertedScript, fields: Fields): Promise<Outcome> {
  const raw = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const texts = new MailTexts(readMessageFacts(Buffer.from(`${raw.join('')}\r\nHi\r\n`)), []);
  const compiled = rules.map(({ is_any: isAny, ...rule }) => compileRule({ ...rule, isAny }));
  const mail = { texts, octets: 100, score: 0 };
  const { folder, flags, keywords, refusal } = await applyFilters(
    { rules: compiled, blocks: new Set() },
    mail,
    [],
    'inbox',
  );
  const isRefused = refusal !== null;
  return {
    folder: 'name' in folder ? folder.name : null,
    isDiscarded: !isRefused && 'role' in folder && folder.role === 'trash',
    isRefused,
    marks: new Set([...keywords, ...((flags & FLAG.flagged) === 0 ? [] : ['\\flagged'])]),
  };
}

const NAMES = ['X-A', 'X-B', 'X-C'];
const { script: SCRIPT } = fc.letrec<{ test: string; script: string; command: string }>((tie) => ({
  test: fc.oneof(
    { maxDepth: 3 },
    fc
      .tuple(fc.subarray(NAMES, { minLength: 1, maxLength: 2 }), fc.subarray(['1', '2'], { minLength: 1 }))
      .map(([names, keys]) => `header ${JSON.stringify(names)} ${JSON.stringify(keys)}`),
    fc.constantFrom('true', 'false'),
    tie('test').map((one) => `not ${one}`),
    fc
      .tuple(fc.constantFrom('allof', 'anyof'), fc.array(tie('test'), { minLength: 1, maxLength: 3 }))
      .map(([name, tests]) => `${name} (${tests.join(', ')})`),
  ),
  command: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('fileinto "A"; stop;', 'fileinto "B"; stop;', 'discard; stop;', 'stop;'),
    fc.constantFrom(
      'fileinto "A";',
      'fileinto "B";',
      'keep;',
      'discard;',
      'reject "No";',
      'reject "No"; stop;',
    ),
    fc.constantFrom('addflag "one";', 'addflag "two";', 'addflag "\\\\Flagged";'),
    fc
      .tuple(
        tie('test'),
        tie('script'),
        fc.option(fc.tuple(tie('test'), tie('script'))),
        fc.option(tie('script')),
      )
      .map(([test, then, other, otherwise]) =>
        [
          `if ${test} { ${then} }`,
          other === null ? '' : ` elsif ${other[0]} { ${other[1]} }`,
          otherwise === null ? '' : ` else { ${otherwise} }`,
        ].join(''),
      ),
  ),
  script: fc.array(tie('command'), { maxLength: 3 }).map((commands) => commands.join('\n')),
}));

test('converted rules do with a message what the script does', async () => {
  const message = fc.record(Object.fromEntries(NAMES.map((name) => [name, fc.constantFrom('1', '2', '3')])), {
    requiredKeys: [],
  });
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(SCRIPT, fc.array(message, { minLength: 1, maxLength: 5 }), async (script, messages) => {
      const result = converted(script);
      const parsed = parseSieve(script);
      // Neither combinations that are too complex nor conflicting actions are converted.
      if (result.notConverted.length > 0 || 'error' in parsed) return;
      for (const fields of messages) {
        const expected: Outcome = { ...NOTHING, marks: new Set() };
        execute(parsed.commands, fields as Fields, expected);
        assert.deepEqual(await applied(result, fields as Fields), decided(expected));
        compared++;
      }
    }),
    { numRuns: runs(5_000) },
  );
  assert.ok(compared > 100);
});
