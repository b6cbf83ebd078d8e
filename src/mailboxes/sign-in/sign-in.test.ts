import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SECRET, testDatabase } from '../../../test/support/postgres.ts';
import { newDomain, newProject } from '../../../test/support/projects.ts';
import { accountGuess, Guesses } from '../../accounts/passwords/guesses.ts';
import { checkSecret } from '../../db/seal.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { encodeId, newUuid } from '../../model/ids.ts';
import { Mailboxes } from '../mailboxes.ts';
import { SignIn, type SignedInMailbox } from './sign-in.ts';

const HOSTED = 'mail.example.com';
const db = await testDatabase();
after(async () => {
  await signIn[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
});
const { database } = db;
await newDomain(database, HOSTED_PROJECT_ID, HOSTED, { status: 'verified' });
const mailboxes = new Mailboxes({ database, hostedDomain: HOSTED });

async function newMailbox(domain: string, localPart: string, password: string, status = 'verified') {
  const projectId = await newProject(database);
  const domainId =
    domain === HOSTED
      ? await database
          .selectFrom('domains')
          .select('id')
          .where('name', '=', HOSTED)
          .executeTakeFirstOrThrow()
          .then(({ id }) => id)
      : await newDomain(database, projectId, domain, { status: status as 'verified' });
  const { id, address } = await mailboxes.create(projectId, {
    domain_id: encodeId('dom', domainId),
    local_part: localPart,
    quota_mb: 1,
    password,
  });
  return { projectId, id, address };
}

const signIn = new SignIn({
  database,
  databaseUrl: db.url,
  processId: newUuid(),
  unseal: () => checkSecret(database, SECRET),
  logger: { info: () => {} },
});
const tryIn = (user: string, password: string) =>
  signIn.signIn({ user, password, address: '192.0.2.1', door: 'imap', access: 'read' });

async function signedIn(user: string, password: string): Promise<SignedInMailbox> {
  const result = await tryIn(user, password);
  assert.ok(result.outcome === 'signed-in');
  return result.mailbox;
}

const sales = await newMailbox('xn--bcher-kva.example', 'Jörg', 'correct horse battery');

for (const user of [
  'Jörg@bücher.example',
  'JÖRG@BÜCHER.example',
  'jo\u0308rg@xn--bcher-kva.example',
  '"jörg"@bücher.example',
]) {
  test(`the owner of ${sales.address} signs in as ${user}`, async () => {
    using mailbox = await signedIn(user, 'correct horse battery');
    assert.equal(encodeId('mbx', mailbox.mailboxId), sales.id);
    assert.equal(mailbox.projectId, sales.projectId);
    assert.equal(mailbox.address, sales.address);
    assert.equal(mailbox.access, 'everything');
    assert.equal(mailbox.ended.aborted, false);
  });
}

for (const [what, user, password] of [
  ['a wrong password', 'jörg@bücher.example', 'correct horse batterx'],
  ['no password', 'jörg@bücher.example', ''],
  ['a password that is too long', 'jörg@bücher.example', 'x'.repeat(1_025)],
  ['a user who does not exist', 'jorg@bücher.example', 'correct horse battery'],
  ['a tagged form of the address', 'jörg+tag@bücher.example', 'correct horse battery'],
  ['only the local part', 'jörg', 'correct horse battery'],
  ['an address with a name', 'J <jörg@bücher.example>', 'correct horse battery'],
  ['nothing at all', '', ''],
  ['a user of 10,000 characters', `${'x'.repeat(10_000)}@bücher.example`, 'correct horse battery'],
  ['a user with NUL', 'jörg\0@bücher.example', 'correct horse battery'],
] as const) {
  test(`${what} is rejected`, async () => {
    assert.deepEqual(await tryIn(user, password), { outcome: 'refused' });
  });
}

test('an address on a verified claim opens only the mailbox of that claim, even if other projects added the domain', async () => {
  await newMailbox('claimed.example', 'info', 'password of a stranger', 'pending');
  const owner = await newMailbox('claimed.example', 'info', 'password of the owner');
  assert.deepEqual(await tryIn('info@claimed.example', 'password of a stranger'), { outcome: 'refused' });
  using mailbox = await signedIn('info@claimed.example', 'password of the owner');
  assert.equal(mailbox.projectId, owner.projectId);
});

test('if no claim is verified, the password decides which mailbox signs in', async () => {
  const one = await newMailbox('nobodys.example', 'info', 'password of the one', 'pending');
  const other = await newMailbox('nobodys.example', 'info', 'password of the other', 'pending');
  for (const [password, projectId] of [
    ['password of the one', one.projectId],
    ['password of the other', other.projectId],
  ] as const) {
    using mailbox = await signedIn('info@nobodys.example', password);
    assert.equal(mailbox.projectId, projectId);
  }
});

test("an owner's known network does not help to guess the password of another mailbox with the same address", async () => {
  const own = await newMailbox('twice.example', 'info', 'password of the guesser', 'pending');
  await newMailbox('twice.example', 'info', 'password of the other', 'pending');
  (await signedIn('info@twice.example', 'password of the guesser'))[Symbol.dispose]();
  const strangers = accountGuess(['twice.example', 'info']);
  while ((await new Guesses(database).take([strangers])) === 0);
  assert.equal((await tryIn('info@twice.example', 'password of the other')).outcome, 'try-later');
  using mailbox = await signedIn('info@twice.example', 'password of the guesser');
  assert.equal(mailbox.projectId, own.projectId);
});

test('a mailbox of the hosted domain signs in', async () => {
  const { projectId } = await newMailbox(HOSTED, 'team', 'password of the team');
  using mailbox = await signedIn(`team@${HOSTED}`, 'password of the team');
  assert.equal(mailbox.projectId, projectId);
});
