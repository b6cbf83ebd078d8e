import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { differencesIn } from './differences.fixture.ts';

const PLAIN = 'Content-Type: text/plain';

/** A message whose subject and text have the same octets in one charset. */
function inCharset(label: string, octets: string): string {
  const escaped = [...Buffer.from(octets, 'latin1')].map(
    (octet) => `=${octet.toString(16).toUpperCase().padStart(2, '0')}`,
  );
  return `${PLAIN}; charset=${label}\nSubject: =?${label}?Q?${escaped.join('')}?=\n\n${octets}`;
}

function withFile(disposition: string): string {
  return `Content-Type: application/pdf\nContent-Disposition: attachment; ${disposition}\n\nx`;
}

const OF_THE_WEB = 'postal-mime has only the charsets of the web, as Node decodes them';
const IN_ICONV = 'libmime has only the labels of iconv-lite';

/** Messages in which the readers differ, with what differs and why. */
const EXPLAINED: readonly [why: string, message: string, differing: string][] = [
  [
    'postal-mime joins only words of one label',
    'Subject: =?gb2312?B?1g==?= =?gbk?B?0A==?=\n\nx',
    'subject postal-mime',
  ],
  [
    'postal-mime does not join base64 that is cut inside an octet',
    'Subject: =?utf-8?B?4LiB4?= =?utf-8?B?LiC?=\n\nx',
    'subject postal-mime',
  ],
  [
    'only this reader accepts a question mark in a word',
    'Subject: =?utf-8?Q?Really?_=C3=BC?=\n\nx',
    'subject postal-mime, subject libmime',
  ],
  [
    'postal-mime does not read the charset that HTML declares for itself',
    'Content-Type: text/html\n\n<meta charset=windows-1251>\xc7',
    'text 1 postal-mime',
  ],
  ['postal-mime does not guess', `${PLAIN}\n\n\xfc\n\xc3\xbc`, 'text 1 postal-mime'],
  ['postal-mime does not guess', 'Subject: \xfc\n\nx', 'subject postal-mime'],
  ['postal-mime does not guess', `${PLAIN}\n\n\x1b$B%a!<%k\x1b(B`, 'text 1 postal-mime'],
  ['postal-mime does not guess', `Subject: \xd6\xd0\n${PLAIN}; charset=gbk\n\nx`, 'subject postal-mime'],
  [
    'postal-mime reads an unknown charset as windows-1252',
    `${PLAIN}; charset=x-no-such-charset\n\n\xc3\xbc`,
    'text 1 postal-mime',
  ],
  [OF_THE_WEB, inCharset('MS949', '\x94\xee'), 'subject postal-mime, text 1 postal-mime'],
  [OF_THE_WEB, inCharset('euc-kr', '\x94\xee'), 'subject postal-mime, text 1 postal-mime'],
  [OF_THE_WEB, inCharset('utf-7', 'a+AOk-'), 'subject postal-mime, text 1 postal-mime'],
  [OF_THE_WEB, inCharset('viscii', '\xd5'), 'subject postal-mime, text 1 postal-mime'],
  [OF_THE_WEB, inCharset('ibm850', '\x81'), 'subject postal-mime, text 1 postal-mime'],
  [OF_THE_WEB, inCharset('windows1251', '\xc7'), 'subject postal-mime, text 1 postal-mime'],
  [OF_THE_WEB, inCharset('big5-hkscs', '\x87\x40'), 'subject postal-mime, text 1 postal-mime'],
  [IN_ICONV, inCharset('x-mac-cyrillic', '\x8f'), 'subject libmime'],
  ...[
    inCharset('x-mac-ce', '\x8e'),
    inCharset('x-mac-romanian', '\xaf'),
    inCharset('hz-gb-2312', '~{VP~}'),
    inCharset('iso-2022-kr', '\x1b$)C\x0eGQ\x0f'),
    inCharset('iso-2022-cn', '\x1b$)A\x0eVP\x0f'),
    inCharset('iso-2022-jp-2', '\x1b$AVP\x1b(B'),
  ].map((message): [string, string, string] => [
    'neither the web nor iconv-lite has the charset or the label',
    message,
    'subject postal-mime, subject libmime, text 1 postal-mime',
  ]),
  [
    'postal-mime takes parentheses in a name without quotes for a comment',
    withFile('filename=report (1) a.pdf; size=1'),
    'name 1 postal-mime',
  ],
  [
    'the others end a name without quotes at each semicolon',
    withFile('filename=a; b.pdf'),
    'name 1 postal-mime, name 1 libmime',
  ],
  [
    'the others end a name at a quote that is not escaped, or omit it',
    withFile('filename="a "b" c.pdf"'),
    'name 1 postal-mime, name 1 libmime',
  ],
  [
    'postal-mime does not join words of two sections',
    withFile('filename*0="=?gbk?B?1g==?="; filename*1="=?gbk?B?0A==?="'),
    'name 1 postal-mime',
  ],
  [OF_THE_WEB, withFile("filename*=cp949''%94%EE"), 'name 1 postal-mime'],
  [
    'postal-mime decodes text after the padding of base64, such as the footer of a list',
    `${PLAIN}\nContent-Transfer-Encoding: base64\n\nYQ==\nfooter`,
    'text 1 postal-mime',
  ],
  [
    'this reader joins flowed lines where the text is used',
    `${PLAIN}; format=flowed; delsp=yes\n\na \nb`,
    'text 1 postal-mime',
  ],
];

/** Messages that all three readers read alike, although none of the messages follows the standards. */
const ALIKE: readonly string[] = [
  `${PLAIN}; charset=utf-8\n\n\xe8\xaf\xb7 \xfc \xe8\xaf\xb7`,
  'Subject: =?utf-8?Q?=E8=AF=B7_=FC?=\n\nx',
  'Subject: =?utf-8?Q?=E0=B8?=\n =?utf-8?Q?=99?=\n\nx',
  'Subject: =?utf-8?Q?=E0=B?=\n =?utf-8?Q?8=99?=\n\nx',
  'Subject: =?utf-8?Q?hello big=C3=BC world?= x\n\nx',
  'Subject: =?utf-8?Q?Hello_?= =?utf-8?Q?world?=\n\nx',
  inCharset('cp932', '\x83\x81'),
  inCharset('cp936', '\xd6\xd0'),
  inCharset('ks_c_5601-1987', '\xc7\xd1'),
  inCharset('gb_2312-80', '\xd6\xd0'),
  inCharset('tis-620', '\xa1'),
  inCharset('latin-2', '\xb1'),
  withFile('filename=invoice of may.pdf'),
  withFile("filename*0*=utf-8''%E; filename*1*=3%81%82"),
  withFile('filename==?utf-8?Q?=E0=B8?= =?utf-8?Q?=99?='),
  `${PLAIN}\n\na\r\r\nb`,
];

/** Differences in the public corpora, by file. */
const IN_CORPORA: Readonly<Record<string, string>> = {
  // An attached message in base64, which RFC 2046, section 5.2.1 forbids: postal-mime decodes the message.
  'messages/rfc-008.eml': 'text 2 postal-mime',
  // The base64 ends with text that is not base64, which postal-mime decodes.
  'messages/thirdparty-002.eml': 'text 2 postal-mime',
  // UTF-16 that ends with a single octet: postal-mime adds a line end of one octet.
  'messages/thirdparty-005.eml': 'text 1 postal-mime',
  // Flowed text.
  'messages/thirdparty-015.eml': 'text 1 postal-mime',
  // ISO-2022-JP that is cut in the middle of a character.
  'bounces/lhost-exchange2007-04.eml': 'subject postal-mime',
  // Quoted-printable: space at the end of a line is not part of the text (RFC 2045, section 6.7).
  'bounces/lhost-gmail-19.eml': 'text 1 postal-mime',
};

async function differing(raw: Buffer): Promise<string> {
  const differences = await differencesIn(raw);
  return differences.map(({ what, reader }) => `${what} ${reader}`).join(', ');
}

describe('three readers', () => {
  for (const [why, message, what] of EXPLAINED)
    it(`the readers differ in ${JSON.stringify(message)}, because ${why}`, async () => {
      assert.equal(await differing(Buffer.from(message, 'latin1')), what);
    });

  for (const message of ALIKE)
    it(`the readers agree on ${JSON.stringify(message)}`, async () => {
      assert.deepEqual(await differencesIn(Buffer.from(message, 'latin1')), []);
    });

  const corpora = process.env['POSTHORN_CORPORA'];
  it('the readers agree on public corpora, but for explained differences', {
    skip: corpora === undefined && 'no corpora',
  }, async () => {
    const found: Record<string, string> = {};
    for (const folder of ['messages', 'bounces'])
      for (const name of readdirSync(join(corpora as string, folder))) {
        if (!name.endsWith('.eml')) continue;
        const what = await differing(readFileSync(join(corpora as string, folder, name)));
        if (what !== '') found[`${folder}/${name}`] = what;
      }
    assert.deepEqual(found, IN_CORPORA);
  });
});
