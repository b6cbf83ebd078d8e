import type { DashboardDomainSummary } from '../../../../src/contract/dashboard/domains.ts';
import { Badge, Status } from '../../../ui/badge.tsx';
import { classes } from '../../../ui/classes.ts';
import { CheckIcon, CloseIcon } from '../../../ui/icons.tsx';

/** Whether mail can be sent from the domain. */
export function DomainStatus({
  domain: { is_hosted: isHosted, verified_by_hand: isByHand, status },
}: {
  domain: Pick<DashboardDomainSummary, 'is_hosted' | 'verified_by_hand' | 'status'>;
}) {
  if (isHosted) return <Badge tone="info">Hosted</Badge>;
  if (isByHand === true) return <Badge tone="warn">Verified manually</Badge>;
  return <Status value={status} />;
}

const MARKS = [
  ['DKIM', 'dkim_verified'],
  ['SPF', 'spf_verified'],
  ['MAIL FROM', 'mail_from_verified'],
  ['DMARC', 'dmarc_verified'],
] as const;

/**
 * Shows which records exist in DNS, by text as well as color. A missing record is not shown as a problem if the domain does not need it:
 * DMARC is optional, and a domain that was verified manually needs none.
 */
export function Marks({ domain }: { domain: DashboardDomainSummary }) {
  return (
    <ul className="flex flex-wrap gap-x-3 gap-y-0.5 text-sm lg:flex-nowrap">
      {MARKS.map(([name, flag]) => {
        const isThere = domain[flag];
        const isOptional = flag === 'dmarc_verified' || domain.verified_by_hand === true;
        return (
          <li
            key={flag}
            className={classes(
              'inline-flex items-center gap-1 whitespace-nowrap',
              isThere ? 'text-text' : 'text-muted',
            )}
          >
            {isThere ? (
              <CheckIcon className="size-3.5 text-good" />
            ) : (
              <CloseIcon className={classes('size-3.5', isOptional ? 'text-muted' : 'text-bad')} />
            )}
            {name}
            <span className="sr-only">{isThere ? ' is published' : ' is not found'}</span>
          </li>
        );
      })}
    </ul>
  );
}
