/** Character references of HTML: numbers, the names of HTML 4, and some more names that are used in mail. */

/** Names of consecutive characters, from U+00A0. */
const LATIN_1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro ' +
  'para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil ' +
  'Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave ' +
  'Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml ' +
  'igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute ' +
  'thorn yuml';
/** Names of consecutive characters, from U+0391. The hyphen stands for a character that does not exist. */
const GREEK_CAPITAL =
  'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi ' +
  'Chi Psi Omega';
/** Names of consecutive characters, from U+03B1. */
const GREEK_SMALL =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon ' +
  'phi chi psi omega';
/** Each name is followed by its character. */
const OTHERS =
  'amp & lt < gt > quot " apos \' excl ! num # dollar $ percnt % lpar ( rpar ) ast * plus + comma , period . sol / ' +
  'colon : semi ; equals = quest ? commat @ lsqb [ bsol \\ rsqb ] lowbar _ grave ` lcub { vert | verbar | rcub } ' +
  'OElig Œ oelig œ Scaron Š scaron š Yuml Ÿ fnof ƒ circ ˆ tilde ˜ ensp \u2002 emsp \u2003 thinsp \u2009 zwnj \u200c ' +
  'zwj \u200d lrm \u200e rlm \u200f ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ dagger † Dagger ‡ ' +
  'bull • hellip … permil ‰ prime ′ Prime ″ lsaquo ‹ rsaquo › oline ‾ frasl ⁄ euro € trade ™ larr ← uarr ↑ rarr → ' +
  'darr ↓ harr ↔ rArr ⇒ lArr ⇐ hArr ⇔ part ∂ prod ∏ sum ∑ minus − radic √ infin ∞ int ∫ asymp ≈ ne ≠ equiv ≡ le ≤ ' +
  'ge ≥ loz ◊ spades ♠ clubs ♣ hearts ♥ diams ♦ check ✓ checkmark ✓ cross ✗ star ☆ starf ★ phone ☎ nbhy \u2011';

const CHARACTER_OF = new Map<string, string>();
/** Names that may lack the semicolon, because older HTML omits it. */
const LEGACY = new Set(['amp', 'lt', 'gt', 'quot', ...LATIN_1.split(' ')]);
addRow(LATIN_1, 0xa0);
addRow(GREEK_CAPITAL, 0x391);
addRow(GREEK_SMALL, 0x3b1);
const pairs = OTHERS.split(' ');
for (let at = 0; at < pairs.length; at += 2) CHARACTER_OF.set(pairs[at] as string, pairs[at + 1] as string);

function addRow(names: string, first: number): void {
  names.split(' ').forEach((name, at) => CHARACTER_OF.set(name, String.fromCharCode(first + at)));
}

/** HTML reads the numbers 128 to 159 as windows-1252, if windows-1252 defines a character for the number. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** The length of each branch is bounded, so that even a text of only `&` takes linear time. */
const REFERENCE =
  /&(?:#[xX]([0-9a-fA-F]{1,8})|#([0-9]{1,10})|([A-Za-z][A-Za-z0-9]{1,9}))(;|(?![A-Za-z0-9=]))/g;

/** Decodes character references. Unknown references stay unchanged. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    REFERENCE,
    (whole, hex?: string, decimal?: string, name?: string, semicolon?: string) => {
      if (name === undefined)
        return characterOf(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
      return semicolon === ';' || LEGACY.has(name) ? (CHARACTER_OF.get(name) ?? whole) : whole;
    },
  );
}

function characterOf(code: number): string {
  if (code >= 0x80 && code <= 0x9f) return WINDOWS_1252[code - 0x80] as string;
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd';
  return String.fromCodePoint(code);
}
