/** Composes emails about problems, and the test email. */
import type { AlertContent, AlertMessage, AlertProblem, ReportedProblem } from '../channel.ts';
import { type Block, type Letter, subjectOf, type Tone } from './letter.ts';
import { scopeName } from '../texts.ts';
import { problemLink } from './problem-page.ts';

/** The message, and the time zone in which it shows times (an IANA name). */
export interface LetterContext extends Pick<AlertMessage, 'project' | 'links'> {
  timeZone: string;
}

export type ProblemsOf = Extract<AlertContent, { type: 'alert.opened' | 'alert.resolved' }>;

export function problemsLetter({ type, problems, more }: ProblemsOf, context: LetterContext): Letter {
  const scope = scopeName(context);
  const count = problems.length + more;
  const isResolved = type === 'alert.resolved';
  const [only] = problems;
  const subject =
    count === 1 && only !== undefined
      ? `${isResolved ? `Resolved in ${scope}` : scope}: ${only.text}`
      : `${scope}: ${count} problems ${isResolved ? 'are resolved' : 'need attention'}`;
  const title = isResolved
    ? `${count === 1 ? 'A problem is' : `${count} problems are`} resolved in ${scope}`
    : `${count === 1 ? 'A problem needs' : `${count} problems need`} attention in ${scope}`;
  return {
    subject: subjectOf(subject),
    blocks: [
      { kind: 'title', text: title },
      ...problems.map((problem) => problemBlock(problem, context)),
      ...moreBlocks(more),
      { kind: 'button', link: { name: 'Open the dashboard', url: context.links.problems } },
      ...footer(context),
    ],
  };
}

export function testLetter(context: LetterContext): Letter {
  const scope = scopeName(context);
  return {
    subject: subjectOf(`${scope}: test of your alerts`),
    blocks: [
      { kind: 'title', text: `This is a test of your alerts for ${scope}` },
      {
        kind: 'paragraph',
        text: 'Alerts about problems arrive like this email. You do not need to do anything.',
      },
      ...footer(context),
    ],
  };
}

const LABELS: Readonly<Record<ReportedProblem['change'], (tone: AlertProblem['tone']) => [string, Tone]>> = {
  opened: (tone) => [tone === 'bad' ? 'Problem' : 'Warning', tone],
  changed: (tone) => ['Update', tone],
  resolved: () => ['Resolved', 'good'],
};

/** A problem as an item. @param change absent: the problem is open, and is not reported for the first time */
export function problemBlock(
  problem: AlertProblem & { change?: ReportedProblem['change'] },
  context: LetterContext,
): Block {
  const { change = 'opened', tone, text, since } = problem;
  const [label, color] = LABELS[change](tone);
  const isOpen = change !== 'resolved';
  return {
    kind: 'item',
    tone: color,
    label,
    text,
    detail: isOpen && since !== null ? `Since ${timeIn(since, context.timeZone)}` : '',
    link: isOpen ? problemLink(problem, context) : null,
  };
}

export function moreBlocks(more: number): Block[] {
  return more === 0
    ? []
    : [
        {
          kind: 'paragraph',
          text: `There ${more === 1 ? 'is 1 more problem' : `are ${more} more problems`}.`,
        },
      ];
}

/** Why the user gets the email, and how to stop it. */
export function footer(context: LetterContext): Block[] {
  return [
    {
      kind: 'note',
      text: `You get this email because you chose to get alerts for ${scopeName(context)} at this address.`,
    },
    { kind: 'link', link: { name: 'Change or stop these alerts', url: context.links.alerts } },
  ];
}

/** The time in the zone of the reader with its UTC offset, such as "30 Nov 2026, 18:05 UTC+1". */
function timeIn(time: string, timeZone: string): string {
  return new Date(time)
    .toLocaleString('en-GB', {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      timeZone,
      timeZoneName: 'shortOffset',
    })
    .replace(/(?:GMT|UTC)(?:\+0$)?/, 'UTC');
}
