import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composeLink } from './compose-link.ts';

test('a mailto link opens the compose page, whatever the link contains', () => {
  const mailto = 'mailto:bo@acme.example?subject=50%25%20%26%20more&body=a+b#c';
  const link = new URL(composeLink('ann+x@acme.example', mailto) ?? '', 'https://mail.acme.example');
  assert.equal(link.pathname, '/mail/ann%2Bx%40acme.example/compose');
  assert.deepEqual([...link.searchParams], [['to', mailto]]);
});

test('a long mailto link keeps only its recipients, and a link with too many recipients is dropped', () => {
  assert.equal(
    composeLink('a@b.example', `mailto:bo@acme.example?body=${'x'.repeat(3_000)}`),
    composeLink('a@b.example', 'mailto:bo@acme.example'),
  );
  assert.equal(composeLink('a@b.example', `mailto:${'bo@acme.example,'.repeat(200)}`), null);
});
