import type { MailMessage } from '../../../../src/contract/mail/messages.ts';
import { WarningIcon } from '../../../ui/icons.tsx';

/** What a reader should know before they believe it. */
export function Warnings({ message: { warnings } }: { message: MailMessage }) {
  return warnings.map(({ kind, text }) => (
    <p
      key={`${kind} ${text}`}
      role="note"
      className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 text-sm wrap-anywhere text-warn"
    >
      <WarningIcon className="mt-0.5" />
      {text}
    </p>
  ));
}
