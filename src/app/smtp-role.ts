import { startSmtpListener } from '../doors/smtp/listener.ts';
import { Spool } from '../doors/smtp/spool.ts';
import { Networks } from '../net/networks.ts';
import { type MailAddressee, MailReceiver, reportedAddressee } from '../receiving/mail-receiver.ts';
import { OperatorInbox } from '../receiving/operators/operator-mail.ts';
import { ReportReceiver } from '../reports/receive/report-receiver.ts';
import { createFiler } from './filer.ts';
import { spoolFolder } from './objects.ts';
import { proxyProtocolOf } from './proxy-protocol.ts';
import { FactsReader } from '../store/facts/facts-reader.ts';
import type { RoleContext } from './role-context.ts';
import { createRouter } from './router.ts';

/** @returns the port for incoming mail */
export async function startSmtpRole(context: RoleContext): Promise<number> {
  const { stack, assignment, config, logger } = context;
  const { hostname } = config;
  const core = context.core.on('reports');
  const { database } = core;
  await core.unseal();
  const receiver = new MailReceiver({
    reports: new ReportReceiver({
      database,
      returnPaths: core.returnPaths,
      logger,
      onEvents: core.wake,
    }),
    router: createRouter(core),
    filer: await createFiler(core, () => context.presence.shareOf('smtp').count),
    operatorMail: new OperatorInbox({ database, facts: core.stack.use(new FactsReader()) }),
    logger,
  });
  const relays = new Networks(config.trustedRelays);
  const listener = await startSmtpListener<MailAddressee>({
    listenAddress: { addresses: config.listen, port: assignment.ports.smtp },
    proxy: proxyProtocolOf(context, 'smtp'),
    isRelay: (address) => relays.includes(address),
    hostname,
    secureContext: context.certificates.secureContext,
    spool: new Spool(spoolFolder(config), logger),
    route: (paths, taken) => receiver.route(paths, taken),
    receive: ({ client, recipients, ...envelope }, raw) =>
      receiver.receive({ ...envelope, ...client, raw }, recipients.map(reportedAddressee)),
  });
  return stack.use(listener).port;
}
