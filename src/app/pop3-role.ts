import { HeldNames } from '../db/held-names.ts';
import { startPop3Listener } from '../edge/pop3/listener.ts';
import type { MailServices } from './mail-services.ts';
import type { OpenPorts } from './ports.ts';
import type { RoleContext } from './role-context.ts';

/** @returns the ports of POP3; the one with TLS from the first byte is open where there is a certificate */
export async function startPop3Role(
  { stack, assignment, config, logger }: RoleContext,
  { certificate, ...services }: MailServices,
): Promise<Pick<OpenPorts, 'pop3' | 'pop3s'>> {
  const options = {
    ...services,
    names: stack.use(new HeldNames(assignment.databaseUrl)),
    hostname: config.hostname,
    secureContext: certificate === null ? null : () => certificate.current(),
    logger,
  };
  const start = async (name: 'pop3' | 'pop3s') => {
    const place = { addresses: config.listen, port: assignment.ports[name] };
    return stack.use(await startPop3Listener({ ...options, place, isSecure: name === 'pop3s' })).port;
  };
  return { pop3: await start('pop3'), pop3s: certificate === null ? null : await start('pop3s') };
}
