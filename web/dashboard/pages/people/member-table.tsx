import type { Member } from '../../../../src/contract/dashboard/organizations.ts';
import { Address } from '../../../ui/address.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { MoreIcon } from '../../../ui/icons.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { Row, Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { isAtLeast, useSession } from '../../shell/session.ts';
import { useMayInOrganization, useOrganization } from './queries.ts';
import { nameOfRole } from './roles.ts';

/** The actions in a member's menu. */
export type MemberAction = 'change' | 'sessions' | 'second-factor' | 'reset-link' | 'remove';

interface MemberTableProps {
  members: readonly Member[];
  onAsk(what: MemberAction, member: Member): void;
}

export function MemberTable({ members, onAsk }: MemberTableProps) {
  const { user } = useSession();
  const mayChange = useMayInOrganization('admin');
  return (
    <Table
      label="People"
      head={
        <>
          <Th>Name</Th>
          <Th>Role</Th>
          {mayChange && (
            <>
              <Th isWideOnly>Second factor</Th>
              <Th isWideOnly>Last sign-in</Th>
              <Th>
                <span className="sr-only">Actions</span>
              </Th>
            </>
          )}
        </>
      }
    >
      {members.map((member) => (
        <Row key={member.user_id}>
          <Td className="max-w-80">
            <p className="flex flex-wrap items-center gap-2 font-medium wrap-anywhere">
              {member.name} {member.user_id === user.id && <Badge tone="info">You</Badge>}{' '}
              {!member.is_verified && <Badge tone="warn">Not verified</Badge>}
            </p>
            <p className="text-sm text-muted">
              <Address>{member.email}</Address>
            </p>
          </Td>
          <Td>
            <RoleOf member={member} />
          </Td>
          {mayChange && (
            <>
              <Td isWideOnly>
                {member.has_second_factor === true ? (
                  <Badge tone="good">On</Badge>
                ) : (
                  <Badge tone="quiet">Off</Badge>
                )}
              </Td>
              <Td isWideOnly>
                <Time value={member.last_signed_in_at} />
              </Td>
              <Td isNumeric>
                <MemberMenu member={member} onAsk={(what) => onAsk(what, member)} />
              </Td>
            </>
          )}
        </Row>
      ))}
    </Table>
  );
}

function RoleOf({
  member: { role, sees_bodies: seesBodies, project_roles: projectRoles },
}: {
  member: Member;
}) {
  const { projects } = useSession();
  return (
    <>
      <p>{nameOfRole(role)}</p>
      {role === 'viewer' && seesBodies && <p className="text-sm text-muted">Can see email contents</p>}
      {projectRoles.map(({ project_id: id, role: inProject }) => {
        const name = projects.find((project) => project.id === id)?.name;
        return (
          name !== undefined && (
            <p key={id} className="text-sm text-muted wrap-anywhere">
              {name}: {inProject === 'none' ? 'hidden' : nameOfRole(inProject)}
            </p>
          )
        );
      })}
    </>
  );
}

function MemberMenu({ member, onAsk }: { member: Member; onAsk(what: MemberAction): void }) {
  const { role } = useOrganization();
  const isOwner = role === 'owner';
  // Users cannot change members with a higher role.
  if (!isAtLeast(role, member.role)) return null;
  return (
    <Menu
      trigger={
        <IconButton label={`More about ${member.name}`}>
          <MoreIcon />
        </IconButton>
      }
    >
      <MenuItem onClick={() => onAsk('change')}>Change role</MenuItem>
      <MenuItem onClick={() => onAsk('sessions')}>Sessions</MenuItem>
      {isOwner && member.has_second_factor === true && (
        <MenuItem onClick={() => onAsk('second-factor')}>Turn off second factor</MenuItem>
      )}
      {isOwner && <MenuItem onClick={() => onAsk('reset-link')}>Create reset link</MenuItem>}
      <MenuSeparator />
      <MenuItem isDanger onClick={() => onAsk('remove')}>
        Remove
      </MenuItem>
    </Menu>
  );
}
