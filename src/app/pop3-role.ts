import { NameLocks } from '../db/name-locks.ts';
import { startPop3Listener } from '../doors/pop3/listener.ts';
import type { MailServices } from './mail-services.ts';
import { openPortPair } from './port-pair.ts';
import type { OpenPorts } from './ports.ts';
import type { RoleContext } from './role-context.ts';

/** @returns the ports of POP3; null for the TLS port while there is no certificate */
export async function startPop3Role(
  context: RoleContext,
  services: MailServices,
): Promise<Pick<OpenPorts, 'pop3' | 'pop3s'>> {
  const { stack, assignment, config, logger } = context;
  const options = {
    ...services,
    names: stack.use(new NameLocks(assignment.databaseUrl)),
    hostname: config.hostname,
    secureContext: context.certificates.secureContext,
    logger,
  };
  return openPortPair(context, { plain: 'pop3', secure: 'pop3s' }, (at) =>
    startPop3Listener({ ...options, ...at }),
  );
}
