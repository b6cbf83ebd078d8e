import type { Editor } from '@tiptap/core';
import { type KeyboardEvent, type ReactNode, useRef, useState, useSyncExternalStore } from 'react';
import { classes } from '../../../ui/classes.ts';
import {
  BoldIcon,
  BulletsIcon,
  ClearIcon,
  CodeBlockIcon,
  CodeIcon,
  ItalicIcon,
  LinkIcon,
  NumbersIcon,
  QuoteIcon,
  StrikeIcon,
  TextIcon,
  UnderlineIcon,
} from '../../../ui/compose-icons.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { TableDialog } from './table-dialog.tsx';
import { TOOL_MENUS } from './tool-menus.tsx';

const TOOL = classes(
  'grid size-9 shrink-0 place-items-center rounded-md text-muted transition-colors duration-100 hover:bg-hover hover:text-text sm:size-7',
  'focus-visible:-outline-offset-2 aria-pressed:bg-selected aria-pressed:text-accent',
);

interface Tool {
  label: string;
  keys?: string;
  icon: ReactNode;
  isOn?(editor: Editor): boolean;
  run(editor: Editor): void;
}

const KEYS = navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl ';
const SHIFT = navigator.platform.startsWith('Mac') ? '⇧⌘' : 'Ctrl Shift ';

/** The groups of tools, separated by gaps. */
const TOOLS: readonly (readonly Tool[])[] = [
  [
    {
      label: 'Heading',
      icon: <TextIcon />,
      isOn: (editor) => editor.isActive('heading', { level: 2 }),
      run: (editor) => editor.chain().focus().toggleHeading({ level: 2 }).run(),
    },
    {
      label: 'Small heading',
      icon: <TextIcon className="scale-75" />,
      isOn: (editor) => editor.isActive('heading', { level: 3 }),
      run: (editor) => editor.chain().focus().toggleHeading({ level: 3 }).run(),
    },
  ],
  [
    {
      label: 'Bold',
      keys: `${KEYS}B`,
      icon: <BoldIcon />,
      isOn: (editor) => editor.isActive('bold'),
      run: (editor) => editor.chain().focus().toggleBold().run(),
    },
    {
      label: 'Italic',
      keys: `${KEYS}I`,
      icon: <ItalicIcon />,
      isOn: (editor) => editor.isActive('italic'),
      run: (editor) => editor.chain().focus().toggleItalic().run(),
    },
    {
      label: 'Underline',
      keys: `${KEYS}U`,
      icon: <UnderlineIcon />,
      isOn: (editor) => editor.isActive('underline'),
      run: (editor) => editor.chain().focus().toggleUnderline().run(),
    },
    {
      label: 'Strikethrough',
      keys: `${SHIFT}S`,
      icon: <StrikeIcon />,
      isOn: (editor) => editor.isActive('strike'),
      run: (editor) => editor.chain().focus().toggleStrike().run(),
    },
  ],
  [
    {
      label: 'Bulleted list',
      keys: `${SHIFT}8`,
      icon: <BulletsIcon />,
      isOn: (editor) => editor.isActive('bulletList'),
      run: (editor) => editor.chain().focus().toggleBulletList().run(),
    },
    {
      label: 'Numbered list',
      keys: `${SHIFT}7`,
      icon: <NumbersIcon />,
      isOn: (editor) => editor.isActive('orderedList'),
      run: (editor) => editor.chain().focus().toggleOrderedList().run(),
    },
    {
      label: 'Quote',
      keys: `${SHIFT}B`,
      icon: <QuoteIcon />,
      isOn: (editor) => editor.isActive('blockquote'),
      run: (editor) => editor.chain().focus().toggleBlockquote().run(),
    },
  ],
  [
    {
      label: 'Code',
      keys: `${KEYS}E`,
      icon: <CodeIcon />,
      isOn: (editor) => editor.isActive('code'),
      run: (editor) => editor.chain().focus().toggleCode().run(),
    },
    {
      label: 'Code block',
      icon: <CodeBlockIcon />,
      isOn: (editor) => editor.isActive('codeBlock'),
      run: (editor) => editor.chain().focus().toggleCodeBlock().run(),
    },
    {
      label: 'Clear formatting',
      icon: <ClearIcon />,
      run: (editor) => editor.chain().focus().unsetAllMarks().clearNodes().run(),
    },
  ],
];

export interface ToolbarProps {
  editor: Editor;
  onLink(): void;
  /** Called with pictures to insert into the text. */
  onPictures(files: File[]): void;
}

/** The toolbar. It is a single Tab stop; the arrow keys move between its buttons. */
export function Toolbar({ editor, onLink, onPictures }: ToolbarProps) {
  const [isTableOpen, setTableOpen] = useState(false);
  const link: Tool = {
    label: 'Link',
    keys: `${KEYS}K`,
    icon: <LinkIcon />,
    isOn: () => editor.isActive('link'),
    run: onLink,
  };
  const groups = TOOLS.map((group, at) => (at === 2 ? [...group, link] : group));
  const tools = groups.flat();
  const on = useSyncExternalStore(
    (changed) => {
      editor.on('transaction', changed);
      return () => void editor.off('transaction', changed);
    },
    // The menus depend on the position of the cursor.
    () => `${tools.map((tool) => (tool.isOn?.(editor) === true ? '1' : '0')).join('')} ${positionOf(editor)}`,
  );
  const [current, setCurrent] = useState(0);
  const bar = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    // The keys of an open menu move within the menu.
    if (!(event.target instanceof Element && event.target.matches('[data-tool]'))) return;
    const next = step(event.key, current, tools.length + TOOL_MENUS.length);
    if (next === undefined) return;
    event.preventDefault();
    setCurrent(next);
    bar.current?.querySelectorAll<HTMLElement>('[data-tool]')[next]?.focus();
  };
  return (
    <div
      ref={bar}
      role="toolbar"
      tabIndex={-1}
      aria-label="Formatting"
      aria-orientation="horizontal"
      onKeyDown={onKeyDown}
      className="sticky bottom-0 flex shrink-0 gap-3 overflow-x-auto bg-raised px-3 py-1 [scrollbar-width:none]"
    >
      {groups.map((group) => (
        <div key={group[0]?.label} className="flex">
          {group.map((tool) => {
            const at = tools.indexOf(tool);
            return (
              <button
                key={tool.label}
                type="button"
                data-tool
                aria-label={tool.label}
                title={tool.keys === undefined ? tool.label : `${tool.label} (${tool.keys})`}
                aria-pressed={tool.isOn === undefined ? undefined : on[at] === '1'}
                tabIndex={at === current ? 0 : -1}
                onFocus={() => setCurrent(at)}
                // Preventing the default keeps the selection in the text.
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => tool.run(editor)}
                className={TOOL}
              >
                {tool.icon}
              </button>
            );
          })}
        </div>
      ))}
      <div className="flex">
        {TOOL_MENUS.map(({ label, icon, items }, index) => {
          const at = tools.length + index;
          return (
            <Menu
              key={label}
              align="start"
              side="top"
              trigger={
                <button
                  type="button"
                  data-tool
                  aria-label={label}
                  title={label}
                  tabIndex={at === current ? 0 : -1}
                  onFocus={() => setCurrent(at)}
                  onPointerDown={(event) => event.preventDefault()}
                  className={TOOL}
                >
                  {icon}
                </button>
              }
            >
              {items(editor, {
                insertTable: () => setTableOpen(true),
                choosePicture: () => choosePictures(onPictures),
              })}
            </Menu>
          );
        })}
      </div>
      {isTableOpen && <TableDialog editor={editor} onClose={() => setTableOpen(false)} />}
    </div>
  );
}

/** Opens the file picker of the browser for pictures. */
function choosePictures(onChosen: (files: File[]) => void): void {
  const picker = document.createElement('input');
  picker.type = 'file';
  picker.accept = 'image/png,image/jpeg,image/gif,image/webp';
  picker.multiple = true;
  picker.addEventListener('change', () => onChosen([...(picker.files ?? [])]));
  picker.click();
}

function positionOf({ state: { selection } }: Editor): string {
  return `${selection.from} ${selection.to}`;
}

function step(key: string, at: number, count: number): number | undefined {
  if (key === 'ArrowRight') return (at + 1) % count;
  if (key === 'ArrowLeft') return (at + count - 1) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}
