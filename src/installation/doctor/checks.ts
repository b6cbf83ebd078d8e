import { hasHttps } from '../../app/ports.ts';
import { within } from '../../concurrency/within.ts';
import { printable } from '../../rfc/smtp/reply.ts';
import { checkBlocklists } from './blocklists.ts';
import { checkCertificate } from './certificate.ts';
import { checkClamd } from './clamd.ts';
import { checkConnections } from './connections.ts';
import { checkDatabase } from './database.ts';
import { checkDkimRotation } from './dkim-rotation.ts';
import { type Finding, problem, reasonOf } from './finding.ts';
import {
  checkClock,
  checkDisk,
  checkEnvironment,
  checkMetrics,
  checkVariables,
  isTrialOf,
} from './machine.ts';
import { checkInbound } from './mail-in.ts';
import { checkMailDomains, checkPostmaster } from './mailboxes.ts';
import { checkOutgoing, checkSes, checkSmartHost } from './mail-out.ts';
import { checkHostedDomain, checkHostname, checkResolver, checkReverseName } from './names.ts';
import { checkReservedAddresses } from './reserved-addresses.ts';
import { checkRspamd } from './rspamd.ts';
import { checkSending } from './sending.ts';
import { checkServiceMail } from './service-mail.ts';
import { checkQueue, checkWorkers } from './workers.ts';
import { checkBaseUrl, checkService } from './web.ts';
import type { World } from './world.ts';

export interface DoctorCheck {
  readonly name: string;
  run(): Promise<Finding>;
}

export interface DoctorCheckResult extends Finding {
  readonly name: string;
}

/** Time limit of a check. Long enough for a check with several steps, each of which takes most of its own timeout. */
const CHECK_TIMEOUT_MS = 20_000;
/** Maximum number of characters in a finding. Some of the text is untrusted, such as DNS names and server greetings. */
const MAX_SEEN = 2_000;

/** The checks that apply to the settings, in display order. A check comes before other checks that depend on it. */
export function checksOf(world: World): DoctorCheck[] {
  const { provider, smartHost, ses, roles, rspamdUrl, blocklists, clamd } = world.config;
  // A trial sends no real mail, so checks for outgoing mail do not apply.
  const isTrial = isTrialOf(world.config);
  const hasTls =
    hasHttps(world.config) ||
    (['smtp', 'submission', 'imap', 'pop3'] as const).some((role) => roles.includes(role));
  const check = (name: string, run: (world: World) => Promise<Finding>): DoctorCheck => ({
    name,
    run: () => run(world),
  });
  return [
    check('settings', checkEnvironment),
    check('variables', checkVariables),
    check('database', checkDatabase),
    check('connections', checkConnections),
    check('sending', checkSending),
    check('workers', checkWorkers),
    check('queue', checkQueue),
    check('disk', checkDisk),
    check('clock', checkClock),
    check('service', checkService),
    ...(isTrial ? [] : [check('dns', checkResolver), check('hostname', checkHostname)]),
    ...(provider === 'direct' ? [check('ptr', checkReverseName), check('outgoing', checkOutgoing)] : []),
    ...(provider === 'smtp' && smartHost !== null
      ? [check('smart_host', (of) => checkSmartHost(of, smartHost))]
      : []),
    ...(provider === 'ses' && ses !== null ? [check('ses', (of) => checkSes(of, ses))] : []),
    ...(roles.includes('smtp') ? [check('inbound', checkInbound)] : []),
    ...(roles.includes('smtp') && !isTrial
      ? [
          check('mail_domains', checkMailDomains),
          check('postmaster', checkPostmaster),
          check('reserved_addresses', checkReservedAddresses),
        ]
      : []),
    ...(roles.includes('smtp') && rspamdUrl !== null
      ? [check('rspamd', (of) => checkRspamd(of, rspamdUrl))]
      : []),
    ...(roles.includes('smtp') && rspamdUrl === null && blocklists.length > 0
      ? [check('blocklists', (of) => checkBlocklists(of, blocklists))]
      : []),
    ...(roles.includes('worker') && clamd !== null ? [check('clamd', (of) => checkClamd(of, clamd))] : []),
    ...(hasTls && !isTrial ? [check('certificate', checkCertificate)] : []),
    ...(isTrial
      ? []
      : [
          check('hosted_domain', checkHostedDomain),
          check('service_mail', checkServiceMail),
          check('dkim_rotation', checkDkimRotation),
        ]),
    ...(roles.includes('http') && provider !== 'sandbox' ? [check('base_url', checkBaseUrl)] : []),
    check('metrics', checkMetrics),
  ];
}

/** Runs all checks in parallel. @returns the results in the order of the checks. A check that throws or takes too long is a problem */
export function runChecks(
  checks: readonly DoctorCheck[],
  timeoutMs: number = CHECK_TIMEOUT_MS,
): Promise<DoctorCheckResult[]> {
  return Promise.all(
    checks.map(async ({ name, run }) => {
      const late = problem(`The check took longer than ${timeoutMs / 1_000} seconds.`, 'Run it again.');
      const finding = await within(timeoutMs, run().catch(failed), late);
      return { name, ...finding, seen: printable(finding.seen, MAX_SEEN) };
    }),
  );
}

function failed(error: unknown): Finding {
  return problem(
    `The check failed: ${reasonOf(error)}`,
    'Fix the cause and any problems that other checks found, then run the checks again.',
  );
}
