import { useState } from 'react';
import type { Session } from '../../../../src/contract/dashboard/session.ts';
import { Button } from '../../../ui/button.tsx';
import { isAtLeast } from '../../shell/session.ts';
import { CreateOrganization } from './create-organization.tsx';
import { CreateProjectDialog } from './create-dialog.tsx';

/** Shown if the user has no project. Users with permission can create a project on this page. */
export default function FirstProject({ session: { organizations, user } }: { session: Session }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const own = organizations.filter(({ role }) => isAtLeast(role, 'admin'));
  if (own.length === 0)
    return user.is_operator ? (
      <CreateOrganization />
    ) : (
      <p className="text-center text-muted">
        Ask an owner or admin of your organization to add you to a project.
      </p>
    );
  return (
    <div className="flex flex-wrap justify-center gap-2">
      {own.map(({ id, name }) => (
        <Button key={id} kind={own.length === 1 ? 'primary' : 'secondary'} onClick={() => setChosen(id)}>
          New project in {name}
        </Button>
      ))}
      {chosen !== null && (
        <CreateProjectDialog
          organization={chosen}
          isOperator={user.is_operator}
          onClose={() => setChosen(null)}
        />
      )}
    </div>
  );
}
