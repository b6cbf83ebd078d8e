import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newAlias, newMailbox } from '../../test/support/mail.ts';
import { testDatabase } from '../../test/support/postgres.ts';
import { newDomain, newProject } from '../../test/support/projects.ts';
import { HOSTED_PROJECT_ID } from '../domains/hosted.ts';
import { type AppError } from '../model/app-error.ts';
import { encodeId } from '../model/ids.ts';
import { Aliases } from './aliases.ts';
import { Mailboxes } from './mailboxes.ts';
import { releaseAddress } from './release-address.ts';

const HOSTED = 'past.example';
const db = await testDatabase();
after(() => db[Symbol.asyncDispose]());
const { database } = db;
const hostedId = await newDomain(database, HOSTED_PROJECT_ID, HOSTED, { status: 'verified' });
const options = { database, hostedDomain: HOSTED };
const first = await newProject(database);
const second = await newProject(database);

const create = (projectId: string, localPart: string) =>
  new Mailboxes(options).create(projectId, {
    domain_id: encodeId('dom', hostedId),
    local_part: localPart,
    quota_mb: 1,
    password: 'correct horse battery staple',
  });
const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: AppError) => [error.code, Object.keys(error.errors ?? {})],
  );
const deleteMailboxes = (projectId: string) =>
  database.deleteFrom('mailboxes').where('projectId', '=', projectId).execute();

test('only the past holder of a hosted address can create a mailbox with that address again, which is then empty', async () => {
  await create(first, 'Ceo');
  await deleteMailboxes(first);
  assert.deepEqual(await errorOf(create(second, 'ceo')), ['already-exists', ['local_part']]);
  assert.equal((await create(first, 'ceo')).unread, 0);
});

test('an operator can release a hosted address once, and then another project can use the address', async () => {
  await create(first, 'sales');
  await deleteMailboxes(first);
  assert.equal(await releaseAddress(database, `Sales+x@${HOSTED}`), encodeId('prj', first));
  const { target } = await database
    .selectFrom('systemChanges')
    .select('target')
    .where('action', '=', 'address.release')
    .executeTakeFirstOrThrow();
  assert.equal(target, `Sales+x@${HOSTED}`);
  await create(second, 'sales');
  assert.deepEqual(await errorOf(releaseAddress(database, `sales@${HOSTED}`)), ['not-found', []]);
});

test('no other project can use the address of an alias that was deleted with its mailbox', async () => {
  const mailbox = await newMailbox(database, { projectId: first });
  await newAlias(database, 'team', [mailbox], { domainId: hostedId, domain: HOSTED });
  await deleteMailboxes(first);
  assert.deepEqual(await errorOf(create(second, 'team')), ['already-exists', ['local_part']]);
  const other = await newMailbox(database, { projectId: second });
  const alias = new Aliases(options).create(second, {
    domain_id: encodeId('dom', hostedId),
    local_part: 'team',
    mailbox_ids: [encodeId('mbx', other.mailboxId)],
  });
  assert.deepEqual(await errorOf(alias), ['already-exists', ['local_part']]);
});

test("an address on a project's own domain has no past holder", async () => {
  const mailbox = await newMailbox(database, { projectId: first });
  await database.deleteFrom('mailboxes').where('id', '=', mailbox.mailboxId).execute();
  const rows = await database
    .selectFrom('pastHolders')
    .select('domainId')
    .where('domainId', '<>', hostedId)
    .execute();
  assert.deepEqual(rows, []);
});
