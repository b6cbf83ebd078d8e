import assert from 'node:assert/strict';
import type { Readable } from 'node:stream';
import { test } from 'node:test';
import type { SignedInMailbox } from '../../../../mailboxes/sign-in/sign-in.ts';
import { newUuid } from '../../../../model/ids.ts';
import { LiveMail, type Viewer } from './live-mail.ts';

const mailbox = { projectId: newUuid(), mailboxId: newUuid() };

/** @param useGrant what the session does when it checks its grant */
function liveMail(useGrant: SignedInMailbox['useGrant'] = async () => true) {
  const open = new Set<object>();
  const live = new LiveMail({
    notices: { subscribe: () => ({ [Symbol.dispose]: () => {} }) },
    lists: { state: async () => '' },
    signIn: {
      openForWebSession: async (session) => {
        open.add(session);
        return {
          ...session,
          access: 'everything',
          ended: new AbortController().signal,
          useGrant,
          memberships: async () => [],
          members: async () => [],
          [Symbol.dispose]: () => void open.delete(session),
        };
      },
    },
  });
  return { live, open };
}

function viewerOf(memberId: string): Viewer {
  const session = {
    projectId: mailbox.projectId,
    mailboxId: memberId,
    sessionId: newUuid(),
    sessionsVersion: 0,
    address: '',
    displayName: null,
    confirmedAt: new Date(0),
  };
  return { mailbox, session, memberAccess: memberId === mailbox.mailboxId ? null : 'read' };
}

test('a member with many open windows does not lock out the owner and other members', async () => {
  const { live } = liveMail();
  const streams: Readable[] = [];
  const openOne = async (memberId: string) =>
    streams.push(await live.open(viewerOf(memberId), '192.0.2.1', null));
  const greedy = newUuid();
  await assert.rejects(async () => {
    for (let n = 0; n < 100; n++) await openOne(greedy);
  }, /too many windows/);
  await openOne(newUuid());
  await openOne(mailbox.mailboxId);
  assert.equal(streams.length, 52);
  live.end();
  for (const stream of streams) stream.destroy();
});

test('a stream whose grant cannot be read leaves no session open', async () => {
  const { live, open } = liveMail(() => Promise.reject(new Error('the database is away')));
  await assert.rejects(live.open(viewerOf(newUuid()), '192.0.2.1', null), /database is away/);
  assert.equal(open.size, 0);
});
