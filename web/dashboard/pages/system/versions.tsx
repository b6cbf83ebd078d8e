import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SystemVersions } from '../../../../src/contract/dashboard/system.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Row, Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { Loaded } from '../../../shell/loaded.tsx';
import { versionsQuery } from './queries.ts';

type Migration = SystemVersions['migrations'][number];

const STATES: Readonly<Record<Migration['state'], [name: string, tone: Tone]>> = {
  done: ['Done', 'good'],
  waits: ['Waiting', 'warn'],
  missing: ['Missing', 'bad'],
};
const SHOWN = 8;

/** The running versions, the version of the database schema, and the obstacles to an upgrade. */
export default function Versions() {
  return (
    <Loaded query={useQuery(versionsQuery)}>
      {(versions) => (
        <>
          <dl className="mb-5 flex flex-wrap gap-x-10 gap-y-3">
            {(
              [
                ['Posthorn', versions.version],
                ['PostgreSQL', versions.postgresql],
                ['Node', versions.node],
              ] as const
            ).map(([name, version]) => (
              <div key={name}>
                <dt className="text-xs text-muted">{name}</dt>
                <dd className="text-lg font-medium tabular-nums">{version}</dd>
              </div>
            ))}
          </dl>
          <Upgrade versions={versions} />
          <Migrations migrations={versions.migrations} />
        </>
      )}
    </Loaded>
  );
}

function Upgrade({ versions: { version, running, migrations } }: { versions: SystemVersions }) {
  const others = running.filter((each) => each.version !== version);
  const waiting = migrations.filter(({ state }) => state === 'waits').length;
  return (
    <section aria-label="Upgrading" className="mb-8 max-w-2xl">
      <h2 className="mb-1 text-lg">Upgrading</h2>
      {others.length > 0 ? (
        <>
          <p>
            Other versions are running too. They work together, but upgrade all machines to the same version
            within a day or so.
          </p>
          <ul className="mt-1 list-disc pl-5">
            {others.map((each) => (
              <li key={`${each.version} ${each.host}`}>
                {each.version} on {each.host}:{' '}
                {each.processes === 1 ? '1 process' : `${each.processes} processes`}
              </li>
            ))}
          </ul>
        </>
      ) : (
        <p>All processes run {version}.</p>
      )}
      {waiting > 0 && (
        <p className="mt-1">
          {waiting === 1 ? 'One migration removes' : `${waiting} migrations remove`} what older versions need,
          one hour after the last older process has stopped. Until then you can go back to the previous
          version.
        </p>
      )}
      <p className="mt-1 text-muted">
        To upgrade, install the new version in a separate folder, run its “posthorn migrate” while this
        version is still running, then switch the machines to the new version one by one.{' '}
        <a href="/docs/operate/upgrade" className="text-accent underline underline-offset-2">
          Step by step
        </a>
      </p>
    </section>
  );
}

function Migrations({ migrations }: { migrations: readonly Migration[] }) {
  const [isAll, setAll] = useState(false);
  const pending = migrations.filter(({ state }) => state !== 'done');
  const done = migrations.filter(({ state }) => state === 'done');
  const shown = [...pending, ...(isAll ? done : done.slice(0, SHOWN))];
  return (
    <section aria-label="Migrations">
      <h2 className="mb-2 text-lg">Migrations</h2>
      <Table
        label="Migrations"
        head={
          <>
            <Th>Migration</Th>
            <Th>State</Th>
            <Th isWideOnly>Compatible with</Th>
            <Th>Applied</Th>
          </>
        }
      >
        {shown.map(({ name, state, done_at, serves_from }) => (
          <Row key={name}>
            <Td className="font-mono text-sm">{name}</Td>
            <Td>
              <Badge tone={STATES[state][1]}>{STATES[state][0]}</Badge>
            </Td>
            <Td isWideOnly>{serves_from === null ? 'All versions' : `${serves_from} and later`}</Td>
            <Td>
              <Time value={done_at} never="Not yet" />
            </Td>
          </Row>
        ))}
      </Table>
      {shown.length < migrations.length && (
        <Button className="mt-3" onClick={() => setAll(true)}>
          Show all {migrations.length}
        </Button>
      )}
    </section>
  );
}
