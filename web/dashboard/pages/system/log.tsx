import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { LogLevel, SystemChangeList } from '../../../../src/contract/dashboard/system.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Field, Select } from '../../../ui/field.tsx';
import { Row, Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { Loaded } from '../../../shell/loaded.tsx';
import { changesQuery, LOG, logLevelQuery } from './queries.ts';

const MINUTES = [15, 30, 60] as const;

/** The log level, and the actions of operators. */
export default function Log() {
  return (
    <>
      <Loaded query={useQuery(logLevelQuery)}>{(level) => <Level level={level} />}</Loaded>
      <Changes />
    </>
  );
}

function Level({ level: { level, raised_until } }: { level: LogLevel }) {
  const queries = useQueryClient();
  const [minutes, setMinutes] = useState<number>(60);
  const onSuccess = () => queries.invalidateQueries({ queryKey: LOG });
  const raise = useMutation({
    mutationFn: () => dataOf(api.PUT('/system/log-level', { body: { minutes } })),
    onSuccess,
  });
  const reset = useMutation({ mutationFn: () => dataOf(api.DELETE('/system/log-level')), onSuccess });
  return (
    <Card title="Log level" className="max-w-2xl">
      {raised_until === null ? (
        <>
          <p className="mb-3 text-muted">
            All processes log at level {level} and above. Debug logging also records each rejected request. It
            turns itself off after the chosen time.
          </p>
          <div className="flex flex-wrap items-end gap-2">
            <Field label="Duration">
              <Select value={minutes} onChange={(change) => setMinutes(Number(change.target.value))}>
                {MINUTES.map((each) => (
                  <option key={each} value={each}>
                    {each} minutes
                  </option>
                ))}
              </Select>
            </Field>
            <Button isBusy={raise.isPending} onClick={() => raise.mutate()}>
              Enable debug logging
            </Button>
          </div>
        </>
      ) : (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <p className="mr-auto" role="status">
            All processes log at level debug and above. They return to {level} <Time value={raised_until} />.
          </p>
          <Button isBusy={reset.isPending} onClick={() => reset.mutate()}>
            Disable debug logging
          </Button>
        </div>
      )}
    </Card>
  );
}

type Change = SystemChangeList['data'][number];

const WORDS: Readonly<Record<string, (target: string) => string>> = {
  'queue.pause': () => 'paused sending',
  'queue.resume': () => 'resumed sending',
  'queue.withdraw': () => 'withdrew queued mail',
  'queue.provider': () => 'changed the kind of provider',
  'queue.release': () => 'released mail accepted for the sandbox',
  'destination.hold': (domain) => `paused mail for ${domain}`,
  'destination.resume': (domain) => `resumed mail for ${domain}`,
  'destination.try': (domain) => `retried ${domain}`,
  'log-level.raise': () => 'enabled debug logging',
  'log-level.reset': () => 'disabled debug logging',
  'operator-mail.delete': (id) => `deleted the message ${id} to the operators`,
  'organization.delete': (id) => `deleted the organization ${id}`,
};

function Changes() {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useInfiniteQuery(changesQuery);
  return (
    <section aria-label="Operator actions" className="mt-8">
      <h2 className="mb-2 text-lg">Operator actions</h2>
      <Loaded query={{ data: data?.pages.flatMap((page) => page.data), error, refetch }}>
        {(changes) => (changes.length === 0 ? <NoChanges /> : <ChangeTable changes={changes} />)}
      </Loaded>
      {hasNextPage && (
        <Button className="mt-3" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </section>
  );
}

function NoChanges() {
  return (
    <EmptyState title="No actions yet">
      Actions such as pausing sending, pausing a destination or enabling debug logging are listed here for 400
      days.
    </EmptyState>
  );
}

function ChangeTable({ changes }: { changes: readonly Change[] }) {
  return (
    <Table
      label="Operator actions"
      head={
        <>
          <Th>Who</Th>
          <Th>What</Th>
          <Th isNumeric>When</Th>
        </>
      }
    >
      {changes.map(({ id, action, actor, target, created_at }) => (
        <Row key={id}>
          <Td>
            <span className="font-medium wrap-anywhere">{actor.name}</span>
            <span className="block text-sm text-muted">
              {actor.kind === 'command-line' ? 'on the command line' : actor.address}
            </span>
          </Td>
          <Td className="wrap-anywhere">{WORDS[action]?.(target) ?? `${action} ${target}`}</Td>
          <Td isNumeric>
            <Time value={created_at} />
          </Td>
        </Row>
      ))}
    </Table>
  );
}
