/** Messages that applications submitted by SMTP are metered, and deleted with the bodies of their emails. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import { newEmail } from '../../test/support/emails.ts';
import { memoryFolder } from '../../test/support/memory-folder.ts';
import { sealedDatabase } from '../../test/support/postgres.ts';
import { newProject } from '../../test/support/projects.ts';
import { deleteRows } from '../../test/support/queue-rows.ts';
import { readUsage } from '../accounts/usage.ts';
import { Blobs, MAX_ROW_BYTES } from '../blobs/blobs.ts';
import { ObjectFiles } from '../blobs/object-files.ts';
import { listPartitions } from '../db/partition-changes.ts';
import { ensurePartitions } from '../db/partitions.ts';
import { firstUuidAt, newUuid, timeOf } from '../model/ids.ts';
import { monthOf } from '../model/month.ts';
import { insertEmails, type NewEmail, storedBytes } from '../sending/accept/insert-emails.ts';
import { deleteBodies } from './delete-bodies.ts';
import { eraseAddress, eraseEmail } from './erase.ts';
import { exportProject } from './export-project.ts';
import { dropOld } from './retention-of-instance.ts';
import { BlobSweeper, SWEEP_TIMINGS } from './sweep-blobs.ts';

const folder = mkdtempSync(join(memoryFolder(), 'posthorn-messages-'));
const objects = new ObjectFiles(join(folder, 'blobs'));
let db: Awaited<ReturnType<typeof sealedDatabase>>;
let blobs: Blobs;
before(async () => {
  db = await sealedDatabase();
  await ensurePartitions(db.database, 7);
  blobs = new Blobs(db.database, objects);
});
after(async () => {
  await db[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** An email without HTML and text, whose message is an object. */
async function submitted(fields: Partial<NewEmail> = {}): Promise<NewEmail & { octets: Buffer }> {
  const projectId = fields.projectId ?? (await newProject(db.database));
  const octets = Buffer.from(
    `Subject: Hello\r\nMessage-ID: <1@app.test>\r\n\r\n${newUuid()}${'x'.repeat(MAX_ROW_BYTES)}\r\n`,
  );
  const email = newEmail({
    projectId,
    html: null,
    message: {
      blob: await blobs.prepare(projectId, octets),
      bodyHash: Buffer.alloc(32),
      messageId: '<1@app.test>',
      layout: { html: null, text: null, files: [], removed: [] },
    },
    ...fields,
  });
  await insertEmails(db.database, [email]);
  return { ...email, octets };
}

const isStored = async ({ projectId, message }: NewEmail) =>
  (await blobs.open(projectId, message?.blob.digest ?? Buffer.alloc(0))) !== null;
const storageOf = async ({ projectId, emailId }: NewEmail) =>
  (await readUsage(db.database, projectId, monthOf(timeOf(emailId)))).storageBytes;

async function sweep(): Promise<void> {
  const timings = { ...SWEEP_TIMINGS, blobsMs: 0, unusedMs: -60_000, objectsMs: 0 };
  for await (const _ of new BlobSweeper(objects, pino({ enabled: false }), timings).sweeping(db.database))
    continue;
}

test('a message counts for the storage and is kept until its email or the bodies are deleted', async () => {
  const deletions: [what: string, remove: (email: NewEmail) => Promise<unknown>, left: number][] = [
    [
      'bodies',
      ({ projectId, emailId }) =>
        db.database.transaction().execute((tx) => deleteBodies(tx, projectId, [emailId], false)),
      'Hello'.length,
    ],
    ['email', ({ projectId, emailId }) => eraseEmail(db.database, projectId, emailId), 0],
  ];
  for (const [what, remove, left] of deletions) {
    const email = await submitted();
    await deleteRows(db.database, { emailId: email.emailId });
    assert.equal(await storageOf(email), storedBytes(email), what);
    assert.equal(storedBytes(email), 'Hello'.length + email.octets.length);
    await sweep();
    assert.equal(await isStored(email), true, what);
    await remove(email);
    assert.equal(await storageOf(email), left, what);
    await sweep();
    assert.equal(await isStored(email), false, what);
  }
  const ids: string[] = [];
  for await (const { id } of objects.list()) ids.push(id);
  assert.equal(ids.length, 1, 'only the mark of the database');
});

test('a message is deleted with the partition of its email', async () => {
  const [, partition] = await listPartitions(db.database);
  const end = timeOf(partition?.until ?? '');
  const emailId = firstUuidAt(new Date(end.getTime() - 1_000)).slice(0, 19) + newUuid().slice(19);
  const email = await submitted({ emailId });
  await db.database.deleteFrom('queue').execute();
  assert.equal(await storageOf(email), storedBytes(email));
  assert.equal(await dropOld(db.database, end), 'dropped');
  assert.equal(await storageOf(email), 0);
  await sweep();
  assert.equal(await isStored(email), false);
});

test('erasing one of several reply addresses removes the Reply-To and the message', async () => {
  const email = await submitted({ replyTo: 'One <one@app.test>, two@app.test' });
  await deleteRows(db.database, { emailId: email.emailId });
  await eraseAddress(db.database, email.projectId, 'Two@app.test', false);
  const { replyTo } = await db.database
    .selectFrom('emailContents')
    .select('replyTo')
    .where('projectId', '=', email.projectId)
    .executeTakeFirstOrThrow();
  assert.equal(replyTo, null);
  const rows = await db.database
    .selectFrom('emailMessages')
    .select('emailId')
    .where('projectId', '=', email.projectId)
    .execute();
  assert.deepEqual(rows, []);
});

test('an export has the message as it was submitted, with the addresses in front', async () => {
  const email = await submitted({ replyTo: 'one@app.test, two@app.test' });
  const out = join(folder, 'export');
  await exportProject(db.database, blobs, { id: email.projectId, name: 'x' }, out);
  const [day = ''] = readdirSync(join(out, 'messages'));
  const [name = ''] = readdirSync(join(out, 'messages', day));
  const exported = readFileSync(join(out, 'messages', day, name), 'utf8');
  assert.equal(
    exported,
    `From: Acme <hello@posthorn.localhost>\r\nTo: b@dst.test\r\nReply-To: one@app.test, two@app.test\r\n${email.octets.toString()}`,
  );
});
