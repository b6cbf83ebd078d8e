import type { EmailContent } from '../../../../src/contract/dashboard/email.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';

type Check = EmailContent['checks'][number];

const RESULTS: Readonly<Record<Check['result'], { tone: Tone; word: string }>> = {
  problem: { tone: 'bad', word: 'Fix' },
  warning: { tone: 'warn', word: 'Check' },
  note: { tone: 'info', word: 'Note' },
  pass: { tone: 'good', word: 'Pass' },
};

/** Problems to fix before similar emails are sent, and the spam score. */
export function Checks({ content: { checks, spam } }: { content: EmailContent }) {
  return (
    <div className="grid gap-6">
      <ul aria-label="Checks" className="divide-y divide-line border-y border-line">
        {checks.map(({ name, result, title, advice, items }) => (
          <li key={name} className="grid grid-cols-[3.75rem_minmax(0,1fr)] gap-3 py-2.5">
            <span>
              <Badge tone={RESULTS[result].tone}>{RESULTS[result].word}</Badge>
            </span>
            <div className="min-w-0">
              <p className="font-medium">{title}</p>
              {advice !== null && <p className="text-sm text-muted">{advice}</p>}
              {items.length > 0 && (
                <ul className="mt-1 grid gap-0.5 font-mono text-sm text-muted">
                  {items.map((item) => (
                    <li key={item} className="wrap-anywhere">
                      {item}
                    </li>
                  ))}
                </ul>
              )}
            </div>
          </li>
        ))}
      </ul>
      {spam !== null && <Spam spam={spam} />}
    </div>
  );
}

function Spam({
  spam: { score, junk_from: junkFrom, reasons },
}: {
  spam: NonNullable<EmailContent['spam']>;
}) {
  const isJunk = score >= junkFrom;
  return (
    <section aria-label="Spam score">
      <h2 className="flex items-center gap-2 text-lg">
        Spam score
        <Badge tone={isJunk ? 'bad' : 'good'}>{score.toFixed(1)}</Badge>
      </h2>
      <p className="mb-2 text-sm text-muted">
        How mailboxes on this server score this email. At {junkFrom} or more, it goes to Junk. Other providers
        use their own filters.
      </p>
      {reasons.length === 0 ? (
        <p className="text-sm">No rule matched.</p>
      ) : (
        <ul aria-label="Reasons" className="divide-y divide-line border-y border-line">
          {reasons.map(({ rule, weight, meaning }) => (
            <li key={rule} className="flex items-baseline gap-3 py-2">
              <span className="w-12 shrink-0 text-right font-medium tabular-nums">
                {weight > 0 ? '+' : '−'}
                {Math.abs(weight)}
              </span>
              <span className="min-w-0 flex-1 first-letter:uppercase">{meaning}</span>
              <code className="shrink-0 font-mono text-xs text-muted">{rule}</code>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
