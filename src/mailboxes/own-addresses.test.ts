import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newAlias, newMailbox } from '../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { newProject } from '../../test/support/projects.ts';
import { parseMailbox } from '../rfc/address/index.ts';
import { isOwnAddress, mayWrite, mayWriteFrom, ownAddresses, type OwnAddresses } from './own-addresses.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

test("a mailbox has its own address, followed by its aliases' addresses", async () => {
  const projectId = await newProject(db.database);
  const anna = await newMailbox(db.database, { projectId });
  const ben = await newMailbox(db.database, { projectId });
  const aliasId = await newAlias(db.database, 'Sales', [anna, ben]);
  await newAlias(db.database, 'ben-only', [ben]);
  const owned = await ownAddresses(db.database, projectId, anna.mailboxId);
  const domain = `${anna.mailboxId.slice(-12)}.example`;
  assert.deepEqual(owned, [
    { address: `anna@${domain}`, domain, key: 'anna', isReserved: false },
    { address: `Sales@${domain}`, domain, key: 'sales', isReserved: false },
  ]);
  assert.equal((await ownAddresses(db.database, projectId, ben.mailboxId)).length, 3);
  assert.deepEqual(await ownAddresses(db.database, await newProject(db.database), anna.mailboxId), []);
  await db.database.deleteFrom('aliases').where('id', '=', aliasId).execute();
  assert.deepEqual(await ownAddresses(db.database, projectId, anna.mailboxId), owned.slice(0, 1));
});

const OWN: OwnAddresses = [
  { address: 'Anna@acme.example', domain: 'acme.example', key: 'anna', isReserved: false },
  { address: 'straße@acme.example', domain: 'acme.example', key: 'strasse', isReserved: false },
  { address: 'info@xn--bcher-kva.example', domain: 'xn--bcher-kva.example', key: 'info', isReserved: false },
];
describe('a mailbox may write from', () => {
  for (const [address, expected] of [
    ['anna@acme.example', true],
    ['ANNA@ACME.example', true],
    ['anna+any+thing@acme.example', true],
    ['"anna"@acme.example', true],
    ['STRASSE@acme.example', true],
    ['info@bücher.example', true],
    ['info+tag@xn--bcher-kva.example', true],
    ['info@acme.example', false],
    ['anna@xn--bcher-kva.example', false],
    ['anna@mail.acme.example', false],
    ['ann@acme.example', false],
    ['annas@acme.example', false],
    ['+anna@acme.example', false],
    ['x+anna@acme.example', false],
    ['"anna@acme.example"@other.example', false],
    ['"anna\\@acme.example"@acme.example', false],
  ] as const)
    test(`${address}: ${expected ? 'yes' : 'no'}`, () => {
      const parsed = parseMailbox(address);
      assert.ok(!('error' in parsed));
      assert.equal(mayWriteFrom(parsed, OWN), expected);
    });

  test('no reserved address, although the mailbox still receives mail at that address', () => {
    const own = OWN.map((one) => ({ ...one, isReserved: one.key === 'anna' }));
    assert.equal(mayWriteFrom({ localPart: 'anna+x', domain: 'acme.example' }, own), false);
    assert.equal(isOwnAddress({ localPart: 'anna+x', domain: 'acme.example' }, own), true);
    assert.match(mayWrite(own), /^can send from straße@acme\.example, info@/);
    assert.equal(
      mayWrite(own.slice(0, 1)),
      'receives mail but cannot send: Anna@acme.example is reserved for the operator of the service',
    );
  });

  test('no address after the mailbox was deleted', () => {
    assert.equal(mayWriteFrom({ localPart: 'anna', domain: 'acme.example' }, []), false);
  });
});
