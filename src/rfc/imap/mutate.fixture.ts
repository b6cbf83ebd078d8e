/** Generates mutated commands for fuzz tests. */
import fc from 'fast-check';

const TOKENS = [
  '(',
  ')',
  '"',
  '\\',
  '[',
  ']',
  '<',
  '>',
  ' ',
  '  ',
  '*',
  '%',
  '$',
  ':',
  ',',
  '.',
  '-',
  '0',
  '4294967295',
  '{3+}\r\nabc',
  '~{1+}\r\na',
  '{9+}\r\n',
  'NIL',
  'UID ',
  'RETURN (',
  'OR ',
  'NOT ',
  'ö',
  '\xff',
  '&',
  '&AP',
  'BODY[',
  'INBOX',
  '4294967296',
  '9223372036854775807',
  '1:*',
  '\0',
  '\r',
  '\n',
];

/** Generates commands whose words are swapped with words of other commands, or that have random deletions and insertions. */
export function mutated(commands: readonly string[]): fc.Arbitrary<string> {
  const one = fc.constantFrom(...commands);
  const cuts = fc.array(fc.tuple(fc.nat(), fc.nat(3), fc.constantFrom('', ...TOKENS)), {
    minLength: 1,
    maxLength: 3,
  });
  const words = [...new Set(commands.flatMap((command) => command.split(' ').slice(1)))];
  const swaps = fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 2 });
  return fc.oneof(
    { weight: 2, arbitrary: fc.tuple(one, swaps).map(([command, list]) => swap(command, list, words)) },
    { weight: 1, arbitrary: fc.tuple(one, cuts).map(([command, list]) => cut(command, list)) },
  );
}

/** Replaces words by similar words, so that many results are valid commands that no client sends. */
function swap(
  command: string,
  list: readonly (readonly [number, number])[],
  words: readonly string[],
): string {
  return list.reduce((text, [at, choice]) => {
    const [name = '', ...rest] = text.split(' ');
    const place = at % Math.max(1, rest.length);
    const alike = words.filter((word) => kindOf(word) === kindOf(rest[place] ?? ''));
    const word = alike[choice % Math.max(1, alike.length)];
    return word === undefined || rest.length === 0 ? text : [name, ...rest.with(place, word)].join(' ');
  }, command);
}

function kindOf(word: string): string {
  if (/^[\d*:,$]+$/.test(word)) return 'numbers';
  if (/^\(?[A-Z][A-Z.]*\[/i.test(word)) return 'section';
  return word.replaceAll(/[^()"{}]+/g, '');
}

function cut(command: string, list: readonly (readonly [number, number, string])[]): string {
  return list.reduce((text, [at, length, insert]) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + insert + text.slice(from + length);
  }, command);
}
