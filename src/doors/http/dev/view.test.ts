import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAUGHT } from '../../../dev/read-message.ts';
import { framedHtml } from './view.ts';

test('an email that names its image a million times has a page of limited length', () => {
  const image = 'A'.repeat(1_000_000);
  const raw = Buffer.from(
    [
      'Content-Type: multipart/related; boundary=b',
      '',
      '--b',
      'Content-Type: text/html',
      '',
      '<img src="cid:a">\n'.repeat(100_000),
      '--b',
      'Content-Type: image/png',
      'Content-ID: <a>',
      'Content-Transfer-Encoding: base64',
      '',
      image,
      '--b--',
    ].join('\r\n'),
  );
  const { html, files } = CAUGHT.read(raw);
  const page = framedHtml({ html, files, raw }, false);
  assert.ok(page.startsWith(`<img src="data:image/png;base64,${image.slice(0, 100)}`));
  assert.ok(page.length < 70_000_000, `${page.length}`);
});
