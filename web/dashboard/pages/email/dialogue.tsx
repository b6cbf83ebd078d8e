import type { DialogueLine } from '../../../../src/contract/events.ts';
import { classes } from '../../../ui/classes.ts';
import { ChevronRightIcon } from '../../../ui/icons.tsx';

const SPEAKERS = { client: 'C', server: 'S', note: '–' } as const;
const NAMES = { client: 'We', server: 'They', note: 'Note' } as const;

/** What was said over SMTP at one attempt, folded. */
export function Dialogue({ lines }: { lines: readonly DialogueLine[] }) {
  const tookMs = lines.at(-1)?.at_ms ?? 0;
  return (
    <details className="group/dialogue mt-1">
      <summary className="flex list-none items-center gap-1 text-sm text-accent [&::-webkit-details-marker]:hidden">
        <ChevronRightIcon className="transition-transform group-open/dialogue:rotate-90" />
        SMTP dialogue
        <span className="text-muted">{tookMs.toLocaleString('en')} ms</span>
      </summary>
      {/* It is scrolled by the keyboard, too. */}
      <ol
        tabIndex={0}
        aria-label="SMTP dialogue"
        className="mt-1.5 max-h-96 overflow-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs"
      >
        {lines.map(({ at_ms: atMs, by, text }, at) => (
          <li key={at} className="grid grid-cols-[1.25rem_minmax(0,1fr)] gap-1" title={`after ${atMs} ms`}>
            <span className={classes('text-muted', by === 'client' && 'text-accent')}>
              <span aria-hidden="true">{SPEAKERS[by]}</span>
              <span className="sr-only">{NAMES[by]}:</span>
            </span>
            <span className={classes('wrap-anywhere', by === 'note' && 'text-muted')}>{text}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}
