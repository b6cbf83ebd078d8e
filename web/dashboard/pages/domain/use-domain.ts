/** Loads a domain and checks its DNS records: on request, and automatically while records are missing. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { DashboardDomain } from '../../../../src/contract/dashboard/domains.ts';
import { toast } from '../../../ui/toast.tsx';

/** Seconds between automatic checks. DNS panels publish records within about a minute; users may take longer to enter the records. */
const PAUSES_S = [5, 10, 15, 30, 60, 120, 300];

export const domainKey = (project: string, id: string) => ['domain', project, id] as const;

/** Whether the user is probably about to publish records. */
function isWaiting({ status, records, is_hosted: isHosted }: DashboardDomain): boolean {
  if (isHosted) return false;
  return status === 'pending' || status === 'warning' || records.some(({ rotation }) => rotation === 'next');
}

/** @param mayCheck whether the user may start a DNS check; other users see the results of the server's own checks */
export function useDomain(project: string, id: string, mayCheck: boolean) {
  const queries = useQueryClient();
  const key = domainKey(project, id);
  const path = { project, id };
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/domains/{id}', { params: { path }, signal })),
    refetchInterval: ({ state }) =>
      state.data !== undefined && isWaiting(state.data) && !mayCheck ? 15_000 : false,
  });
  const check = () => dataOf(api.POST('/projects/{project}/domains/{id}/check', { params: { path } }));
  const show = (domain: DashboardDomain | null) => {
    if (domain === null) return;
    announceChange(queries.getQueryData<DashboardDomain>(key), domain);
    queries.setQueryData(key, domain);
    void queries.invalidateQueries({ queryKey: ['domains', project] });
  };
  const manualCheck = useMutation({ mutationFn: check, onSuccess: show });
  // The user did not start this check, so a failure shows no error.
  const automaticCheck = useMutation({ mutationFn: () => check().catch(() => null), onSuccess: show });
  const { mutate } = automaticCheck;
  const isPending = manualCheck.isPending || automaticCheck.isPending;
  const [checks, setChecks] = useState(0);
  const waits = mayCheck && query.data !== undefined && isWaiting(query.data);
  useEffect(() => {
    if (!waits || isPending) return undefined;
    const pause = PAUSES_S[Math.min(checks, PAUSES_S.length - 1)] ?? 300;
    const timer = setTimeout(() => {
      setChecks(checks + 1);
      // A hidden page starts no DNS checks.
      if (document.visibilityState === 'visible') mutate();
    }, pause * 1000);
    return () => clearTimeout(timer);
  }, [waits, isPending, checks, mutate]);
  return {
    ...query,
    isChecking: isPending,
    /** Checks now. The user has probably just published records, so the pauses start again from the shortest. */
    check() {
      setChecks(0);
      manualCheck.mutate();
    },
  };
}

/** Shows a message about the changes that the user was waiting for. */
function announceChange(before: DashboardDomain | undefined, domain: DashboardDomain): void {
  if (before === undefined) return;
  if (before.status !== 'verified' && domain.status === 'verified')
    toast(`${domain.domain} is verified. You can now send from it.`);
  const waits = ({ records }: DashboardDomain) => records.some(({ rotation }) => rotation === 'next');
  if (waits(before) && !waits(domain)) toast('New DKIM key found. Mail is now signed with it.');
}
