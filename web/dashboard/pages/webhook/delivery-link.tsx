import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** Shows a delivery above the page, as the URL says: `?delivery=dlv_…`. */
export function DeliveryLink({
  id,
  className,
  children,
}: {
  id: string;
  className: string;
  children: ReactNode;
}) {
  return (
    <Link
      to="."
      search={(before: Readonly<Record<string, string | undefined>>) => ({ ...before, delivery: id })}
      resetScroll={false}
      className={className}
    >
      {children}
    </Link>
  );
}
