import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** A link that shows a delivery above the page: `?delivery=dlv_…`. */
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
