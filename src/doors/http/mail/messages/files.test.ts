/** Tests the files of a message: attached messages, the zip of all files, and thumbnails. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { newMessage } from '../../../../../test/support/mail.ts';
import { pngOf } from '../../../../../test/support/png.ts';
import type { MailMessage } from '../../../../contract/mail/messages.ts';
import { encodeId } from '../../../../model/ids.ts';
import { readMessageFacts } from '../../../../store/facts/message-facts.ts';
import { Store } from '../../../../store/store.ts';
import { mailCookie, startMailClient, type TestMailClient, type TestOwner } from '../mail-client.fixture.ts';

let mail: TestMailClient;
let store: Store;
let ann: TestOwner;
let bob: TestOwner;
before(async () => {
  mail = await startMailClient();
  store = new Store(mail.db.database);
  [ann, bob] = [await mail.newOwner('ann'), await mail.newOwner('bob')];
});
after(() => mail[Symbol.asyncDispose]());

interface File {
  name?: string;
  type?: string;
  /** Default: base64. */
  encoding?: '8bit' | 'base64';
  content: Buffer | string;
}

let count = 0;
/** A message with a text and these files. */
function messageOf(files: readonly File[], head: readonly string[] = []): string {
  const boundary = `b${count++}`;
  return [
    ...(head.length > 0 ? head : ['From: Shop <shop@shop.example>', 'Subject: Files']),
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary=${boundary}`,
    '',
    `--${boundary}`,
    'Content-Type: text/plain',
    '',
    'See the files.',
    ...files.flatMap(({ name, type = 'application/octet-stream', encoding = 'base64', content }) => [
      `--${boundary}`,
      `Content-Type: ${type}`,
      `Content-Disposition: attachment${name === undefined ? '' : `; filename*=UTF-8''${encodeURIComponent(name)}`}`,
      `Content-Transfer-Encoding: ${encoding}`,
      '',
      encoding === '8bit'
        ? content.toString()
        : Buffer.from(content).toString('base64').replaceAll(/.{76}/g, '$&\r\n'),
    ]),
    `--${boundary}--`,
    '',
  ].join('\r\n');
}

async function bring(message: string, owner = ann): Promise<string> {
  const bytes = Buffer.from(message);
  const [stored] = await store.append([newMessage(owner, { bytes, facts: readMessageFacts(bytes) })]);
  assert.equal(stored?.outcome, 'stored');
  return encodeId('msg', stored.objectId);
}

const open = async (id: string, part?: string) =>
  (await ann.get<MailMessage>(`/messages/${id}${part === undefined ? '' : `?part=${part}`}`)).body;

const fetchOf = (path: string, owner = ann) =>
  fetch(`${mail.baseUrl}/mail/api/mailboxes/${owner.mailbox}${path}`, {
    headers: { cookie: mailCookie(owner) },
  });

/** A message attached to others, with an HTML body, a remote image, an embedded image and a file. */
const INNER = [
  'From: =?utf-8?q?=22Ann=3Cevil=40evil=2Eexample=3E=22?= <ann@paypa1.example>',
  'To: Bob <bob@shop.example>',
  'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
  'Date: Mon, 01 Feb 2027 10:00:00 +0000',
  'Message-ID: <inner@shop.example>',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=inner',
  '',
  '--inner',
  'Content-Type: text/html',
  '',
  '<p>Inside<script>alert(1)</script><img src="cid:logo"><img src="https://tracker.example/a.png"></p>',
  '--inner',
  'Content-Type: image/png',
  'Content-ID: <logo>',
  'Content-Transfer-Encoding: base64',
  '',
  pngOf(1, 1).toString('base64'),
  '--inner',
  'Content-Type: text/plain; name=notes.txt',
  'Content-Disposition: attachment; filename=notes.txt',
  '',
  'Some notes.',
  '--inner--',
  '',
].join('\r\n');

describe('an attached message', () => {
  for (const encoding of ['8bit', 'base64'] as const)
    test(`is read like a message, in the encoding ${encoding}`, async () => {
      const id = await bring(messageOf([{ type: 'message/rfc822', encoding, content: INNER }]));
      const outer = await open(id);
      assert.deepEqual(
        outer.attachments.map(({ part, preview }) => [part, preview]),
        [['2', 'message']],
      );
      const inner = await open(id, '2');
      assert.deepEqual(
        [inner.id, inner.part, inner.subject, inner.from, inner.date, inner.has_html, inner.remote],
        [
          id,
          '2',
          'Grüße',
          [{ name: '"Ann<evil@evil.example>"', address: 'ann@paypa1.example' }],
          '2027-02-01T10:00:00.000Z',
          true,
          { count: 1, allowed: false, may_trust: false },
        ],
      );
      assert.deepEqual(
        inner.attachments.map(({ part, name, is_inline }) => [part, name, is_inline]),
        [
          ['2.2', 'image-2.png', true],
          ['2.3', 'notes.txt', false],
        ],
      );
      assert.match(inner.authentication.text, /Its sender was not verified/);
      const file = await fetchOf(`/messages/${id}/parts/2.3`);
      assert.deepEqual([file.status, (await file.text()).trim()], [200, 'Some notes.']);
      const frame = await fetchOf(`/messages/${id}/html?part=2`);
      const html = await frame.text();
      assert.match(frame.headers.get('content-security-policy') ?? '', /^sandbox/);
      // The head has the only script, which measures the message.
      assert.doesNotMatch(html.slice(html.indexOf('<body>')), /script|tracker/);
      const image = /src="([^"]+parts\/2\.2\/inline[^"]+)"/.exec(html)?.[1] ?? '';
      const shown = await fetch(new URL(image.replaceAll('&amp;', '&'), mail.baseUrl));
      assert.deepEqual([shown.status, shown.headers.get('content-type')], [200, 'image/png']);
      assert.match(await (await fetchOf(`/messages/${id}/html?part=2&remote=1`)).text(), /\/remote\?url=/);
      assert.match(await (await fetchOf(`/messages/${id}/print?part=2`)).text(), /Grüße/);
    });

  test('belongs to the owner of the message only', async () => {
    const id = await bring(messageOf([{ type: 'message/rfc822', encoding: '8bit', content: INNER }]));
    for (const path of ['?part=2', '/html?part=2', '/parts/2.3', '/parts/2.2/thumbnail', '/files?part=2'])
      assert.equal((await fetchOf(`/messages/${id}${path}`, bob)).status, 404, path);
  });

  test('is not found under any other number, and a part that is no message cannot be opened', async () => {
    const id = await bring(
      messageOf([
        { type: 'message/rfc822', encoding: '8bit', content: INNER },
        { type: 'text/plain', name: 'a.txt', content: 'From: a@b.example\r\n\r\nx' },
      ]),
    );
    for (const part of ['1', '3', '4', '2.1', '2.3', '2.2.1', '20'])
      assert.equal((await fetchOf(`/messages/${id}?part=${part}`)).status, 404, part);
    for (const part of ['', '0', '2.', '../2', '2.0', '1'.repeat(300)])
      assert.equal((await fetchOf(`/messages/${id}?part=${encodeURIComponent(part)}`)).status, 422, part);
  });

  test('can contain attached messages, up to five levels deep', async () => {
    let message = INNER;
    for (let level = 0; level < 100; level++)
      message = messageOf([{ type: 'message/rfc822', encoding: '8bit', content: message }]);
    const id = await bring(message);
    const number = (levels: number) => Array.from({ length: levels }, () => 2).join('.');
    assert.equal((await open(id, number(4))).subject, 'Files');
    assert.equal((await fetchOf(`/messages/${id}?part=${number(6)}`)).status, 404);
    assert.equal((await fetchOf(`/messages/${id}/parts/${number(6)}`)).status, 404);
  });

  test('never causes an error, however broken it is', async () => {
    for (const content of ['', '\0', 'no header', 'From: \r\n\r\n', INNER.slice(0, 400)])
      for (const encoding of ['8bit', 'base64'] as const) {
        const id = await bring(messageOf([{ type: 'message/rfc822', encoding, content }]));
        const { status } = await fetchOf(`/messages/${id}?part=2`);
        assert.ok(status === 200 || status === 404, `${status} for ${JSON.stringify(content)}`);
      }
  });
});

describe('the zip of all files', () => {
  test('contains the files of a message under safe, distinct names, with the announced length', async (t) => {
    const names = [
      '../../etc/passwd',
      'a.txt',
      'A.txt',
      'CON.txt',
      '\u202egpj.exe',
      '日本.txt',
      'x/y\\z:',
      '',
    ];
    const files = names.map((name, at) => ({ name, content: `content ${at}\r\n`.repeat(at * 5_000 + 1) }));
    const id = await bring(messageOf(files));
    const response = await fetchOf(`/messages/${id}/files`);
    assert.equal(response.headers.get('content-disposition'), 'attachment; filename="attachments.zip"');
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.equal(response.headers.get('content-length'), String(bytes.length));
    const found = unzip(bytes);
    if (found === null) return t.skip('Python is not installed');
    assert.deepEqual(
      found.map(({ name }) => name),
      ['_.._etc_passwd', 'a.txt', 'A (2).txt', '_CON.txt', 'gpj.exe', '日本.txt', 'x_y_z_', 'attachment-9'],
    );
    assert.deepEqual(
      found.map(({ octets }) => octets),
      files.map(({ content }) => content.length),
    );
  });

  test('contains at most as many files as the message shows, and not the images in its HTML', async (t) => {
    const inner = await bring(messageOf([{ type: 'message/rfc822', encoding: '8bit', content: INNER }]));
    const ofInner = unzip(
      Buffer.from(await (await fetchOf(`/messages/${inner}/files?part=2`)).arrayBuffer()),
    );
    if (ofInner === null) return t.skip('Python is not installed');
    assert.deepEqual(
      ofInner.map(({ name }) => name),
      ['notes.txt'],
    );
    const many = await bring(
      messageOf(Array.from({ length: 10_000 }, () => ({ name: 'same.txt', content: 'x' }))),
    );
    const { attachments } = await open(many);
    const zipped = unzip(Buffer.from(await (await fetchOf(`/messages/${many}/files`)).arrayBuffer())) ?? [];
    assert.equal(zipped.length, attachments.length);
    assert.equal(new Set(zipped.map(({ name }) => name)).size, zipped.length);
  });
});

/** Reads a zip with an independent program. Null if that program is missing. */
function unzip(bytes: Buffer): { name: string; octets: number }[] | null {
  const folder = mkdtempSync(join(tmpdir(), 'zip-'));
  try {
    writeFileSync(join(folder, 'a.zip'), bytes);
    const read =
      'import sys, zipfile, json; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(json.dumps([{"name": i.filename, "octets": i.file_size} for i in z.infolist()]))';
    return JSON.parse(execFileSync('python3', ['-c', read, join(folder, 'a.zip')], { encoding: 'utf8' }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('thumbnails', () => {
  const thumbnailOf = async (files: readonly File[], part = '2') =>
    fetchOf(`/messages/${await bring(messageOf(files))}/parts/${part}/thumbnail`);

  test('an image is decoded and encoded again, at most 320 pixels wide and high', async () => {
    const response = await thumbnailOf([
      { type: 'text/html', name: 'photo.png', content: pngOf(1_000, 250) },
    ]);
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'image/webp']);
    assert.match(response.headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/);
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.deepEqual([bytes.toString('latin1', 0, 4), bytes.toString('latin1', 8, 15)], ['RIFF', 'WEBPVP8']);
    assert.deepEqual([bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff], [320, 80]);
  });

  test('hostile images have no thumbnail, and do not affect other images', async () => {
    const bomb = pngOf(1, 1);
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    const lying = pngOf(1, 1);
    lying.writeUInt32BE(4_000, 16);
    lying.writeUInt32BE(4_000, 20);
    const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b080fa00fa001011100', 'hex');
    for (const [name, content] of Object.entries({
      'bomb.png': bomb,
      'lying.png': lying,
      'cut.png': pngOf(300, 300).subarray(0, 60),
      'cut.jpg': jpeg,
      'a.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      'polyglot.png': '<html><script>alert(1)</script>\x89PNG\r\n',
      'cut.webp': Buffer.from('RIFF\x10\0\0\0WEBPVP8 \0\0\0\0', 'latin1'),
      'empty.png': '',
    }))
      assert.equal((await thumbnailOf([{ type: 'image/png', name, content }])).status, 404, name);
    assert.equal((await thumbnailOf([{ name: 'fine.png', content: pngOf(2, 2) }])).status, 200);
  });

  test('an image of a kind without a decoder is sent unchanged if it is small', async () => {
    const gif = Buffer.from('GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;', 'latin1');
    const response = await thumbnailOf([{ type: 'image/gif', content: gif }]);
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'image/gif']);
    assert.equal((await thumbnailOf([{ content: Buffer.concat([gif, Buffer.alloc(300_000)]) }])).status, 404);
  });

  test('a polyglot keeps nothing of the other format', async () => {
    const polyglot = Buffer.concat([pngOf(2, 2), Buffer.from('<script>alert(1)</script>PK\x03\x04')]);
    const response = await thumbnailOf([{ name: 'a.png', content: polyglot }]);
    assert.doesNotMatch(Buffer.from(await response.arrayBuffer()).toString('latin1'), /script|PK/);
  });
});
