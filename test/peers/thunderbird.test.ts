/** Thunderbird opens shared mailboxes, as a member with a grant to write and as a member with a grant to read. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { certificateFolder } from '../../src/certificates/certificate.fixture.ts';
import { eventually } from '../support/eventually.ts';
import { type Service, startService } from '../support/service.ts';
import { append, byImap, type Mailbox, message, newMailboxes, shown } from './app-mailboxes.ts';
import { hookLimit, withPeers } from './peers.ts';
import { startThunderbird, type Thunderbird } from './thunderbird.ts';

const FOLDERS = ['Archive', 'Drafts', 'INBOX', 'Junk', 'Sent', 'Trash'];
const OWN_FOLDERS = FOLDERS.map((name) => `${name}+-`);

/** The folders that can be opened, see `thunderbird-actions.mjs`, if all own folders and these shared ones are among them. */
function withShared(...shared: readonly string[]): string[] {
  return [...OWN_FOLDERS, ...shared].sort();
}

suite('Thunderbird', withPeers, () => {
  const certificate = certificateFolder();
  let service: Service;
  before(async () => {
    service = await startService({
      env: { POSTHORN_TLS_CERT: certificate.certPath, POSTHORN_TLS_KEY: certificate.keyPath },
    });
  }, hookLimit);
  after(async () => {
    await service[Symbol.asyncDispose]();
    certificate[Symbol.dispose]();
  }, hookLimit);

  /** Subscribes to two folders of a shared mailbox. */
  async function subscribe({ act, until, untilIdle }: Thunderbird, member: Mailbox, prefix: string) {
    await act('openFolder', 'INBOX');
    await until(OWN_FOLDERS, 'folders');
    await untilIdle('INBOX');
    // Thunderbird uses no connection for subscriptions that has opened the Inbox, and loses a subscription for which it must open one.
    await act('openFolder', 'Archive');
    await untilIdle('Archive');
    const offered = FOLDERS.map((name) => `${prefix}/${name}`);
    assert.deepEqual(await act('subscribable', prefix), offered);
    const names = [`${prefix}/Archive`, `${prefix}/INBOX`];
    for (const [at, name] of names.entries()) {
      await untilIdle('Archive');
      await act('subscribe', name);
      const isSubscribed = async () => (await byImap(member, ['a LSUB "" "Shared/*"'])).length === at + 2;
      assert.ok(await eventually(isSubscribed, 10_000), name);
    }
    await act('readFolders');
    await until(withShared(...names.map((name) => `${name}+-`)), 'folders');
  }

  /** Waits until a folder has these messages on the server. */
  async function untilStored(expected: string[], member: Mailbox, name: string): Promise<void> {
    let stored: string[] = [];
    const isEqual = async () => isDeepStrictEqual((stored = await shown(member, name)), expected);
    if (!(await eventually(isEqual, 10_000))) assert.deepEqual(stored, expected, name);
  }

  test('Thunderbird changes a shared mailbox, and loses it when the access is revoked', async () => {
    const messages = [message('one'), message('two')];
    const { member, prefix, revoke } = await newMailboxes(service).newShared('write', 'write', messages);
    await byImap(member, [append('INBOX', message('own'))]);
    const inbox = `${prefix}/INBOX`;
    await using thunderbird = await startThunderbird(member);
    await subscribe(thunderbird, member, prefix);
    const { act, until, untilIdle, alert, commands } = thunderbird;
    await act('openFolder', inbox);
    await until(['one unread', 'two unread'], 'messages', inbox);
    await act('openMessage', 'one');
    await until(['one read', 'two unread'], 'messages', inbox);
    assert.match(await act('shownText'), /Hello/);
    await act('command', 'cmd_markAsFlagged');
    await untilStored(['one \\Flagged \\Seen', 'two'], member, inbox);
    await act('copyMessage', 'own', 'INBOX', inbox);
    await untilStored(['one \\Flagged \\Seen', 'two', 'own'], member, inbox);
    await until(['one read starred', 'own unread', 'two unread'], 'messages', inbox);
    // Thunderbird ignores a new message that the server reports while it reads headers.
    await untilIdle(inbox);
    await byImap(member, [append(inbox, message('new'))]);
    await until(['new unread', 'one read starred', 'own unread', 'two unread'], 'messages', inbox);
    // Thunderbird shows the next message after a deleted one.
    await act('openMessage', 'two');
    await act('command', 'cmd_delete');
    await untilStored(['one \\Flagged \\Seen', 'own \\Seen', 'new'], member, inbox);
    assert.deepEqual(await shown(member, 'Trash'), ['two \\Seen']);

    await act('createFolder', prefix, 'Orders');
    const before = [`${prefix}/Archive+-`, `${inbox}+-`];
    await until(withShared(...before, `${prefix}/Orders+-`), 'folders');
    await act('renameFolder', `${prefix}/Orders`, 'Old');
    await until(withShared(...before, `${prefix}/Old+-`), 'folders');
    // A deleted folder is moved to the own Trash, which would be another mailbox.
    await act('deleteFolder', `${prefix}/Old`);
    assert.match(await alert(), /sure you want to delete/);
    assert.match(await alert(), /\[CANNOT\] The folders belong to different mailboxes/);

    const sent = commands().length;
    await revoke();
    const select = `select "${inbox}"`;
    let opened = 0;
    const isRejected = async () => {
      opened += 1;
      await act('openFolder', 'INBOX');
      await act('openFolder', inbox);
      return eventually(() => commands().slice(sent).includes(select), 2_000);
    };
    // The first attempt may only notice that the connection is lost.
    assert.ok(await eventually(isRejected, 10_000));
    await act('readFolders');
    // The subscribed folders stay in the list, but cannot be opened.
    await until(OWN_FOLDERS, 'folders');
    const named = commands()
      .slice(sent)
      .filter((command) => command.includes(prefix));
    assert.deepEqual([...new Set(named)], [select]);
    assert.ok(named.length <= opened, named.join('\n'));
  });

  test('Thunderbird reads a shared mailbox that it cannot change', async () => {
    const messages = [message('one'), message('two')];
    const { member, prefix } = await newMailboxes(service).newShared('read', 'read', messages);
    await byImap(member, [append('INBOX', message('own'))]);
    const inbox = `${prefix}/INBOX`;
    await using thunderbird = await startThunderbird(member, true);
    const { act, until, alert, commands } = thunderbird;
    await act('openFolder', 'INBOX');
    await until(withShared(...FOLDERS.map((name) => `${prefix}/${name}`)), 'folders');
    await act('openFolder', inbox);
    await until(['one unread', 'two unread'], 'messages', inbox);
    await act('openMessage', 'one');
    await until(['one read', 'two unread'], 'messages', inbox);
    assert.match(await act('shownText'), /Hello/);
    assert.equal(await act('isEnabled', 'cmd_delete'), false);
    await act('copyMessage', 'one', inbox, 'Archive');
    await untilStored(['one'], member, 'Archive');
    await act('openFolder', 'INBOX');
    await act('copyMessage', 'own', 'INBOX', inbox);
    assert.match(await alert(), /\[NOPERM\] You can only read this shared mailbox/);
    assert.deepEqual(await shown(member, inbox), ['one', 'two']);
    const changes = commands().filter((command) => /^uid store/i.test(command));
    assert.deepEqual(changes, []);
  });
});
