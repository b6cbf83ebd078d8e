import { ApiKeys } from '../accounts/keys/api-keys.ts';
import { startSubmissionListener } from '../doors/smtp/submission/listener.ts';
import { Spool } from '../doors/smtp/spool.ts';
import { openWriter } from '../doors/smtp/submission/open-writer.ts';
import { bucketsOfFailures, bucketsOfKeys } from '../concurrency/rate-limit.ts';
import { KeptMessages } from '../sending/accept/mail/kept-messages.ts';
import { MailAcceptor } from '../sending/accept/mail/mail-acceptor.ts';
import { MailReader } from '../sending/accept/mail/mail-reader.ts';
import { createAcceptor } from './acceptor.ts';
import type { MailServices } from './mail-services.ts';
import { spoolFolder } from './objects.ts';
import { openPortPair } from './port-pair.ts';
import type { OpenPorts } from './ports.ts';
import type { RoleContext } from './role-context.ts';
import { createSubmitter } from './submitter.ts';

/** @returns the ports of submission; null for the TLS port while there is no certificate */
export async function startSubmissionRole(
  context: RoleContext,
  mail: MailServices,
): Promise<Pick<OpenPorts, 'submission' | 'submissions'>> {
  const { core, config, logger, presence } = context;
  const { hostname } = config;
  const { signIn } = mail;
  const processes = () => presence.shareOf('submission').count;
  const open = openWriter({
    signIn,
    submitter: createSubmitter(core, mail),
    apiKeys: new ApiKeys(core.database),
    mails: new MailAcceptor({
      acceptor: createAcceptor(core),
      reader: core.stack.use(new MailReader()),
      blobs: core.blobs,
      keptMessages: new KeptMessages(core.database),
    }),
    requests: bucketsOfKeys(config.rateLimit, processes),
    failures: config.rateLimit === 0 ? null : bucketsOfFailures(processes),
    logger,
  });
  const spool = new Spool(spoolFolder(config), logger);
  return openPortPair(context, { plain: 'submission', secure: 'submissions' }, (at) =>
    startSubmissionListener({
      ...at,
      hostname,
      secureContext: context.certificates.secureContext,
      open,
      spool,
    }),
  );
}
