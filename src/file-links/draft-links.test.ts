import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newMailbox } from '../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { newUuid } from '../model/ids.ts';
import { assignToDraft, settleDraft } from './draft-links.ts';
import { linkTokenDigest, newLinkToken } from './tokens.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

async function newLink(mailbox: { projectId: string; mailboxId: string }) {
  const [id, token] = [newUuid(), newLinkToken()];
  await db.database
    .insertInto('fileLinks')
    .values({
      projectId: mailbox.projectId,
      mailboxId: mailbox.mailboxId,
      id,
      tokenSealed: '',
      isForDraft: true,
      tokenDigest: linkTokenDigest(token),
      passwordHash: null,
      maxDownloads: null,
      createdAt: new Date(),
      expiresAt: new Date(Date.now() + 86_400_000),
    })
    .execute();
  const read = () =>
    db.database
      .selectFrom('fileLinks')
      .select(['isForDraft', 'draftId', 'subject', 'revokedAt'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  return { token, read };
}

test('links whose cards are in the sent message stay open, and links whose cards were removed are revoked', async () => {
  const mailbox = await newMailbox(db.database);
  const stranger = await newMailbox(db.database);
  const [kept, removed, other, foreign] = [
    await newLink(mailbox),
    await newLink(mailbox),
    await newLink(mailbox),
    await newLink(stranger),
  ];
  const [draft, otherDraft] = [newUuid(), newUuid()];
  await db.database.transaction().execute(async (tx) => {
    await assignToDraft(tx, mailbox, draft, [kept.token, removed.token, foreign.token]);
    await assignToDraft(tx, mailbox, otherDraft, [other.token]);
    await settleDraft(tx, mailbox, draft, [kept.token, kept.token, foreign.token], 'The plans');
  });
  assert.deepEqual(await kept.read(), {
    isForDraft: false,
    draftId: null,
    subject: 'The plans',
    revokedAt: null,
  });
  assert.notEqual((await removed.read()).revokedAt, null);
  assert.deepEqual([(await other.read()).draftId, (await other.read()).revokedAt], [otherDraft, null]);
  // The text also contains the token of another user's link, which must not change.
  assert.deepEqual(await foreign.read(), { isForDraft: true, draftId: null, subject: null, revokedAt: null });

  // After sending, the link no longer depends on a draft, even if its card is quoted in a later draft.
  await db.database.transaction().execute(async (tx) => {
    await assignToDraft(tx, mailbox, otherDraft, [kept.token]);
    await settleDraft(tx, mailbox, otherDraft, null, null);
  });
  assert.equal((await kept.read()).revokedAt, null);
  assert.notEqual((await other.read()).revokedAt, null);
});
