import { PageHeader } from '../../../../ui/page-header.tsx';
import { useMailbox } from '../../../shell/session.ts';

export default function AccountPage() {
  const { address } = useMailbox();
  return <PageHeader title="Account" description={address} />;
}
