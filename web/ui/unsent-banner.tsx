import type { ReactNode } from 'react';
import { WarningIcon } from './icons.tsx';
import { Time } from './time.tsx';

/** While the installation sends no mail: since when, and what that means for the reader. */
export function UnsentBanner({ since, children }: { since: string | null; children: ReactNode }) {
  return (
    <div role="status">
      {since !== null && (
        <p className="flex items-start gap-2 bg-warn-soft px-3 py-2 text-warn sm:px-6">
          <WarningIcon className="mt-0.5" />
          <span>
            <span className="font-medium">
              Sending stopped <Time value={since} />.
            </span>{' '}
            {children}
          </span>
        </p>
      )}
    </div>
  );
}
