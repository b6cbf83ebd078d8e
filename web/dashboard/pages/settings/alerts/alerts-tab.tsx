import { useProject, useSession } from '../../../shell/session.ts';
import { AlertList } from './alert-list.tsx';

/** The user's alerts for the project and, for operators, for the installation. */
export function AlertsTab() {
  const { id, name } = useProject();
  const { user } = useSession();
  return (
    <div className="grid max-w-3xl gap-4">
      <AlertList
        key={id}
        scope={id}
        title="Alerts for this project"
        description={`Get notified about the problems of ${name} that Start lists. Only you see and receive your alerts.`}
      />
      {user.is_operator && (
        <AlertList
          scope={null}
          title="Alerts for the installation"
          description="For operators: get notified when workers stop or fall behind, and before disks, certificates or backups fail. Monitor /readyz from outside as well: no alert can be sent while the database or all machines are down."
        />
      )}
    </div>
  );
}
