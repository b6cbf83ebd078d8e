import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { parseSieve, type SieveCommand } from './parse-sieve.ts';

function commandsOf(script: string): SieveCommand[] {
  const parsed = parseSieve(script);
  assert.ok('commands' in parsed, JSON.stringify(parsed));
  return parsed.commands;
}

test('a script with every part of the grammar becomes commands with their lines', () => {
  const script = [
    '# rule:[First]',
    'require ["fileinto", "reject"];',
    '/* a comment; "not a string" */ if AnyOf (header :Contains ["Subject", "X"] "a\\"b\\\\c",',
    '    not size :over 100K) { # inside',
    '  fileinto "In"; }',
    'elsif true { stop; }',
    'reject text: # comment',
    'one',
    '..two',
    '.',
    ';',
  ].join('\r\n');
  const strings = (...values: string[]) => ({ kind: 'strings' as const, values });
  const none = { arguments: [], tests: [] };
  assert.deepEqual(commandsOf(script), [
    {
      ...none,
      name: 'require',
      arguments: [strings('fileinto', 'reject')],
      line: 2,
      block: null,
      comment: ' rule:[First]',
    },
    {
      ...none,
      name: 'if',
      tests: [
        {
          ...none,
          name: 'anyof',
          tests: [
            {
              ...none,
              name: 'header',
              arguments: [{ kind: 'tag', name: 'contains' }, strings('Subject', 'X'), strings('a"b\\c')],
              line: 3,
            },
            {
              ...none,
              name: 'not',
              tests: [
                {
                  ...none,
                  name: 'size',
                  arguments: [
                    { kind: 'tag', name: 'over' },
                    { kind: 'number', value: 102_400 },
                  ],
                  line: 4,
                },
              ],
              line: 4,
            },
          ],
          line: 3,
        },
      ],
      line: 3,
      block: [
        { ...none, name: 'fileinto', arguments: [strings('In')], line: 5, block: null, comment: ' inside' },
      ],
      comment: null,
    },
    {
      ...none,
      name: 'elsif',
      tests: [{ ...none, name: 'true', line: 6 }],
      line: 6,
      block: [{ ...none, name: 'stop', line: 6, block: null, comment: null }],
      comment: null,
    },
    { ...none, name: 'reject', arguments: [strings('one\r\n.two')], line: 7, block: null, comment: null },
  ]);
});

const INVALID: [script: string, error: RegExp, line: number][] = [
  ['keep', /the end of the script follows the command keep; expected was ; or \{/, 1],
  ['\nif true { keep;', /a block has no end: \} is missing/, 2],
  ['keep; }', /\} is not a command/, 1],
  ['"keep";', /a string is not a command/, 1],
  ['fileinto ["a" "b"];', /a string is in a list; expected was , or \]/, 1],
  ['fileinto [];', /\] is not a string/, 1],
  ['if anyof () { }', /\) is not a test/, 1],
  ['\n\nfileinto "a', /the string has no end/, 3],
  ['/* a', /the comment has no end/, 1],
  ['reject text:\nabc\n', /the text has no end/, 1],
  ['stop!', /the character "!" is not allowed here/, 1],
  ['redirect 99999G;', /the number 99999G is too large/, 1],
  [`${'if true { '.repeat(33)}${'}'.repeat(33)}`, /more than 32 deep/, 1],
  [`if ${'not '.repeat(40)}true { }`, /more than 32 deep/, 1],
  ['keep;'.repeat(20_000), /the script is too long/, 1],
  [' '.repeat(300_000), /more than 262144 characters/, 1],
];
for (const [script, error, line] of INVALID)
  test(`the script ${JSON.stringify(script.slice(0, 30))} has an error in line ${line}: ${error.source}`, () => {
    const parsed = parseSieve(script);
    assert.ok('error' in parsed);
    assert.match(parsed.error, error);
    assert.equal(parsed.line, line);
  });

const PARTS = [
  'if',
  'not',
  'header',
  ':is',
  '"a"',
  '[',
  ']',
  '(',
  ')',
  ',',
  ';',
  '{',
  '}',
  '1k',
  '#x\n',
  '/*',
  '*/',
  'text:\n',
  '.\n',
  '"',
  '\\',
  '\r\n',
  ' ',
];

test('no script makes the parser throw, and an error names a line of the script', () => {
  const script = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom(...PARTS)).map((parts) => parts.join(' ')),
  );
  fc.assert(
    fc.property(script, (text) => {
      const parsed = parseSieve(text);
      if ('error' in parsed) assert.ok(parsed.line >= 1 && parsed.line <= text.split('\n').length);
    }),
    { numRuns: runs(5_000) },
  );
});

test('written strings and numbers are read back', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }), fc.nat(), (values, number) => {
      const quoted = values.map((value) => `"${value.replaceAll(/["\\]/g, '\\$&')}"`).join(', ');
      const [command] = commandsOf(`a :t ${number} [${quoted}];`);
      assert.deepEqual(command?.arguments, [
        { kind: 'tag', name: 't' },
        { kind: 'number', value: number },
        { kind: 'strings', values },
      ]);
    }),
    { numRuns: runs(1_000) },
  );
});
