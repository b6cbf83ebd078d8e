import { Blobs } from '../blobs/blobs.ts';
import { QueueNotifier } from '../db/notify.ts';
import { checkSecret } from '../db/seal.ts';
import { startSmtpListener } from '../edge/smtp/listener.ts';
import { Certificate } from '../edge/tcp/certificate.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { Examiner } from '../receiving/examine/examiner.ts';
import { MessageFiler } from '../receiving/file/message-filer.ts';
import { type MailAddressee, MailReceiver } from '../receiving/mail-receiver.ts';
import { Router } from '../receiving/route/router.ts';
import { Bayes } from '../receiving/spam/bayes.ts';
import { Rspamd } from '../receiving/spam/rspamd.ts';
import { ReportReceiver } from '../reports/receive/report-receiver.ts';
import { RETURN_PATH_KEY, ReturnPaths } from '../reports/return-path.ts';
import { FactsReader } from '../store/facts/facts-reader.ts';
import { SearchIndexer } from '../store/search/search-indexer.ts';
import { Store } from '../store/store.ts';
import { openObjects } from './objects.ts';
import { openPool, type RoleContext } from './role-context.ts';

/** @returns the port that mail from outside comes in at */
export async function startSmtpRole(context: RoleContext): Promise<number> {
  const { stack, assignment, config, logger } = context;
  const { hostname, hostedDomain, postmaster, environment } = config;
  // A flood of mail must not take the connections that accepting needs.
  const database = openPool(context, { name: 'reports', poolSize: config.reportConnections });
  const sealer = await checkSecret(database, assignment.secret);
  const certificate =
    config.tls === null
      ? null
      : new Certificate(config.tls, (error) =>
          logger.error({ err: error }, LOG_MESSAGES.certificateUnusable),
        );
  const takesUnverified = environment === 'development';
  const receiver = new MailReceiver({
    reports: new ReportReceiver({
      database,
      returnPaths: new ReturnPaths(sealer.deriveKey(RETURN_PATH_KEY)),
      logger,
      onEvents: new QueueNotifier(database).wake,
    }),
    router: new Router({ database, hostname, hostedDomain, postmaster, takesUnverified }),
    filer: new MessageFiler({
      hostname,
      examiner: stack.use(
        new Examiner({
          hostname,
          dns: config.dns,
          bayes: new Bayes(database),
          rspamd: config.rspamdUrl === null ? null : stack.use(new Rspamd(config.rspamdUrl)),
          logger,
        }),
      ),
      blobs: new Blobs(database, openObjects(config, stack)),
      facts: stack.use(new FactsReader()),
      store: new Store(
        database,
        stack.use(
          new SearchIndexer(assignment.databaseUrl, (error) =>
            logger.error({ err: error }, LOG_MESSAGES.indexingFailed),
          ),
        ),
      ),
      logger,
    }),
    logger,
  });
  const listener = await startSmtpListener<MailAddressee>({
    place: { addresses: config.listen, port: assignment.ports.smtp },
    hostname,
    secureContext: certificate === null ? null : () => certificate.current(),
    route: (paths) => receiver.route(paths),
    receive: ({ client, recipients, ...envelope }, raw) =>
      receiver.receive(
        { ...envelope, ...client, raw },
        recipients.map(({ addressee }) => addressee),
      ),
  });
  return stack.use(listener).port;
}
