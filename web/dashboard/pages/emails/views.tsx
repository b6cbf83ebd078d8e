import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, fieldErrors, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { EmailView } from '../../../../src/contract/dashboard/email-log.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Checkbox, Field, Input } from '../../../ui/field.tsx';
import { ChevronDownIcon, TrashIcon } from '../../../ui/icons.tsx';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../../ui/menu.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useMay, useProject } from '../../shell/session.ts';

const STALE_MS = 60_000;

const viewsQuery = (project: string) =>
  queryOptions({
    queryKey: ['email-views', project],
    staleTime: STALE_MS,
    queryFn: async () =>
      (await dataOf(api.GET('/projects/{project}/email-views', { params: { path: { project } } }))).data,
  });

interface ViewsMenuProps {
  q: string;
  onChange(q: string): void;
}

/** The menu of the saved searches. */
export function ViewsMenu({ q, onChange }: ViewsMenuProps) {
  const { id: project } = useProject();
  const { data: views = [] } = useQuery(viewsQuery(project));
  const [open, setOpen] = useState<'save' | 'manage' | null>(null);
  const current = views.find((view) => view.q === q);
  const groups = [
    ['Only you', views.filter((view) => !view.is_shared)],
    ['Everyone in the project', views.filter((view) => view.is_shared)],
  ] as const;
  return (
    <>
      <Menu
        trigger={
          <Button className={classes('max-w-full', current !== undefined && 'border-accent! text-accent!')}>
            {/* On phones a long name would not fit beside the filters. */}
            <span className={classes('truncate', current !== undefined && 'max-sm:hidden')}>
              {current === undefined ? 'Views' : `View: ${current.name}`}
            </span>
            {current !== undefined && <span className="sm:hidden">Views</span>}
            <ChevronDownIcon className="max-sm:hidden" />
          </Button>
        }
      >
        {groups.map(
          ([name, own]) =>
            own.length > 0 && (
              <div key={name}>
                <MenuLabel>{name}</MenuLabel>
                {own.map((view) => (
                  <MenuItem key={view.id} isCurrent={view === current} onClick={() => onChange(view.q)}>
                    {view.name}
                  </MenuItem>
                ))}
              </div>
            ),
        )}
        {views.length > 0 && <MenuSeparator />}
        {q === '' && <MenuLabel>Enter a search to save it as a view.</MenuLabel>}
        <MenuItem isDisabled={q === ''} onClick={() => setOpen('save')}>
          Save this search…
        </MenuItem>
        {views.length > 0 && <MenuItem onClick={() => setOpen('manage')}>Delete views…</MenuItem>}
      </Menu>
      {open === 'save' && <SaveDialog q={q} current={current} onClose={() => setOpen(null)} />}
      {open === 'manage' && <ManageDialog views={views} onClose={() => setOpen(null)} />}
    </>
  );
}

interface SaveDialogProps {
  q: string;
  /** The view with this search. */
  current: EmailView | undefined;
  onClose(): void;
}

function SaveDialog({ q, current, onClose }: SaveDialogProps) {
  const { id: project } = useProject();
  const mayShare = useMay('developer');
  const queries = useQueryClient();
  const [name, setName] = useState(current?.name ?? '');
  const [isShared, setShared] = useState(mayShare && current?.is_shared === true);
  const save = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/projects/{project}/email-views', {
          params: { path: { project } },
          body: { name: name.trim(), q, is_shared: isShared },
        }),
      ),
    meta: { showsErrors: true },
    async onSuccess() {
      await queries.invalidateQueries(viewsQuery(project));
      toast('Saved. The view is in the menu Views.');
      onClose();
    },
  });
  const errors = fieldErrors(save.error);
  const problem =
    errors['q'] ?? (Object.keys(errors).length === 0 && save.error !== null ? messageOf(save.error) : null);
  return (
    <Dialog
      isOpen
      isBusy={save.isPending}
      onClose={onClose}
      onSubmit={() => save.mutate()}
      title="Save this search"
      description={
        isShared
          ? 'A shared view with the same name is replaced for everyone.'
          : 'A view of yours with the same name is replaced.'
      }
      actions={
        <>
          <Button disabled={save.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" kind="primary" isBusy={save.isPending}>
            Save
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <p className="rounded-md bg-sunken px-3 py-2 font-mono text-sm wrap-anywhere">{q}</p>
        <Field label="Name" error={errors['name']}>
          <Input
            required
            maxLength={60}
            autoComplete="off"
            placeholder="Bounces of this week"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </Field>
        {mayShare && (
          <Checkbox
            label="Show it to everyone in the project"
            checked={isShared}
            onChange={({ target }) => setShared(target.checked)}
          />
        )}
        {problem !== null && (
          <p role="alert" className="text-sm text-bad">
            {problem}
          </p>
        )}
      </div>
    </Dialog>
  );
}

function ManageDialog({ views, onClose }: { views: readonly EmailView[]; onClose(): void }) {
  const { id: project } = useProject();
  const mayShare = useMay('developer');
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: (id: string) =>
      dataOf(api.DELETE('/projects/{project}/email-views/{id}', { params: { path: { project, id } } })),
    onSettled: () => queries.invalidateQueries(viewsQuery(project)),
  });
  return (
    <Dialog isOpen onClose={onClose} title="Delete views" actions={<Button onClick={onClose}>Done</Button>}>
      {views.length === 0 && <p className="text-muted">There are no saved views.</p>}
      <ul>
        {views.map((view) => (
          <li
            key={view.id}
            className="flex min-h-11 items-center gap-3 border-b border-line py-1.5 last:border-0"
          >
            <div className="min-w-0 flex-1">
              <p className="truncate font-medium">{view.name}</p>
              <p className="truncate font-mono text-xs text-muted" title={view.q}>
                {view.q}
              </p>
            </div>
            {view.is_shared && <span className="text-xs whitespace-nowrap text-muted">For everyone</span>}
            {(mayShare || !view.is_shared) && (
              <IconButton
                label={`Delete ${view.name}`}
                isBusy={remove.isPending && remove.variables === view.id}
                onClick={() => remove.mutate(view.id)}
              >
                <TrashIcon />
              </IconButton>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
