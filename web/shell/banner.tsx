import type { ReactNode } from 'react';
import { WarningIcon } from '../ui/icons.tsx';
import { Time } from '../ui/time.tsx';

interface BannerProps {
  isShown: boolean;
  children: ReactNode;
}

/** A warning above the page. Screen readers announce the warning when it appears. */
export function Banner({ isShown, children }: BannerProps) {
  return (
    <div role="status">
      {isShown && (
        <p className="flex items-start gap-2 bg-warn-soft px-3 py-2 text-warn sm:px-6">
          <WarningIcon className="mt-0.5" />
          <span>{children}</span>
        </p>
      )}
    </div>
  );
}

interface UnsentBannerProps {
  /** Null while the installation sends mail. */
  since: string | null;
  /** The consequences for the user. */
  children: ReactNode;
}

/** Shown while the installation sends no mail. */
export function UnsentBanner({ since, children }: UnsentBannerProps) {
  return (
    <Banner isShown={since !== null}>
      <span className="font-medium">
        Sending stopped <Time value={since} />.
      </span>{' '}
      {children}
    </Banner>
  );
}
