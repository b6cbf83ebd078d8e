import { EmptyState } from '../../../ui/empty-state.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';

export default function ListPage() {
  return (
    <div className="px-4 pt-6 sm:px-6">
      <PageHeader title="Inbox" />
      <EmptyState title="No mail yet">What people write to this address is shown here.</EmptyState>
    </div>
  );
}
