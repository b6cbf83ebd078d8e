import { QueueNotifier } from '../db/notify.ts';
import { checkSecret } from '../db/seal.ts';
import { startSmtpListener } from '../edge/smtp/listener.ts';
import { Networks } from '../net/networks.ts';
import { type MailAddressee, MailReceiver } from '../receiving/mail-receiver.ts';
import { OperatorMail } from '../receiving/operators/operator-mail.ts';
import { Router } from '../receiving/route/router.ts';
import { ReportReceiver } from '../reports/receive/report-receiver.ts';
import { RETURN_PATH_KEY, ReturnPaths } from '../reports/return-path.ts';
import { createFiler } from './filer.ts';
import { createMxWatch, mailDomains } from './mail-domains.ts';
import { proxyProtocolOf } from './proxy-protocol.ts';
import { FactsReader } from '../store/facts/facts-reader.ts';
import { openPool, type RoleContext } from './role-context.ts';

/** @returns the port that mail from outside comes in at */
export async function startSmtpRole(context: RoleContext): Promise<number> {
  const { stack, assignment, config, logger } = context;
  const { hostname, postmaster } = config;
  // A flood of mail must not take the connections that accepting needs.
  const database = openPool(context, { name: 'reports', poolSize: config.reportConnections });
  const sealer = await checkSecret(database, assignment.secret);
  const receiver = new MailReceiver({
    reports: new ReportReceiver({
      database,
      returnPaths: new ReturnPaths(sealer.deriveKey(RETURN_PATH_KEY)),
      logger,
      onEvents: new QueueNotifier(database).wake,
    }),
    router: new Router({
      database,
      hostname,
      postmaster,
      ...mailDomains(config),
      mxWatch: createMxWatch(database, config),
    }),
    filer: await createFiler(context, database),
    operatorMail: new OperatorMail({ database, facts: stack.use(new FactsReader()) }),
    logger,
  });
  const relays = new Networks(config.trustedRelays);
  const listener = await startSmtpListener<MailAddressee>({
    place: { addresses: config.listen, port: assignment.ports.smtp },
    proxy: proxyProtocolOf(context, 'smtp'),
    isRelay: (address) => relays.includes(address),
    hostname,
    secureContext: context.certificates.secureContext,
    route: (paths, taken) => receiver.route(paths, taken),
    receive: ({ client, recipients, ...envelope }, raw) =>
      receiver.receive(
        { ...envelope, ...client, raw },
        recipients.map(({ addressee }) => addressee),
      ),
  });
  return stack.use(listener).port;
}
