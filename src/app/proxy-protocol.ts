/** Applies POSTHORN_PROXY_PROTOCOL to one port. */
import type { ProxyFault, ProxyProtocol } from '../doors/tcp/listener.ts';
import { Networks } from '../net/networks.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import type { MAIL_DOORS } from './config-readers.ts';
import type { RoleContext } from './role-context.ts';

export type MailListener = (typeof MAIL_DOORS)[number];

/** Each kind of fault is logged at most once in this time for each port. Attack: a flood of faulty connections fills the log. */
const LINE_EVERY_MS = 60_000;

/** @param door the name of the port */
export function proxyProtocolOf(
  { config, logger }: Pick<RoleContext, 'config' | 'logger'>,
  door: MailListener,
): ProxyProtocol {
  const networks = config.proxyProtocol.flatMap((item) => {
    const [name, network = ''] = item.split('=');
    return name === door || name === 'all' ? [network] : [];
  });
  const logged = new Map<ProxyFault, { atMs: number; since: number }>();
  return {
    networks: new Networks(networks),
    onFault(fault, clientAddress) {
      const last = logged.get(fault);
      const nowMs = performance.now();
      if (last !== undefined && nowMs - last.atMs < LINE_EVERY_MS) {
        last.since += 1;
        return;
      }
      logged.set(fault, { atMs: nowMs, since: 0 });
      logger.warn({ door, fault, clientAddress, unlogged: last?.since ?? 0 }, LOG_MESSAGES.proxyFault);
    },
  };
}
