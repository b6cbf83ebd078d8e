import { Skeleton } from '../../../ui/skeleton.tsx';

export function ConversationSkeleton() {
  return (
    <div role="status" aria-label="Loading the conversation" className="grid gap-4 px-4 pt-5 sm:px-6">
      <Skeleton className="h-6 w-3/5" />
      <Skeleton className="mt-4 h-4 w-1/3" />
      <Skeleton className="h-3.5 w-1/2" />
      <Skeleton className="mt-4 h-3.5 w-full" />
      <Skeleton className="h-3.5 w-11/12" />
      <Skeleton className="h-3.5 w-4/5" />
    </div>
  );
}
