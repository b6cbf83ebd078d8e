import { Skeleton } from '../../../ui/skeleton.tsx';
import { EMAIL_ROW_CLASS } from './email-row.tsx';

/** Placeholders while rows load. */
export function RowSkeletons({ count = 12 }: { count?: number }) {
  return (
    <div role="status" aria-label="Loading emails" className="pt-6.25 sm:pt-15.25">
      {Array.from({ length: count }, (_, row) => (
        <RowSkeleton key={row} />
      ))}
    </div>
  );
}

export function RowSkeleton() {
  return (
    <div className={EMAIL_ROW_CLASS}>
      <span className="size-4" />
      <Skeleton className="h-5 w-20 rounded-full" />
      <Skeleton className="order-3 col-span-3 h-3.5 w-2/3 sm:order-none sm:col-span-1" />
      <Skeleton className="order-5 col-span-3 h-3.5 w-1/3 sm:hidden md:order-none md:col-span-1 md:block md:w-1/2" />
      <Skeleton className="order-4 col-span-3 h-3.5 w-1/2 sm:order-none sm:col-span-1" />
      <Skeleton className="h-3.5 w-16 justify-self-end" />
    </div>
  );
}
