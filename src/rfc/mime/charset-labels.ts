/** The names of charsets in mail: those of the web (WHATWG Encoding), and many that mail programs invented. */

/** Labels that do not name a charset. US-ASCII is one of them, because octets outside US-ASCII must be in another charset. */
const UNNAMED = new Set(
  (
    ' usascii ascii asciius ansix34 ansix341968 ansix341986 iso646us iso646irv iso646 646 us cp367 ibm367 20127 csascii isoir6 ascii8bit ' +
    'unknown8bit csunknown8bit unknown xunknown default xuserdefined userdefined 7bit 8bit binary none undefined null'
  ).split(' '),
);

/** Charsets by name, each with its labels in the form of `keyOf`. */
export const LABELS: Readonly<Record<string, string>> = {
  'utf-8': 'utf8 utf8mac utf8mb4 utf8n utf8sig unicode11utf8 unicode20utf8',
  'utf-7': 'utf7 utf7n unicode11utf7 unicode20utf7',
  'utf-16': 'utf16 ucs2 unicode iso10646ucs2',
  'utf-16le': 'utf16le ucs2le unicodefeff',
  'utf-16be': 'utf16be ucs2be unicodefffe',
  utf32: 'utf32 ucs4 iso10646ucs4',
  utf32le: 'utf32le ucs4le',
  utf32be: 'utf32be ucs4be',
  'iso-8859-1': 'isoir100 iso88591windows30latin1 iso88591windows31latin1 ansi',
  'iso-8859-2': 'isoir101',
  'iso-8859-3': 'isoir109',
  'iso-8859-4': 'isoir110',
  'iso-8859-5': 'isoir144 isolatincyrillic cyrillic',
  'iso-8859-6': 'isoir127 isolatinarabic arabic asmo708 ecma114',
  'iso-8859-7': 'isoir126 isolatingreek greek greek8 ecma118 elot928 suneugreek',
  'iso-8859-8': 'isoir138 isolatinhebrew hebrew visual',
  'iso-8859-8-i': 'logical',
  'iso-8859-9': 'isoir148 turkish',
  'iso-8859-10': 'isoir157',
  'iso-8859-13': 'isoir179',
  'iso-8859-14': 'isoir199 isoceltic',
  'iso-8859-15': 'isoir203',
  'iso-8859-16': 'isoir226',
  'koi8-r': 'koi koi8 koi8r',
  'koi8-u': 'koi8u koi8ru',
  'windows-874': 'tis620 tis6200 tis62025291 tis62025330 thai thai8 isoir166',
  'windows-1250': 'msee',
  'windows-1251': 'mscyrl winrus',
  'windows-1252': 'msansi',
  'windows-1253': 'msgreek',
  'windows-1254': 'msturk',
  'windows-1255': 'mshebr',
  'windows-1256': 'msarab',
  'windows-1257': 'winbaltrim',
  macintosh: 'mac macintosh macroman',
  'x-mac-cyrillic': 'maccyrillic macukrainian macukraine',
  maccenteuro: 'maccenteuro macce maccentraleurope maccentraleurroman macee maclatin2',
  macgreek: 'macgreek',
  macturkish: 'macturkish',
  maciceland: 'maciceland macicelandic',
  maccroatian: 'maccroatian',
  macromania: 'macromania macromanian',
  macthai: 'macthai',
  shift_jis: 'shiftjis sjis sjiswin mskanji ms31j windows31j macjapanese pck',
  'euc-jp': 'eucjp eucjpms eucjpwin ujis eucpkdfmtjapanese',
  gbk: 'gbk gb2312 gb231280 gb23121980 gb euccn cngb chinese iso58gb231280 isoir58 macchinesesimp',
  gb18030: 'gb18030 gb180302000 gb180302005',
  big5: 'big5 big5eten big5hkscs big5hk hkscs cnbig5 xbig5 macchinesetrad',
  'euc-kr':
    'euckr uhc korean ksc5601 ksc56011987 ksc56011989 ksc56011992 ksx1001 kssc5601 isoir149 mackorean',
  'iso-2022-jp':
    'iso2022jp iso2022jp1 iso2022jp2 iso2022jp3 iso2022jp2004 iso2022jpext iso2022jpms iso2022jpesc jis jis7',
  'iso-2022-kr': 'iso2022kr',
  'iso-2022-cn': 'iso2022cn iso2022cnext',
  'hz-gb-2312': 'hz hzgb hzgb2312',
  viscii: 'viscii viscii11 viscii111',
  tcvn: 'tcvn tcvn5712 tcvn57121',
  armscii8: 'armscii8 armscii',
  georgianps: 'georgianps',
  georgianacademy: 'georgianacademy',
  koi8t: 'koi8t',
  pt154: 'pt154 ptcp154 cyrillicasian',
  rk1048: 'rk1048 strk10482002 kz1048',
  hproman8: 'hproman8 roman8 r8',
  iso646jp: 'iso646jp isoir14 jisc62201969ro iso14jisc6220ro',
  iso646cn: 'iso646cn isoir57 gb198880 iso57gb1988',
  cesu8: 'cesu8',
  cp850: 'pc850multilingual',
  cp852: 'pcp852',
  cp775: 'pc775baltic',
  cp437: 'pc8codepage437 ibmpc',
  cp862: 'pc862latinhebrew',
};

/** Charsets by the number of the code page of Windows or IBM. */
const CODE_PAGES: Readonly<Record<string, string>> = {
  'utf-8': '65001',
  'utf-7': '65000',
  'utf-16le': '1200',
  'utf-16be': '1201',
  utf32le: '12000',
  utf32be: '12001',
  shift_jis: '932 942 943 10001',
  gbk: '936 1381 1386 10008 20936 51936',
  gb18030: '54936',
  'euc-kr': '949 970 1363 10003 20949 51949',
  big5: '950 951 10002',
  'euc-jp': '954 20932 33722 51932',
  'iso-2022-jp': '50220 50221 50222',
  'iso-2022-kr': '50225',
  'iso-2022-cn': '50227',
  'hz-gb-2312': '52936',
  'koi8-r': '878 20866',
  'koi8-u': '1168 21866',
  ibm866: '866',
  'windows-874': '874',
  'iso-8859-1': '819',
  'iso-8859-8-i': '38598',
  macintosh: '10000',
  'x-mac-cyrillic': '10007 10017',
  macgreek: '10006',
  macromania: '10010',
  macthai: '10021',
  maccenteuro: '10029',
  maciceland: '10079',
  macturkish: '10081',
  maccroatian: '10082',
  hproman8: '1051',
};

/** Code pages that are charsets of their own, named `cp` and the number. */
const OWN_CODE_PAGES = new Set(
  (
    '437 720 737 775 808 850 852 855 856 857 858 860 861 862 863 864 865 869 922 1046 1124 1125 1129 1133 1161 ' +
    '1162 1163'
  ).split(' '),
);

const NAMES = namesBy(LABELS);
const NAMES_BY_CODE_PAGE = namesBy(CODE_PAGES);
/** The parts of ISO 8859 that `latin1` to `latin10` name. */
const LATIN = [1, 2, 3, 4, 9, 10, 13, 14, 15, 16];

const MAX_LABEL = 80;
const CODE_PAGE = /^(?:cp|codepage|windows|win|ms|msdos|ibm|dos|oem|pc)?0{0,3}(\d{3,5})$/;
const ISO_8859 = /^(?:iso|iec|isoiec)?8859(\d{1,2})([ei]?)$/;
const LATIN_NUMBER = /^(?:iso)?(?:latin|l)(\d{1,2})$/;

/**
 * Finds the charset that a label names. Ignores case, punctuation, the year of a standard and the prefixes `x-` and `cs`.
 * @returns the name of the charset, '' if the label names none, or null if the charset is unknown
 */
export function charsetName(label: string): string | null {
  const key = keyOf(label.slice(0, MAX_LABEL));
  if (UNNAMED.has(key)) return '';
  return nameOf(key) ?? nameOf(key.replace(/^(?:x|cs)/, ''));
}

/** Charsets in which a text cannot declare its charset in ASCII, and UTF-7, which hides tags and is not read by browsers either. */
const UNLIKE_ASCII = /^utf-?(?:7|16|32)/;

/** Whether a charset writes ASCII characters with other octets than ASCII, or is UTF-7, under any of its labels. */
export function isUnlikeAscii(label: string): boolean {
  return UNLIKE_ASCII.test(charsetName(label) ?? '');
}

function keyOf(label: string): string {
  return label
    .toLowerCase()
    .replace(/^\s*["']*charset\s*=/, '')
    .replace(/\/\/.*|:\d{4}\b|[^a-z0-9]/g, '');
}

function nameOf(key: string): string | null {
  const name = NAMES.get(key);
  if (name !== undefined) return name;
  const [, part, direction = ''] = ISO_8859.exec(key) ?? [];
  if (part !== undefined) return iso8859(Number(part), direction);
  const latin = LATIN_NUMBER.exec(key)?.[1];
  if (latin !== undefined) return iso8859(LATIN[Number(latin) - 1] ?? 0, '');
  const page = CODE_PAGE.exec(key)?.[1];
  return page === undefined ? null : codePage(page);
}

function iso8859(part: number, direction: string): string | null {
  if (part < 1 || part > 16 || part === 12) return null;
  if (direction === '') return `iso-8859-${part}`;
  // Only Arabic and Hebrew have variants for the direction of the text.
  return part === 6 || part === 8 ? `iso-8859-${part}-${direction}` : null;
}

function codePage(page: string): string | null {
  if (/^125[0-8]$/.test(page)) return `windows-${page}`;
  if (/^286\d\d$|^2859[1-9]$/.test(page)) return iso8859(Number(page) - 28_590, '');
  return NAMES_BY_CODE_PAGE.get(page) ?? (OWN_CODE_PAGES.has(page) ? `cp${page}` : null);
}

function namesBy(table: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(
    Object.entries(table).flatMap(([name, keys]) => keys.split(' ').map((key) => [key, name] as const)),
  );
}
