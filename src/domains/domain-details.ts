/** A domain as the pages of the dashboard show it. */
import type {
  DashboardDomain,
  DashboardDomainSummary,
  DomainTrackingSettings,
} from '../contract/dashboard/domains.ts';
import type { DomainRecord } from '../contract/domains.ts';
import { type DomainClaim, isHosted } from './claim.ts';
import { domainBody, type ShowOptions } from './domain-body.ts';
import { MAIL_FROM_LABEL } from './expected-records.ts';
import type { MailDescription } from './mx/describe-mail.ts';
import { WARNING_MS } from './claim-state.ts';
import { dmarcAdvice } from './dmarc-advice.ts';
import { dnsProvider } from './dns-provider.ts';
import { zoneFile } from './zone-file.ts';

export interface DetailsOptions extends ShowOptions {
  /** The address for complaint reports at the domain of the return path. */
  complaintAddressOf(mailFromDomain: string): string;
}

export function domainSummary(claim: DomainClaim, options: ShowOptions): DashboardDomainSummary {
  const { records, ...shown } = domainBody(claim, options);
  return {
    ...shown,
    ...timing(claim, records),
    is_rotating_dkim: records.some(({ rotation }) => rotation === 'next'),
  };
}

/**
 * @param project the tracking settings of the project, which domains with `inherit` use
 * @param mail whether mail for the domain is received here, and which host receives it
 */
export async function domainDetails(
  claim: DomainClaim,
  project: { trackOpens: boolean; trackClicks: boolean },
  mail: MailDescription,
  options: DetailsOptions,
): Promise<DashboardDomain> {
  // The public suffix list takes 6 MB, so `domain-name.ts` is loaded only when needed.
  const { organizationOf } = await import('./domain-name.ts');
  const body = domainBody(claim, options);
  return {
    ...body,
    ...timing(claim, body.records),
    organizational_domain: organizationOf(claim.name),
    dns_provider: dnsProvider(claim),
    has_mailboxes: claim.hasMailboxes,
    zone_file: body.records.length === 0 ? '' : zoneFile(body.domain, body.records),
    tracking: { opens: choiceOf(claim.trackOpens), clicks: choiceOf(claim.trackClicks) },
    project_tracking: { opens: project.trackOpens, clicks: project.trackClicks },
    complaint_address: isHosted(claim)
      ? null
      : options.complaintAddressOf(`${MAIL_FROM_LABEL}.${claim.name}`),
    mail: { accepted: mail.accepts, delivered_here: mail.isLocal, reason: mail.reason },
    dmarc: isHosted(claim) ? null : dmarcAdvice(claim.name, claim.checks[`DMARC _dmarc.${claim.name}`]),
  };
}

function timing({ nextCheckAt, status, warningSince }: DomainClaim, records: readonly DomainRecord[]) {
  const warningUntil =
    status === 'warning' && warningSince !== null ? new Date(warningSince.getTime() + WARNING_MS) : null;
  return {
    next_check_at: nextCheckAt?.toISOString() ?? null,
    warning_until: warningUntil?.toISOString() ?? null,
    fix_by:
      records.flatMap(({ required, fix_by: fixBy }) => (required && fixBy ? [fixBy] : [])).toSorted()[0] ??
      null,
  };
}

export function choiceOf(value: boolean | null): DomainTrackingSettings['opens'] {
  if (value === null) return 'inherit';
  return value ? 'on' : 'off';
}

export function valueOf(choice: DomainTrackingSettings['opens']): boolean | null {
  return choice === 'inherit' ? null : choice === 'on';
}
