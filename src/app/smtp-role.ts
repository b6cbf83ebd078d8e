import { QueueNotifier } from '../db/notify.ts';
import { checkSecret } from '../db/seal.ts';
import { startSmtpListener } from '../edge/smtp/listener.ts';
import { Certificate } from '../edge/tcp/certificate.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { ReportReceiver } from '../reports/receive/report-receiver.ts';
import { RETURN_PATH_KEY, ReturnPaths } from '../reports/return-path.ts';
import { openPool, type RoleContext } from './role-context.ts';

/** @returns the port that bounces and complaints come in at */
export async function startSmtpRole(context: RoleContext): Promise<number> {
  const { stack, assignment, config, logger } = context;
  // A flood of reports must not take the connections that accepting needs.
  const database = openPool(context, { name: 'reports', poolSize: config.reportConnections });
  const sealer = await checkSecret(database, assignment.secret);
  const certificate =
    config.tls === null
      ? null
      : new Certificate(config.tls, (error) =>
          logger.error({ err: error }, LOG_MESSAGES.certificateUnusable),
        );
  const reports = new ReportReceiver({
    database,
    returnPaths: new ReturnPaths(sealer.deriveKey(RETURN_PATH_KEY)),
    logger,
    onEvents: new QueueNotifier(database).wake,
  });
  const listener = await startSmtpListener({
    place: { addresses: config.listen, port: assignment.ports.smtp },
    hostname: config.hostname,
    secureContext: certificate === null ? null : () => certificate.current(),
    route: async ({ forwardPath }) => {
      const addressee = reports.addresseeOf(forwardPath);
      return addressee === null ? { refusal: 'noSuchRecipient' } : { addressee };
    },
    receive: async ({ recipients }, data) => {
      await reports.receive(
        recipients.map(({ addressee }) => addressee),
        data,
      );
      return 'accepted';
    },
  });
  return stack.use(listener).port;
}
