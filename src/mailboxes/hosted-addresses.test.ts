import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newAlias, newMailbox } from '../../test/support/mail.ts';
import { testDatabase } from '../../test/support/postgres.ts';
import { newDomain, newProject } from '../../test/support/projects.ts';
import { HOSTED_PROJECT_ID } from '../domains/hosted.ts';
import { newUuid } from '../model/ids.ts';
import { HostedAddresses } from './hosted-addresses.ts';
import { localPartKey } from './local-part.ts';

const HOSTED = 'mail.example.com';
const db = await testDatabase();
after(() => db[Symbol.asyncDispose]());

const projectId = await newProject(db.database);
const addDomain = (ownerId: string, name: string) =>
  newDomain(db.database, ownerId, name, { status: 'verified' });
const hostedId = await addDomain(HOSTED_PROJECT_ID, HOSTED);

async function addMailbox(domainId: string, domain: string, localPart: string): Promise<void> {
  await db.database
    .insertInto('mailboxes')
    .values({
      projectId,
      id: newUuid(),
      domainId,
      domain,
      localPart,
      localPartKey: localPartKey(localPart),
      isCatchAll: false,
      quotaMb: 1,
      createdAt: new Date(),
    })
    .execute();
}

function setUp() {
  const clock = { nowMs: 0 };
  return { clock, addresses: new HostedAddresses(db.database, HOSTED, () => clock.nowMs) };
}

test('an address belongs to the project of its mailbox, in any case and with any tag', async () => {
  const { addresses } = setUp();
  await addMailbox(hostedId, HOSTED, 'Sales');
  for (const localPart of ['sales', 'SALES', 'sales+eu', '" sales"']) {
    assert.equal(await addresses.ownerOf(localPart), projectId, localPart);
  }
  assert.equal(await addresses.ownerOf('sale'), null);
});

test('an address also belongs to the project of its alias', async () => {
  const { addresses } = setUp();
  const mailbox = await newMailbox(db.database);
  await newAlias(db.database, 'Desk', [mailbox], { domainId: hostedId, domain: HOSTED });
  for (const localPart of ['desk', 'DESK+tag'])
    assert.equal(await addresses.ownerOf(localPart), mailbox.projectId, localPart);
});

test('a mailbox of another domain, or of an earlier hosted domain, has no address on the hosted domain', async () => {
  const { addresses } = setUp();
  await addMailbox(await addDomain(projectId, 'shop.example'), 'shop.example', 'own');
  await addMailbox(await addDomain(HOSTED_PROJECT_ID, 'old.example.com'), 'old.example.com', 'old');
  assert.equal(await addresses.ownerOf('own'), null);
  assert.equal(await addresses.ownerOf('old'), null);
});

test('the owner of an address is cached for two seconds', async () => {
  const { clock, addresses } = setUp();
  assert.equal(await addresses.ownerOf('soon'), null);
  await addMailbox(hostedId, HOSTED, 'soon');
  clock.nowMs = 1_999;
  assert.equal(addresses.ownerOf('soon+x'), null);
  clock.nowMs = 2_000;
  assert.equal(await addresses.ownerOf('soon'), projectId);
  assert.equal(addresses.ownerOf('SOON'), projectId);
});
