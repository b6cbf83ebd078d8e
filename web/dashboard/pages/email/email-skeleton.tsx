import { Skeleton } from '../../../ui/skeleton.tsx';
import { useHeading } from '../../../ui/use-heading.ts';

/** In the places where an email will stand. */
export function EmailSkeleton() {
  const heading = useHeading();
  return (
    <div role="status" aria-label="Loading the email">
      <h1 ref={heading} tabIndex={-1} className="sr-only">
        Email
      </h1>
      <Skeleton className="h-7 w-2/3 max-w-md" />
      <div className="mt-5 grid max-w-2xl gap-3 border-b border-line pb-5 sm:grid-cols-2">
        {[0, 1, 2, 3].map((at) => (
          <Skeleton key={at} className="h-4 w-56" />
        ))}
      </div>
      <div className="mt-6 grid gap-6 xl:grid-cols-[minmax(0,1fr)_21rem]">
        <Skeleton className="h-[32rem]" />
        <Skeleton className="h-72" />
      </div>
    </div>
  );
}
