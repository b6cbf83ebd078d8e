import { MessageParts } from '../doors/imap/fetch/message-parts.ts';
import { searchSlots } from '../doors/imap/searching.ts';
import { startImapListener } from '../doors/imap/listener.ts';
import type { MailServices } from './mail-services.ts';
import { openPortPair } from './port-pair.ts';
import type { OpenPorts } from './ports.ts';
import type { RoleContext } from './role-context.ts';

/** @returns the ports of IMAP; null for the TLS port while there is no certificate */
export async function startImapRole(
  context: RoleContext,
  services: MailServices,
): Promise<Pick<OpenPorts, 'imap' | 'imaps'>> {
  const { stack, config, logger } = context;
  const options = {
    services: {
      ...services,
      parts: stack.use(new MessageParts()),
      searches: searchSlots(config.mailConnections),
      hostname: config.hostname,
      maxMessageOctets: config.maxImportMb * 1024 * 1024,
      logger,
    },
    secureContext: context.certificates.secureContext,
  };
  return openPortPair(context, { plain: 'imap', secure: 'imaps' }, (at) =>
    startImapListener({ ...options, ...at }),
  );
}
