/** Prepares the sender of service mail when a process starts. */
import type { Database } from '../../db/database.ts';
import type { Sealer } from '../../db/seal.ts';
import { ensureServiceDomain, recordServiceMailDomain } from '../../domains/service-domain.ts';
import { reserveSender } from '../../mailboxes/reserved-addresses.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { reserveFormerSender } from './reserve-former-sender.ts';
import { senderOf } from './service-mail.ts';

interface PrepareServiceMailOptions {
  database: Database;
  sealer: Sealer;
  /** The value of POSTHORN_MAIL_FROM. Null if it is not set. */
  from: string | null;
  hostedDomain: string;
  /** See `maySend`. */
  trustsManualVerification: boolean;
  logger: { warn(fields: object, message: string): void };
}

/**
 * Reserves the sender, and copies keys for the sender's domain to the installation if the installation has none. Logs the copy. An
 * unverified domain is only logged, because the domain is checked again for each message.
 */
export async function prepareServiceMail(options: PrepareServiceMailOptions): Promise<void> {
  const { database, sealer, from, hostedDomain, trustsManualVerification, logger } = options;
  const sender = senderOf({ from, hostedDomain });
  const { domain } = sender;
  await reserveSender(database, sender);
  if (from === null) await reserveFormerSender(database);
  await recordServiceMailDomain(database, domain);
  if (domain === hostedDomain) return;
  const found = await ensureServiceDomain(database, sealer, domain, trustsManualVerification);
  if (found === 'copied') logger.warn({ domain }, LOG_MESSAGES.serviceDomainCopied);
  if (found === 'pending') logger.warn({ domain }, LOG_MESSAGES.serviceDomainPending);
  if (found === 'unverified') logger.warn({ domain }, LOG_MESSAGES.serviceDomainUnverified);
}
