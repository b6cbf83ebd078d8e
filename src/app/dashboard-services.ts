/** Builds the services of the dashboard from the core, once per process. No logic. */
import { describeSession } from '../accounts/describe-session.ts';
import { UserSignIn } from '../accounts/user-sign-in.ts';
import { SignedIn } from '../accounts/signed-in.ts';
import type { Session } from '../contract/dashboard/session.ts';
import type { DashboardServices } from '../doors/http/dashboard/services.ts';
import type { HttpServices } from '../doors/http/services.ts';
import { readNotSendingSince } from '../queue/provider-kind.ts';
import { SendingAgain } from '../insights/send-again.ts';
import { sendTemplateTest } from '../insights/send-template-test.ts';
import { sendComposed } from '../insights/send-composed.ts';
import { sendTest } from '../insights/send-test.ts';
import { ExportSlots } from '../concurrency/export-slots.ts';
import { countAccepted } from '../observe/instruments.ts';
import { VERSION } from '../model/version.ts';
import { ProjectExports } from '../retention/project-exports.ts';
import type { Core } from './core.ts';
import { submissionOf } from './mail-access.ts';

/** The core closes the services. @param http the services of the API; the dashboard accepts emails with them */
export function createDashboardServices(
  core: Core,
  http: Pick<HttpServices, 'acceptEmail'>,
): DashboardServices {
  const { config, database, logger, stack } = core;
  const reads = core.reads('dashboard');
  const sending = new SendingAgain({ database, blobs: core.blobs, acceptEmail: http.acceptEmail });
  return {
    parts: core,
    signedIn: new SignedIn(database),
    signIn: stack.use(new UserSignIn({ database, logger })),
    describeSession: async (user, csrfToken) => ({
      ...(await describeSession(database, user, csrfToken)),
      service: await serviceFacts(core),
    }),
    sendAgain: (...again) => sending.send(...again),
    sendComposed: (...email) => sendComposed({ database, acceptEmail: http.acceptEmail }, ...email),
    sendTest: (...test) =>
      sendTest({ database, acceptEmail: http.acceptEmail, hostedDomain: config.hostedDomain }, ...test),
    exports: new ProjectExports(database, reads),
    exportSlots: new ExportSlots(countAccepted),
    sendTemplateTest: (...test) => sendTemplateTest({ database, acceptEmail: http.acceptEmail }, ...test),
  };
}

async function serviceFacts({ database, config, baseUrl, mailAccess }: Core): Promise<Session['service']> {
  const { environment, provider, hostedDomain } = config;
  const submission = mailAccess.services
    .filter(({ protocol }) => protocol === 'submission')
    .map(({ port, security }) => ({ port, security }));
  return {
    version: VERSION,
    environment,
    provider: provider ?? 'none',
    hosted_domain: hostedDomain,
    not_sending_since: (await readNotSendingSince(database))?.toISOString() ?? null,
    hostname: submissionOf(mailAccess)?.host ?? mailAccess.hostname,
    base_url: baseUrl(),
    submission,
  };
}
