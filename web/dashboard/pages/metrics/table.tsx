import { Link } from '@tanstack/react-router';
import type { Metrics, MetricsSeries } from '../../../../src/contract/dashboard/metrics.ts';
import { Card } from '../../../ui/card.tsx';
import { Button } from '../../../ui/button.tsx';
import { copyText } from '../../../ui/copy.tsx';
import { csvOf } from '../../../ui/csv.ts';
import { CopyIcon } from '../../../ui/icons.tsx';
import { Row, Table, Td, Th } from '../../../ui/table.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { bounceRate, type CountedOutcome, complaintRate, COUNTS, stepRange, stepsOf } from './numbers.ts';
import { EmailsLink, isRetained } from '../emails/emails-link.tsx';
import type { Counted } from '../emails/query-text.ts';
import { countedIn, FILTERS, type FilterName, filterOf, type MetricsFilter, UNNAMED } from './filter.ts';
import { durationText, nameOf, shareText, stepText } from './words.ts';
import { number } from '../../../ui/amounts.ts';

type Counts = MetricsSeries['total'];

interface Column {
  name: string;
  text(counts: Counts): string;
  /** The number that leads to emails. */
  value?(counts: Counts): number;
  /** The recipients that the number counts. Absent: the number counts emails. */
  outcome?: CountedOutcome;
}

function counting(name: string, outcome: CountedOutcome, rate?: (counts: Counts) => number | null): Column {
  const value = COUNTS[outcome];
  const text = (counts: Counts) =>
    rate === undefined ? number(value(counts)) : `${number(value(counts))} (${shareText(rate(counts))})`;
  return { name, outcome, value, text };
}

const COLUMNS: readonly Column[] = [
  { name: 'Emails', value: ({ emails }) => emails, text: ({ emails }) => number(emails) },
  counting('Recipients', 'any'),
  counting('Delivered', 'delivered'),
  counting('In transit or scheduled', 'pending'),
  counting('Bounced', 'bounced', bounceRate),
  counting('Hard bounces', 'hard'),
  counting('Failed', 'failed'),
  counting('Complained', 'complained', complaintRate),
  counting('Opened by people', 'opened-by-people'),
  counting('Opened only by machines', 'opened-by-machines'),
  counting('Clicked', 'clicked'),
  { name: 'p50', text: ({ p50 }) => durationText(p50) },
  { name: 'p90', text: ({ p90 }) => durationText(p90) },
  { name: 'p99', text: ({ p99 }) => durationText(p99) },
];

interface NumbersRow {
  name: string;
  counts: Counts;
  /** The emails of the row. Null if no search finds them. */
  counted: Counted | null;
  /** The filter that limits the page to the row. */
  filter: ReturnType<typeof filterOf>;
}

/** The exact numbers: a row for each step, newest first, or a row for each part. */
export function Numbers({ metrics, filter }: { metrics: Metrics; filter: MetricsFilter }) {
  const { all, by, parts, steps, step_hours } = metrics;
  const isCompared = by !== 'all';
  const whole = { since: steps[0] ?? '' };
  const rows: NumbersRow[] = isCompared
    ? parts.map((part) => {
        const counted = countedIn(filter, by, part);
        return {
          name: nameOf(part, by),
          counts: part.total,
          counted: counted && { ...whole, ...counted },
          filter: filterOf(by, part),
        };
      })
    : stepsOf(all)
        .map((counts, at) => ({
          name: stepText(steps[at] ?? '', step_hours),
          counts,
          counted: { ...stepRange(metrics, at), ...countedIn(filter, 'all', all) },
          filter: null,
        }))
        .filter(({ counts }) => counts.recipients > 0)
        .toReversed();
  rows.push({
    name: 'All',
    counts: all.total,
    counted: { ...whole, ...countedIn(filter, 'all', all) },
    filter: null,
  });
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
        isText={!isRetained(whole, metrics.retained_since)}
        head={
          <>
            <Th>{by === 'all' ? 'Time (UTC)' : HEADS[by]}</Th>
            {COLUMNS.map(({ name }) => (
              <Th key={name} isNumeric className="pr-3!">
                {name}
              </Th>
            ))}
          </>
        }
      >
        {rows.map((row, at) => (
          <Row key={row.name} className={at === rows.length - 1 ? 'font-medium' : ''}>
            <th
              scope="row"
              className="left-0 max-w-60 truncate bg-page pr-3 pl-2 text-sm font-medium whitespace-nowrap sm:sticky"
            >
              {row.filter === null ? row.name : <FilterLink {...row.filter}>{row.name}</FilterLink>}
            </th>
            {COLUMNS.map((column) => (
              <Td key={column.name} isNumeric className="pr-3! text-sm whitespace-nowrap">
                <Cell column={column} row={row} metrics={metrics} />
              </Td>
            ))}
          </Row>
        ))}
      </Table>
    </Card>
  );
}

const FIRST_RECIPIENT =
  'No search finds exactly these emails, because each counts for the provider of its first recipient. The number of recipients is a link.';

function Cell({ column, row, metrics }: { column: Column; row: NumbersRow; metrics: Metrics }) {
  const { counts, counted } = row;
  const { outcome, text, value } = column;
  const isFound = counted !== null && (outcome !== undefined || counted.provider === undefined);
  return (
    <EmailsLink
      value={value?.(counts) ?? 0}
      counts={isFound ? { ...counted, ...(outcome !== undefined && { outcome }) } : null}
      retainedSince={metrics.retained_since}
      reason={counted === null ? UNNAMED : FIRST_RECIPIENT}
    >
      {text(counts)}
    </EmailsLink>
  );
}

/** The name of a row, which limits the page to the row. */
function FilterLink({ name, value, children }: { name: FilterName; value: string; children: string }) {
  return (
    <Link
      to="."
      search={(before) => ({ ...before, by: undefined, [name]: value })}
      title={`Show only ${FILTERS[name].toLowerCase()} ${children}`}
      className="hover:text-accent hover:underline"
    >
      {children}
    </Link>
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
