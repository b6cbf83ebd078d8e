/** The sign-in settings and sessions that the owner of a mailbox can see and change. */
import { sql } from 'kysely';
import { recordChange } from '../../accounts/audit.ts';
import { describePasskey } from '../../accounts/factors/describe-account.ts';
import { readFactors } from '../../accounts/factors/factors.ts';
import type { Passkeys } from '../../accounts/factors/passkeys.ts';
import type { MailOwnAccount, MailSessions } from '../../contract/mail/account.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { encodeId } from '../../model/ids.ts';
import { readSignIns } from './mailbox-access.ts';
import { type MailboxId, MAILBOXES } from './mailbox-realm.ts';
import type { WebSession } from '../../accounts/calls.ts';
import { endOtherWebSessions, listWebSessions } from './web-sessions.ts';

const MAX_ALIASES = 100;

const ALIAS = columnsOf({ address: 'text' });

/** @throws AppError not-found */
export async function describeOwnAccount(
  { database, passkeys }: { database: Database; passkeys: Passkeys<MailboxId> },
  { projectId, mailboxId, address }: Pick<WebSession, 'projectId' | 'mailboxId' | 'address'>,
): Promise<Omit<MailOwnAccount, 'passkeys_at'>> {
  const mailbox = { projectId, mailboxId };
  const factors = await readFactors(database, MAILBOXES, mailbox);
  const { rows: aliases } = await ALIAS.sql`
    select a.local_part || '@' || a.domain as address
    from alias_mailboxes m join aliases a on a.project_id = m.project_id and a.id = m.alias_id
    where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} order by a.id limit ${MAX_ALIASES}`.execute(
    database,
  );
  return {
    address,
    aliases: aliases.map((alias) => alias.address),
    authenticator_app: factors.hasTotp,
    recovery_codes: factors.recoveryCodes,
    passkeys: (await passkeys.list(mailbox)).map(describePasskey),
    confirms_by: [
      'password',
      ...(factors.hasTotp ? (['code'] as const) : []),
      ...(factors.passkeys > 0 ? (['passkey'] as const) : []),
    ],
  };
}

/** The sessions of a mailbox, in browsers and in mail apps. */
export async function listOwnSessions(
  database: Database,
  { projectId, mailboxId, sessionId }: Pick<WebSession, 'projectId' | 'mailboxId' | 'sessionId'>,
): Promise<MailSessions> {
  const browsers = await listWebSessions(database, { projectId, mailboxId });
  const found = await readSignIns(database, { projectId, mailboxId });
  return {
    browsers: browsers.map(({ id, address, userAgent, createdAt, usedAt }) => ({
      id: encodeId('ses', id),
      is_current: id === sessionId,
      address,
      user_agent: userAgent,
      created_at: createdAt.toISOString(),
      last_used_at: usedAt.toISOString(),
    })),
    apps: found?.sessions.filter(({ door }) => door !== 'web') ?? [],
    sign_ins: found?.sign_ins ?? [],
  };
}

/** Ends all sessions except the caller's, in browsers and in mail apps, within two seconds. */
export async function endOtherSessions(
  database: Database,
  {
    projectId,
    mailboxId,
    sessionId,
    address,
  }: Pick<WebSession, 'projectId' | 'mailboxId' | 'sessionId' | 'address'>,
): Promise<void> {
  await database.transaction().execute(async (tx) => {
    await sql`
      with ended as (
        update mailboxes set sessions_version = sessions_version % 2000000000 + 1
        where project_id = ${projectId} and id = ${mailboxId} returning sessions_version
      )
      update web_sessions w set sessions_version = ended.sessions_version from ended
      where w.project_id = ${projectId} and w.mailbox_id = ${mailboxId} and w.id = ${sessionId}`.execute(tx);
    await endOtherWebSessions(tx, { projectId, mailboxId }, sessionId);
    await recordChange(tx, {
      of: { projectId },
      action: 'mailbox.end-sessions',
      target: encodeId('mbx', mailboxId),
      targetName: address,
    });
  });
}
