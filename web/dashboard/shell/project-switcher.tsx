import { cloneElement } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { ChevronsIcon, PlusIcon } from '../../ui/icons.tsx';
import { Menu, type MenuProps, MenuItem, MenuLabel, MenuSeparator } from '../../ui/menu.tsx';
import { isAtLeast, useProject, useSession } from './session.ts';
import { overlay } from './state.ts';

/** Up to this number, all projects are listed in a menu. More are searched. */
const LISTED = 8;

/** Shows the current project. Choosing another project opens its first page. @param props.onChoose called when the menu must close */
export function ProjectSwitcher({ onChoose }: { onChoose?: (() => void) | undefined }) {
  const { organizations, projects } = useSession();
  const current = useProject();
  const navigate = useNavigate();
  const organization = organizations.find(({ id }) => id === current.organization_id);
  const trigger: MenuProps['trigger'] = (
    <button
      type="button"
      className="flex h-11 items-center gap-2.5 rounded-md px-2 text-left transition-colors duration-75 hover:bg-hover aria-expanded:bg-hover"
    >
      <Initial name={current.name} />
      <span className="min-w-0 flex-1 leading-tight">
        <span className="sr-only">Project </span>
        <span className="block truncate font-semibold">{current.name}</span>
        {organization !== undefined && organization.name !== current.name && (
          <span className="block truncate text-xs text-muted">{organization.name}</span>
        )}
      </span>
      <ChevronsIcon className="text-muted" />
    </button>
  );
  if (projects.length > LISTED)
    return cloneElement(trigger, {
      'aria-haspopup': 'dialog',
      onClick() {
        onChoose?.();
        overlay.set('projects');
      },
    });
  return (
    <Menu align="start" trigger={trigger}>
      {organizations.map(({ id, name }) => {
        const own = projects.filter(({ organization_id }) => organization_id === id);
        return (
          <div key={id}>
            <MenuLabel>{name}</MenuLabel>
            {own.map((project) => (
              <MenuItem
                key={project.id}
                icon={<Initial name={project.name} />}
                isCurrent={project.id === current.id}
                onClick={() => {
                  onChoose?.();
                  void navigate({ to: '/', search: { project: project.id } });
                }}
              >
                {project.name}
              </MenuItem>
            ))}
          </div>
        );
      })}
      {organization !== undefined && isAtLeast(organization.role, 'admin') && (
        <>
          <MenuSeparator />
          <MenuItem
            icon={<PlusIcon />}
            onClick={() => {
              onChoose?.();
              void navigate({
                to: '/settings',
                search: { project: current.id, tab: 'organization', open: 'create' },
              });
            }}
          >
            New project
          </MenuItem>
        </>
      )}
    </Menu>
  );
}

function Initial({ name }: { name: string }) {
  return (
    <span
      aria-hidden="true"
      className="grid size-6 shrink-0 place-items-center rounded-sm bg-info-soft text-xs font-semibold text-accent uppercase"
    >
      {Array.from(name)[0]}
    </span>
  );
}
