import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import { newUuid } from '../../../model/ids.ts';
import { ReturnPaths } from '../../../reports/return-path.ts';
import { returnPathOf, returnTags } from './return-tag.ts';

const paths = new ReturnPaths(createSecretKey(Buffer.alloc(32, 1)));

const [projectId, id] = [newUuid(), newUuid()];
const TAGGED: [kind: string, mint: (domain: string) => string][] = [
  ['an email', (domain) => paths.mint({ projectId, emailId: id, recipientIndex: 49 }, domain)],
  ['a forwarded message', (domain) => paths.mintForForward({ projectId, submissionId: id }, domain)],
  ['a mailbox', (domain) => paths.mintForMailbox({ projectId, mailboxId: newUuid() }, new Date(), domain)],
];
for (const [kind, mint] of TAGGED)
  test(`the tag of a return path of ${kind} has only characters that SES accepts, and is decoded unchanged`, () => {
    for (const domain of ['send.acme.example', 'send.a-b.xn--bcher-kva.example', `send.${'a'.repeat(184)}`]) {
      const path = mint(domain);
      const [tag, submission] = returnTags(path, id);
      assert.match(tag?.Value ?? '', /^[A-Za-z0-9_-]{1,256}$/);
      assert.equal(returnPathOf(tag?.Value ?? ''), path);
      assert.equal(returnPathOf(tag?.Value.toUpperCase() ?? '')?.toLowerCase(), path);
      assert.equal(submission?.Value, kind === 'a mailbox' ? id : undefined);
    }
  });

test('an address that is not a return path has no tag', () => {
  for (const path of ['', 'ada@acme.example', `b+${'a'.repeat(62)}@acme_x.example`, 'm+x@send.acme.example'])
    assert.deepEqual(returnTags(path, id), []);
});

test('returnPathOf returns null for an invalid tag', () => {
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
