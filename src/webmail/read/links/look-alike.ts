/** Names that look like other names: letters of one script that stand in for those of another. */
import { domainToUnicode } from 'node:url';

/** What each looks like, of what is used to deceive. Not all of Unicode: what a mail app shows in its usual face. */
const LOOKS_LIKE = new Map<string, string>();
for (const [letter, others] of [
  ['a', 'аɑαàáâãäåāăąạả4'],
  ['b', 'ЬḃƄв8'],
  ['c', 'сϲçćĉċč'],
  ['d', 'ԁɗďđ'],
  ['e', 'еҽèéêëēĕėęěẹ3'],
  ['f', 'ƒ'],
  ['g', 'ɡցğĝġģ'],
  ['h', 'һհĥħ'],
  ['i', 'іɩıíìîïīĭįị'],
  ['j', 'јϳĵ'],
  ['k', 'κкķĸ'],
  ['l', 'ӏⅼłĺļľ1|'],
  ['m', 'мṃ'],
  ['n', 'ոпñńņň'],
  ['o', 'оοօөòóôõöøōŏőọ0'],
  ['p', 'рρṗ'],
  ['q', 'ԛզ'],
  ['r', 'гŕŗř'],
  ['s', 'ѕśŝşšș5'],
  ['t', 'тτţťŧț'],
  ['u', 'υսùúûüũūŭůűųụ'],
  ['v', 'νѵ'],
  ['w', 'ԝѡωŵ'],
  ['x', 'хχ'],
  ['y', 'уүγýÿŷ'],
  ['z', 'ʐźżž'],
] as const)
  for (const other of others) LOOKS_LIKE.set(other, letter);

const SCRIPTS = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
] as const;

/** A shorter label is another name with an `i` in place of its `l`: many companies have one of three letters. */
const MIN_FOLDED = 5;

/** Two names with the same one look the same. @param host or what stands before the @ of an address, in lower case: a capital `I` is an `i` by then */
export function skeletonOf(host: string): string {
  const name = host.includes('xn--') ? domainToUnicode(host) || host : host;
  const skeleton = Array.from(name.toLowerCase(), (letter) => LOOKS_LIKE.get(letter) ?? letter)
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll('cl', 'd');
  const [label = ''] = skeleton.split('.', 1);
  return label.length < MIN_FOLDED ? skeleton : skeleton.replaceAll('i', 'l');
}

/**
 * Whether a name is written so that it passes for another one: scripts mixed within a label, or a label that is all of letters which look
 * Latin and are not. Honest names in other scripts are neither. @param host as in a URL: A-labels
 */
export function isDeceptive(host: string): boolean {
  if (!host.includes('xn--')) return false;
  return domainToUnicode(host)
    .split('.')
    .some((label) => {
      const scripts = SCRIPTS.filter(([, pattern]) => pattern.test(label)).map(([name]) => name);
      if (scripts.length > 1) return true;
      if (scripts.length === 0 || scripts[0] === 'Latin') return false;
      return /^[a-z0-9-]+$/.test(Array.from(label, (letter) => LOOKS_LIKE.get(letter) ?? letter).join(''));
    });
}
