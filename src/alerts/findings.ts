/** The problems of a project or an installation, as alerts compare them. Other modules find them: pages show the same problems. */
import type { AlertKind } from '../contract/dashboard/alerts.ts';
import type { Health, HealthCause } from '../contract/dashboard/health.ts';
import type { Need } from '../contract/dashboard/overview.ts';
import { READ } from '../insights/overview/needs.ts';
import type { AlertProblem } from './channel.ts';
import type { FoundProblem, KnownProblem } from './next-problems.ts';

export interface Findings {
  found: FoundProblem[];
  /** Whether a problem that was not found is gone. */
  isGone(known: KnownProblem): boolean;
}

const STATES: ReadonlySet<AlertKind> = new Set(['stopped', 'paused', 'delayed', 'provider', 'workers']);

/** @param needs of `findAllNeeds`, with the snoozes of the subscriber */
export function projectFindings(needs: readonly Need[], state: Health['state']): Findings {
  const counts = new Map<AlertKind, number>();
  for (const { kind } of needs) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return {
    found: needs.map(({ kind, severity, tone, id, text, since, key, level, snoozed_until }) => ({
      key,
      level,
      isSnoozed: snoozed_until !== null,
      problem: { kind, severity, tone, resource: id, text, since },
    })),
    isGone({ problem: { kind } }) {
      if (state === 'unknown' && STATES.has(kind)) return false;
      // There may be more problems of this kind than were read.
      return (counts.get(kind) ?? 0) < READ;
    },
  };
}

const DANGER: Readonly<Record<HealthCause['kind'], Pick<AlertProblem, 'severity' | 'tone'>>> = {
  provider: { severity: 1, tone: 'bad' },
  paused: { severity: 1, tone: 'bad' },
  workers: { severity: 1, tone: 'bad' },
  disk: { severity: 2, tone: 'bad' },
  certificate: { severity: 2, tone: 'bad' },
  backup: { severity: 3, tone: 'warn' },
};
/** Kinds that the process finds on its own machine. Their keys have the name of the machine as the second word. */
export const OF_HOST: ReadonlySet<AlertKind> = new Set(['disk', 'certificate']);
const EXPIRED = / expired (?=on )/;

/**
 * @param concerns null if they could not be read
 * @param host the machine whose disk and certificates `concerns` describe
 */
export function installationFindings(
  { health, concerns }: { health: Health; concerns: readonly HealthCause[] | null },
  host: string,
): Findings {
  const { state, since, causes } = health;
  const delayed: FoundProblem = {
    key: 'delayed',
    level: 0,
    isSnoozed: false,
    problem: {
      kind: 'delayed',
      severity: 1,
      tone: 'warn',
      resource: null,
      text: 'Emails are sent late: workers do not keep up with the queue.',
      since,
    },
  };
  const foundCause = ({ kind, text }: HealthCause): FoundProblem => ({
    // The text tells two certificates apart. It changes when the certificate expires, which makes the problem worse.
    key: [kind, OF_HOST.has(kind) && host, kind === 'certificate' && text.replace(EXPIRED, ' expires ')]
      .filter(Boolean)
      .join(' '),
    level: kind === 'certificate' && EXPIRED.test(text) ? 1 : 0,
    isSnoozed: false,
    problem: { kind, ...DANGER[kind], resource: null, text, since: STATES.has(kind) ? since : null },
  });
  return {
    found: [...(state === 'delayed' ? [delayed] : []), ...[...causes, ...(concerns ?? [])].map(foundCause)],
    isGone({ key, problem: { kind } }) {
      if (STATES.has(kind)) return state !== 'unknown';
      if (concerns === null) return false;
      return !OF_HOST.has(kind) || key === `${kind} ${host}` || key.startsWith(`${kind} ${host} `);
    },
  };
}
