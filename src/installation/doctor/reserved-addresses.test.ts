import { after, test } from 'node:test';
import { newAlias, newMailbox } from '../../../test/support/mail.ts';
import { testDatabase } from '../../../test/support/postgres.ts';
import { newDomain } from '../../../test/support/projects.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { recordSender } from '../../mailboxes/reserved-addresses.ts';
import { assertFinding } from './finding.fixture.ts';
import { checkReservedAddresses } from './reserved-addresses.ts';
import { worldWith } from './world.fixture.ts';

const DNS = '127.0.0.1:53';
const db = await testDatabase();
after(() => db[Symbol.asyncDispose]());
const { database } = db;

test('the check lists mailboxes and aliases with reserved addresses', async () => {
  const check = () => checkReservedAddresses(worldWith(DNS, { database: { opened: database } }));
  assertFinding(await checkReservedAddresses(worldWith(DNS)), 'problem', /without the database/, /database/);
  const mailbox = await newMailbox(database);
  await newAlias(database, 'postmaster', [mailbox]);
  assertFinding(await check(), 'ok', /No mailbox or alias/);
  const domainId = await newDomain(database, HOSTED_PROJECT_ID, 'hosted.example', { status: 'verified' });
  await newAlias(database, 'Admin', [mailbox], { domainId, domain: 'hosted.example' });
  await recordSender(database, { address: 'x@sender.example', localPart: 'x', domain: 'sender.example' });
  await newAlias(database, 'X', [mailbox], { domain: 'sender.example' });
  assertFinding(
    await check(),
    'warning',
    /the operator: Admin@hosted\.example, X@sender\.example\. They receive mail and cannot send\./,
    /move to another address/,
  );
});
