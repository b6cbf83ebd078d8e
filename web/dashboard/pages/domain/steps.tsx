import type { ReactNode } from 'react';
import type { DashboardDomain } from '../../../../src/contract/dashboard/domains.ts';
import { Card } from '../../../ui/card.tsx';
import { classes } from '../../../ui/classes.ts';
import { CheckIcon } from '../../../ui/icons.tsx';
import { Time } from '../../../ui/time.tsx';

type State = 'done' | 'current' | 'later';

/** The steps from adding a domain to sending mail from it. */
export function Steps({ domain, isChecking }: { domain: DashboardDomain; isChecking: boolean }) {
  const required = domain.records.filter((record) => record.required);
  const seen = required.filter(({ status }) => status === 'verified').length;
  const isSeen = seen === required.length;
  // Records that DNS has with a wrong value must still be corrected.
  const isAdded =
    seen > 0 && required.every(({ status, found }) => status === 'verified' || found.length === 0);
  return (
    <Card title="Verification">
      <ol className="grid gap-4">
        <Step state={isAdded ? 'done' : 'current'} title="Add the records">
          At the DNS provider of {domain.domain}, add the records marked as required. Each part has a copy
          button.
        </Step>
        <Step state={isSeen ? 'done' : isAdded ? 'current' : 'later'} title="Waiting for DNS">
          <span role="status">
            {isChecking ? 'Checking DNS…' : `${seen} of ${required.length} required records found.`}
          </span>{' '}
          <NextCheck domain={domain} />
        </Step>
        <Step state={isSeen ? 'current' : 'later'} title="Verified">
          {isSeen
            ? 'All records were found. The error of the DKIM record says why the domain is not verified.'
            : `Then you can send from any address at ${domain.domain}.`}
        </Step>
      </ol>
    </Card>
  );
}

function NextCheck({ domain }: { domain: DashboardDomain }) {
  if (domain.status === 'failed')
    return 'The records were missing for so long that Posthorn checks them only when you click Check now.';
  return (
    <>
      Posthorn checks automatically: often at first, then every 5 minutes. Most DNS providers publish changes
      within a minute.
    </>
  );
}

function Step({ state, title, children }: { state: State; title: string; children: ReactNode }) {
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3">
      <span
        className={classes(
          'mt-0.5 grid size-5 place-items-center rounded-full border',
          state === 'done' && 'border-transparent bg-good-soft text-good',
          state === 'current' && 'border-accent text-accent',
          state === 'later' && 'border-line text-muted',
        )}
      >
        {state === 'done' ? (
          <CheckIcon className="size-3" />
        ) : (
          <span aria-hidden="true" className="size-1.5 rounded-full bg-current" />
        )}
        <span className="sr-only">
          {state === 'done' ? 'Done: ' : state === 'current' ? 'In progress: ' : 'Next: '}
        </span>
      </span>
      <div>
        <h3 className={state === 'later' ? 'text-muted' : ''}>{title}</h3>
        <p className="text-pretty text-muted">{children}</p>
      </div>
    </li>
  );
}

/** The times of the last and the next DNS check. */
export function Checked({ domain, isChecking }: { domain: DashboardDomain; isChecking: boolean }) {
  if (isChecking) return <span className="text-muted">Checking DNS…</span>;
  return (
    <span className="text-muted">
      {domain.last_checked_at === null ? (
        'Not checked yet'
      ) : (
        <>
          Checked <Time value={domain.last_checked_at} />
        </>
      )}
      {domain.next_check_at !== null && (
        <>
          , next check <Time value={domain.next_check_at} />
        </>
      )}
    </span>
  );
}
