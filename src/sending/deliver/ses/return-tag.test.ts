import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import { newUuid } from '../../../model/ids.ts';
import { ReturnPaths } from '../../../reports/return-path.ts';
import { returnPathOf, returnTag } from './return-tag.ts';

const paths = new ReturnPaths(createSecretKey(Buffer.alloc(32, 1)));

test('a return path survives as a tag, in characters that SES takes', () => {
  for (const domain of ['send.acme.example', 'send.a-b.xn--bcher-kva.example', `send.${'a'.repeat(184)}`]) {
    const path = paths.mint({ projectId: newUuid(), emailId: newUuid(), recipientIndex: 49 }, domain);
    const tag = returnTag(path);
    assert.match(tag, /^[A-Za-z0-9_-]{1,256}$/);
    assert.equal(returnPathOf(tag), path);
    assert.ok(paths.verify(returnPathOf(tag.toUpperCase()) ?? '') !== null);
  }
});

test('what is no tag of ours is none', () => {
  for (const text of [
    '',
    'b_',
    'posthorn',
    'r_' + 'a'.repeat(62) + '_x',
    `b_${'a'.repeat(61)}_x`,
    `b_${'a'.repeat(62)}_`,
  ])
    assert.equal(returnPathOf(text), null);
});
