import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CAUGHT, codesOf, contentOf, linksOf } from './read-message.ts';

describe('codes', () => {
  for (const [text, codes] of [
    ['Your code is 314159.', ['314159']],
    ['Code: 2718', ['2718']],
    ['123-456 or 123 456', ['123456']],
    ['Use 12345678, then 1234', ['12345678', '1234']],
    ['G-314159', []],
    ['order #31415926', []],
    ['+4915112345678 and 123456789', []],
    ['costs $1234 or 1234 or 5000%', ['1234']],
    ['at 12:3456 on 2026-11-30', []],
    ['https://acme.example/4444/x?c=5555', []],
    ['v1.2345', []],
    ['', []],
  ] as const)
    test(`of ${JSON.stringify(text)} are ${codes.join(', ') || 'none'}`, () =>
      assert.deepEqual(codesOf({ subject: '', text }), codes));

  test('of the subject come first, without duplicates, and at most 50', () => {
    assert.deepEqual(codesOf({ subject: '2222 is your code', text: '1111, 2222' }), ['2222', '1111']);
    const many = Array.from({ length: 99 }, (_, at) => 1_000 + at).join(' ; ');
    assert.equal(codesOf({ subject: '', text: many }).length, 50);
  });
});

test('links are those of the HTML, then those of the text, without duplicates', () => {
  const html =
    '<a href=" https://a.example/?x=1&amp;y=2 ">1</a><a href="mailto:b@c.example">2</a><!-- <a href="no"> -->';
  const text = 'See https://a.example/?x=1&y=2, (https://b.example/c) and https://d.example/.';
  assert.deepEqual(linksOf({ html, text }), [
    'https://a.example/?x=1&y=2',
    'mailto:b@c.example',
    'https://b.example/c',
    'https://d.example/',
  ]);
});

describe('a message', () => {
  const bytesOf = (lines: readonly string[]) => Buffer.from(lines.join('\r\n'), 'latin1');
  const read = (lines: readonly string[]) => CAUGHT.read(bytesOf(lines));

  test('has text made from its HTML if it has no text', () => {
    assert.equal(read(['Content-Type: text/html', '', '<p>Code <b>1234</b></p>']).text.trim(), 'Code 1234');
  });

  test('that is a single file has one file', () => {
    const raw = bytesOf([
      'Content-Type: application/pdf; name=a.pdf',
      'Content-Transfer-Encoding: base64',
      '',
      'JVBERg==',
    ]);
    const { files, text, html } = CAUGHT.read(raw);
    assert.deepEqual(
      files.map((file) => [file.partId, file.name, file.type, contentOf(raw, file).toString()]),
      [['1', 'a.pdf', 'application/pdf', '%PDF']],
    );
    assert.deepEqual([text, html], ['', '']);
  });

  for (const [what, lines] of [
    ['nothing', []],
    ['octets that are no message', ['\0\xff\xfe']],
    ['a multipart without parts', ['Content-Type: multipart/mixed; boundary=x', '', '--x--']],
    [
      'broken base64 and an unknown charset',
      ['Content-Type: text/plain; charset=x-none', 'Content-Transfer-Encoding: base64', '', '%%%='],
    ],
  ] as const)
    test(`of ${what} can be read`, () => {
      assert.equal(typeof read(lines).text, 'string');
    });
});
