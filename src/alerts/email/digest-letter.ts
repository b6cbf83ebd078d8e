import type { WeeklyDigest } from '../channel.ts';
import { countText } from '../../model/formats.ts';
import { comparison, daysText, REASONS, rowsOf } from '../digest/digest-words.ts';
import { footer, type LetterContext, moreBlocks, problemBlock } from './alert-letter.ts';
import { scopeName } from '../texts.ts';
import { type Block, type Letter, subjectOf } from './letter.ts';

/** Composes the weekly digest of a project. */
export function digestLetter(digest: WeeklyDigest, context: LetterContext): Letter {
  const { week, before, problems, more } = digest;
  const metrics = new URL(context.links.problems);
  metrics.pathname = '/dashboard/metrics';
  return {
    subject: subjectOf(`${scopeName(context)}: ${comparison(digest)}`),
    blocks: [
      { kind: 'title', text: `The week in ${scopeName(context)}` },
      { kind: 'paragraph', text: `${daysText(digest)}: ${comparison(digest)}.` },
      {
        kind: 'table',
        head: ['', 'This week', 'Week before'],
        rows: rowsOf(digest).map(({ name, valueOf }) => [name, valueOf(week), valueOf(before)]),
      },
      ...bounceBlocks(digest),
      { kind: 'heading', text: 'Open problems' },
      ...(problems.length === 0 ? [{ kind: 'paragraph', text: 'Nothing needs attention.' } as const] : []),
      ...problems.map((problem) => problemBlock(problem, context)),
      ...moreBlocks(more),
      { kind: 'button', link: { name: 'Open metrics', url: metrics.href } },
      ...footer(context),
    ],
  };
}

function bounceBlocks({ reasons, providers }: Pick<WeeklyDigest, 'reasons' | 'providers'>): Block[] {
  const table = (title: string, rows: readonly (readonly [string, number])[]): Block[] =>
    rows.length === 0
      ? []
      : [
          {
            kind: 'table',
            head: [title, 'Bounced'],
            rows: rows.map(([name, bounced]) => [name, countText(bounced)]),
          },
        ];
  const blocks = [
    ...table(
      'Reason',
      reasons.map(({ category, count: bounced }) => [REASONS[category], bounced] as const),
    ),
    ...table(
      'Mailbox provider',
      providers.map(({ name, bounced }) => [name === '' ? 'Other providers' : name, bounced] as const),
    ),
  ];
  return blocks.length === 0 ? [] : [{ kind: 'heading', text: 'Bounces' }, ...blocks];
}
