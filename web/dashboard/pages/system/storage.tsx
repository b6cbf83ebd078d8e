import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { SystemStorage } from '../../../../src/contract/dashboard/system.ts';
import { bytes, counted, number } from '../../../ui/amounts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { classes } from '../../../ui/classes.ts';
import { Row, Table, Td, Th } from '../../../ui/table.tsx';
import { Loaded } from '../../../shell/loaded.tsx';
import { storageQuery } from './queries.ts';
import { Statements } from './statements.tsx';

const SHOWN = 10;

type StoredTable = SystemStorage['tables'][number];

/** Storage use, and the statements that take the most time. */
export default function Storage() {
  return (
    <>
      <Loaded query={useQuery(storageQuery)}>
        {(storage) => (
          <>
            <Totals storage={storage} />
            <Tables tables={storage.tables} />
          </>
        )}
      </Loaded>
      <Statements />
    </>
  );
}

function Totals({ storage: { disk, database_bytes, blobs } }: { storage: SystemStorage }) {
  const share = disk.total_bytes === 0 ? 0 : disk.free_bytes / disk.total_bytes;
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <Total name="Disk space" value={`${bytes(disk.free_bytes)} free`}>
        <span aria-hidden="true" className="mt-2 mb-1 block h-1.5 rounded-full bg-quiet-soft">
          <span
            className={classes('block h-full rounded-full', share < 0.1 ? 'bg-bad' : 'bg-accent')}
            style={{ width: `${Math.round((1 - share) * 100)}%` }}
          />
        </span>
        of {bytes(disk.total_bytes)} for {disk.folder} on {disk.host}
      </Total>
      <Total name="Database" value={bytes(database_bytes)}>
        Including indexes.
      </Total>
      <Total name="Stored for projects" value={bytes(blobs.kept_bytes)}>
        {blobs.rows !== null && `About ${counted(blobs.rows, 'message')}. `}
        Messages larger than 64 KB are stored{' '}
        {blobs.place === 'bucket' ? 'in the bucket' : 'as files in the data folder'}.
      </Total>
    </div>
  );
}

function Total({ name, value, children }: { name: string; value: string; children: ReactNode }) {
  return (
    <Card className="min-w-0">
      <h2 className="text-base font-normal text-muted">{name}</h2>
      <p className="text-2xl font-semibold tabular-nums">{value}</p>
      <div className="text-sm wrap-anywhere text-muted">{children}</div>
    </Card>
  );
}

function Tables({ tables }: { tables: readonly StoredTable[] }) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? tables : tables.slice(0, SHOWN);
  return (
    <section aria-label="Largest tables" className="mt-8">
      <h2 className="mb-2 text-lg">Largest tables</h2>
      <Table
        label="Largest tables"
        head={
          <>
            <Th>Table</Th>
            <Th isNumeric>Rows (approx.)</Th>
            <Th isNumeric>Size</Th>
          </>
        }
      >
        {shown.map((table) => (
          <TableRows key={table.name} table={table} />
        ))}
      </Table>
      {shown.length < tables.length && (
        <Button className="mt-3" onClick={() => setAll(true)}>
          Show {tables.length - SHOWN} more
        </Button>
      )}
    </section>
  );
}

function partitionWords(count: number): string {
  return count === 1 ? '1 partition' : `${count} partitions`;
}

function rowsOf({ rows }: Pick<StoredTable, 'rows'>): string {
  return rows === null ? '–' : number(rows);
}

function TableRows({ table }: { table: StoredTable }) {
  const { name, partitions, largest } = table;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Row>
        <Td>
          <span className="mr-2 font-mono text-sm wrap-anywhere">{name}</span>
          {partitions > 0 && (
            <button
              type="button"
              className="min-h-6 rounded-sm text-sm text-muted hover:text-text hover:underline"
              aria-expanded={isOpen}
              aria-label={`${partitionWords(partitions)} of ${name}`}
              onClick={() => setOpen(!isOpen)}
            >
              {partitionWords(partitions)}
            </button>
          )}
        </Td>
        <Td isNumeric className="tabular-nums">
          {rowsOf(table)}
        </Td>
        <Td isNumeric className="whitespace-nowrap tabular-nums">
          {bytes(table.bytes)}
        </Td>
      </Row>
      {isOpen &&
        largest.map((part) => (
          <Row key={part.name} className="text-muted">
            <Td>
              <span className="pl-5 font-mono text-sm">{part.name}</span>
            </Td>
            <Td isNumeric className="tabular-nums">
              {rowsOf(part)}
            </Td>
            <Td isNumeric className="whitespace-nowrap tabular-nums">
              {bytes(part.bytes)}
            </Td>
          </Row>
        ))}
      {isOpen && largest.length < partitions && (
        <Row className="text-muted">
          <Td colSpan={3} className="pl-7">
            and {partitions - largest.length} smaller ones
          </Td>
        </Row>
      )}
    </>
  );
}
