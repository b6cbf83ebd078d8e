import type { Metrics, MetricsSeries } from '../../../../src/contract/dashboard/metrics.ts';
import { Card } from '../../../ui/card.tsx';
import { Button } from '../../../ui/button.tsx';
import { copyText } from '../../../ui/copy.tsx';
import { csvOf } from '../../../ui/csv.ts';
import { CopyIcon } from '../../../ui/icons.tsx';
import { Row, Table, Td, Th } from '../../../ui/table.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { bouncedOf, bounceRate, complaintRate, onTheWay, stepsOf } from './numbers.ts';
import { durationText, nameOf, shareText, stepText } from './words.ts';
import { number } from '../../../ui/amounts.ts';

type Counts = MetricsSeries['total'];

const COLUMNS: readonly (readonly [name: string, text: (counts: Counts) => string])[] = [
  ['Emails', ({ emails }) => number(emails)],
  ['Recipients', ({ recipients }) => number(recipients)],
  ['Delivered', ({ delivered }) => number(delivered)],
  ['In transit or scheduled', (counts) => number(onTheWay(counts))],
  ['Bounced', (counts) => `${number(bouncedOf(counts))} (${shareText(bounceRate(counts))})`],
  ['Hard bounces', ({ bounced_hard }) => number(bounced_hard)],
  ['Failed', ({ failed }) => number(failed)],
  ['Complained', (counts) => `${number(counts.complained)} (${shareText(complaintRate(counts))})`],
  ['Opened by people', ({ opened_by_people }) => number(opened_by_people)],
  ['Opened only by machines', ({ opened_by_machines }) => number(opened_by_machines)],
  ['Clicked', ({ clicked }) => number(clicked)],
  ['p50', ({ p50 }) => durationText(p50)],
  ['p90', ({ p90 }) => durationText(p90)],
  ['p99', ({ p99 }) => durationText(p99)],
];

/** The exact numbers: a row for each step, newest first, or a row for each part. */
export function Numbers({ metrics }: { metrics: Metrics }) {
  const { all, by, parts, steps, step_hours } = metrics;
  const rows =
    by === 'all'
      ? stepsOf(all)
          .map((counts, at) => ({ name: stepText(steps[at] ?? '', step_hours), counts }))
          .filter(({ counts }) => counts.recipients > 0)
          .toReversed()
      : parts.map((part) => ({ name: nameOf(part, by), counts: part.total }));
  const copy = () => {
    copyText(csvOfMetrics(metrics)).then(
      () => toast('Copied as CSV.'),
      () => toastFailure('The browser blocked copying.'),
    );
  };
  return (
    <Card
      title="Numbers"
      className="mt-4"
      aside={
        <Button icon={<CopyIcon />} onClick={copy}>
          Copy as CSV
        </Button>
      }
    >
      <Table
        label="Numbers"
        isText
        head={
          <>
            <Th>{by === 'all' ? 'Time (UTC)' : HEADS[by]}</Th>
            {COLUMNS.map(([name]) => (
              <Th key={name} isNumeric className="pr-3!">
                {name}
              </Th>
            ))}
          </>
        }
      >
        {[...rows, { name: 'All', counts: all.total }].map(({ name, counts }, at) => (
          <Row key={name} className={at === rows.length ? 'font-medium' : ''}>
            <th
              scope="row"
              className="left-0 max-w-60 truncate bg-page pr-3 pl-2 text-sm font-medium whitespace-nowrap sm:sticky"
            >
              {name}
            </th>
            {COLUMNS.map(([column, text]) => (
              <Td key={column} isNumeric className="pr-3! text-sm whitespace-nowrap">
                {text(counts)}
              </Td>
            ))}
          </Row>
        ))}
      </Table>
    </Card>
  );
}

const HEADS = { domain: 'Domain', provider: 'Provider', stream: 'Stream', tag: 'Tag' } as const;

/** A CSV file with a line per step, or per step and part. Columns are named as in the API; delivery times are in ms. */
function csvOfMetrics({ all, by, parts, steps }: Metrics): string {
  const columns = Object.keys(all.total) as (keyof MetricsSeries['total'])[];
  const isCompared = by !== 'all';
  const head = ['from', ...(isCompared ? [by] : []), ...columns];
  const lines = (isCompared ? parts : [all]).flatMap((part) =>
    stepsOf(part).map((counts, at) => [
      steps[at] ?? '',
      ...(isCompared ? [nameOf(part, by)] : []),
      ...columns.map((name) => counts[name]),
    ]),
  );
  return csvOf([head, ...lines]);
}
