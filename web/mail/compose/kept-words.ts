import type { KeptState } from './draft/keep-draft.ts';

/** Whether the service has it: "Saved 12:04". */
export function keptWords(kept: KeptState): string {
  switch (kept.kind) {
    case 'untouched':
      return '';
    case 'changed':
    case 'saving':
      return 'Saving…';
    case 'saved':
      return `Saved ${kept.at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}`;
    case 'failed':
      return `Not saved: ${kept.message}`;
  }
}
