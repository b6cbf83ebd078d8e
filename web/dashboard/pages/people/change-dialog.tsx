import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { UpdateMember } from '../../../../src/contract/dashboard/organizations.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Select } from '../../../ui/field.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useSession } from '../../shell/session.ts';
import type { MemberDialogProps } from './member-dialog.ts';
import { useOrganization } from './queries.ts';
import { RoleFields } from './role-fields.tsx';
import { ROLES } from './roles.ts';

type InProject = NonNullable<NonNullable<UpdateMember['project_roles']>[number]['role']>;

/** Changes a member's role in the organization, and can set a lower role for single projects. */
export function ChangeDialog({ member, onChanged, onClose }: MemberDialogProps) {
  const { id: organization } = useOrganization();
  const projects = useSession().projects.filter((project) => project.organization_id === organization);
  const [role, setRole] = useState(member.role);
  const [seesBodies, setSeesBodies] = useState(member.sees_bodies);
  const [narrower, setNarrower] = useState<ReadonlyMap<string, InProject>>(
    new Map(member.project_roles.map((each) => [each.project_id, each.role])),
  );
  const change = useMutation({
    mutationFn: () =>
      dataOf(
        api.PATCH('/organizations/{organization}/users/{id}', {
          params: { path: { organization, id: member.user_id } },
          body: {
            role,
            sees_bodies: seesBodies,
            project_roles: projects.map(({ id }) => ({ project_id: id, role: narrower.get(id) ?? null })),
          },
        }),
      ),
    async onSuccess() {
      await onChanged();
      toast(`Access for ${member.name} changed`);
      onClose();
    },
  });
  const errors = fieldErrors(change.error);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Change access for ${member.name}`}
      description="Takes effect everywhere within two seconds."
      onSubmit={() => change.mutate()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={change.isPending}>
            Save
          </Button>
        </>
      }
    >
      <div className="grid gap-6">
        <RoleFields
          role={role}
          seesBodies={seesBodies}
          onRole={setRole}
          onSeesBodies={setSeesBodies}
          error={errors['role']}
        />
        <fieldset className="grid gap-3">
          <legend className="mb-2 font-medium">Restrict by project</legend>
          <p className="-mt-2 text-sm text-muted">The lower of the two roles applies.</p>
          {projects.map(({ id, name }) => (
            <Field key={id} label={name} className="sm:grid-cols-2 sm:items-center">
              <Select
                value={narrower.get(id) ?? ''}
                onChange={(event) => {
                  const next = new Map(narrower);
                  if (event.target.value === '') next.delete(id);
                  else next.set(id, event.target.value as InProject);
                  setNarrower(next);
                }}
              >
                <option value="">Same as organization</option>
                {ROLES.map((each) => (
                  <option key={each.role} value={each.role}>
                    At most {each.name.toLowerCase()}
                  </option>
                ))}
                <option value="none">No access</option>
              </Select>
            </Field>
          ))}
          {errors['project_roles'] !== undefined && (
            <p role="alert" className="text-sm text-bad">
              {errors['project_roles']}
            </p>
          )}
        </fieldset>
      </div>
    </Dialog>
  );
}
