import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { HOSTED_DOMAIN } from '../../test/support/api.ts';
import { sealedDatabase } from '../../test/support/postgres.ts';
import { newProject } from '../../test/support/projects.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { ensureHostedDomain } from '../domains/hosted.ts';
import { SendingDomains } from '../domains/sending-domains.ts';
import { readLastOfTemplate } from '../insights/read-last-of-template.ts';
import { HostedAddresses } from '../mailboxes/hosted-addresses.ts';
import { ReservedAddresses } from '../mailboxes/reserved-addresses.ts';
import { decodeId, encodeId } from '../model/ids.ts';
import { Acceptor } from '../sending/accept/accept-email.ts';
import type { Variables } from '../templates/fill-parts.ts';
import { createTemplate, deleteTemplate } from '../templates/save-template.ts';
import { TemplateUses } from '../templates/template-uses.ts';
import { deleteBodies } from './delete-bodies.ts';
import { deleting } from './deleting.ts';
import { eraseAddress, eraseEmail } from './erase.ts';

const db = await sealedDatabase();
before(() => ensureHostedDomain(db.database, db.sealer, HOSTED_DOMAIN));
after(() => db[Symbol.asyncDispose]());

interface Shop {
  projectId: string;
  /** uuid */
  templateId: string;
}

async function newShop(): Promise<Shop> {
  const projectId = await newProject(db.database);
  const fields = { name: 'shipped', subject: 'Order', html: '', text: 'Order {{ order }}' };
  const { id } = await createTemplate(db.database, projectId, fields);
  return { projectId, templateId: id };
}

const ADA = 'ada@dst.test';
const single = (variables: object) => [variables];

/** Sends requests, each with one email for each element. @returns the ids of all emails */
async function send({ projectId, templateId }: Shop, requests: readonly (readonly object[])[]) {
  const { database } = db;
  const sender = {
    projectId,
    plan: 'paid',
    trackOpens: false,
    trackClicks: false,
    restrictions: null,
  } as const;
  const ids: string[] = [];
  // Closing the acceptor stores the uses.
  await using acceptor = new Acceptor({
    database,
    sendingDomains: new SendingDomains(database, HOSTED_DOMAIN),
    hostedAddresses: new HostedAddresses(database, HOSTED_DOMAIN),
    reservedAddresses: new ReservedAddresses(database, HOSTED_DOMAIN),
    baseUrl: () => 'http://localhost',
    onQueued() {},
  });
  const emailOf = (variables: object) => ({
    from: `shop@${HOSTED_DOMAIN}`,
    to: [ADA],
    template_id: encodeId('tpl', templateId),
    variables: { ...variables },
  });
  for (const request of requests) {
    const [first = {}] = request;
    if (request.length === 1) ids.push((await acceptor.accept(sender, emailOf(first), null, null)).emailId);
    else {
      const batch = { emails: request.map(emailOf) };
      ids.push(...(await acceptor.batches.accept(sender, batch, null, null, null)).emailIds);
    }
  }
  return ids;
}

async function last({ projectId, templateId }: Shop) {
  const found = await readLastOfTemplate(db.database, projectId, templateId);
  assert.ok(found !== null);
  return found.email;
}

/** The values in the table, whether or not they are shown. */
const stored = ({ templateId }: Shop) =>
  db.database.selectFrom('templateUses').select('variables').where('templateId', '=', templateId).execute();

async function note({ projectId, templateId }: Shop, emailId: string, variables: Variables): Promise<void> {
  await using uses = new TemplateUses(db.database);
  const email = { from: '', to: [], template_id: encodeId('tpl', templateId), variables };
  uses.note(projectId, emailId, email);
}

const deleteLikeOlderCode = (database: Database | DatabaseTransaction, emailId: string) =>
  database
    .updateTable('emailContents')
    .set({ html: null, text: null, bodiesDeletedAt: new Date() })
    .where('emailId', '=', emailId)
    .execute();

const endWork = (emailId: string) => db.database.deleteFrom('queue').where('emailId', '=', emailId).execute();

describe('the values of the last email of a template', () => {
  for (const [what, requests, expected] of [
    ['a single email', [single({ order: 1 }), single({ order: 2 })], { order: 2 }],
    ['a batch', [single({ order: 1 }), [{ order: 2 }, { order: 3 }]], { order: 3 }],
    [
      'the last email whose values are short',
      [single({ order: 1 }), single({ order: 'x'.repeat(40_000) })],
      { order: 1 },
    ],
  ] as const)
    test(`are those of ${what}`, async () => {
      const shop = await newShop();
      assert.equal(await last(shop), null);
      const ids = await send(shop, requests);
      const email = await last(shop);
      assert.deepEqual(JSON.parse(email?.variables ?? ''), expected);
      assert.ok(ids.includes(decodeId('em', email?.id ?? '') ?? ''));
      assert.equal(email?.to, ADA);
    });

  test('are not replaced by those of an older email that another process writes later', async () => {
    const shop = await newShop();
    const [older = ''] = await send(shop, [single({ order: 1 })]);
    await send(shop, [single({ order: 2 })]);
    await note(shop, older, { order: 1 });
    assert.deepEqual(await stored(shop), [{ variables: '{"order":2}' }]);
  });

  test('are not stored if the bodies of the email are deleted at the same time', async () => {
    const shop = await newShop();
    const [emailId = ''] = await send(shop, [single({ order: 1 })]);
    await db.database.transaction().execute(async (tx) => {
      await deleteLikeOlderCode(tx, emailId);
      // Does not wait for the other transaction.
      await note(shop, emailId, { order: 1 });
    });
    assert.deepEqual(await stored(shop), []);
  });

  test('are deleted and not stored again while pending recipients need the bodies', async () => {
    const shop = await newShop();
    const [emailId = ''] = await send(shop, [single({ order: 1 })]);
    await deleting(db.database, (tx) => deleteBodies(tx, shop.projectId, [emailId], true));
    assert.deepEqual(await stored(shop), []);
    await note(shop, emailId, { order: 1 });
    assert.deepEqual(await stored(shop), []);
  });

  test('are serialized up to a total length between two writes', async () => {
    const shop = await newShop();
    const ids = await send(
      shop,
      Array.from({ length: 40 }, () => single({ order: 1 })),
    );
    await using uses = new TemplateUses(db.database);
    let serialized = 0;
    for (const id of ids) {
      const variables = { text: 'x'.repeat(32_000), toJSON: () => (serialized++, { text: variables.text }) };
      const email = { from: '', to: [], template_id: encodeId('tpl', shop.templateId) };
      uses.note(shop.projectId, id, { ...email, variables });
    }
    assert.equal(serialized, 32);
  });

  test('are not stored if the project stores no bodies', async () => {
    const shop = await newShop();
    await db.database
      .updateTable('projects')
      .set({ keepBodiesDays: 0 })
      .where('id', '=', shop.projectId)
      .execute();
    await send(shop, [single({ order: 1 })]);
    assert.deepEqual(await stored(shop), []);
  });

  for (const [what, remove] of [
    [
      'its bodies are deleted',
      ({ projectId }, emailId) =>
        deleting(db.database, (tx) => deleteBodies(tx, projectId, [emailId], false)),
    ],
    [
      'an older version of the service deletes its bodies',
      (_, emailId) => deleteLikeOlderCode(db.database, emailId),
    ],
    ['it is erased', ({ projectId }, emailId) => eraseEmail(db.database, projectId, emailId)],
    ['its recipient is erased', ({ projectId }) => eraseAddress(db.database, projectId, ADA, false)],
    [
      'a person whose address they contain is erased',
      ({ projectId }) => eraseAddress(db.database, projectId, 'Bo@dst.test', false),
    ],
    [
      'the template is deleted',
      ({ projectId, templateId }) => deleteTemplate(db.database, projectId, templateId),
    ],
  ] satisfies [string, (shop: Shop, emailId: string) => Promise<unknown>][])
    test(`are deleted when ${what}`, async () => {
      const shop = await newShop();
      const other = await newShop();
      const [emailId = ''] = await send(shop, [single({ order: 1, from: 'bo@dst.test' })]);
      await send(other, [single({ order: 2, from: 'bo@dst.test' })]);
      await endWork(emailId);
      assert.equal((await stored(shop)).length, 1);
      await remove(shop, emailId);
      assert.deepEqual(await stored(shop), []);
      assert.equal((await stored(other)).length, 1);
    });
});
