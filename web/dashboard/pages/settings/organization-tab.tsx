import { useMutation, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { PlusIcon } from '../../../ui/icons.tsx';
import { Row, Table, Td, Th } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { sessionQuery, useSession } from '../../shell/session.ts';
import { useMayInOrganization, useOrganization } from '../people/queries.ts';
import { CreateOrganization } from './create-organization.tsx';
import { CreateProjectDialog } from './create-dialog.tsx';
import { EndOfOrganization } from './end-of-organization.tsx';
import { NameForm } from './name-form.tsx';
import { RequiredSignIn } from './required-sign-in.tsx';

export function OrganizationTab() {
  const organization = useOrganization();
  const { user, projects } = useSession();
  const isOwner = useMayInOrganization('owner');
  const isAdmin = useMayInOrganization('admin');
  const queries = useQueryClient();
  const [open, setOpen] = useSearchParam('open');
  const rename = useMutation({
    mutationFn: (name: string) =>
      dataOf(
        api.PATCH('/organizations/{organization}', {
          params: { path: { organization: organization.id } },
          body: { name },
        }),
      ),
    onSuccess: () => toast('Saved'),
    onSettled: () => queries.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  });
  const own = projects.filter((project) => project.organization_id === organization.id);
  return (
    <div className="grid max-w-3xl gap-4">
      {!isOwner && <p className="text-muted">Only owners can change these settings.</p>}
      <Card title="Organization">
        <NameForm
          key={organization.name}
          name={organization.name}
          id={organization.id}
          mayChange={isOwner}
          error={rename.error}
          isBusy={rename.isPending}
          onRename={(name) => rename.mutate(name)}
        />
      </Card>
      <RequiredSignIn
        key={organization.required_sign_in}
        of="members"
        required={organization.required_sign_in}
        mayChange={isOwner}
        save={(required) =>
          dataOf(
            api.PUT('/organizations/{organization}/required-sign-in', {
              params: { path: { organization: organization.id } },
              body: { required },
            }),
          )
        }
        onSaved={() => queries.invalidateQueries({ queryKey: sessionQuery.queryKey })}
      />
      <Card
        title="Projects"
        aside={
          isAdmin && (
            <Button icon={<PlusIcon />} onClick={() => setOpen('create')}>
              New project
            </Button>
          )
        }
      >
        <Table
          label="Projects"
          head={
            <>
              <Th>Name</Th>
              <Th>Plan</Th>
              <Th isWideOnly>Created</Th>
            </>
          }
        >
          {own.map(({ id, name, plan, created_at: createdAt }) => (
            <Row key={id}>
              <Td className="wrap-anywhere">
                <a
                  href={`/dashboard?project=${id}`}
                  className="font-medium hover:text-accent hover:underline"
                >
                  {name}
                </a>
              </Td>
              <Td className="capitalize">{plan}</Td>
              <Td isWideOnly>
                <Time value={createdAt} />
              </Td>
            </Row>
          ))}
        </Table>
      </Card>
      {user.is_operator && <CreateOrganization />}
      {isOwner && <EndOfOrganization organization={organization} projects={own.length} />}
      {open === 'create' && isAdmin && (
        <CreateProjectDialog
          organization={organization.id}
          isOperator={user.is_operator}
          onClose={() => setOpen('')}
        />
      )}
    </div>
  );
}
