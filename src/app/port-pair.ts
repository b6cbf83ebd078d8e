import type { Place } from '../edge/tcp/listen.ts';
import type { PortName } from './ports.ts';
import type { RoleContext } from './role-context.ts';
import { type OpenPort, openSecurePort } from './secure-port.ts';

/**
 * Opens the two ports of a protocol: one that begins in the clear, and one with TLS from the first byte.
 * @returns null where a port is not open yet, for want of a certificate
 */
export async function openPortPair<Plain extends PortName, Secure extends PortName>(
  context: RoleContext,
  names: { plain: Plain; secure: Secure },
  open: (at: { place: Place; isSecure: boolean }) => Promise<OpenPort>,
): Promise<Record<Plain | Secure, number | null>> {
  const { stack, config, assignment } = context;
  const placeOf = (name: PortName): Place => ({ addresses: config.listen, port: assignment.ports[name] });
  const plain = stack.use(await open({ place: placeOf(names.plain), isSecure: false })).port;
  const secure = await openSecurePort(context, names.secure, () =>
    open({ place: placeOf(names.secure), isSecure: true }),
  );
  return { [names.plain]: plain, [names.secure]: secure } as Record<Plain | Secure, number | null>;
}
