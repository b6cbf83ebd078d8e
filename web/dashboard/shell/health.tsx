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
/** An unknown state becomes known within three seconds. */
const POLL_UNKNOWN_MS = 1_000;

/** Undefined before the first response. While there is no response, nothing that was true before is claimed. */
export function useHealth(): Health | undefined {
  const project = useProject().id;
  const { data, failureCount, fetchStatus } = useQuery({
    queryKey: ['health', project],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/health', { params: { path: { project } }, signal })),
    refetchInterval: ({ state: { data } }) => (data?.state === 'unknown' ? POLL_UNKNOWN_MS : POLL_MS),
  });
  const isCurrent = failureCount === 0 && fetchStatus !== 'paused';
  return data === undefined || isCurrent ? data : { ...data, state: 'unknown' };
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

/** Screen readers announce the line when it changes, except that sending stopped: the banner announces that. */
function Words({ health }: { health: Health | undefined }) {
  const line = health && <Line line={lineOf(health)} />;
  const isAnnounced = health?.state !== 'stopped';
  return (
    <>
      <span role="status" className="inline-flex min-w-0">
        {isAnnounced && line}
      </span>
      {!isAnnounced && line}
    </>
  );
}

function Line({ line: { tone, words, since } }: { line: Line }) {
  const [dot, text] = tone.split(' ');
  return (
    <span className={classes('inline-flex min-w-0 items-center gap-1.5', text)}>
      <span aria-hidden="true" className={classes('size-2 shrink-0 rounded-full', dot)} />
      <span className="truncate">
        {words}
        {since !== null && (
          <>
            {' since '}
            <Since value={since} />
          </>
        )}
      </span>
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
  const health = useHealth();
  const { state, waiting, causes = [] } = health ?? {};
  const isWaiting = state !== 'normal' && state !== 'unknown' && waiting !== undefined && waiting.emails > 0;
  return (
    <div className={classes('grid min-h-4 gap-1 px-2.5 text-xs text-faint', className)}>
      <Words health={health} />
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
  const health = useHealth();
  const tone = health && lineOf(health).tone;
  const isWrong = tone !== undefined && tone !== GOOD && tone !== QUIET;
  return (
    <span className={classes('flex min-w-0 text-sm', className)}>
      <Words health={isWrong ? health : undefined} />
    </span>
  );
}

/** Why mail is not sent, with a link to the part of System that shows more. */
export function Cause() {
  // The cause comes before what will fail soon.
  const cause = useHealth()?.causes[0];
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
