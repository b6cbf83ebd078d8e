import type { ListenAddress } from '../doors/tcp/listen.ts';
import type { ProxyProtocol } from '../doors/tcp/listener.ts';
import type { PortName } from './ports.ts';
import { type MailListener, proxyProtocolOf } from './proxy-protocol.ts';
import type { RoleContext } from './role-context.ts';
import { type OpenPort, openSecurePort } from './secure-port.ts';

/**
 * Opens the two ports of a protocol: the plain port, which starts in cleartext, and the port with implicit TLS.
 * @returns null instead of the TLS port as long as there is no certificate
 */
export async function openPortPair<
  Plain extends PortName & MailListener,
  Secure extends PortName & MailListener,
>(
  context: RoleContext,
  names: { plain: Plain; secure: Secure },
  open: (at: { listenAddress: ListenAddress; isSecure: boolean; proxy: ProxyProtocol }) => Promise<OpenPort>,
): Promise<Record<Plain | Secure, number | null>> {
  const { stack, config, assignment } = context;
  const at = (name: PortName & MailListener) => ({
    listenAddress: { addresses: config.listen, port: assignment.ports[name] },
    proxy: proxyProtocolOf(context, name),
  });
  const plain = stack.use(await open({ ...at(names.plain), isSecure: false })).port;
  const secure = await openSecurePort(context, names.secure, () =>
    open({ ...at(names.secure), isSecure: true }),
  );
  return { [names.plain]: plain, [names.secure]: secure } as Record<Plain | Secure, number | null>;
}
