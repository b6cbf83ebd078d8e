import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { sealedDatabase } from '../../test/support/postgres.ts';
import { insertRow, messagesOf, newRoute, type TestRoute } from '../../test/support/routes.ts';
import { deleteProject } from './delete-project.ts';
import { BATCH } from './deleting.ts';
import { deletingRouteMessages } from './delete-route-messages.ts';
import { eraseAddress } from './erase.ts';

const db = await sealedDatabase();
after(() => db[Symbol.asyncDispose]());
const { database, sealer } = db;

const expire = ({ routeId }: TestRoute) =>
  sql`update route_messages set expires_at = now() - interval '1 second' where route_id = ${routeId}`.execute(
    database,
  );

const statusesOf = async (route: TestRoute) =>
  (await messagesOf(database, route)).map(({ status }) => status);

async function deleteAll(): Promise<void> {
  for await (const _ of deletingRouteMessages(database));
}

/** The bytes that the storage of the project changed by. */
async function storageOf({ projectId }: TestRoute): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(bytes), 0)::float8 as bytes from storage_changes where project_id = ${projectId}`.execute(
    database,
  );
  return rows[0]?.bytes ?? 0;
}

test('messages are deleted when their retention has ended, but never while they are pending', async () => {
  const route = await newRoute(database, sealer);
  for (const status of ['pending', 'delivered', 'failed', 'stored'] as const)
    await insertRow(database, route, { status, octets: 10 });
  await deleteAll();
  assert.equal((await statusesOf(route)).length, 4);
  await expire(route);
  await deleteAll();
  assert.deepEqual(await statusesOf(route), ['pending']);
  assert.equal(await storageOf(route), -30);
});

test('the messages of a deleted route are deleted in batches, and those of other routes are not', async () => {
  const [route, other] = [await newRoute(database, sealer), await newRoute(database, sealer)];
  for (let count = 0; count < BATCH + 1; count++) await insertRow(database, route, { octets: 1 });
  await insertRow(database, other);
  await database.deleteFrom('routes').where('id', '=', route.routeId).execute();
  await deleteAll();
  assert.deepEqual(await statusesOf(route), []);
  assert.equal((await statusesOf(other)).length, 1);
  assert.equal(await storageOf(route), -(BATCH + 1));
});

test('the routes of a deleted project are deleted with their messages', async () => {
  const route = await newRoute(database, sealer);
  await insertRow(database, route);
  const { name } = await database
    .selectFrom('projects')
    .select('name')
    .where('id', '=', route.projectId)
    .executeTakeFirstOrThrow();
  await deleteProject(database, route.projectId, name);
  await deleteAll();
  assert.deepEqual(await statusesOf(route), []);
});

test('erasing a person deletes the messages that the person sent', async () => {
  const route = await newRoute(database, sealer);
  await insertRow(database, route);
  await database
    .updateTable('routeMessages')
    .set({ author: 'other@sender.example, Ada@dst.example' })
    .where('routeId', '=', route.routeId)
    .execute();
  await insertRow(database, route);
  await eraseAddress(database, route.projectId, 'ada@dst.example', false);
  assert.equal((await statusesOf(route)).length, 1);
});
