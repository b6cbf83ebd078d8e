import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { lazyPart } from '../../../shell/code.ts';
import { Button } from '../../../ui/button.tsx';
import { Field, Input, Select } from '../../../ui/field.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { piecesQuery, type TemplateKey } from '../templates/queries.ts';
import { Preview } from './preview.tsx';
import { withMissing } from './sample.ts';
import type { WritingState } from './use-writing.ts';

const CodeEditor = lazyPart(() => import('./code-editor.tsx'));

type Part = 'html' | 'text' | 'sample';

const PARTS: readonly { value: Part; label: string; name: string }[] = [
  { value: 'html', label: 'HTML', name: 'HTML body' },
  { value: 'text', label: 'Text', name: 'Text body' },
  { value: 'sample', label: 'Sample data', name: 'Sample data, as JSON' },
];

interface WriteProps {
  of: TemplateKey;
  writing: WritingState;
  mayChange: boolean;
}

/** The editors, with the preview beside them. */
export function Write({ of: key, writing, mayChange }: WriteProps) {
  const [part, setPart] = useSearchParam('part');
  const { fields, change, trial, revision } = writing;
  const errors: Readonly<Record<string, string | undefined>> = trial.errors;
  return (
    <div className="grid gap-6 xl:grid-cols-2">
      <div className="grid min-w-0 content-start gap-4">
        <Field label="Subject" error={errors['subject']}>
          <Input
            className="font-mono"
            value={fields.subject}
            readOnly={!mayChange}
            spellCheck={false}
            onChange={(event) => change({ subject: event.target.value })}
          />
        </Field>
        <Layout of={key} writing={writing} mayChange={mayChange} />
        <Tabs
          label="Parts"
          value={part === '' ? 'html' : part}
          onChange={(value) => setPart(value === 'html' ? '' : value)}
          tabs={PARTS.map(({ value, label, name }) => ({
            value,
            label: (
              <>
                {label}
                {errors[value] !== undefined && <span className="text-bad">(error)</span>}
              </>
            ),
            content: (
              <PartEditor
                key={value}
                name={name}
                value={fields[value]}
                revision={revision}
                error={errors[value]}
                isLiquid={value === 'html'}
                {...(mayChange && {
                  onChange: (text: string) => change({ [value]: text }),
                })}
              />
            ),
          }))}
        />
        <Variables writing={writing} mayChange={mayChange} />
      </div>
      <Preview of={key} writing={writing} />
    </div>
  );
}

/** The choice of the layout. Not shown if there is none to choose. */
function Layout({ of: { project }, writing, mayChange }: WriteProps) {
  const { data } = useQuery(piecesQuery(project));
  const { fields, change } = writing;
  const layouts = data?.data.filter(({ kind }) => kind === 'layout') ?? [];
  const isUnknown = fields.layout_id !== null && !layouts.some(({ id }) => id === fields.layout_id);
  if (data === undefined || (layouts.length === 0 && fields.layout_id === null)) return null;
  return (
    <Field label="Layout">
      <Select
        value={fields.layout_id ?? ''}
        disabled={!mayChange}
        onChange={({ target }) => change({ layout_id: target.value === '' ? null : target.value })}
      >
        <option value="">None</option>
        {isUnknown && <option value={fields.layout_id ?? ''}>Deleted layout</option>}
        {layouts.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
    </Field>
  );
}

interface PartEditorProps {
  name: string;
  value: string;
  revision: number;
  error: string | undefined;
  isLiquid: boolean;
  onChange?: (value: string) => void;
}

export function PartEditor({ name, value, revision, error, isLiquid, onChange }: PartEditorProps) {
  return (
    <div className="grid gap-2">
      <div className="h-[26rem] overflow-hidden rounded-md border border-edge focus-within:outline-2 focus-within:outline-accent">
        <Suspense fallback={<Skeleton className="m-3 h-40" />}>
          <CodeEditor
            label={name}
            value={value}
            revision={revision}
            error={error}
            isLiquid={isLiquid}
            {...(onChange !== undefined && { onChange })}
          />
        </Suspense>
      </div>
      {error !== undefined && (
        <p role="status" className="text-sm text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

/** The variables of the template, and the variables that are missing from the sample data. */
function Variables({ writing, mayChange }: { writing: WritingState; mayChange: boolean }) {
  const { trial, fields, replace } = writing;
  const { variables, missing, fault } = trial;
  const filled = withMissing(fields.sample, missing);
  return (
    <section aria-label="Variables" className="grid gap-2">
      <h2 className="font-medium">Variables</h2>
      {variables.length === 0 ? (
        <p className="text-sm text-muted">
          None yet. Write <code className="font-mono">{'{{ name }}'}</code> where a value should appear.
        </p>
      ) : (
        <ul className="flex flex-wrap gap-1.5">
          {variables.map((name) => (
            <li
              key={name}
              className="max-w-full rounded-sm bg-quiet-soft px-1.5 font-mono text-sm wrap-anywhere text-text"
            >
              {name}
            </li>
          ))}
        </ul>
      )}
      {missing.length > 0 && (
        <div className="flex flex-wrap items-center gap-2">
          <p role="status" className="text-sm text-warn">
            Missing from the sample data: <span className="font-mono">{missing.join(', ')}</span>. Emails
            without {missing.length === 1 ? 'it' : 'them'} are rejected.
          </p>
          {mayChange && filled !== null && (
            <Button onClick={() => replace({ sample: filled })}>Add to sample data</Button>
          )}
        </div>
      )}
      {fault !== null && (
        <p role="status" className="text-sm text-bad">
          {fault}
        </p>
      )}
    </section>
  );
}
