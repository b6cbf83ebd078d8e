import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { FolderIcon, PlusIcon } from '../../ui/icons.tsx';
import { useMayInOrganization } from '../pages/people/queries.ts';
import { CommandSearch } from './command-search.tsx';
import { matching, type PaletteCommand } from './commands.tsx';
import { useProject, useSession } from './session.ts';

/** Finds one of many projects by words of its name and of the name of its organization. */
export default function ProjectSearch({ onClose }: { onClose(): void }) {
  const [words, setWords] = useState('');
  const { organizations, projects } = useSession();
  const current = useProject().id;
  const navigate = useNavigate();
  const mayCreate = useMayInOrganization('admin');
  const names = new Map(organizations.map(({ id, name }) => [id, name]));
  const commands = projects.map(
    ({ id, name, organization_id }): PaletteCommand => ({
      id,
      name,
      icon: FolderIcon,
      ...(organizations.length > 1 && { detail: names.get(organization_id) ?? '' }),
      isCurrent: id === current,
      run: () => void navigate({ to: '/', search: { project: id } }),
    }),
  );
  const create: PaletteCommand = {
    id: 'create',
    name: 'New project',
    icon: PlusIcon,
    run: () =>
      void navigate({
        to: '/settings',
        search: { project: current, tab: 'organization', open: 'create' },
      }),
  };
  return (
    <CommandSearch
      name="Projects"
      label="Search projects"
      words={words}
      onSearch={setWords}
      commands={[...matching(commands, words), ...(mayCreate ? [create] : [])]}
      onClose={onClose}
    />
  );
}
