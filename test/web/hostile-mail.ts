/** Messages that attack the reader with headers, charsets, parts and files. Each contains the word Readable. `EVIL` is another host. */
const EVIL = 'https://evil.test';
const SCRIPT = `<img src=${EVIL}/i onerror="location='${EVIL}/e'"><script>location='${EVIL}/s'</script>`;
const ONE = 'MIME-Version: 1.0\r\n';
const html = (charset: string) => `${ONE}Content-Type: text/html; charset=${charset}\r\n`;
const base64 = (bytes: Buffer) =>
  `Content-Transfer-Encoding: base64\r\n\r\n${(bytes.toString('base64').match(/.{1,76}/g) ?? []).join('\r\n')}`;

function multipart(type: string, ...parts: readonly string[]): string {
  return `${ONE}Content-Type: multipart/${type}; boundary=b\r\n\r\n${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`;
}

const TEXT = 'Content-Type: text/plain\r\n\r\nReadable';
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="location='${EVIL}/svg'"><script>location='${EVIL}/x'</script><image href="${EVIL}/y"/></svg>`;
const EVENT = [
  'BEGIN:VCALENDAR',
  'METHOD:REQUEST',
  'VERSION:2.0',
  'BEGIN:VEVENT',
  'UID:</script>',
  `SUMMARY:Readable ${SCRIPT}`,
  `LOCATION:${SCRIPT}`,
  'URL:javascript:location=1',
  `DESCRIPTION:${SCRIPT}`,
  'DTSTART:99991231T235959Z',
  'DTEND:00010101T000000Z',
  'RRULE:FREQ=SECONDLY;INTERVAL=1',
  'SEQUENCE:99999999999',
  'ORGANIZER;CN="<b>":mailto:eve@evil.test',
  `ATTACH:${EVIL}/a`,
  `IMAGE;VALUE=URI:${EVIL}/b`,
  ...Array.from({ length: 3_000 }, (_, n) => `ATTENDEE;CN=\u202e${n}:mailto:${n}@evil.test`),
  'BEGIN:VALARM',
  'ACTION:PROCEDURE',
  `ATTACH:${EVIL}/c`,
  'TRIGGER:PT0S',
  'END:VALARM',
  'END:VEVENT',
  'END:VCALENDAR',
].join('\r\n');

/** `rest` follows From, Subject and the fields that make all messages one conversation: more header fields, an empty line, the body. */
export const HOSTILE_MAIL: readonly (readonly [name: string, from: string, rest: string | Buffer])[] = [
  [
    'markup in names',
    `"${SCRIPT.replaceAll('"', '')}" <eve@evil.test>`,
    `Reply-To: =?utf-8?q?=3Cimg_src=3Dx_onerror=3D1=3E?= <x@evil.test>\r\nTo: ${Array.from({ length: 400 }, (_, n) => `"<b>${n}" <a${n}@evil.test>`).join(',\r\n ')}\r\nList-Unsubscribe: <javascript:location=1>, <data:text/html,x>\r\n${TEXT}`,
  ],
  [
    'text that changes its direction',
    '"=?utf-8?b?4oCuZ25wLmtuYWIu4oGm?=" <eve@evil.test>',
    `Date: Thu, 1 Jan 275761 00:00:00 +9999\r\n${TEXT} \u202e\u2066 ${'\u0351\u0300'.repeat(20_000)}`,
  ],
  [
    'an invalid date',
    'eve',
    `Date: 0\r\nMessage-ID: __proto__\r\n${TEXT} https://www.bank.test@evil.test/ javascript:alert(1) http://[::1 https://b\u0430nk.test`,
  ],
  [
    'thousands of links',
    'eve@evil.test',
    `Content-Type: text/plain; format=flowed; delsp=yes\r\n\r\nReadable ${'https://evil.test/ '.repeat(20_000)}\r\n${'>'.repeat(20_000)}x\r\n${'> '.repeat(5_000)}`,
  ],
  [
    'UTF-7',
    'eve@evil.test',
    `${html('utf-7')}\r\nReadable +ADw-script+AD4-location=+ACI-${EVIL}+ACI-+ADw-/script+AD4-`,
  ],
  [
    'UTF-16 without a byte order mark',
    'eve@evil.test',
    Buffer.concat([
      Buffer.from(`${html('utf-16le')}\r\n`),
      Buffer.from(`<p>Readable</p>${SCRIPT}`, 'utf16le'),
    ]),
  ],
  [
    'overlong UTF-8',
    'eve@evil.test',
    Buffer.concat([
      Buffer.from(`${html('utf-8')}\r\n<p>Readable `),
      Buffer.from([
        0xc0, 0xbc, 0x69, 0x6d, 0x67, 0xe0, 0x80, 0xbc, 0xf8, 0x88, 0x80, 0x80, 0xbc, 0xed, 0xa0, 0x80,
      ]),
      Buffer.from(SCRIPT),
    ]),
  ],
  [
    'charset changes in the text',
    'eve@evil.test',
    `${html('iso-2022-jp')}\r\nReadable<p title="\x1b$B">x</p>\x1b(B${SCRIPT}\x1b$@<a title="\x1b(J"><meta charset=utf-7>`,
  ],
  [
    'an unknown charset',
    'eve@evil.test',
    `${ONE}Content-Type: text/html; charset="__proto__"; charset=utf-7\r\nContent-Type: text/plain\r\n\r\n<p>Readable</p>${SCRIPT}`,
  ],
  [
    'byte order marks of other charsets',
    'eve@evil.test',
    multipart(
      'mixed',
      `Content-Type: text/html; charset=utf-8\r\n${base64(Buffer.from(`\ufeff<p>Readable</p>${SCRIPT}`, 'utf16le'))}`,
      `Content-Type: text/html; charset=us-ascii\r\n${base64(Buffer.from(`\ufeff<p>Readable</p>${SCRIPT}`))}`,
      `Content-Type: text/html; charset=utf-32\r\n\r\n\x2b/v8-+ADw-script+AD4-`,
    ),
  ],
  [
    'Content-Location of parts',
    'eve@evil.test',
    multipart(
      'related; type="text/html"; start="<x@evil.test>"',
      `Content-Type: text/html\r\nContent-Base: ${EVIL}/\r\nContent-Location: ${EVIL}/a.html\r\n\r\n<p>Readable</p><img src="b.png"><script src="cid:js"></script><link rel=stylesheet href="cid:css"><object data="cid:js"></object><img src="c.svg"><img src="cid:css">`,
      `Content-Type: application/javascript\r\nContent-ID: <js>\r\nContent-Location: b.png\r\n\r\nlocation='${EVIL}/js'`,
      `Content-Type: text/css\r\nContent-ID: <css>\r\n\r\n@import "${EVIL}/css";`,
      `Content-Type: image/svg+xml\r\nContent-Location: c.svg\r\n\r\n${SVG}`,
    ),
  ],
  [
    'documents as images',
    'eve@evil.test',
    multipart(
      'related',
      `Content-Type: text/html\r\n\r\n<p>Readable</p><img src="cid:svg"><img src="cid:html"><img src="cid:self"><iframe src="cid:html"></iframe><a href="cid:html">x</a>`,
      `Content-Type: image/png; name=a.png\r\nContent-ID: <svg>\r\n\r\n${SVG}`,
      `Content-Type: text/html; name="</script>.html"\r\nContent-ID: <html>\r\nContent-Disposition: attachment\r\n\r\n${SCRIPT}`,
    ),
  ],
  [
    'documents as attachments',
    'eve@evil.test',
    multipart(
      'mixed',
      TEXT,
      `Content-Type: image/svg+xml; name=a.svg\r\n\r\n${SVG}`,
      `Content-Type: text/xml; name=a.xml\r\n\r\n<?xml-stylesheet type="text/xsl" href="${EVIL}/xsl"?><x/>`,
      `Content-Type: application/xhtml+xml; name="${'a'.repeat(3_000)}.xhtml"\r\n\r\n<script xmlns="http://www.w3.org/1999/xhtml">1</script>`,
      `Content-Type: application/pdf; name="a.pdf"\r\n${base64(Buffer.from('%PDF-1.7 /OpenAction << /S /JavaScript /JS (app.alert(1)) >>'))}`,
      `Content-Type: application/octet-stream; name="\u202egpj.exe"\r\n\r\nMZ`,
    ),
  ],
  [
    'alternative parts',
    'eve@evil.test',
    multipart(
      'alternative',
      TEXT,
      `Content-Type: text/x-amp-html\r\n\r\n<amp-img src=${EVIL}/amp>`,
      `Content-Type: text/html\r\n\r\n<p>Readable</p>${SCRIPT}`,
      `Content-Type: application/xhtml+xml\r\n\r\n${SCRIPT}`,
    ),
  ],
  [
    'nested messages',
    'eve@evil.test',
    multipart('mixed', TEXT, `${'Content-Type: message/rfc822\r\n\r\n'.repeat(60)}${TEXT}`),
  ],
  [
    'an event',
    'eve@evil.test',
    multipart('mixed', TEXT, `Content-Type: text/calendar; method=REQUEST; charset=utf-8\r\n\r\n${EVENT}`),
  ],
];

/** A complete hostile message. All hostile messages are in one conversation. @param at the index in `HOSTILE_MAIL` */
export function hostileMessage(at: number): Buffer {
  const [name, from, rest] = HOSTILE_MAIL[at] as (typeof HOSTILE_MAIL)[number];
  const head = `From: ${from}\r\nSubject: Re: Hostile\r\nX-Name: ${name}\r\nReferences: <hostile@evil.test> <${at}@evil.test>\r\n`;
  return Buffer.concat([Buffer.from(head), typeof rest === 'string' ? Buffer.from(rest) : rest]);
}
