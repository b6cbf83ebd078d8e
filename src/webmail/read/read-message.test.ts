import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readMessageFacts } from '../../store/facts/message-facts.ts';
import { partOf } from '../../rfc/imap/sections.ts';
import { readEntity } from '../../rfc/mime/index.ts';
import { readTexts } from '../write/message-files.ts';
import { readMessage } from './read-message.ts';

const part = (header: string, body: string): string => `--b\r\n${header}\r\n\r\n${body}\r\n`;
const multipart = (subtype: string, ...parts: string[]): string =>
  `Subject: x\r\nContent-Type: multipart/${subtype}; boundary=b\r\n\r\n${parts.join('')}--b--\r\n`;

const PLAIN = part('Content-Type: text/plain', 'plain');
const HTML = part('Content-Type: text/html', '<p>html</p>');
const PDF = 'Content-Type: application/pdf';
const INLINE_LOG = 'Content-Type: text/plain\r\nContent-Disposition: inline; filename=system log.txt';

/** The values that reading decides; a case about sending has others. */
function ofReading(expect: object): object {
  const known = ['text', 'subject', 'attachments'];
  return Object.fromEntries(Object.entries(expect).filter(([key]) => known.includes(key)));
}

interface Expected {
  text: string;
  html?: string;
  files?: string[];
  /** The number of attachments in lists, if it differs: lists do not compare alternatives with each other. */
  counted?: number;
}

const MESSAGES: readonly [what: string, message: string, expected: Expected][] = [
  [
    'AMP and watch HTML are alternatives, not files',
    multipart(
      'alternative',
      PLAIN,
      part('Content-Type: text/x-amp-html', '<html amp4email></html>'),
      part('Content-Type: text/watch-html', '<b>w</b>'),
      HTML,
    ),
    { text: 'plain', html: '<p>html</p>' },
  ],
  [
    'other texts without a name are alternatives too',
    multipart('alternative', PLAIN, part('Content-Type: text/markdown', '*')),
    { text: 'plain' },
  ],
  [
    'files without a name among the alternatives are files',
    multipart(
      'alternative',
      PLAIN,
      part(PDF, 'x'),
      part('Content-Type: image/png', 'x'),
      part('Content-Type: message/rfc822', 'Subject: inside\r\n\r\nx'),
    ),
    { text: 'plain', files: ['attachment-2.pdf', 'image-3.png', 'inside.eml'] },
  ],
  [
    'an alternative that has a name is still text',
    multipart('alternative', PLAIN, part('Content-Type: text/html; name=mail.html', '<p>html</p>')),
    { text: 'plain', html: '<p>html</p>' },
  ],
  [
    'a second text with a name among the alternatives is a file',
    multipart('alternative', PLAIN, HTML, part('Content-Type: text/plain; name=log.txt', 'log')),
    { text: 'plain', html: '<p>html</p>', files: ['log.txt'], counted: 0 },
  ],
  [
    'files among the alternatives are files',
    multipart(
      'alternative',
      PLAIN,
      part(`${PDF}; name=invoice of may.pdf`, 'x'),
      part(`${PDF}\r\nContent-Disposition: attachment`, 'x'),
      part('Content-Type: image/png\r\nContent-ID: <a@b>', 'x'),
    ),
    { text: 'plain', files: ['invoice of may.pdf', 'attachment-3.pdf', 'image-4.png'] },
  ],
  [
    'the last alternative is a file if none can be shown',
    multipart(
      'alternative',
      part('Content-Type: text/markdown', 'x'),
      part('Content-Type: text/x-amp-html', 'y'),
    ),
    { text: '', files: ['attachment-2'], counted: 0 },
  ],
  [
    'an inline text with a name is shown and can be saved',
    multipart('mixed', PLAIN, part(INLINE_LOG, 'log')),
    { text: 'plain\n\nlog', files: ['system log.txt'] },
  ],
  [
    'a text with a name but no disposition is a file',
    multipart('mixed', PLAIN, part('Content-Type: text/plain; name=log.txt', 'log')),
    { text: 'plain', files: ['log.txt'] },
  ],
  [
    'the only part of a message is its text even if it has a name',
    'Subject: x\r\nContent-Type: text/html; name=mail.html\r\n\r\n<p>html</p>',
    { text: 'html', html: '<p>html</p>', files: ['mail.html'] },
  ],
  [
    'the only part of a message is a file if it says so',
    'Subject: x\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nx',
    { text: '', files: ['a.txt'] },
  ],
  [
    'a file name is decoded like a subject, however it is cut',
    multipart(
      'mixed',
      PLAIN,
      part(`${PDF}; name==?utf-8?Q?=E0=B8?= =?utf-8?Q?=99_1.pdf?=`, 'x'),
      part(`${PDF}; name*0="=?gbk?B?1g==?="; name*1="=?gbk?B?0C5wZGY=?="`, 'x'),
      part(`${PDF}; name*0*=ms949''%94; name*1*=%EE.pdf`, 'x'),
    ),
    { text: 'plain', files: ['น 1.pdf', '中.pdf', '뷁.pdf'] },
  ],
];

describe('the content of a message', () => {
  for (const [what, message, { text, html, files = [], counted }] of MESSAGES)
    it(`${what}, in the web client and in the facts`, () => {
      const raw = Buffer.from(message, 'latin1');
      const read = readMessage(raw);
      const shown = read.text.blocks.flatMap(({ spans }) => spans.map((span) => span.text)).join('');
      assert.equal(shown.trim(), text);
      assert.equal(read.html?.replace(/<hr>.*/, ''), html);
      assert.deepEqual(
        read.attached.map(({ name }) => name),
        files,
      );
      assert.equal(readMessageFacts(raw).attachments, counted ?? files.length);
    });

  it('a reply lists the last alternative as a file only if none can be shown', () => {
    const markdown = part('Content-Type: text/markdown', '*');
    const amp = part('Content-Type: text/x-amp-html', 'y');
    const filesOf = (message: string): string[] => {
      const raw = Buffer.from(message);
      return readTexts({ raw, root: partOf(readEntity(raw)) }).files.map(
        ({ type, number }) => `${number} ${type}`,
      );
    };
    assert.deepEqual(filesOf(multipart('alternative', markdown, amp)), ['2 text/x-amp-html']);
    assert.deepEqual(filesOf(multipart('alternative', PLAIN, markdown, amp)), []);
    assert.deepEqual(filesOf(multipart('alternative', markdown, part(PDF, 'x'))), ['2 application/pdf']);
  });

  const corpora = process.env['POSTHORN_CORPORA'];
  it('reads the messages of the cases as they expect', {
    skip: corpora === undefined && 'no corpora',
  }, () => {
    const folder = join(corpora as string, 'cases');
    const cases: Record<string, { expect: object }> = JSON.parse(
      readFileSync(join(folder, 'expected.json'), 'utf8'),
    );
    for (const [name, { expect }] of Object.entries(cases)) {
      const raw = readFileSync(join(folder, name));
      const { subject, preview } = readMessageFacts(raw);
      const read = {
        text: preview,
        subject,
        attachments: readMessage(raw).attached.map((file) => file.name),
      };
      assert.partialDeepStrictEqual(read, ofReading(expect), name);
    }
  });

  it('search and preview join the lines of flowed text', () => {
    const header = 'Content-Type: text/plain; charset=utf-8; format=flowed; delsp=yes\r\n\r\n';
    const facts = readMessageFacts(
      Buffer.from(`${header}お知らせの長い \r\n段落です。\r\n From here on\r\n`),
    );
    assert.equal(facts.preview, 'お知らせの長い段落です。 From here on');
    assert.match(facts.text, /お知らせの長い段落/);
  });

  it('the subject, the preview and the search text have only the damaged character replaced', () => {
    const raw = Buffer.from(
      'Subject: =?utf-8?Q?=E8=AF=B7_=FC?=\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n\xe8\xaf\xb7 \xfc x',
      'latin1',
    );
    const { subject, preview, text } = readMessageFacts(raw);
    assert.equal(subject, '请 \ufffd');
    assert.equal(preview, '请 \ufffd x');
    assert.match(text, /请 \ufffd x$/);
  });
});
