import { PageHeader } from '../../../ui/page-header.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { AlertsTab } from './alerts/alerts-tab.tsx';
import { OrganizationTab } from './organization-tab.tsx';
import { ProjectTab } from './project-tab.tsx';

export default function SettingsPage() {
  const [tab, setTab] = useSearchParam('tab');
  return (
    <>
      <PageHeader title="Settings" />
      <Tabs
        label="Settings"
        value={tab === '' ? 'project' : tab}
        onChange={(next) => setTab(next === 'project' ? '' : next)}
        tabs={[
          { value: 'project', label: 'Project', content: <ProjectTab /> },
          { value: 'organization', label: 'Organization', content: <OrganizationTab /> },
          { value: 'alerts', label: 'Alerts', content: <AlertsTab /> },
        ]}
      />
    </>
  );
}
