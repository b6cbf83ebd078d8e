/** Messages with 8-bit parts are converted for servers without 8BITMIME. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { startDelivery } from '../../../test/support/deliveries.ts';
import { newEmail } from '../../../test/support/emails.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { sealedDatabase } from '../../../test/support/postgres.ts';
import { newDomain, newProject } from '../../../test/support/projects.ts';
import { hasWork } from '../../../test/support/queue-rows.ts';
import { relayTo } from '../../../test/support/relay-to.ts';
import { startSmtpServer } from '../../../test/support/smtp-server.ts';
import { newSubmission } from '../../../test/support/submissions.ts';
import { prepareInRow } from '../../blobs/blobs.ts';
import { createKey } from '../../domains/dkim-key.ts';
import { dkimRecord } from '../../rfc/dkim/record.ts';
import { hashBody } from '../../rfc/dkim/sign.ts';
import { insertEmails } from '../accept/insert-emails.ts';
import { insertSubmissions } from '../submit/insert-submissions.ts';

const DOMAIN = 'acme.test';
let db: Awaited<ReturnType<typeof sealedDatabase>>;
let projectId: string;
let publicKey: string;

before(async () => {
  db = await sealedDatabase();
  projectId = await newProject(db.database);
  const verified = { status: 'verified', verifiedAt: new Date() } as const;
  const domainId = await newDomain(db.database, projectId, DOMAIN, verified);
  const key = await createKey(db.sealer, { projectId, domainId, selector: 'test' }, 'rsa-sha256');
  publicKey = key.publicKey;
  await db.database.insertInto('dkimKeys').values(key).execute();
});
after(() => db[Symbol.asyncDispose]());

const FIELDS = 'Message-ID: <1@acme.test>\r\nMIME-Version: 1.0\r\n';
const BODY = 'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\nGrüße\r\n';
const SIGNED = `Content-Type: multipart/signed; boundary=b\r\n\r\n--b\r\n${BODY}--b\r\nContent-Type: application/pkcs7-signature\r\n\r\nMIAG\r\n--b--\r\n`;

async function accept(by: 'an API key' | 'a mailbox', rest: string): Promise<void> {
  const data = Buffer.from(`${by === 'a mailbox' ? 'From: ada@acme.test\r\n' : ''}${FIELDS}${rest}`);
  const bodyHash = hashBody(data.subarray(data.indexOf('\r\n\r\n') + 4));
  const blob = prepareInRow(projectId, data, hash('sha256', data, 'buffer'));
  if (by === 'a mailbox') {
    const from = { fromAddress: 'ada@acme.test', fromDomain: DOMAIN };
    await insertSubmissions(db.database, [newSubmission({ projectId, ...from, blob, bodyHash })]);
    return;
  }
  const layout = { html: null, text: null, files: [], removed: [] };
  const message = { blob, bodyHash, messageId: '<1@acme.test>', layout };
  await insertEmails(db.database, [newEmail({ projectId, sender: 'ada@acme.test', message })]);
}

for (const by of ['an API key', 'a mailbox'] as const) {
  test(`a message from a program with the credentials of ${by} is converted and signed for a server without 8BITMIME`, async () => {
    await using server = await startSmtpServer({ eightBitMime: false });
    await using relay = relayTo(server.port);
    await using _ = await startDelivery(db, relay);
    await accept(by, BODY);
    const [{ data, mailParameters } = assert.fail('nothing was sent')] = await server.waitForMessages(
      1,
      20_000,
    );
    assert.ok(!mailParameters.includes('BODY=8BITMIME'));
    assert.ok(data.toString().endsWith(`\r\n\r\n${Buffer.from('Grüße\r\n').toString('base64')}\r\n`));
    const { results } = await dkimVerify(data, {
      resolver: async () => [[dkimRecord('rsa-sha256', publicKey)]],
    });
    assert.deepEqual(
      results.map(({ status }) => status.result),
      ['pass'],
    );
    assert.deepEqual(server.violations, []);
    assert.ok(await eventually(async () => !(await hasWork(db.database)), 10_000));
  });

  test(`a signed message from a program with the credentials of ${by} fails at a server without 8BITMIME`, async () => {
    await using server = await startSmtpServer({ eightBitMime: false });
    await using relay = relayTo(server.port);
    await using _ = await startDelivery(db, relay);
    await accept(by, SIGNED);
    assert.ok(await eventually(async () => !(await hasWork(db.database)), 10_000));
    assert.deepEqual(server.messages, []);
    const { detail } = await db.database
      .selectFrom(by === 'a mailbox' ? 'submissionRecipients' : 'events')
      .select('detail')
      .orderBy(by === 'a mailbox' ? 'submissionId' : 'id', 'desc')
      .executeTakeFirstOrThrow();
    assert.match(JSON.stringify(detail), /5\.6\.3.*accepts only ASCII/);
  });
}
