import type { ChangeList } from '../../../../src/contract/dashboard/organizations.ts';
import { ChevronRightIcon } from '../../../ui/icons.tsx';
import { Row, Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { useSession } from '../../shell/session.ts';
import { fieldName, valueOf, WAYS, wordsOf } from './words.ts';

type Change = ChangeList['data'][number];
type Fields = Readonly<Record<string, unknown>>;

export function ChangeTable({ changes }: { changes: readonly Change[] }) {
  return (
    <Table
      label="Changes"
      head={
        <>
          <Th>What</Th>
          <Th isWideOnly>Who</Th>
          <Th isWideOnly isNumeric>
            When
          </Th>
        </>
      }
    >
      {changes.map((change) => (
        <Row key={change.id} className="align-top">
          <Td className="max-w-120 pt-2.5 pb-2.5">
            <What change={change} />
            <p className="mt-1 text-sm text-muted md:hidden">
              <Actor change={change} /> · <Time value={change.created_at} />
            </p>
          </Td>
          <Td isWideOnly className="max-w-64 pt-2.5">
            <Actor change={change} />
          </Td>
          <Td isWideOnly isNumeric className="pt-2.5">
            <Time value={change.created_at} />
          </Td>
        </Row>
      ))}
    </Table>
  );
}

function What({ change }: { change: Change }) {
  const { projects } = useSession();
  const project = projects.find(({ id }) => id === change.project_id)?.name;
  const name = change.target_name ?? change.target;
  return (
    <>
      <p className="wrap-anywhere" title={`${change.action} ${change.target}`}>
        <span className="font-medium">{wordsOf(change.action)}</span>: {name}
        {project !== undefined && project !== name && <span className="text-muted"> in {project}</span>}
      </p>
      {/* The action says it all: its only field is that the domain was verified manually. */}
      {change.action !== 'domain.verify-by-hand' && (
        <Difference before={change.before} after={change.after} />
      )}
    </>
  );
}

/** A table of the changed fields, with the values before and after. */
function Difference({ before, after }: { before: Fields | null; after: Fields | null }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    // If a resource was created or deleted, leave out its empty fields.
    (name) => (before !== null && after !== null) || valueOf((before ?? after)?.[name]) !== 'none',
  );
  if (names.length === 0) return null;
  return (
    <dl className="mt-1 grid gap-0.5 text-sm">
      {names.map((name) => (
        <div key={name} className="flex flex-wrap gap-x-1.5">
          <dt className="text-muted">{fieldName(name)}</dt>
          <dd className="min-w-0 wrap-anywhere">
            {before !== null && name in before && (
              <del className={after === null ? 'text-bad no-underline' : 'text-muted'}>
                {valueOf(before[name])}
              </del>
            )}
            {before !== null && name in before && after !== null && name in after && (
              <>
                <ChevronRightIcon className="mx-0.5 inline align-[-3px] text-faint" />
                <span className="sr-only">is now </span>
              </>
            )}
            {after !== null && name in after && <ins className="no-underline">{valueOf(after[name])}</ins>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Actor({ change: { actor } }: { change: Change }) {
  const way = WAYS.find(([kind]) => kind === actor.kind)?.[1] ?? actor.kind;
  return (
    <>
      <span className="wrap-anywhere md:block">{actor.kind === 'system' ? 'Posthorn' : actor.name}</span>
      <span className="text-sm text-muted md:block">
        <span className="md:hidden"> · </span>
        {way}
        {actor.address !== null && `, ${actor.address}`}
      </span>
    </>
  );
}
