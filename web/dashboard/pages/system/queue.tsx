import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { SystemQueue } from '../../../../src/contract/dashboard/system.ts';
import { number } from '../../../ui/amounts.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Field, Select, Input } from '../../../ui/field.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { Time } from '../../../ui/time.tsx';
import { Loaded } from '../../../shell/loaded.tsx';
import { DestinationDialog } from './destination-dialog.tsx';
import { DestinationTable } from './destination-table.tsx';
import { PauseButton, PausedNotice } from './pause.tsx';
import { type QueueQuery, queueQuery } from './queries.ts';
import { ApiProblem, messageOf } from '../../../api/client.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { useOrder } from './order-buttons.tsx';
import { QueuedRecipients, RecipientsLink, useRecipientKind } from './queued-recipients.tsx';

const STATES = [
  ['closed', 'Unavailable'],
  ['held', 'Paused'],
  ['refusing', 'Rejecting senders'],
] as const;

/** The queued mail by destination, with the reason why mail to each destination waits. */
export default function Queue() {
  const { q = '', state = '', page = '', destination: shown = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  /** Sets parameters of the page's URL; an empty value removes the parameter. */
  const set = (changes: Readonly<Record<string, string>>) =>
    void navigate({
      to: '.',
      search: (before: Readonly<Record<string, string | undefined>>) => ({ ...before, ...changes }),
      replace: true,
    });
  const [isHolding, setHolding] = useState(false);
  const known = STATES.map(([value]) => value).find((value) => value === state);
  const query: QueueQuery = {
    ...(q !== '' && { q }),
    ...(known !== undefined && { state: known }),
    ...(/^[1-9]\d{0,3}$/.test(page) && { page: Number(page) }),
  };
  const queue = useQuery(queueQuery(query));
  const kind = useRecipientKind();
  const figures = queue.data !== undefined && <Figures queue={queue.data} />;
  if (kind !== undefined)
    return (
      <>
        {figures}
        <QueuedRecipients kind={kind} />
      </>
    );
  return (
    <>
      {figures}
      <div className="mb-3 flex flex-wrap items-end gap-2">
        <SearchField
          label="Search destinations"
          placeholder="Search destinations"
          value={q}
          onSearch={(next) => set({ q: next, page: '' })}
          className="min-w-0 grow sm:max-w-72"
        />
        <Field label="State" isLabelHidden>
          <Select value={known ?? ''} onChange={(change) => set({ state: change.target.value, page: '' })}>
            <option value="">All states</option>
            {STATES.map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
        <Button className="sm:ml-auto" onClick={() => setHolding(true)}>
          Pause a destination
        </Button>
      </div>
      <Loaded query={queue}>
        {(data) =>
          data.data.length === 0 && data.page === 1 ? (
            <Nothing isFiltered={q !== '' || known !== undefined} />
          ) : (
            <>
              <DestinationTable destinations={data.data} />
              <Pages queue={data} onChange={(next) => set({ page: next === 1 ? '' : String(next) })} />
            </>
          )
        }
      </Loaded>
      {isHolding && <HoldDialog onClose={() => setHolding(false)} />}
      {shown !== '' && (
        <DestinationDialog
          domain={shown}
          known={queue.data?.data.find(({ domain }) => domain === shown)}
          onClose={() => set({ destination: '' })}
        />
      )}
    </>
  );
}

function Figures({ queue }: { queue: SystemQueue }) {
  const { waiting, is_longer, in_flight, oldest_at, paused, other_kind: other } = queue;
  const figures = [
    [
      'Waiting',
      <RecipientsLink key="waiting" value={waiting} kind="waiting">
        {`${is_longer ? 'more than ' : ''}${number(waiting)}`}
      </RecipientsLink>,
    ],
    [
      'In flight',
      <RecipientsLink key="in-flight" value={in_flight} kind="in-flight">
        {number(in_flight)}
      </RecipientsLink>,
    ],
    ['Oldest', <Time key="oldest" value={oldest_at} never="None" />],
  ] as const;
  return (
    <>
      {paused !== null && <PausedNotice paused={paused} />}
      {other !== null && <OtherKind {...other} />}
      <div className="mb-5 flex flex-wrap items-center gap-x-10 gap-y-3">
        <dl className="flex flex-wrap gap-x-10 gap-y-3">
          {figures.map(([name, value]) => (
            <div key={name}>
              <dt className="text-xs text-muted">{name}</dt>
              <dd className="text-lg font-medium tabular-nums">{value}</dd>
            </div>
          ))}
        </dl>
        {paused === null && <PauseButton />}
      </div>
    </>
  );
}

/** Mail that is stuck because it was accepted for a kind of provider that the installation no longer has. */
function OtherKind({ kind, waiting }: NonNullable<SystemQueue['other_kind']>) {
  const recipients = waiting === 1 ? 'recipient is waiting' : 'recipients are waiting';
  return (
    <div role="status" className="mb-5 rounded-lg bg-warn-soft px-4 py-3 text-warn">
      <p>
        <RecipientsLink value={waiting} kind="other-kind">
          {number(waiting)}
        </RecipientsLink>{' '}
        {kind === 'sandbox'
          ? `${recipients}, accepted while this installation was a sandbox. They are not sent until an operator releases them.`
          : `${recipients}, accepted for real delivery. This installation is now a sandbox, so they are not delivered.`}
      </p>
      <p className="mt-1 text-sm">
        On the command line:{' '}
        <code className="font-mono wrap-anywhere">
          {kind === 'sandbox'
            ? 'posthorn queue release --from sandbox'
            : 'posthorn queue provider --set real'}
        </code>
        , or <code className="font-mono wrap-anywhere">{`posthorn queue withdraw --from ${kind}`}</code>
      </p>
    </div>
  );
}

function Pages({ queue, onChange }: { queue: SystemQueue; onChange(page: number): void }) {
  const { page, pages, destinations } = queue;
  if (pages === 1) return null;
  return (
    <nav aria-label="Pages of destinations" className="mt-3 flex items-center justify-end gap-2">
      <span className="mr-auto text-sm text-muted">
        {number(destinations)} destinations, page {number(page)} of {number(pages)}
      </span>
      <Button disabled={page <= 1} onClick={() => onChange(page - 1)}>
        Previous
      </Button>
      <Button disabled={page >= pages} onClick={() => onChange(page + 1)}>
        Next
      </Button>
    </nav>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState title="No matching destinations">No queued mail matches your search.</EmptyState>
  ) : (
    <EmptyState title="Nothing is queued">
      Mail that cannot be delivered immediately is listed here by recipient domain, with the last response
      from the domain’s servers.
    </EmptyState>
  );
}

/** Pauses a destination that has no queued mail yet. */
function HoldDialog({ onClose }: { onClose(): void }) {
  const [domain, setDomain] = useState('');
  const hold = useOrder('hold', onClose);
  const { error } = hold;
  const atField = error instanceof ApiProblem ? error.errors['domain'] : undefined;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Pause a destination"
      description="Mail to this domain stays queued on all machines until you resume it, and nothing bounces in the meantime."
      onSubmit={() => hold.mutate(domain.trim())}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={hold.isPending}>
            Pause
          </Button>
        </>
      }
    >
      <Field label="Domain" hint="The recipients’ domain." error={error && (atField ?? messageOf(error))}>
        <Input
          data-focus
          autoComplete="off"
          spellCheck={false}
          placeholder="example.net"
          value={domain}
          onChange={(change) => setDomain(change.target.value)}
        />
      </Field>
    </Dialog>
  );
}
