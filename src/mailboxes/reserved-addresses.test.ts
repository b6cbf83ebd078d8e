import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { sql } from 'kysely';
import { testDatabase } from '../../test/support/postgres.ts';
import { newDomain, newProject } from '../../test/support/projects.ts';
import { HOSTED_PROJECT_ID } from '../domains/hosted.ts';
import type { AppError } from '../model/app-error.ts';
import { encodeId } from '../model/ids.ts';
import { parseMailbox } from '../rfc/address/index.ts';
import { Aliases } from './aliases.ts';
import { Mailboxes } from './mailboxes.ts';
import { recordSender, ReservedAddresses, reserveSender } from './reserved-addresses.ts';

const HOSTED = 'reserved.example';
const db = await testDatabase();
after(() => db[Symbol.asyncDispose]());
const { database } = db;
await newDomain(database, HOSTED_PROJECT_ID, HOSTED, { status: 'verified' });
const options = { database, hostedDomain: HOSTED };

function addressOf(text: string) {
  const parsed = parseMailbox(text);
  assert.ok(!('error' in parsed));
  return parsed;
}

/** Queries a new instance, which has nothing in its cache. */
const isReserved = async (text: string): Promise<boolean> =>
  new ReservedAddresses(database, HOSTED).has(addressOf(text));

const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    ({ code, errors }: AppError) => [code, errors],
  );

/** Backdates the last start of the service with this configured sender. */
async function namedHoursAgo(address: string, hours: number): Promise<void> {
  await sql`update service_senders set named_at = now() - ${hours} * interval '1 hour' where address = ${address}`.execute(
    database,
  );
}

const RESERVED = [
  'validation-failed',
  { local_part: 'is reserved: the service sends its own mail from this address' },
];

suite('the sender of service mail', () => {
  test('is reserved in every spelling, but other addresses on its domain are not', async () => {
    await reserveSender(database, addressOf('Team+news@bücher.example'));
    for (const address of [
      'team@xn--bcher-kva.example',
      'TEAM@BÜCHER.example',
      'team+any@bücher.example',
      '"team"@bücher.example',
      '"te\\am+x"@bücher.example',
      '\uff54eam@bücher.example',
    ])
      assert.equal(await isReserved(address), true, address);
    for (const address of ['teams@bücher.example', 'x+team@bücher.example', 'team@other.example'])
      assert.equal(await isReserved(address), false, address);
  });

  test('cannot be a mailbox or an alias of any project, even on an unverified claim', async () => {
    await reserveSender(database, addressOf('hello@company.example'));
    for (const status of ['verified', 'pending'] as const) {
      const projectId = await newProject(database);
      const domain_id = encodeId('dom', await newDomain(database, projectId, 'company.example', { status }));
      const mailboxes = new Mailboxes(options);
      const create = (local_part: string) =>
        mailboxes.create(projectId, {
          domain_id,
          local_part,
          quota_mb: 1,
          password: 'correct horse battery staple',
        });
      assert.deepEqual(await messageOf(create('Hello')), RESERVED);
      const { id } = await create('someone');
      const alias = new Aliases(options).create(projectId, {
        domain_id,
        local_part: 'HELLO',
        mailbox_ids: [id],
      });
      assert.deepEqual(await messageOf(alias), RESERVED);
    }
  });

  test('is released a day after the last start with this sender if nothing was sent from its address', async () => {
    const typingError = addressOf('tpyo@company.example');
    await reserveSender(database, typingError);
    await namedHoursAgo('tpyo@company.example', 30);
    await reserveSender(database, typingError);
    await namedHoursAgo('tpyo@company.example', 23);
    await reserveSender(database, addressOf('typo@company.example'));
    assert.equal(await isReserved('tpyo@company.example'), true);
    await namedHoursAgo('tpyo@company.example', 25);
    await reserveSender(database, addressOf('typo@company.example'));
    assert.equal(await isReserved('tpyo@company.example'), false);
    assert.equal(await isReserved('typo@company.example'), true);
  });

  test('stays reserved during a rolling restart that changes the sender, whichever process starts last', async () => {
    const [before, after] = [addressOf('before@company.example'), addressOf('after@company.example')];
    // The process that starts last still has the old sender.
    for (const named of [before, after, before]) await reserveSender(database, named);
    for (const { address } of [before, after]) assert.equal(await isReserved(address), true, address);
  });

  test('stays reserved after mail was sent from its address', async () => {
    const used = addressOf('used@company.example');
    await reserveSender(database, used);
    await recordSender(database, used);
    await recordSender(database, used);
    await namedHoursAgo('used@company.example', 25);
    await reserveSender(database, addressOf(`posthorn@${HOSTED}`));
    assert.equal(await isReserved('used@company.example'), true);
  });
});

test("the operator's names are reserved only on the hosted domain, including look-alike forms of the names", async () => {
  for (const name of ['admin', 'posthorn', 'Admin+x', 'adm\u0131n'])
    assert.equal(await isReserved(`${name}@${HOSTED}`), true, name);
  assert.equal(await isReserved('admin@company.example'), false);
});

test('the set of senders is read from the cache', async () => {
  const reserved = new ReservedAddresses(database, HOSTED);
  await reserved.has(addressOf('a@company.example'));
  assert.equal(reserved.has(addressOf('b@company.example')), false);
});
