import type { DashboardDomain } from '../../../../src/contract/dashboard/domains.ts';
import { Card } from '../../../ui/card.tsx';
import { classes } from '../../../ui/classes.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';

type Advice = NonNullable<DashboardDomain['dmarc']>;

const LADDER = ['none', 'quarantine', 'reject'] as const;

/** The effect of the published DMARC policy, and the next step. */
export function Dmarc({ advice }: { advice: Advice }) {
  const {
    policy,
    summary,
    alignment,
    reports_to: reportsTo,
    next,
    published,
    inherited_from: inherited,
  } = advice;
  return (
    <Card title="DMARC">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <ol aria-label="Policies, from lenient to strict" className="flex flex-wrap items-center gap-2">
          {LADDER.map((step) => (
            <li
              key={step}
              aria-current={step === policy ? 'step' : undefined}
              className={classes(
                'rounded-full border px-2.5 py-0.5 font-mono text-sm',
                step === policy
                  ? 'border-accent bg-selected font-medium text-accent'
                  : 'border-line text-muted',
              )}
            >
              p={step}
            </li>
          ))}
        </ol>
        <p className="text-pretty">{summary}</p>
        {published !== null && (
          <p className="font-mono text-sm break-all text-muted">
            {published}
            {inherited !== null && <span className="font-sans"> (of {inherited})</span>}
          </p>
        )}
        <dl className="grid gap-x-4 gap-y-2 sm:grid-cols-[6rem_minmax(0,1fr)]">
          <dt className="text-muted">Alignment</dt>
          <dd className="text-pretty">{alignment}</dd>
          <dt className="text-muted">Reports</dt>
          <dd className="break-words">
            {reportsTo.length === 0 ? 'Not sent' : `To ${reportsTo.join(', ')}`}
          </dd>
        </dl>
        {advice.advice.length > 0 && (
          <ul className="grid list-disc grid-cols-[minmax(0,1fr)] gap-1 pl-5 text-pretty break-words">
            {advice.advice.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        )}
        {next !== null && (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
            <p className="text-sm text-muted">
              For the next step, publish this record at{' '}
              <span className="font-mono break-all">{next.name}</span>:
            </p>
            <CodeBlock code={next.value} label="the next DMARC record" isWrapped />
          </div>
        )}
      </div>
    </Card>
  );
}
