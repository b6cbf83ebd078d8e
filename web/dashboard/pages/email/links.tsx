import type { EmailContent } from '../../../../src/contract/dashboard/email.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Copy } from '../../../ui/copy.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';

interface LinksProps {
  links: EmailContent['links'];
  /** Whether clicks in this email are recorded. */
  isCounted: boolean;
}

/** The links in the email and the clicks on them. */
export function Links({ links, isCounted }: LinksProps) {
  if (links.length === 0)
    return <EmptyState title="No links">Links in the email and their clicks appear here.</EmptyState>;
  return (
    <>
      {!isCounted && (
        <p className="mb-3 text-sm text-muted">
          Clicks are not counted because click tracking was off for the domain when this email was sent.
        </p>
      )}
      <ul aria-label="Links" className="divide-y divide-line border-y border-line">
        {links.map(
          ({ url, text, problem, is_unsubscribe: isUnsubscribe, clicks, machine_clicks: machineClicks }) => (
            <li key={url} className="flex items-center gap-3 py-2">
              <div className="min-w-0 flex-1">
                {text !== '' && <div className="truncate font-medium">{text}</div>}
                <div className="font-mono text-sm wrap-anywhere text-muted">
                  {url === '' ? '(empty)' : url}
                </div>
                {isUnsubscribe && (
                  <div className="text-sm text-muted">Replaced with each recipient’s own link.</div>
                )}
                {problem !== null && (
                  <div className="mt-1 flex items-start gap-2 text-sm">
                    <Badge tone="warn">Form</Badge>
                    <span>{problem}</span>
                  </div>
                )}
              </div>
              {isCounted && !isUnsubscribe && (
                <div className="text-right tabular-nums">
                  <div>
                    {clicks} {clicks === 1 ? 'click' : 'clicks'}
                  </div>
                  {machineClicks > 0 && <div className="text-sm text-muted">{machineClicks} by machines</div>}
                </div>
              )}
              <Copy text={url} what="the link" />
            </li>
          ),
        )}
      </ul>
    </>
  );
}
