import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Folder } from '../../store/folders.ts';
import { namesMatching } from './list-patterns.ts';
import { selectNames, treeOf } from './mailbox-list.ts';

const FOLDER: Folder = {
  id: '',
  name: '',
  role: null,
  uses: [],
  subscribed: false,
  uidValidity: 1,
  uidNext: 1,
  highestModseq: 1,
  forgottenModseq: 0,
  messages: 0,
  unseen: 0,
  conversations: 0,
  unlistedBelow: 1,
  octets: 0,
  keywords: [],
};

/** Runs LIST. @param names names of mailboxes, with the suffix `+` if subscribed, or `-` if subscribed without a folder */
function listed(names: string, pattern: string, recursive: boolean, subscribed = true): string[] {
  const all = names.split(' ');
  const folders = all
    .filter((name) => !name.endsWith('-'))
    .map((name) => ({ ...FOLDER, name: name.replace('+', ''), subscribed: name.endsWith('+') }));
  const deleted = all.filter((name) => name.endsWith('-')).map((name) => name.slice(0, -1));
  const matches = namesMatching([pattern]);
  return selectNames(treeOf(folders, deleted), { matches, subscribed, specialUse: false, recursive }).map(
    ({ name, folder, childInfo }) =>
      `${name}${folder === null ? '-' : ''}${childInfo.length > 0 ? ' >' : ''}`,
  );
}

// RFC 9051, section 6.3.9.8, example 8.
const HIERARCHY =
  'INBOX foo2 foo2/bar1+ foo2/bar2+ baz2 baz2/bar2+ baz2/bar22+ baz2/bar222+ eps2+ eps2/mamba+ qux2/bar2+';

for (const [names, pattern, recursive, found] of [
  [
    HIERARCHY,
    '*2',
    true,
    ['baz2/bar2', 'baz2/bar22', 'baz2/bar222', 'eps2 >', 'foo2 >', 'foo2/bar2', 'qux2/bar2'],
  ],
  [HIERARCHY, '%', false, ['eps2']],
  [HIERARCHY, '%', true, ['baz2 >', 'eps2 >', 'foo2 >', 'qux2- >']],
  ['foo foo/bar-', 'foo', true, ['foo >']],
  ['foo foo/bar-', 'foo/*', false, ['foo/bar-']],
  ['Foo+ Foo/Bar Moo+', '%', true, ['Foo', 'Moo']],
  ['Foo Foo/Bar Moo', '%', true, []],
] as const)
  test(`LIST (SUBSCRIBED${recursive ? ' RECURSIVEMATCH' : ''}) ${pattern} in ${names}`, () => {
    assert.deepEqual(listed(names, pattern, recursive), found);
  });

test('LIST includes a parent without a folder if a child is a folder, but not if a child is only subscribed', () => {
  assert.deepEqual(listed('INBOX a/b c/d-', '%', false, false), ['INBOX', 'a-']);
});
