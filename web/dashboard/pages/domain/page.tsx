import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiProblem, messageOf } from '../../../api/client.ts';
import type { DashboardDomain } from '../../../../src/contract/dashboard/domains.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure } from '../../../ui/empty-state.tsx';
import { ChevronLeftIcon, RefreshIcon, TrashIcon } from '../../../ui/icons.tsx';
import { backLink, PageHeader } from '../../../ui/page-header.tsx';
import { Skeleton, SkeletonRows } from '../../../ui/skeleton.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useMay, useProject } from '../../shell/session.ts';
import { DomainStatus } from '../domains/domain-status.tsx';
import { DkimKey } from './dkim-key.tsx';
import { Dmarc } from './dmarc.tsx';
import { Notices } from './notices.tsx';
import { Records } from './records.tsx';
import { RemoveDomain } from './remove-domain.tsx';
import { Checked, Steps } from './steps.tsx';
import { Tracking } from './tracking.tsx';
import { useDomain } from './use-domain.ts';
import { Card } from '../../../ui/card.tsx';
import { Copy } from '../../../ui/copy.tsx';
import { Badge } from '../../../ui/badge.tsx';

export default function DomainPage() {
  const { id } = useParams({ strict: false });
  const { id: project } = useProject();
  const {
    data: domain,
    error,
    refetch,
    isChecking,
    check,
  } = useDomain(project, id ?? '', useMay('developer'));
  if (domain !== undefined)
    return <Shown project={project} domain={domain} isChecking={isChecking} check={check} />;
  if (error === null) return <Loading />;
  const isUnknown = error instanceof ApiProblem && error.status === 404;
  return (
    <>
      <PageHeader title="Domain" back={<Back />} />
      <Failure
        title={isUnknown ? 'Domain not found' : 'Could not load the domain'}
        {...(!isUnknown && { onRetry: () => void refetch() })}
      >
        {isUnknown ? 'It was removed or belongs to another project.' : messageOf(error)}
      </Failure>
    </>
  );
}

function Back() {
  return (
    <Link to="/domains" className={backLink}>
      <ChevronLeftIcon />
      Domains
    </Link>
  );
}

function Loading() {
  return (
    <>
      <PageHeader title="Domain" back={<Back />} status={<Skeleton className="h-5.5 w-20" />} />
      <SkeletonRows />
    </>
  );
}

interface ShownProps {
  project: string;
  domain: DashboardDomain;
  isChecking: boolean;
  check(): void;
}

function Shown({ project, domain, isChecking, check }: ShownProps) {
  const mayCheck = useMay('developer');
  const isAdmin = useMay('admin');
  const [isRemoving, setRemoving] = useState(false);
  const [zone, setZone] = useSearchParam('names');
  if (domain.is_hosted) return <Hosted domain={domain} />;
  const isOnWay = domain.status === 'pending' || domain.status === 'failed';
  return (
    <>
      <PageHeader
        title={domain.domain}
        back={<Back />}
        status={
          <>
            <DomainStatus domain={domain} />
            <Checked domain={domain} isChecking={isChecking} />
          </>
        }
        actions={
          <>
            {isAdmin && (
              <Button kind="quiet" icon={<TrashIcon />} onClick={() => setRemoving(true)}>
                Remove
              </Button>
            )}
            {mayCheck && (
              <Button
                kind={isOnWay ? 'primary' : 'secondary'}
                icon={<RefreshIcon />}
                isBusy={isChecking}
                onClick={check}
              >
                Check now
              </Button>
            )}
          </>
        }
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <Notices domain={domain} />
        {isOnWay && <Steps domain={domain} isChecking={isChecking} />}
        <Records
          domain={domain}
          zone={zone === '' ? null : zone}
          onZone={(chosen) => setZone(chosen ?? '')}
        />
        {/* Columns, unlike the rows of a grid, leave no gap below the shorter of two cards. */}
        <div className="-mb-4 gap-4 *:mb-4 *:break-inside-avoid xl:columns-2">
          {domain.dmarc !== null && <Dmarc advice={domain.dmarc} />}
          <IncomingMail domain={domain} />
          <DkimKey project={project} domain={domain} mayChange={isAdmin} />
          <Tracking project={project} domain={domain} mayChange={isAdmin} />
          {domain.complaint_address !== null && <Complaints address={domain.complaint_address} />}
        </div>
      </div>
      <RemoveDomain
        project={project}
        domain={domain}
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
      />
    </>
  );
}

function Hosted({ domain }: { domain: DashboardDomain }) {
  return (
    <>
      <PageHeader
        title={domain.domain}
        back={<Back />}
        status={<DomainStatus domain={domain} />}
        description="Every project can send from the hosted domain. The operator publishes its DNS records, so there is nothing to set up."
      />
    </>
  );
}

/** The address for the spam complaint reports of large providers. */
function Complaints({ address }: { address: string }) {
  return (
    <Card title="Complaints">
      <p className="text-pretty text-muted">
        Register this address with the feedback loops of large providers, such as Yahoo Sender Hub. Recipients
        who report spam are then added to the suppression list.{' '}
        <a href="/docs/operate/deliverability" className="text-accent underline underline-offset-2">
          Where to register
        </a>
      </p>
      <p className="mt-2 flex items-center gap-2">
        <span className="min-w-0 font-mono text-sm break-all">{address}</span>
        <Copy text={address} what="the address for complaints" />
      </p>
    </Card>
  );
}

/** Whether this server receives mail for the domain, and why. */
function IncomingMail({
  domain: { domain, mail, has_mailboxes: hasMailboxes },
}: {
  domain: DashboardDomain;
}) {
  const isComplete = mail.accepted && mail.delivered_here;
  // A domain without mailboxes does not need to receive mail.
  const tone = isComplete ? 'good' : hasMailboxes ? 'warn' : 'quiet';
  return (
    <Card title="Incoming mail" aside={<Badge tone={tone}>{badgeOf(mail)}</Badge>}>
      <p className="text-pretty wrap-anywhere">{mail.reason}</p>
      <p className="mt-1 text-pretty text-muted">
        {sentenceOf(mail, domain)}{' '}
        <a href="/docs/domains#where-mail-is-delivered" className="text-accent underline underline-offset-2">
          How incoming mail is delivered
        </a>
      </p>
    </Card>
  );
}

function badgeOf({ accepted, delivered_here: isLocal }: DashboardDomain['mail']): string {
  if (!accepted) return 'Not received here';
  return isLocal ? 'Received here' : 'Delivered elsewhere';
}

function sentenceOf({ accepted, delivered_here: isLocal }: DashboardDomain['mail'], domain: string): string {
  if (!accepted) return `Mailboxes and aliases at ${domain} do not receive mail.`;
  return isLocal
    ? `Mailboxes and aliases at ${domain} receive mail from outside and from this server.`
    : `This server accepts mail for ${domain}, but delivers mail that it sends to ${domain} to the MX of the domain.`;
}
