import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { NotLoaded } from '../../../shell/loaded.tsx';
import type { DashboardDomainSummary } from '../../../../src/contract/dashboard/domains.ts';
import { Address } from '../../../ui/address.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { GlobeIcon, PlusIcon } from '../../../ui/icons.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Row, rowLink, Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { local } from '../../../ui/times.ts';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useMay, useProject, useSession } from '../../shell/session.ts';
import { AddDomain } from './add-domain.tsx';
import { DomainStatus, Marks } from './domain-status.tsx';

/** The refresh interval of the list while records are missing, to show the results of the server's checks. */
const REFRESH_MS = 15_000;

export default function DomainsPage() {
  const { id: project } = useProject();
  const mayAdd = useMay('developer');
  const [adding, setAdding] = useSearchParam('add');
  const { data, error, refetch } = useQuery({
    queryKey: ['domains', project],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/domains', { params: { path: { project } }, signal })),
    refetchInterval: ({ state }) =>
      state.data?.data.some(({ status }) => status === 'pending') === true ? REFRESH_MS : false,
  });
  const addButton = mayAdd && (
    <Button kind="primary" icon={<PlusIcon />} onClick={() => setAdding('yes')}>
      Add domain
    </Button>
  );
  const own = data?.data.filter(({ is_hosted: isHosted }) => !isHosted) ?? [];
  return (
    <>
      <PageHeader
        title="Domains"
        description="Domains this project sends from."
        {...(own.length > 0 && addButton !== false && { actions: addButton })}
      />
      {data !== undefined && <DomainTable project={project} domains={data.data} />}
      {data === undefined && (
        <NotLoaded title="Could not load the domains" error={error} refetch={refetch} rows={3} />
      )}
      {data !== undefined && own.length === 0 && <None>{addButton}</None>}
      <AddDomain project={project} isOpen={adding !== '' && mayAdd} onClose={() => setAdding('')} />
    </>
  );
}

function None({ children }: { children: ReactNode }) {
  const { service } = useSession();
  return (
    <EmptyState icon={<GlobeIcon />} title="Send from your own domain" action={children}>
      Add a domain that you own and publish a few DNS records to prove it. Until then you can send from
      addresses at {service.hosted_domain}.
    </EmptyState>
  );
}

function DomainTable({ project, domains }: { project: string; domains: readonly DashboardDomainSummary[] }) {
  return (
    <Table
      label="Domains"
      head={
        <>
          <Th>Domain</Th>
          <Th>Status</Th>
          <Th isWideOnly>In DNS</Th>
          <Th isWideOnly isNumeric>
            Checked
          </Th>
        </>
      }
    >
      {domains.map((domain) => (
        <Row key={domain.id}>
          <Td>
            <Link to="/domains/$id" params={{ id: domain.id }} search={{ project }} className={rowLink}>
              <Address>{domain.domain}</Address>
            </Link>
            <div className="mt-1 md:hidden">
              <InDns domain={domain} />
            </div>
          </Td>
          <Td className="align-top md:align-middle">
            <DomainStatus domain={domain} />
          </Td>
          <Td isWideOnly>
            <InDns domain={domain} />
          </Td>
          <Td isWideOnly isNumeric>
            {domain.is_hosted ? (
              <span className="whitespace-nowrap text-muted">Not needed</span>
            ) : (
              <Time value={domain.last_checked_at} />
            )}
          </Td>
        </Row>
      ))}
    </Table>
  );
}

function InDns({ domain }: { domain: DashboardDomainSummary }) {
  if (domain.is_hosted) return <span className="text-sm text-muted">Records published by the operator</span>;
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Marks domain={domain} />
      {domain.is_rotating_dkim && <Badge tone="info">New DKIM key pending</Badge>}
      {domain.warning_until !== null && (
        <span className="text-sm text-warn">
          Sending stops <Time value={domain.warning_until} />
        </span>
      )}
      {domain.status === 'verified' && domain.fix_by != null && (
        <span className="text-sm text-warn">
          Fix records by <time dateTime={domain.fix_by}>{local.date(domain.fix_by)}</time>
        </span>
      )}
    </span>
  );
}
