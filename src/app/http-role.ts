import type { Readiness } from '../doors/http/readiness.ts';
import { startHttp } from '../doors/http/server.ts';
import type { OtherFigures } from '../metrics/exposition.ts';
import { prepareServiceMail } from '../sending/service-mail/prepare-service-mail.ts';
import { startAlerts } from './alerts.ts';
import { Core } from './core.ts';
import { createDashboardServices } from './dashboard-services.ts';
import { createFileLinks } from './file-links.ts';
import { createHttpServices } from './http-services.ts';
import { submissionOf } from './mail-access.ts';
import { createMailClientServices, startPushes } from './mail-client-services.ts';
import type { MailServices } from './mail-services.ts';
import { openMetrics } from './metrics.ts';
import { hasHttps, type OpenPorts } from './ports.ts';
import type { RoleContext } from './role-context.ts';
import { createSubmitter } from './submitter.ts';
import type { BaseCore } from './base-core.ts';

export interface HttpRoleOptions {
  mail: MailServices;
  readiness: Readiness;
  otherFigures(): Promise<OtherFigures>;
}

/** @returns the ports of the API; `https` is null unless the port is configured with a certificate or with ACME, `devSmtp` unless `posthorn dev` runs */
export async function startHttpRole(
  context: RoleContext,
  { mail, readiness, otherFigures }: HttpRoleOptions,
): Promise<Pick<OpenPorts, 'http' | 'https' | 'devSmtp'>> {
  const { stack, assignment, config, logger, presence, certificates } = context;
  const core = Core.over(context.core);
  const { baseUrl, database, trustsManualVerification, mailAccess } = core;
  const sealer = await core.unseal();
  const services = createHttpServices(core, readiness, await openSesFeedback(core));
  await prepareServiceMail({
    database,
    sealer,
    logger,
    from: config.mailFrom,
    hostedDomain: config.hostedDomain,
    trustsManualVerification,
  });
  const mailAddress = {
    baseUrl: config.mailUrl ?? config.baseUrl,
    environment: config.environment,
    setting: config.mailUrl === null ? 'POSTHORN_BASE_URL' : 'POSTHORN_MAIL_URL',
  } as const;
  const dev = config.devSmtpPort === null ? null : await (await import('./dev.ts')).openDev(context);
  const http = await startHttp(services, {
    ...(dev !== null && { dev: dev.door }),
    listenAddress: { addresses: config.listen, port: assignment.ports.http },
    ...(hasHttps(config) && {
      https: { ...certificates, listenAddress: { addresses: config.listen, port: assignment.ports.https } },
    }),
    challengeResponses: certificates.challengeResponses,
    rateLimit: config.rateLimit,
    processes: () => presence.shareOf('http').count,
    trustedProxies: config.trustedProxies,
    baseUrl: config.baseUrl,
    securityContact: config.securityContact,
    instance: () => ({
      address: baseUrl(),
      webClient: `${config.mailUrl ?? baseUrl()}/mail`,
      hostedDomain: config.hostedDomain,
      submission: submissionOf(mailAccess),
    }),
    logger,
    metrics: openMetrics(core, otherFigures),
    dashboard: {
      services: createDashboardServices(core, services),
      address: {
        baseUrl: config.baseUrl,
        environment: config.environment,
        setting: 'POSTHORN_BASE_URL',
      },
    },
    mailClient: {
      services: createMailClientServices(core, {
        mail,
        submitter: createSubmitter(core, mail),
      }),
      address: mailAddress,
      url: config.mailUrl,
    },
    fileLinks: { ...createFileLinks(core), address: mailAddress },
  });
  const { port, httpsPort } = stack.use(http);
  stack.use(startAlerts(core));
  stack.use(startPushes(core, mail));
  return { http: port, https: httpsPort, devSmtp: dev?.port ?? null };
}

/** @returns the receiver of SNS notifications; null if no topic is configured */
async function openSesFeedback(core: BaseCore): Promise<((body: Buffer) => Promise<void>) | null> {
  const { ses } = core.config;
  if (ses === null || ses.topicArn === null) return null;
  const { SesFeedback } = await import('../reports/receive/ses/ses-feedback.ts');
  const { database, returnPaths, wake, logger } = core.on('ses');
  const { receive } = new SesFeedback({
    database,
    returnPaths,
    topicArn: ses.topicArn,
    endpoint: ses.endpoint,
    client: core.openClient(1),
    logger,
    onEvents: wake,
  });
  return receive;
}
