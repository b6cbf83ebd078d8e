import type { EmailContent } from '../../../../src/contract/dashboard/email.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Badge } from '../../../ui/badge.tsx';

/** The fields of the message, and what each is for. */
export function Headers({ content: { header_fields: fields, signatures } }: { content: EmailContent }) {
  if (fields.length === 0)
    return (
      <EmptyState title="There is no header">
        The message cannot be composed: the project may not send from its domain now.
      </EmptyState>
    );
  return (
    <>
      <ul aria-label="Signatures" className="mb-4 grid gap-1.5">
        {signatures.map(({ domain, selector, algorithm, is_aligned: isAligned }) => (
          <li
            key={`${selector} ${domain} ${algorithm}`}
            className="flex flex-wrap items-center gap-2 text-sm"
          >
            <Badge tone={isAligned ? 'good' : 'warn'}>DKIM</Badge>
            <span className="wrap-anywhere">
              signed by {domain}, selector <code className="font-mono">{selector}</code>, {algorithm}
              {isAligned ? '' : ' – not the domain of the sender'}
            </span>
          </li>
        ))}
      </ul>
      <dl className="divide-y divide-line border-y border-line">
        {fields.map(({ name, value, meaning }, at) => (
          <div key={at} className="grid gap-x-4 py-2.5 sm:grid-cols-[11rem_minmax(0,1fr)]">
            <dt className="font-medium wrap-anywhere">{name}</dt>
            <dd className="min-w-0">
              <div className="font-mono text-sm wrap-anywhere">{value}</div>
              {meaning !== null && <div className="mt-0.5 text-sm text-muted">{meaning}</div>}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
