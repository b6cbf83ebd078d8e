/** Whether mail is sent: a line on every page, which is true within fifteen seconds. */
import { useQuery } from '@tanstack/react-query';
import { Link, linkOptions } from '@tanstack/react-router';
import type { Health, HealthCause } from '../../../src/contract/dashboard/health.ts';
import { dataOf } from '../../api/client.ts';
import { api } from '../../api/dashboard.ts';
import { number } from '../../ui/amounts.ts';
import { classes } from '../../ui/classes.ts';
import { Since } from '../../ui/time.tsx';
import { useProject } from './session.ts';

const POLL_MS = 3_000;

export function useHealth() {
  const project = useProject().id;
  return useQuery({
    queryKey: ['health', project],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/health', { params: { path: { project } }, signal })),
    refetchInterval: POLL_MS,
  });
}

interface Line {
  /** The color of the dot, and that of the words. */
  tone: string;
  words: string;
  /** Null: the words name no time. */
  since: string | null;
}

const GOOD = 'bg-good';
const WARN = 'bg-warn text-warn';
const QUIET = 'bg-edge';

function lineOf({ state, since, causes }: Health): Line {
  switch (state) {
    case 'normal':
      return causes.length === 0
        ? { tone: GOOD, words: 'Sending normally', since: null }
        : { tone: WARN, words: 'Sending, needs attention', since: null };
    case 'delayed':
      return { tone: WARN, words: 'Delayed', since };
    case 'paused':
      return { tone: WARN, words: 'Paused', since };
    case 'stopped':
      return { tone: 'bg-bad text-bad', words: 'Stopped', since };
    case 'unknown':
      return { tone: QUIET, words: 'Checking…', since: null };
  }
}

/** Null before the first response. While there is no response, nothing that was true before is claimed. */
function useLine(): { line: Line; health: Health } | null {
  const { data, failureCount, fetchStatus } = useHealth();
  if (data === undefined) return null;
  const isCurrent = failureCount === 0 && fetchStatus !== 'paused';
  return { line: lineOf(isCurrent ? data : { ...data, state: 'unknown' }), health: data };
}

/** Screen readers announce the line when it changes. */
function Words({ line }: { line: Line | undefined }) {
  const [dot, text] = line?.tone.split(' ') ?? [];
  return (
    <span role="status" className={classes('inline-flex min-w-0 items-center gap-1.5', text)}>
      {line !== undefined && (
        <>
          <span aria-hidden="true" className={classes('size-2 shrink-0 rounded-full', dot)} />
          <span className="truncate">
            {line.words}
            {line.since !== null && (
              <>
                {' since '}
                <Since value={line.since} />
              </>
            )}
          </span>
        </>
      )}
    </span>
  );
}

interface HealthAtFootProps {
  className: string;
  /** Called after a cause is chosen. */
  onChoose: (() => void) | undefined;
}

/** The line at the foot of the menu, with the emails that wait and what operators can do. */
export function HealthAtFoot({ className, onChoose }: HealthAtFootProps) {
  const shown = useLine();
  const { state, waiting, causes = [] } = shown?.health ?? {};
  const isWaiting = state !== 'normal' && state !== 'unknown' && waiting !== undefined && waiting.emails > 0;
  return (
    <div className={classes('grid min-h-4 gap-1 px-2.5 text-xs text-faint', className)}>
      <Words line={shown?.line} />
      {isWaiting && (
        <span>
          {waiting.is_more && 'Over '}
          {number(waiting.emails)} {waiting.emails === 1 ? 'email is' : 'emails are'} waiting.
        </span>
      )}
      {causes.map((cause) => (
        <Link
          key={cause.text}
          {...linkOf(cause)}
          onClick={onChoose}
          className="text-muted underline hover:text-text"
        >
          {cause.text}
        </Link>
      ))}
    </div>
  );
}

/** The line in the top bar, where the menu is closed. Shown only if something is wrong. */
export function FaultInTopBar({ className }: { className: string }) {
  const shown = useLine();
  const isWrong = shown !== null && shown.line.tone !== GOOD && shown.line.tone !== QUIET;
  return (
    <span className={classes('flex min-w-0 text-sm', className)}>
      <Words line={isWrong ? shown.line : undefined} />
    </span>
  );
}

/** Why mail is not sent, with a link to the part of System that shows more. */
export function Cause() {
  // The cause comes before what will fail soon.
  const cause = useHealth().data?.causes[0];
  if (cause === undefined) return null;
  return (
    <>
      {cause.text}{' '}
      <Link {...linkOf(cause)} className="font-medium underline">
        {LINKS[cause.kind].name}
      </Link>
    </>
  );
}

const LINKS: Readonly<Record<HealthCause['kind'], { name: string; part: string | null }>> = {
  provider: { name: 'Show checks', part: null },
  paused: { name: 'Show the queue', part: 'queue' },
  workers: { name: 'Show processes', part: 'processes' },
  disk: { name: 'Show storage', part: 'storage' },
  certificate: { name: 'Show certificates', part: 'certificates' },
  backup: { name: 'Open System', part: null },
};

function linkOf({ kind }: HealthCause) {
  const { part } = LINKS[kind];
  return linkOptions({ to: '/system', search: part === null ? {} : { part } });
}
