import { MessageParts } from '../edge/imap/fetch/message-parts.ts';
import { searchTurns } from '../edge/imap/searching.ts';
import { startImapListener } from '../edge/imap/listener.ts';
import type { MailServices } from './mail-services.ts';
import type { OpenPorts } from './ports.ts';
import type { RoleContext } from './role-context.ts';

/** @returns the ports of IMAP; the one with TLS from the first byte is open where there is a certificate */
export async function startImapRole(
  { stack, assignment, config, logger }: RoleContext,
  { certificate, ...services }: MailServices,
): Promise<Pick<OpenPorts, 'imap' | 'imaps'>> {
  const options = {
    services: {
      ...services,
      parts: stack.use(new MessageParts()),
      searches: searchTurns(config.mailConnections),
      hostname: config.hostname,
      logger,
    },
    secureContext: certificate === null ? null : () => certificate.current(),
  };
  const start = async (name: 'imap' | 'imaps') => {
    const place = { addresses: config.listen, port: assignment.ports[name] };
    return stack.use(await startImapListener({ ...options, place, isSecure: name === 'imaps' })).port;
  };
  return { imap: await start('imap'), imaps: certificate === null ? null : await start('imaps') };
}
