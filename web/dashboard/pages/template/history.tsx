import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../../shell/code.ts';
import { dataOf, fieldErrors, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { NotLoaded } from '../../../shell/loaded.tsx';
import type { TemplateDetail, TemplateVersion } from '../../../../src/contract/dashboard/templates.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { Failure } from '../../../ui/empty-state.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { allTemplates, type TemplateKey, versionQuery, versionsQuery } from '../templates/queries.ts';

const CodeEditor = lazyPart(() => import('./code-editor.tsx'));

interface HistoryProps {
  of: TemplateKey;
  template: TemplateDetail;
  mayChange: boolean;
  /** Whether the template has unsaved changes. */
  isChanged: boolean;
  onRestored(template: TemplateDetail): void;
  /** Called when the service rejects the restore, for example because another user has saved in the meantime. */
  onRefused(error: Error): void;
}

/** The saved versions, each compared with the current version. */
export function History({ of: key, template, ...rest }: HistoryProps) {
  const { data, error, refetch } = useQuery(versionsQuery(key));
  const [chosen, setChosen] = useSearchParam('version');
  if (data === undefined)
    return <NotLoaded title="Could not load the history" error={error} refetch={refetch} rows={3} />;
  const [newest, before] = data.data;
  const shown = chosen === '' ? (before ?? newest)?.id : chosen;
  return (
    <div className="grid gap-6 lg:grid-cols-[18rem_minmax(0,1fr)]">
      <ol aria-label="Versions" className="grid max-h-[40rem] content-start gap-0.5 overflow-y-auto">
        {data.data.map(({ id, actor_name, created_at }) => (
          <li key={id}>
            <button
              type="button"
              aria-current={id === shown ? 'true' : undefined}
              onClick={() => setChosen(id)}
              className={classes(
                'grid w-full gap-0.5 rounded-md px-3 py-2 text-left hover:bg-hover focus-visible:-outline-offset-2',
                id === shown && 'bg-selected',
              )}
            >
              <span className="flex items-center gap-2 font-medium">
                <Time value={created_at} />
                {id === newest?.id && <Badge tone="good">Current</Badge>}
              </span>
              <span className="truncate text-sm text-muted">{actor_name}</span>
            </button>
          </li>
        ))}
      </ol>
      {shown !== undefined && (
        <Version
          key={shown}
          of={key}
          template={template}
          id={shown}
          isNewest={shown === newest?.id}
          {...rest}
        />
      )}
    </div>
  );
}

const PARTS = [
  { value: 'html', label: 'HTML' },
  { value: 'text', label: 'Text' },
  { value: 'subject', label: 'Subject' },
] as const;

interface VersionProps extends HistoryProps {
  id: string;
  isNewest: boolean;
}

function Version({ of: key, template, id, isNewest, mayChange, ...rest }: VersionProps) {
  const { data, error } = useQuery(versionQuery(key, id));
  const [isAsking, setAsking] = useState(false);
  const differing = PARTS.filter(({ value }) => data !== undefined && data[value] !== template[value]);
  const [chosen, setPart] = useState<(typeof PARTS)[number]['value'] | null>(null);
  if (error !== null) return <Failure title="Could not load this version">{messageOf(error)}</Failure>;
  if (data === undefined) return <Skeleton className="h-80" />;
  const part = chosen ?? differing[0]?.value ?? 'html';
  return (
    <div className="min-w-0">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Segmented<(typeof PARTS)[number]['value']>
          label="Part"
          value={part}
          options={PARTS.map(({ value, label }) => ({
            value,
            label: differing.some((each) => each.value === value) ? `${label} (differs)` : label,
          }))}
          onChange={(value) => setPart(value)}
        />
        {mayChange && !isNewest && (
          <Button className="sm:ml-auto" onClick={() => setAsking(true)}>
            Restore this version
          </Button>
        )}
      </div>
      <p className="mb-2 text-sm text-muted">
        {differing.length === 0
          ? 'Identical to the current version.'
          : 'Green: only in this version. Red: only in the current version.'}
      </p>
      <div className="h-[32rem] overflow-hidden rounded-md border border-edge focus-within:outline-2 focus-within:outline-accent">
        <Suspense fallback={<Skeleton className="m-3 h-40" />}>
          <CodeEditor
            key={`${id} ${part} ${template.updated_at}`}
            label={`${part === 'html' ? 'HTML' : part} of this version`}
            value={data[part]}
            original={template[part]}
            isLiquid={part === 'html'}
          />
        </Suspense>
      </div>
      {isAsking && (
        <Restore of={key} template={template} version={data} {...rest} onClose={() => setAsking(false)} />
      )}
    </div>
  );
}

interface RestoreProps {
  of: TemplateKey;
  template: TemplateDetail;
  version: TemplateVersion;
  isChanged: boolean;
  onRestored(template: TemplateDetail): void;
  onRefused(error: Error): void;
  onClose(): void;
}

function Restore({ of: key, template, version, isChanged, onRestored, onRefused, onClose }: RestoreProps) {
  const queries = useQueryClient();
  const { subject, html, text } = version;
  const restore = useMutation({
    mutationFn: () =>
      dataOf(
        api.PUT('/projects/{project}/templates/{id}', {
          params: { path: { ...key } },
          body: { name: template.name, subject, html, text, based_on: template.updated_at },
        }),
      ),
    async onSuccess(saved) {
      onRestored(saved);
      onClose();
      await queries.invalidateQueries({ queryKey: [...allTemplates(key.project), key.id, 'versions'] });
      toast('Restored as the newest version');
    },
    onError(error) {
      onRefused(error);
      toastFailure(fieldErrors(error)['based_on'] ?? messageOf(error));
    },
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title="Restore this version?"
      action="Restore"
      isBusy={restore.isPending}
      onConfirm={() => restore.mutate()}
    >
      <p>New emails will use this version. The current version stays in the history.</p>
      {isChanged && <p>Your unsaved changes will be lost.</p>}
    </AlertDialog>
  );
}
