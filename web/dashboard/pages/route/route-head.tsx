import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Route } from '../../../../src/contract/routes.ts';
import { dataOf, fieldErrors } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { AlertDialog, Dialog } from '../../../ui/dialog.tsx';
import { ChevronLeftIcon, MoreIcon, TrashIcon } from '../../../ui/icons.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { backLink, PageHeader } from '../../../ui/page-header.tsx';
import { toast } from '../../../ui/toast.tsx';
import { allRoutes, type RouteKey } from '../routes/queries.ts';
import { TargetFields, type TargetValues } from '../routes/route-fields.tsx';
import { FORMATS, nameOf, RouteState } from '../routes/words.tsx';

export const BACK = (
  <Link to="/routes" className={backLink}>
    <ChevronLeftIcon />
    Routes
  </Link>
);

interface RouteHeadProps {
  of: RouteKey;
  route: Route;
}

export function RouteHead({ of: key, route }: RouteHeadProps) {
  const [isOpen, setOpen] = useState<'edit' | 'delete' | null>(null);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => dataOf(api.DELETE('/projects/{project}/routes/{id}', { params: { path: { ...key } } })),
    async onSuccess() {
      toast('Route deleted');
      await navigate({ to: '/routes' });
      await queries.invalidateQueries({ queryKey: allRoutes(key.project) });
    },
  });
  return (
    <>
      <PageHeader
        back={BACK}
        title={nameOf(route)}
        status={<RouteState {...route} />}
        description={FORMATS[route.format]}
        actions={
          <>
            <Menu
              trigger={
                <IconButton label="More" kind="secondary">
                  <MoreIcon />
                </IconButton>
              }
            >
              <MenuItem icon={<TrashIcon />} isDanger onClick={() => setOpen('delete')}>
                Delete route
              </MenuItem>
            </Menu>
            <Button onClick={() => setOpen('edit')}>Edit</Button>
          </>
        }
      />
      {isOpen === 'edit' && <EditRoute of={key} route={route} onClose={() => setOpen(null)} />}
      <AlertDialog
        isOpen={isOpen === 'delete'}
        onClose={() => setOpen(null)}
        title={`Delete the route of ${nameOf(route)}?`}
        action="Delete route"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        <p>
          Its messages are deleted, including those that your program has not received.
          {route.matches === 'address' && ' Mail to the address is then rejected.'}
        </p>
      </AlertDialog>
    </>
  );
}

function EditRoute({ of: key, route, onClose }: RouteHeadProps & { onClose(): void }) {
  const [values, setValues] = useState<TargetValues>({ url: route.url ?? '', format: route.format });
  const queries = useQueryClient();
  const isSameUrl = values.url.trim() === (route.url ?? '');
  const update = useMutation({
    mutationFn: () =>
      dataOf(
        api.PATCH('/projects/{project}/routes/{id}', {
          params: { path: { ...key } },
          // Sending the same URL would remove the user name and the password.
          body: { format: values.format, ...(!isSameUrl && { url: values.url.trim() }) },
        }),
      ),
    async onSuccess() {
      toast('Route updated');
      await queries.invalidateQueries({ queryKey: allRoutes(key.project) });
      onClose();
    },
  });
  return (
    <Dialog
      isOpen
      isBusy={update.isPending}
      onClose={onClose}
      onSubmit={() => update.mutate()}
      title="Edit route"
      actions={
        <>
          <Button disabled={update.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button kind="primary" type="submit" isBusy={update.isPending}>
            Save
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
        {route.has_credentials && (
          <p className="text-muted">
            The URL has a user name and a password, which are not shown. A new URL must contain them again.
          </p>
        )}
        <TargetFields values={values} onChange={setValues} errors={fieldErrors(update.error)} />
      </div>
    </Dialog>
  );
}
