/** Mailboxes of a running service for third-party mail apps, and their contents as IMAP shows them. */
import assert from 'node:assert/strict';
import { ImapWire } from '../../src/doors/imap/wire.fixture.ts';
import { shareMailbox, unshareMailbox } from '../../src/mailboxes/sharing/grants.ts';
import { decodeId } from '../../src/model/ids.ts';
import type { MailboxAccess } from '../../src/model/mailbox-rights.ts';
import type { Service } from '../support/service.ts';

export const PASSWORD = 'correct-horse-battery';

export interface Mailbox {
  host: string;
  imapPort: number;
  pop3Port: number;
  user: string;
  password: string;
}

export function message(subject: string, text = 'Hello'): string {
  return `From: Anna <anna@a.example>\r\nTo: Bert <bert@b.example>\r\nSubject: ${subject}\r\nDate: Sun, 22 Nov 2026 10:00:00 +0000\r\nMessage-ID: <${subject}@a.example>\r\n\r\n${text}\r\n`;
}

/** The configuration of mpop, which fetches mail by POP3 into a Maildir in the folder and leaves it on the server. */
export function mpopConfig(
  { pop3Port, user }: Pick<Mailbox, 'pop3Port' | 'user'>,
  folder: string,
  maildir: string,
): string {
  return `account us
host 127.0.0.1
port ${pop3Port}
user ${user}
password ${PASSWORD}
auth plain
tls on
tls_starttls on
tls_certcheck off
keep on
uidls_file ${folder}/uidls
received_header off
delivery maildir ${folder}/${maildir}
`;
}

/** The command that appends a message. */
export function append(folder: string, text: string): string {
  return `append APPEND "${folder}" {${text.length}+}\r\n${text}`;
}

/** Creates mailboxes of a service. */
export function newMailboxes(service: Service) {
  async function hostedDomain(): Promise<string | undefined> {
    const { body } = await service
      .client()
      .get<{ data: { id: string; is_hosted: boolean }[] }>('/v1/domains');
    return body.data.find(({ is_hosted }) => is_hosted)?.id;
  }

  /** Creates a mailbox with the given messages in its Inbox. */
  async function newMailbox(localPart: string, messages: readonly string[] = []): Promise<Mailbox> {
    const fields = { domain_id: await hostedDomain(), local_part: localPart, password: PASSWORD };
    const { status } = await service.client().post('/v1/mailboxes', fields);
    assert.equal(status, 201);
    const mailbox = {
      host: '127.0.0.1',
      imapPort: service.imapPort,
      pop3Port: service.pop3Port,
      user: `${localPart}@posthorn.localhost`,
      password: PASSWORD,
    };
    await byImap(
      mailbox,
      messages.map((text) => append('INBOX', text)),
    );
    return mailbox;
  }

  /** Creates a shared mailbox with messages, and its only member. @returns the member, the start of the shared folders' names, and functions that change and revoke the grant */
  async function newShared(name: string, access: MailboxAccess, messages: readonly string[]) {
    const { body } = await service.client().post<{ id: string; address: string }>('/v1/mailboxes', {
      domain_id: await hostedDomain(),
      local_part: `${name}-info`,
      is_shared: true,
    });
    const member = await newMailbox(`${name}-ann`);
    const mailboxId = decodeId('mbx', body.id) ?? assert.fail(body.id);
    const { projectId } = await service.database
      .selectFrom('mailboxes')
      .select('projectId')
      .where('id', '=', mailboxId)
      .executeTakeFirstOrThrow();
    const share = (right: MailboxAccess) =>
      shareMailbox(
        service.database,
        { projectId, mailboxId },
        { member: member.user, access: right, sending: 'none' },
      );
    const revoke = () => unshareMailbox(service.database, { projectId, mailboxId }, member.user);
    await share('write');
    const prefix = `Shared/${body.address}`;
    await byImap(
      member,
      messages.map((text) => append(`${prefix}/INBOX`, text)),
    );
    await share(access);
    return { member, prefix, share, revoke };
  }

  return { newMailbox, newShared };
}

/** Runs IMAP commands, as another mail app would. @returns all lines of the responses */
export async function byImap(mailbox: Mailbox, commands: readonly string[]): Promise<string[]> {
  using wire = await ImapWire.connect({ host: mailbox.host, port: mailbox.imapPort });
  await wire.signIn(mailbox);
  const responses: string[] = [];
  for (const command of commands) {
    const lines = await wire.command(command);
    assert.match(lines.at(-1) ?? '', /^\S+ OK/, command);
    responses.push(...lines);
  }
  return responses;
}

/** The subjects of a folder's messages with their flags, in the order of their UIDs. */
export async function shown(mailbox: Mailbox, name: string): Promise<string[]> {
  const responses = await byImap(mailbox, [
    `a EXAMINE "${name}"`,
    'b UID FETCH 1:* (FLAGS BODY.PEEK[HEADER.FIELDS (SUBJECT)])',
  ]);
  return responses.flatMap((line) => {
    const [, flags, subject] = /FLAGS \(([^)]*)\).*Subject: (\S+?)\\r/.exec(line) ?? [];
    const own = (flags ?? '').split(' ').filter((flag) => flag !== '\\Recent' && flag !== '');
    return subject === undefined ? [] : [[subject, ...own.sort()].join(' ')];
  });
}
