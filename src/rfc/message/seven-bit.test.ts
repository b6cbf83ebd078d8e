import assert from 'node:assert/strict';
import { isAscii } from 'node:buffer';
import { test } from 'node:test';
import { readEntity } from '../mime/index.ts';
import { toSevenBit } from './seven-bit.ts';

const multipart = (type: string, ...parts: string[]) =>
  `Content-Type: multipart/${type}; boundary=b\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`;
const TEXT = 'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const convert = (message: string) => toSevenBit(Buffer.from(message))?.toString() ?? null;

test('a body is encoded with its octets, and the header names the encoding', () => {
  assert.equal(
    convert(`Subject: x\r\nMIME-Version: 1.0\r\n${TEXT}Grüße\r\n`),
    `Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64('Grüße\r\n')}\r\n`,
  );
});

test('a message without MIME fields gets them', () => {
  assert.equal(
    convert('Subject: x\r\n\r\nGrüße\r\n'),
    `Subject: x\r\nContent-Transfer-Encoding: base64\r\nMIME-Version: 1.0\r\n\r\n${base64('Grüße\r\n')}\r\n`,
  );
});

test('only parts with octets above 127 change, also inside multiparts and attached messages', () => {
  const pdf = 'Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERg==';
  const attached = `Content-Type: message/rfc822\r\nContent-Transfer-Encoding: 8bit\r\n\r\nMIME-Version: 1.0\r\n${TEXT}ä`;
  const binary = 'Content-Type: image/png\r\nContent-Transfer-Encoding: binary\r\n\r\né\r\n\r\n';
  const message = `MIME-Version: 1.0\r\n${multipart('mixed', `${TEXT}ü`, pdf, attached, binary)}`;
  const data = convert(message) ?? assert.fail('not converted');
  assert.ok(data.includes(`--b\r\n${pdf}\r\n--b\r\n`));
  const raw = Buffer.from(data);
  const entity = readEntity(raw, {
    depth: 5,
    parts: 20,
    header: { octets: 10_000, value: 1_000 },
    insideMessages: true,
  });
  const bodies = entity.parts.map((part) => {
    const { bodyStart, end, transferEncoding } = part.message ?? part;
    const body = data.slice(bodyStart, end);
    return transferEncoding === 'base64' ? Buffer.from(body, 'base64').toString() : body;
  });
  assert.deepEqual(bodies, ['ü', '%PDF', 'ä', 'é\r\n\r\n']);
  assert.deepEqual(
    [entity.transferEncoding, entity.parts[2]?.transferEncoding, entity.parts[2]?.message?.transferEncoding],
    ['7bit', '7bit', 'base64'],
  );
});

test('header fields are written in ASCII and keep their meaning', () => {
  const raw = toSevenBit(
    Buffer.from(
      `From: "Jörg, B" <a@acme.test>\r\nSubject: Grüße\r\nX-Ascii:  kept \r\nContent-Type: application/pdf; name="ü;1.pdf"\r\nContent-Disposition: attachment;\r\n filename="ü;1.pdf"\r\n\r\nx\r\n`,
    ),
  );
  assert.ok(raw !== null && isAscii(raw));
  const { fields, parameters } = readEntity(raw);
  assert.equal(parameters.get('name'), 'ü;1.pdf');
  const value = (name: string) => fields.find((field) => field.name === name)?.value;
  assert.equal(value('from'), '=?UTF-8?B?SsO2cmcsIEI=?= <a@acme.test>');
  assert.equal(value('subject'), '=?UTF-8?B?R3LDvMOfZQ==?=');
  assert.match(value('content-disposition') ?? '', /^attachment; filename\*0\*=utf-8''%C3%BC%3B1\.pdf$/);
  assert.ok(raw.toString().includes('\r\nX-Ascii:  kept \r\n'));
});

const UNCONVERTIBLE = {
  'a signed part': multipart('signed', `${TEXT}ü`, 'Content-Type: application/pkcs7-signature\r\n\r\nMIAG'),
  'an unknown encoding': 'Content-Transfer-Encoding: x-uuencode\r\n\r\nü\r\n',
  'octets beside base64': 'Content-Transfer-Encoding: base64\r\n\r\nJVBERg==ü\r\n',
  'octets between parts': `Content-Type: multipart/mixed; boundary=b\r\n\r\nü\r\n--b\r\n\r\nx\r\n--b--\r\n`,
  'a multipart without parts': 'Content-Type: multipart/mixed; boundary=b\r\n\r\nü\r\n',
  'an address that needs SMTPUTF8': 'From: jörg@acme.test\r\n\r\nx\r\n',
  'a part of a message': 'Content-Type: message/partial\r\n\r\nü\r\n',
};
for (const [what, message] of Object.entries(UNCONVERTIBLE))
  test(`a message with ${what} is not converted`, () => assert.equal(convert(message), null));

test('a signature stays valid in a message with another part above 127', () => {
  const signed = multipart(
    'signed',
    'Content-Type: text/plain\r\n\r\nHi',
    'Content-Type: application/pkcs7-signature\r\n\r\nMIAG',
  )
    .replaceAll('boundary=b', 'boundary=c')
    .replaceAll('--b', '--c');
  const data = convert(multipart('mixed', signed, `${TEXT}ü`));
  assert.ok(data?.includes(signed.trimEnd()));
});
