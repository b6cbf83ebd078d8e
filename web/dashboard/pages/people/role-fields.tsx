import { Checkbox } from '../../../ui/field.tsx';
import { type Role, useOrganization } from './queries.ts';
import { rolesFor } from './roles.ts';

interface RoleFieldsProps {
  role: Role;
  seesBodies: boolean;
  onRole(role: Role): void;
  onSeesBodies(sees: boolean): void;
  error?: string | undefined;
}

export function RoleFields({ role, seesBodies, onRole, onSeesBodies, error }: RoleFieldsProps) {
  const own = useOrganization().role;
  return (
    <fieldset className="grid gap-2.5">
      <legend className="mb-2 font-medium">Role</legend>
      {rolesFor(own).map((each) => (
        <Checkbox
          key={each.role}
          isRadio
          name="role"
          label={each.name}
          hint={each.may}
          checked={role === each.role}
          onChange={() => onRole(each.role)}
        />
      ))}
      {role === 'viewer' && (
        <Checkbox
          className="ml-6.5"
          label="Can see email contents"
          hint="When off, viewers see subjects, recipients and delivery status, but no contents."
          checked={seesBodies}
          onChange={(event) => onSeesBodies(event.target.checked)}
        />
      )}
      {error !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {error}
        </p>
      )}
    </fieldset>
  );
}
