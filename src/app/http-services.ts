/** Builds the services of the HTTP role from the core, once per process. The core closes them. No logic. */
import { RejectedRequests } from '../accounts/api-log/rejected-requests.ts';
import { ServedDomains } from '../domains/served-domains.ts';
import type { Readiness } from '../doors/http/readiness.ts';
import type { HttpServices } from '../doors/http/services.ts';
import { TrackingRecorder } from '../sending/track/tracking-recorder.ts';
import { Unsubscriber } from '../sending/track/unsubscribe.ts';
import type { Core } from './core.ts';

/** @param readiness the readiness of the process @param receiveSesNotification null if no SNS topic is configured */
export function createHttpServices(
  core: Core,
  readiness: Pick<Readiness, 'whyNot'>,
  receiveSesNotification: HttpServices['receiveSesNotification'],
): HttpServices {
  const { acceptor, apiKeys, config, database, trustsManualVerification, wake } = core;
  const { hostedDomain } = config;
  // Open these lanes before the first request, so that the number of connections that the process reports includes them. `posthorn doctor`
  // adds up the numbers of all processes.
  for (const name of ['lists', 'emails', 'dashboard', 'inspect', 'search'] as const) core.reads(name);
  const servedDomains = new ServedDomains({ database, hostedDomain, trustsManualVerification });
  const recorder = new TrackingRecorder({ database, onEvents: wake });
  const unsubscriber = new Unsubscriber(database);
  // The server is closed before the core, so no request is added while the last ones are stored.
  const rejectedRequests = core.stack.use(new RejectedRequests({ database, logger: core.logger }));
  return {
    authenticate: (token, address) => apiKeys.authenticate(token, address),
    logRejected: (request) => void rejectedRequests.note(request),
    acceptEmail: (...email) => acceptor.accept(...email),
    acceptBatch: (...batch) => acceptor.batches.accept(...batch),
    trackingLinks: core.trackingLinks,
    recordHit: (hit) => recorder.record(hit),
    unsubscribe: (recipient) => unsubscriber.unsubscribe(recipient),
    parts: core,
    receiveSesNotification,
    servesDomain: (domain) => servedDomains.isServed(domain),
    mailAccess: core.mailAccess,
    whyNotReady: () => readiness.whyNot(),
  };
}
