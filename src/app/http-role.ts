import { QueueNotifier } from '../db/notify.ts';
import { trustsHand } from '../domains/sending-domains.ts';
import { AccountMail } from '../sending/service-mail/account-mail.ts';
import { prepareServiceMail } from '../sending/service-mail/prepare-service-mail.ts';
import { ServiceMail } from '../sending/service-mail/service-mail.ts';
import { UserSignIn } from '../accounts/user-sign-in.ts';
import type { Database } from '../db/database.ts';
import { checkSecret } from '../db/seal.ts';
import type { Readiness } from '../edge/http/readiness.ts';
import { startHttp } from '../edge/http/server.ts';
import type { OtherFigures } from '../metrics/exposition.ts';
import { createAcceptor } from './acceptor.ts';
import { createDashboardServices } from './dashboard-services.ts';
import { createFileLinks } from './file-links.ts';
import { createHttpServices } from './http-services.ts';
import { createEmailInspector } from './email-inspector.ts';
import { EmailLists } from '../sending/read/email-lists.ts';
import { SingleEmails } from '../sending/read/single-emails.ts';
import { TIMINGS as INSPECT_TIMINGS } from '../inspect/timings.ts';
import { EmailSearch } from '../sending/search/email-search.ts';
import { createMailClientServices } from './mail-client-services.ts';
import { mailAccess, submissionOf } from './mail-access.ts';
import type { MailServices } from './mail-services.ts';
import { openMetrics } from './metrics.ts';
import { ownUrl } from './own-address.ts';
import { hasHttps, type OpenPorts } from './ports.ts';
import { openPool, openReads, type RoleContext } from './role-context.ts';
import { createSubmitter } from './submitter.ts';
import { createSystem } from './system.ts';
import { TemplatePages } from '../templates/template-pages.ts';
import { openSesFeedback } from './ses-feedback.ts';

/** Each has it for a millisecond. */
const EMAIL_CONNECTIONS = 2;
/** Of those who look at single emails in the dashboard. */
const INSPECT_CONNECTIONS = 2;
/** Of all else there that may take long. */
const DASHBOARD_CONNECTIONS = 2;
/** Of those who read their mail in a browser: a page of a list takes a few milliseconds. */
const WEB_MAIL_CONNECTIONS = 3;
/** People search now and then, and accepting needs the processor. */
const SEARCH_CONNECTIONS = 2;

export interface HttpRoleOptions {
  /** Of the process, where emails are accepted. */
  database: Database;
  mail: MailServices;
  readiness: Readiness;
  otherFigures(): Promise<OtherFigures>;
}

/** @returns the ports of the API; the one with TLS is open where it is wanted, and there is a certificate or ACME gets one */
export async function startHttpRole(
  context: RoleContext,
  { database, mail, readiness, otherFigures }: HttpRoleOptions,
): Promise<Pick<OpenPorts, 'http' | 'https'>> {
  const { stack, assignment, config, logger, presence, certificates } = context;
  const metrics = openMetrics(context, otherFigures);
  // Pages of a large log must not take the connections that accepting needs, nor those that show one email.
  const lists = new EmailLists(openReads(context, 'lists', config.readConnections));
  const emails = new SingleEmails(openReads(context, 'emails', EMAIL_CONNECTIONS));
  const reads = openReads(context, 'dashboard', DASHBOARD_CONNECTIONS);
  const emailSearch = new EmailSearch(openReads(context, 'search', SEARCH_CONNECTIONS));
  const sealer = await checkSecret(database, assignment.secret);
  const inspector = stack.use(
    createEmailInspector({
      database: openPool(context, {
        name: 'inspect',
        poolSize: INSPECT_CONNECTIONS,
        statementTimeoutMs: INSPECT_TIMINGS.readTimeoutMs,
        readsOnly: true,
      }),
      connections: INSPECT_CONNECTIONS,
      sealer,
      config,
    }),
  );
  let port = assignment.ports.http;
  const baseUrl = () => ownUrl(config, port);
  const receiveSesNotification = await openSesFeedback(context, sealer);
  const services = {
    database,
    lists,
    emails,
    sealer,
    readiness,
    config,
    receiveSesNotification,
    acceptor: stack.use(createAcceptor({ database, config, baseUrl })),
    mailAccess: mailAccess(config),
  };
  const signIn = stack.use(new UserSignIn({ database, logger }));
  const httpServices = createHttpServices(services);
  await prepareServiceMail({
    database,
    sealer,
    logger,
    from: config.mailFrom,
    hostedDomain: config.hostedDomain,
    trustsHand: trustsHand(config),
  });
  const accountMail = stack.use(
    new AccountMail({
      database,
      baseUrl,
      logger,
      mail: new ServiceMail({
        from: config.mailFrom,
        hostedDomain: config.hostedDomain,
        sealer,
        trustsHand: trustsHand(config),
      }),
      onQueued: new QueueNotifier(database).wake,
    }),
  );
  const webMail = openReads(context, 'web-mail', WEB_MAIL_CONNECTIONS);
  const mailAddress = {
    baseUrl: config.mailUrl ?? config.baseUrl,
    environment: config.environment,
    setting: config.mailUrl === null ? 'POSTHORN_BASE_URL' : 'POSTHORN_MAIL_URL',
  } as const;
  const http = await startHttp(httpServices, {
    place: { addresses: config.listen, port },
    ...(hasHttps(config) && {
      https: { ...certificates, place: { addresses: config.listen, port: assignment.ports.https } },
    }),
    answers: certificates.answers,
    rateLimit: config.rateLimit,
    processes: () => presence.shareOf('http').count,
    trustedProxies: config.trustedProxies,
    baseUrl: config.baseUrl,
    securityContact: config.securityContact,
    instance: () => ({
      address: baseUrl(),
      webClient: `${config.mailUrl ?? baseUrl()}/mail`,
      hostedDomain: config.hostedDomain,
      submission: submissionOf(services.mailAccess),
    }),
    logger,
    metrics,
    dashboard: {
      services: createDashboardServices({
        database,
        emailSearch,
        http: httpServices,
        inspector,
        signIn,
        templatePages: stack.use(new TemplatePages(database, httpServices.templates)),
        baseUrl,
        config,
        reads,
        system: createSystem(stack, { database, databaseUrl: assignment.databaseUrl, reads, config }),
        sealer,
        accountMail,
        logger,
      }),
      address: {
        baseUrl: config.baseUrl,
        environment: config.environment,
        setting: 'POSTHORN_BASE_URL',
      },
    },
    mailClient: {
      services: createMailClientServices(stack, {
        database,
        mail,
        sealer,
        config,
        logger,
        mailUrl: () => config.mailUrl ?? baseUrl(),
        reads: webMail,
        searches: openReads(context, 'web-mail-search', SEARCH_CONNECTIONS),
        submitter: stack.use(createSubmitter(database, mail, config)),
      }),
      address: mailAddress,
      url: config.mailUrl,
    },
    fileLinks: {
      ...createFileLinks(stack, {
        database: mail.database,
        objects: mail.objects,
        reads: webMail,
        sealer,
        config,
      }),
      address: mailAddress,
    },
  });
  ({ port } = stack.use(http));
  return { http: port, https: http.httpsPort };
}
