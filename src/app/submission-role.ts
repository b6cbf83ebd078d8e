import { ApiKeys } from '../accounts/api-keys.ts';
import type { Database } from '../db/database.ts';
import { startSubmissionListener } from '../edge/smtp/submission/listener.ts';
import { openWriter } from '../edge/smtp/submission/open-writer.ts';
import { bucketsOfKeys } from '../model/rate-limit.ts';
import { MailAcceptor } from '../sending/accept/mail/mail-acceptor.ts';
import { MailReader } from '../sending/accept/mail/mail-reader.ts';
import { createAcceptor } from './acceptor.ts';
import type { MailServices } from './mail-services.ts';
import { openPortPair } from './port-pair.ts';
import type { OpenPorts } from './ports.ts';
import type { RoleContext } from './role-context.ts';
import { createSubmitter } from './submitter.ts';

export interface SubmissionRoleOptions {
  /** Of the process, where emails are accepted. */
  database: Database;
  mail: MailServices;
  /** See `AcceptorSettings`. */
  baseUrl(): string;
}

/** @returns the ports of submission; the one with TLS from the first byte is open where there is a certificate */
export async function startSubmissionRole(
  context: RoleContext,
  { database, baseUrl, mail }: SubmissionRoleOptions,
): Promise<Pick<OpenPorts, 'submission' | 'submissions'>> {
  const { stack, config, logger, presence } = context;
  const { hostname } = config;
  const { signIn } = mail;
  const submitter = stack.use(createSubmitter(database, mail, config));
  const open = openWriter({
    signIn,
    submitter,
    apiKeys: new ApiKeys(database),
    mails: new MailAcceptor({
      acceptor: stack.use(createAcceptor({ database, config, baseUrl })),
      reader: stack.use(new MailReader()),
    }),
    requests: bucketsOfKeys(config.rateLimit, () => presence.shareOf('submission').count),
    logger,
  });
  return openPortPair(context, { plain: 'submission', secure: 'submissions' }, (at) =>
    startSubmissionListener({
      ...at,
      hostname,
      secureContext: context.certificates.secureContext,
      open,
    }),
  );
}
