/** Detects names that look like other names because they use letters of another script. */
import { domainToUnicode } from 'node:url';

/**
 * The Latin letter that each of these characters resembles. Covers characters that attackers use and that usual fonts show, not all of
 * Unicode.
 */
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

/**
 * In labels shorter than this, `i` and `l` are not treated as equal, because the three-letter names of many companies differ only in `i`
 * and `l`.
 */
const MIN_FOLDED = 5;

/**
 * Names with the same skeleton look alike.
 * @param host a host name or the local part of an address, in lower case: a capital `I` has already become `i`
 */
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
 * Whether a name imitates another name: a label mixes scripts, or consists only of non-Latin letters that look Latin. Ordinary names in
 * other scripts do neither.
 * @param host in A-labels, as in a URL
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
