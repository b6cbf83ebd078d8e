/** Formats domains and their DNS records as text. */
import type { DashboardDomain } from '../../contract/dashboard/domains.ts';
import type { DomainRecord } from '../../contract/domains.ts';
import { hostNameFault } from '../../domains/host-name.ts';
import type { ServiceDomainBody } from '../../domains/own-service-domains.ts';
import { printable } from '../../rfc/smtp/reply.ts';

/**
 * Maximum number of characters to print from a DNS record. Records in DNS are untrusted, so `printable` also replaces their control
 * characters.
 */
const MAX_SEEN = 1_000;

export const MANUALLY_VERIFIED = 'verified manually: without DNS records, and only outside production';

/** Lists DNS records to publish, below a heading. */
export function listOf(
  heading: readonly string[],
  records: readonly Pick<
    DomainRecord,
    'record' | 'type' | 'name' | 'value' | 'priority' | 'required' | 'rotation'
  >[],
  hostname: string,
): string {
  const fault = hostNameFault(hostname);
  const lines = records.map(
    ({ record, type, name, value, priority, required, ...rest }) =>
      `${record}${noteOf({ required, ...rest })}\n  ${type} ${name}\n  ${priority === null ? '' : `${priority} `}${value}`,
  );
  const warning = fault === null ? [] : [`Do not publish these yet. ${fault}`];
  return [...heading, ...warning, 'Publish these DNS records:', ...lines].join('\n');
}

/** Describes a domain of a project, its records, and the records found in DNS. */
export function describeDomain(
  { id, domain, status, verified_by_hand, records, mail, ...rest }: DashboardDomain,
  settings: { local: string; mx: readonly string[]; sends_elsewhere: readonly string[] },
): string {
  return [
    `id: ${id}`,
    `domain: ${domain}`,
    `status: ${verified_by_hand === true ? MANUALLY_VERIFIED : status}`,
    ...(rest.warning_until === null ? [] : [`sending allowed until: ${rest.warning_until}`]),
    ...(rest.last_checked_at === null ? [] : [`last checked: ${rest.last_checked_at}`]),
    ...(rest.next_check_at === null ? [] : [`next check: ${rest.next_check_at}`]),
    `mail from outside: ${mail.accepted ? 'accepted' : 'not accepted'}`,
    `mail from this installation: ${mail.delivered_here ? 'delivered locally' : 'sent through the provider'} (${mail.reason})`,
    ...(settings.local === 'auto' ? [] : [`local delivery: ${settings.local}`]),
    ...(settings.mx.length === 0 ? [] : [`gateways: ${settings.mx.join(', ')}`]),
    ...(settings.sends_elsewhere.length === 0
      ? []
      : [`sends elsewhere: ${settings.sends_elsewhere.join(', ')}`]),
    ...records.map(describeRecord),
  ].join('\n');
}

/** Describes a domain of the installation, its records, and the records found in DNS. */
export function describeServiceDomain(shown: ServiceDomainBody): string {
  const { id, domain, status, records, ...rest } = shown;
  return [
    `id: ${id}`,
    `domain: ${domain}`,
    `status: ${status}`,
    ...keysOf(shown),
    ...(rest.last_checked_at === null ? [] : [`last checked: ${rest.last_checked_at}`]),
    ...(rest.next_check_at === null ? [] : [`next check: ${rest.next_check_at}`]),
    ...records.map(describeRecord),
  ].join('\n');
}

/** Describes which keys sign mail. Empty if the domain has its own keys. */
export function keysOf({ domain, has_copied_keys, records }: ServiceDomainBody): string[] {
  if (!has_copied_keys) return [];
  if (records.length > 0)
    return [
      "keys: copied from a project's claim; these keys sign until all required records below are verified",
    ];
  return [
    "keys: copied from a project's claim; leave the records of the claim in DNS unchanged",
    `To create separate keys, run domain add --installation --domain ${domain}.`,
  ];
}

function describeRecord(record: DomainRecord): string {
  const { type, name, error, found, advice = [] } = record;
  const seen = found.map((text) => `  found: ${printable(text, MAX_SEEN)}`);
  return [
    `${record.record}${noteOf(record)}: ${record.status.replace('_', ' ')}`,
    `  ${type} ${name}`,
    `  ${record.priority === null ? '' : `${record.priority} `}${record.value}`,
    ...seen,
    ...(error === null ? [] : [`  ${printable(error, MAX_SEEN)}`]),
    ...advice.map((text) => `  advice: ${printable(text, MAX_SEEN)}`),
    ...(record.fix_by === undefined ? [] : [`  counts as verified until: ${record.fix_by}`]),
  ].join('\n');
}

function noteOf({
  rotation,
  keep_until,
  required,
}: Pick<DomainRecord, 'rotation' | 'keep_until' | 'required'>): string {
  if (rotation === 'next') return ' (the next key)';
  if (rotation === 'retiring') return ` (the previous key; keep its record until ${keep_until ?? ''})`;
  return required ? '' : ' (optional)';
}
