import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { classes } from '../../ui/classes.ts';
import { CheckIcon, SearchIcon } from '../../ui/icons.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Modal } from '../../ui/modal.tsx';
import type { PaletteCommand } from './commands.tsx';

interface CommandSearchProps {
  /** The accessible name of the dialog. */
  name: string;
  /** The label and placeholder of the search field. */
  label: string;
  words: string;
  onSearch(words: string): void;
  /** The commands that match the words, the best first. */
  commands: readonly PaletteCommand[];
  onClose(): void;
}

/** A dialog with a search field and the commands that match it: a combobox, whose keys select and run a command. */
export function CommandSearch({ name, label, words, onSearch, commands, onClose }: CommandSearchProps) {
  const [at, setAt] = useState(0);
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const chosen = Math.min(at, commands.length - 1);

  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  });

  const run = (command: PaletteCommand | undefined): void => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step !== undefined && commands.length > 0) {
      event.preventDefault();
      setAt((chosen + step + commands.length) % commands.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      run(commands[chosen]);
    }
  };

  return (
    <Modal
      aria-label={name}
      onClose={onClose}
      className="fixed inset-x-4 top-4 bottom-auto mx-auto w-auto max-w-xl overflow-hidden rounded-lg sm:top-[14vh]"
    >
      <div className="flex max-h-[min(28rem,calc(100dvh-2rem))] flex-col">
        <div className="flex items-center gap-2.5 border-b border-line px-4">
          <SearchIcon className="text-muted" />
          <input
            role="combobox"
            aria-expanded="true"
            aria-controls={listId}
            aria-activedescendant={commands.length === 0 ? undefined : `${listId}-${chosen}`}
            aria-label={label}
            placeholder={label}
            autoComplete="off"
            spellCheck={false}
            className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none sm:text-base"
            value={words}
            onChange={(event) => {
              onSearch(event.target.value);
              setAt(0);
            }}
            onKeyDown={onKey}
          />
          <Kbd>Esc</Kbd>
        </div>
        <div
          ref={list}
          id={listId}
          role="listbox"
          aria-label="Results"
          className="min-h-0 overflow-y-auto p-1.5"
        >
          {commands.map((command, index) => (
            <CommandRow
              key={command.id}
              id={`${listId}-${index}`}
              command={command}
              isChosen={index === chosen}
              onPoint={() => setAt(index)}
              onRun={() => run(command)}
            />
          ))}
        </div>
        <p role="status" className={commands.length === 0 ? 'px-4 pb-4 text-muted' : 'sr-only'}>
          {commands.length === 0
            ? 'No results.'
            : `${commands.length} ${commands.length === 1 ? 'result' : 'results'}`}
        </p>
      </div>
    </Modal>
  );
}

interface CommandRowProps {
  id: string;
  command: PaletteCommand;
  isChosen: boolean;
  onPoint(): void;
  onRun(): void;
}

function CommandRow({ id, command, isChosen, onPoint, onRun }: CommandRowProps) {
  const { icon: Icon } = command;
  return (
    // The search field handles the keys and announces the selected command.
    <button
      type="button"
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      onMouseMove={onPoint}
      onClick={onRun}
      className={classes(
        'flex h-10 w-full items-center gap-3 rounded-md px-2.5 text-left',
        isChosen && 'bg-hover',
      )}
    >
      <Icon className="text-muted" />
      <span className="min-w-0 flex-1 truncate">{command.name}</span>
      {command.detail !== undefined && (
        <span className="max-w-2/5 truncate text-sm text-muted">{command.detail}</span>
      )}
      {command.isCurrent === true && <CheckIcon className="text-accent" />}
      {command.keys !== undefined && (
        <span className="flex gap-1">
          {command.keys.map((key) => (
            <Kbd key={key}>{key}</Kbd>
          ))}
        </span>
      )}
    </button>
  );
}
