import { type KeyboardEvent, useId, useState } from 'react';
import { classes } from '../../ui/classes.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Input } from '../../ui/field.tsx';
import { FolderIcon } from '../../ui/icons.tsx';
import { ROLE_ICONS } from './folder-list.tsx';
import { nameOf, ROLE_NAMES, slugOf, treeOf, useFolders } from './folders.ts';
import type { FolderChoice } from './move.ts';

const MAX_SHOWN = 50;

/** Lets the user choose a folder by typing part of its name. */
export default function FolderDialog({ choice, onClose }: { choice: FolderChoice; onClose(): void }) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const folders = useFolders() ?? [];
  const all = [
    ...folders
      .filter(({ role }) => role !== null && role !== 'drafts' && role !== 'sent')
      .toSorted((a, b) => ORDER.indexOf(a.role) - ORDER.indexOf(b.role)),
    ...treeOf(folders).map(({ folder }) => folder),
  ].map((folder) => ({
    slug: slugOf(folder),
    role: folder.role,
    name: folder.role === null ? folder.path : nameOf(folder),
  }));
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all
    .filter(
      ({ slug, name }) => slug !== choice.without && words.every((word) => name.toLowerCase().includes(word)),
    )
    .slice(0, MAX_SHOWN);
  const choose = (slug: string | undefined) => {
    if (slug === undefined) return;
    onClose();
    choice.onChoose(slug);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || found.length === 0) return;
    event.preventDefault();
    const next = (at + step + found.length) % found.length;
    setAt(next);
    document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <Dialog isOpen onClose={onClose} title={choice.title} onSubmit={() => choose(found[at]?.slug)}>
      <Input
        role="combobox"
        aria-label="Folder"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? `${id}-${at}` : undefined}
        autoComplete="off"
        placeholder="Search folders"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={`${id}-list`} aria-label="Folders" className="mt-2 max-h-72 overflow-y-auto">
        {found.map(({ slug, role, name }, index) => {
          const Icon = role === null ? FolderIcon : ROLE_ICONS[role];
          return (
            // The text field has the focus and handles the keys.
            <div
              key={slug}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              onPointerMove={() => setAt(index)}
              onClick={() => choose(slug)}
              onKeyDown={undefined}
              className={classes(
                'flex min-h-10 cursor-pointer items-center gap-2.5 rounded-md px-2.5 sm:min-h-8',
                index === at && 'bg-hover',
              )}
            >
              <Icon className="text-muted" />
              <span className="min-w-0 truncate">{name}</span>
            </div>
          );
        })}
      </div>
      <p role="status" className="text-muted">
        {found.length === 0 && 'No matching folders. You can create folders under Settings.'}
      </p>
    </Dialog>
  );
}

const ORDER: readonly (string | null)[] = Object.keys(ROLE_NAMES);
