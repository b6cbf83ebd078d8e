import { useQuery } from '@tanstack/react-query';
import { Card } from '../../../ui/card.tsx';
import { useMay, useProject, useSession } from '../../shell/session.ts';
import { EndOfProject } from './end-of-project.tsx';
import { EraseCard } from './erase-card.tsx';
import { NameForm } from './name-form.tsx';
import { settingsQuery, useChange } from './queries.ts';
import { RetentionCard } from './retention-card.tsx';
import { SendingCard } from './sending-card.tsx';
import { Link } from '@tanstack/react-router';
import type { ProjectSettings } from '../../../../src/contract/dashboard/projects.ts';
import { Field, Select } from '../../../ui/field.tsx';
import { NotLoaded } from '../../../shell/loaded.tsx';

export function ProjectTab() {
  const { id } = useProject();
  const mayChange = useMay('admin');
  const rename = useChange();
  const { data: settings, error, refetch } = useQuery(settingsQuery(id));
  if (settings === undefined)
    return <NotLoaded title="Could not load the settings" error={error} refetch={refetch} />;
  return (
    <div className="grid max-w-3xl gap-4">
      {!mayChange && <p className="text-muted">Only owners and admins can change these settings.</p>}
      <Card title="Project">
        <div className="grid gap-5">
          <NameForm
            key={settings.name}
            name={settings.name}
            id={id}
            hint={
              <>
                Shown to users, and used in commands with{' '}
                <code className="font-mono whitespace-nowrap">--project</code>.
              </>
            }
            mayChange={mayChange}
            error={rename.error}
            isBusy={rename.isPending}
            onRename={(name) => rename.mutate({ name })}
          />
          <PlanField plan={settings.plan} />
        </div>
      </Card>
      <SendingCard settings={settings} mayChange={mayChange} />
      <RetentionCard settings={settings} mayChange={mayChange} />
      {mayChange && <EraseCard />}
      {mayChange && <EndOfProject name={settings.name} />}
    </div>
  );
}

/** Only operators who are also admins of the project can change the plan. */
function PlanField({ plan }: Pick<ProjectSettings, 'plan'>) {
  const { user } = useSession();
  const isAdmin = useMay('admin');
  const change = useChange();
  const usage = (
    <Link to="/usage" className="text-accent underline">
      Usage
    </Link>
  );
  if (!user.is_operator || !isAdmin)
    return (
      <p className="border-t border-line pt-4 text-muted">
        This project is on the <strong className="font-medium text-text capitalize">{plan}</strong> plan. See{' '}
        {usage}. Only operators of this installation can change the plan.
      </p>
    );
  return (
    <Field
      label="Plan"
      className="border-t border-line pt-4"
      hint={<>Takes effect within two seconds. Existing data stays, even above the limits: see {usage}.</>}
    >
      <Select
        value={plan}
        disabled={change.isPending}
        onChange={(event) => change.mutate({ plan: event.target.value as ProjectSettings['plan'] })}
      >
        <option value="free">Free</option>
        <option value="paid">Paid</option>
      </Select>
    </Field>
  );
}
