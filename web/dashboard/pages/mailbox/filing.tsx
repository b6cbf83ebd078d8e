import { useQuery, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { BlockedSenders, SafeSenders } from '../../../filters/sender-list.tsx';
import { Forwarding } from '../../../filters/forwarding.tsx';
import type {
  ForwardingCalls,
  PartFrameProps,
  RuleCalls,
  SenderCalls,
  VacationCalls,
} from '../../../filters/part.ts';
import { Rules } from '../../../filters/rules.tsx';
import { Vacation } from '../../../filters/vacation.tsx';
import { UTC } from '../../../filters/vacation-days.ts';
import { Loaded } from '../../../shell/loaded.tsx';
import { Card } from '../../../ui/card.tsx';
import { useMay } from '../../shell/session.ts';
import { filingQuery, type MailboxRouteKey } from '../mailboxes/queries.ts';
import type { MailboxPartProps } from './part-props.ts';

/** The filters of the mailbox. Only admins can change the filters. */
export default function Filing({ of: key }: MailboxPartProps) {
  const query = useQuery(filingQuery(key));
  const all = useFilterCalls(key);
  const calls = useMay('admin') ? all : null;
  return (
    <Loaded query={query} title="Could not load the filters">
      {(filing) => {
        const part = <Data,>(data: Data) => ({
          frame: FilterCard,
          query: { data, error: null, refetch: query.refetch },
        });
        return (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            <Rules {...part(filing.rules)} calls={calls && calls.rules} />
            <Forwarding {...part(filing)} calls={calls && calls.forwarding} />
            <Vacation
              {...part(filing)}
              calls={calls && calls.vacation}
              description="Sends an automatic reply while the owner is away. Mailing lists, newsletters, automated mail and spam get no reply. Each sender gets at most one reply per interval set in “Days between replies”."
              calendar={UTC}
              hasHtml
            />
            <BlockedSenders
              {...part(filing.blocked)}
              calls={calls && calls.blocked}
              hint="The owner can also block senders in the web client."
            />
            <SafeSenders
              {...part(filing.safe)}
              calls={calls && calls.safe}
              hint="The owner can also add safe senders in the web client."
            />
          </div>
        );
      }}
    </Loaded>
  );
}

function FilterCard({ title, status, description, actions, children }: PartFrameProps) {
  const aside = (
    <span className="flex flex-wrap items-center gap-2">
      {status}
      {actions}
    </span>
  );
  return (
    <Card title={title} aside={aside}>
      <p className="mb-4 max-w-2xl text-muted">{description}</p>
      {children}
    </Card>
  );
}

function useFilterCalls(key: MailboxRouteKey) {
  const queries = useQueryClient();
  const { queryKey } = filingQuery(key);
  const params = { path: { ...key } };
  const withRule = (part: string) => ({ path: { ...key, part } });
  return {
    rules: {
      queryKey,
      add: (body) => dataOf(api.POST('/projects/{project}/mailboxes/{id}/rules', { params, body })),
      replace: null,
      change: (id, body) =>
        dataOf(api.PATCH('/projects/{project}/mailboxes/{id}/rules/{part}', { params: withRule(id), body })),
      remove: (id) =>
        dataOf(api.DELETE('/projects/{project}/mailboxes/{id}/rules/{part}', { params: withRule(id) })),
      show: (rules) => queries.setQueryData(queryKey, (before) => before && { ...before, rules }),
    } satisfies RuleCalls,
    blocked: {
      queryKey,
      add: (sender) =>
        dataOf(api.POST('/projects/{project}/mailboxes/{id}/blocked', { params, body: { sender } })),
      remove: (sender) =>
        dataOf(
          api.DELETE('/projects/{project}/mailboxes/{id}/blocked', {
            params: { ...params, query: { sender } },
          }),
        ),
    } satisfies SenderCalls,
    safe: {
      queryKey,
      add: (sender) =>
        dataOf(api.POST('/projects/{project}/mailboxes/{id}/safe', { params, body: { sender } })),
      remove: (sender) =>
        dataOf(
          api.DELETE('/projects/{project}/mailboxes/{id}/safe', {
            params: { ...params, query: { sender } },
          }),
        ),
    } satisfies SenderCalls,
    vacation: {
      queryKey,
      set: (body) => dataOf(api.PUT('/projects/{project}/mailboxes/{id}/vacation', { params, body })),
      end: () => dataOf(api.DELETE('/projects/{project}/mailboxes/{id}/vacation', { params })),
    } satisfies VacationCalls,
    forwarding: {
      queryKey,
      set: (body) => dataOf(api.PUT('/projects/{project}/mailboxes/{id}/forwarding', { params, body })),
      end: () => dataOf(api.DELETE('/projects/{project}/mailboxes/{id}/forwarding', { params })),
    } satisfies ForwardingCalls,
  };
}
