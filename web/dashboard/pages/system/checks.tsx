import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { Doctor } from '../../../../src/contract/dashboard/system.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { RefreshIcon } from '../../../ui/icons.tsx';
import { SkeletonRows } from '../../../ui/skeleton.tsx';
import { Time } from '../../../ui/time.tsx';
import { Loaded } from '../../../shell/loaded.tsx';
import { doctorQuery } from './queries.ts';

type Check = Doctor['checks'][number];

const VERDICTS: Readonly<Record<Check['verdict'], { name: string; tone: Tone; order: number }>> = {
  problem: { name: 'Problem', tone: 'bad', order: 0 },
  warning: { name: 'Warning', tone: 'warn', order: 1 },
  ok: { name: 'OK', tone: 'good', order: 2 },
};

/** The findings of `posthorn doctor` on the machine that handled the request, most urgent first. */
export default function Checks() {
  const queries = useQueryClient();
  const doctor = useQuery(doctorQuery);
  const run = useMutation({
    mutationFn: () => dataOf(api.POST('/system/doctor')),
    onSuccess: (data) => queries.setQueryData(doctorQuery.queryKey, data),
  });
  return (
    <Loaded query={doctor}>
      {(data) => (
        <>
          <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-2">
            <p className="mr-auto text-muted" role="status">
              <Summary doctor={data} />
            </p>
            <Button
              icon={<RefreshIcon />}
              isBusy={data.is_running || run.isPending}
              onClick={() => run.mutate()}
            >
              Run again
            </Button>
          </div>
          {data.error !== null && (
            <p role="alert" className="mb-4 rounded-lg bg-bad-soft px-4 py-3 text-bad">
              The checks could not run: {data.error}
            </p>
          )}
          {data.is_running && data.checks.length === 0 ? (
            <SkeletonRows count={10} label="Running the checks" />
          ) : (
            <ul aria-label="Checks">
              {data.checks
                .toSorted((one, other) => VERDICTS[one.verdict].order - VERDICTS[other.verdict].order)
                .map((check) => (
                  <CheckItem key={check.name} check={check} />
                ))}
            </ul>
          )}
        </>
      )}
    </Loaded>
  );
}

function Summary({ doctor: { checks, host, ran_at, is_running } }: { doctor: Doctor }) {
  if (is_running) return <>Checking {host}. This takes up to 20 seconds.</>;
  const count = (verdict: Check['verdict']) => checks.filter((check) => check.verdict === verdict).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  const found = [
    ...(problems > 0 ? [problems === 1 ? '1 problem' : `${problems} problems`] : []),
    ...(warnings > 0 ? [warnings === 1 ? '1 warning' : `${warnings} warnings`] : []),
  ];
  return (
    <>
      {found.length === 0 ? 'No problems' : found.join(' and ')} on {host}, checked <Time value={ran_at} />.
    </>
  );
}

function CheckItem({ check: { name, verdict, seen, advice } }: { check: Check }) {
  return (
    <li className="grid gap-x-4 gap-y-1 border-b border-line px-2 py-3 sm:grid-cols-[6rem_9rem_minmax(0,1fr)]">
      <span>
        <Badge tone={VERDICTS[verdict].tone}>{VERDICTS[verdict].name}</Badge>
      </span>
      <span className="font-medium">{name.replaceAll('_', ' ')}</span>
      <span className="min-w-0 text-pretty wrap-anywhere">
        {seen}
        {advice !== null && <span className="mt-1 block text-muted">{advice}</span>}
      </span>
    </li>
  );
}
