import { useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { dataOf, messageOf } from '../../api/client.ts';
import { api } from '../../api/mail.ts';
import { classes } from '../../ui/classes.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Input } from '../../ui/field.tsx';
import { FolderIcon, PlusIcon } from '../../ui/icons.tsx';
import { useMailbox } from '../shell/session.ts';
import { catchUp } from './catch-up.ts';
import { ROLE_ICONS } from './folder-list.tsx';
import { nameOf, ROLE_NAMES, slugOf, treeOf, useFolders } from './folders.ts';
import type { FolderChoice } from './move.ts';

const MAX_SHOWN = 50;

/** Lets the user choose a folder by typing part of its name, or create a folder with the typed name. */
export default function FolderDialog({ choice, onClose }: { choice: FolderChoice; onClose(): void }) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const { mailbox } = useMailbox();
  const queries = useQueryClient();
  const folders = useFolders() ?? [];
  const all = [
    ...folders
      .filter(({ role }) => role !== null && role !== 'drafts' && role !== 'sent')
      .toSorted((a, b) => ORDER.indexOf(a.role) - ORDER.indexOf(b.role)),
    ...treeOf(folders).map(({ folder }) => folder),
  ].map((folder) => ({
    folder,
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
  const path = typed.trim();
  const isTaken = all.some(({ name }) => name.toLowerCase() === path.toLowerCase());
  const canCreate = choice.canCreate === true && path !== '' && !isTaken;
  const count = found.length + (canCreate ? 1 : 0);
  const choose = async (index: number) => {
    const chosen = found[index]?.folder;
    if (isBusy || (chosen === undefined && !canCreate)) return;
    if (chosen !== undefined) {
      onClose();
      choice.onChoose(chosen);
      return;
    }
    setIsBusy(true);
    try {
      const created = await dataOf(
        api.POST('/mailboxes/{mailbox}/folders', { params: { path: { mailbox } }, body: { path } }),
      );
      void catchUp(queries, mailbox).catch(() => undefined);
      onClose();
      choice.onChoose(created);
    } catch (failure) {
      setError(messageOf(failure));
      setIsBusy(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || count === 0) return;
    event.preventDefault();
    const next = (at + step + count) % count;
    setAt(next);
    document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
  };
  const optionOf = (index: number) => ({
    id: `${id}-${index}`,
    isActive: index === at,
    onPoint: () => setAt(index),
    onChoose: () => void choose(index),
  });
  return (
    <Dialog isOpen onClose={onClose} title={choice.title} isBusy={isBusy} onSubmit={() => void choose(at)}>
      <Input
        role="combobox"
        aria-label="Folder"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={count > 0 ? `${id}-${at}` : undefined}
        autoComplete="off"
        placeholder="Search folders"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
          setError(null);
        }}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={`${id}-list`} aria-label="Folders" className="mt-2 max-h-72 overflow-y-auto">
        {found.map(({ slug, role, name }, index) => {
          const Icon = role === null ? FolderIcon : ROLE_ICONS[role];
          return (
            <Option key={slug} {...optionOf(index)}>
              <Icon className="text-muted" />
              <span dir="auto" className="min-w-0 truncate">
                {name}
              </span>
            </Option>
          );
        })}
        {canCreate && (
          <Option {...optionOf(found.length)}>
            <PlusIcon className="text-muted" />
            <span className="min-w-0 truncate">
              Create folder <q dir="auto">{path}</q>
            </span>
          </Option>
        )}
      </div>
      <p role="status" className={error === null ? 'text-muted' : 'text-bad'}>
        {error ?? (count === 0 && 'No matching folders.')}
      </p>
    </Dialog>
  );
}

interface OptionProps {
  id: string;
  isActive: boolean;
  onPoint(): void;
  onChoose(): void;
  children: ReactNode;
}

/** The text field has the focus and handles the keys. */
function Option({ id, isActive, onPoint, onChoose, children }: OptionProps) {
  return (
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      onPointerMove={onPoint}
      onClick={onChoose}
      onKeyDown={undefined}
      className={classes(
        'flex min-h-10 cursor-pointer items-center gap-2.5 rounded-md px-2.5 sm:min-h-8',
        isActive && 'bg-hover',
      )}
    >
      {children}
    </div>
  );
}

const ORDER: readonly (string | null)[] = Object.keys(ROLE_NAMES);
