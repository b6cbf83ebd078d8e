/** Exports all data of a project to a folder (docs/operate/retention.md, Export), a page at a time. */
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readProjectSettings } from '../accounts/projects/project-settings.ts';
import { readUsage } from '../accounts/usage.ts';
import type { EmailDetail } from '../contract/emails.ts';
import type { Blobs } from '../blobs/blobs.ts';
import type { Database } from '../db/database.ts';
import { rowIs } from '../db/row-is.ts';
import { listAliases } from '../mailboxes/aliases.ts';
import { AppError } from '../model/app-error.ts';
import * as clock from '../model/clock.ts';
import { encodeId, firstUuidAt, timeOf } from '../model/ids.ts';
import { monthOf } from '../model/month.ts';
import { compose } from '../rfc/message/compose.ts';
import { ownFields } from '../sending/deliver/compose-message.ts';
import { mailboxOf } from '../sending/deliver/stored-email.ts';
import { getEmail } from '../sending/read/get-email.ts';
import {
  mailRulesOf,
  mailSettingsOf,
  RECORDS,
  recordsOf,
  safeSendersOf,
  suppressionsOf,
} from './export-records.ts';

/** Only the owner of a file may read it. The folder may have existed before, and other users may be able to read it. */
const FOR_OWNER = { mode: 0o600 };
/** The number of emails in memory at a time. An email has up to 4 MiB. */
const AT_ONCE = 16;

/** Exports a project to a folder. @returns the number of exported emails @throws AppError bad-request if the folder is not empty */
export async function exportProject(
  database: Database,
  blobs: Pick<Blobs, 'open'>,
  project: { id: string; name: string },
  folder: string,
): Promise<number> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0)
    throw new AppError('bad-request', `${folder} is not empty. Choose a new folder.`);
  const about = await describeProject(database, project);
  await writeFile(join(folder, 'project.json'), `${JSON.stringify(about, null, 2)}\n`, FOR_OWNER);
  for (const [file, records] of filesOf(database, project.id))
    await writeLines(join(folder, `${file}.ndjson`), records);
  let emails = 0;
  await writeLines(
    join(folder, 'emails.ndjson'),
    (async function* () {
      for await (const [id, email] of emailsOf(database, project.id, AT_ONCE)) {
        emails += 1;
        const message = await messageOf(database, blobs, { projectId: project.id, emailId: id, email });
        if (message !== null) await writeMessage(folder, { id, email, message });
        yield email;
      }
    })(),
  );
  return emails;
}

/** The project, its settings and its usage. */
export async function describeProject(
  database: Database,
  { id, name }: { id: string; name: string },
): Promise<object> {
  const settings = await readProjectSettings(database, id);
  const usage = await readUsage(database, id, monthOf(clock.now()));
  return { id: encodeId('prj', id), name, ...settings, usage };
}

/** The project's data other than emails, by file name. */
export function* filesOf(
  database: Database,
  projectId: string,
): Generator<[file: string, records: AsyncIterable<object>]> {
  for (const record of RECORDS) yield [record.file, recordsOf(database, projectId, record)];
  yield ['aliases', aliasesOf(database, projectId)];
  yield ['mail-rules', mailRulesOf(database, projectId)];
  yield ['mail-settings', mailSettingsOf(database, projectId)];
  yield ['safe-senders', safeSendersOf(database, projectId)];
  yield ['suppressions', suppressionsOf(database, projectId)];
}

async function* aliasesOf(database: Database, projectId: string): AsyncGenerator<object> {
  yield* (await listAliases(database, projectId)).data;
}

/** All current emails, newest first. @param atOnce the number of emails in memory at a time */
export async function* emailsOf(
  database: Database,
  projectId: string,
  atOnce: number,
): AsyncGenerator<[id: string, email: EmailDetail]> {
  for (let before = firstUuidAt(clock.now()); ; ) {
    const rows = await database
      .selectFrom('emails')
      .select('id')
      .where('projectId', '=', projectId)
      .where('id', '<', before)
      .orderBy('id', 'desc')
      .limit(atOnce)
      .execute();
    const emails = await Promise.all(rows.map(({ id }) => getEmail(database, projectId, id)));
    for (const [at, email] of emails.entries()) {
      // The email is null if it was deleted after the ids were read.
      if (email !== null) yield [rows[at]?.id ?? '', email];
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    before = last.id;
  }
}

async function writeLines(path: string, records: Iterable<object> | AsyncIterable<object>): Promise<void> {
  const lines = Readable.from(records).map((record: object) => `${JSON.stringify(record)}\n`);
  await pipeline(lines, createWriteStream(path, FOR_OWNER));
}

/**
 * Writes the message as it was accepted, without what was added when it was sent: the DKIM signature, tracking and our own header field.
 */
async function writeMessage(
  folder: string,
  { id, email, message }: { id: string; email: EmailDetail; message: Buffer },
): Promise<void> {
  // One folder per day, so that no folder has too many entries for users and file systems.
  const day = join(folder, 'messages', timeOf(id).toISOString().slice(0, 10));
  await mkdir(day, { recursive: true, mode: 0o700 });
  await writeFile(join(day, `${email.id}.eml`), message, FOR_OWNER);
}

/** @returns null if the bodies were deleted */
async function messageOf(
  database: Database,
  blobs: Pick<Blobs, 'open'>,
  { projectId, emailId, email }: { projectId: string; emailId: string; email: EmailDetail },
): Promise<Buffer | null> {
  const stored = await database
    .selectFrom('emailMessages')
    .select('digest')
    .where((row) => rowIs(row, { projectId, emailId }))
    .executeTakeFirst();
  if (stored === undefined)
    return email.html === '' && email.text === '' ? null : composedMessage(emailId, email);
  const octets = await (await blobs.open(projectId, stored.digest))?.read();
  if (octets == null) return null;
  const { from, to, cc, reply_to: replyTo, headers } = email;
  const { fields } = ownFields({ sender: from, toList: to, cc, replyTo, headers });
  return Buffer.concat([Buffer.from(fields), octets]);
}

function composedMessage(emailId: string, email: EmailDetail): Buffer {
  const replyTo =
    email.reply_to ?? Object.entries(email.headers).find(([name]) => isReplyTo(name))?.[1] ?? null;
  const { header, body } = compose({
    from: mailboxOf(email.from),
    to: email.to.map(mailboxOf),
    cc: email.cc.map(mailboxOf),
    replyTo: replyTo === null ? [] : [mailboxOf(replyTo)],
    subject: email.subject,
    html: email.html,
    text: email.text,
    headers: Object.entries(email.headers).filter(([name]) => !isReplyTo(name)),
    messageId: email.message_id,
    date: timeOf(emailId),
  });
  return Buffer.concat([Buffer.from(`${header}\r\n`), body]);
}

function isReplyTo(name: string): boolean {
  return name.toLowerCase() === 'reply-to';
}
