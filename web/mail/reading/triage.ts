/** Questions about labels and snoozing, which dialogs ask. */
import type { ConversationRow } from '../../../src/contract/mail/conversations.ts';
import type { MailLabel } from '../../../src/contract/mail/labels.ts';
import { watched } from '../../ui/watched.ts';

export type TriageQuestion =
  | {
      kind: 'label';
      /** The rows whose labels the dialog shows. */
      rows: readonly Pick<ConversationRow, 'labels'>[];
      onChoose(label: Pick<MailLabel, 'keyword' | 'name'>, isAdded: boolean): void;
    }
  | { kind: 'snooze'; onChoose(until: Date): void };

/** The question of the open dialog; null if none is open. */
export const asking = watched<TriageQuestion | null>(null);
