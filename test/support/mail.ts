/** Mailboxes and messages for tests of the mail store. */
import { hash } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import type { Database } from '../../src/db/database.ts';
import { localPartKey } from '../../src/mailboxes/local-part.ts';
import { newUuid } from '../../src/model/ids.ts';
import type { NewMessage } from '../../src/store/append.ts';
import type { MessageFacts } from '../../src/store/facts/message-facts.ts';
import type { MailboxKey } from '../../src/store/lock-mailboxes.ts';
import { newDomain, newProject } from './projects.ts';

/** A mailbox of a new or an existing project. */
export async function newMailbox(
  database: Database,
  fields: { projectId?: string; mailboxId?: string; quotaMb?: number; plan?: 'free' | 'paid' } = {},
): Promise<MailboxKey> {
  const projectId = fields.projectId ?? (await newProject(database, newUuid(), fields.plan));
  const id = fields.mailboxId ?? newUuid();
  const name = `${id.slice(-12)}.example`;
  await database
    .insertInto('mailboxes')
    .values({
      projectId,
      id,
      domainId: await newDomain(database, projectId, name),
      domain: name,
      localPart: 'anna',
      localPartKey: 'anna',
      displayName: null,
      passwordHash: null,
      isCatchAll: false,
      quotaMb: fields.quotaMb ?? 1_024,
      dailySendLimit: null,
      spamLevel: null,
      replyTo: null,
      signatureHtml: null,
      createdAt: new Date(),
    })
    .execute();
  return { projectId, mailboxId: id };
}

/** An alias on the domain of its first mailbox. @returns the UUID of the alias */
export async function newAlias(
  database: Database,
  localPart: string,
  mailboxes: readonly [MailboxKey, ...MailboxKey[]],
  fields: { domainId?: string; domain?: string } = {},
): Promise<string> {
  const [{ projectId, mailboxId }] = mailboxes;
  const id = newUuid();
  const domain = await database
    .selectFrom('mailboxes')
    .select(['domainId', 'domain'])
    .where('projectId', '=', projectId)
    .where('id', '=', mailboxId)
    .executeTakeFirstOrThrow();
  await database
    .insertInto('aliases')
    .values({
      projectId,
      id,
      ...domain,
      localPart,
      localPartKey: localPartKey(localPart),
      createdAt: new Date(),
      ...fields,
    })
    .execute();
  await database
    .insertInto('aliasMailboxes')
    .values(mailboxes.map((mailbox) => ({ ...mailbox, aliasId: id })))
    .execute();
  return id;
}

const FACTS: MessageFacts = {
  messageId: null,
  references: [],
  ancestors: [],
  subject: '',
  baseSubject: '',
  from: [],
  replyTo: [],
  to: [],
  cc: [],
  bcc: [],
  sentAt: null,
  sentOn: null,
  preview: '',
  attachments: 0,
  crlfGrowth: 0,
  event: null,
  envelope: '(NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL)',
  bodyStructure: '("TEXT" "PLAIN" NIL NIL NIL "7BIT" 0 0 NIL NIL NIL NIL)',
  usualFields: null,
  text: '',
  header: '',
};

/** A message for the Inbox. Default: unique bytes. */
export function newMessage(
  mailbox: MailboxKey,
  {
    bytes = Buffer.from(`Subject: ${newUuid()}\r\n\r\n`),
    facts,
    ...fields
  }: Partial<Omit<NewMessage, 'facts' | 'blob'> & { facts: Partial<MessageFacts>; bytes: Buffer }> = {},
): NewMessage {
  const { projectId, mailboxId } = mailbox;
  return {
    projectId,
    mailboxId,
    folder: { role: 'inbox' },
    blob: {
      projectId,
      digest: hash('sha256', bytes, 'buffer'),
      size: bytes.length,
      bytes: zstdCompressSync(bytes),
      object: null,
    },
    facts: { ...FACTS, ...facts },
    flags: 0,
    keywords: [],
    internalDate: null,
    authentication: null,
    spam: null,
    ...fields,
  };
}
