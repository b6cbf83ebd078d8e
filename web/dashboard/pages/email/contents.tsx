import { useQuery } from '@tanstack/react-query';
import { messageOf } from '../../../api/client.ts';
import type { EmailContent, InspectedEmail } from '../../../../src/contract/dashboard/email.ts';
import { bytes } from '../../../ui/amounts.ts';
import { Badge } from '../../../ui/badge.tsx';
import { EmptyState, Failure } from '../../../ui/empty-state.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { Time } from '../../../ui/time.tsx';
import { useProject } from '../../shell/session.ts';
import { useSearchParam } from '../../../ui/search-params.ts';
import { Checks } from './checks.tsx';
import { clicksOf } from './event-words.ts';
import { Files } from './files.tsx';
import { Links } from './links.tsx';
import { contentQuery, partUrl } from './queries.ts';
import { Copy } from '../../../ui/copy.tsx';
import { classes } from '../../../ui/classes.ts';
import { PreviewChoices, PreviewDocument, previewQuery, usePreviewChoice } from './preview-choice.tsx';

/** The content of an email, and the results of checks. */
export function Contents({ email }: { email: InspectedEmail }) {
  if (email.content === 'hidden')
    return (
      <EmptyState title="You do not have access to this content">
        Viewers see what happened to an email but not its content. An admin can give you access to contents.
      </EmptyState>
    );
  if (email.content === 'deleted')
    return (
      <EmptyState title="The content was deleted">
        It was deleted <Time value={email.bodies_deleted_at} /> because its retention period ended or a person
        in it was erased. The timeline remains.
      </EmptyState>
    );
  return <StoredContents email={email} />;
}

function StoredContents({ email }: { email: InspectedEmail }) {
  const project = useProject();
  const [view, setView] = useSearchParam('view');
  const { data, error, refetch } = useQuery(contentQuery(project.id, email.id, clicksOf(email)));
  const found = data?.checks.filter(({ result }) => result === 'problem' || result === 'warning').length ?? 0;
  const chosen = VIEWS.find(({ value }) => value === view)?.value ?? 'preview';
  const content =
    chosen === 'preview' ? (
      <PreviewFrame id={email.id} content={data} />
    ) : data !== undefined ? (
      <View view={chosen} email={email} content={data} />
    ) : error === null ? (
      <Skeleton className="h-80" />
    ) : (
      <Failure title="Could not load the content" onRetry={() => void refetch()}>
        {messageOf(error)}
      </Failure>
    );
  return (
    <div className="min-w-0">
      <Files email={email} />
      <Tabs
        label="Content"
        value={chosen}
        onChange={(value) => setView(value === 'preview' ? '' : value)}
        tabs={VIEWS.map(({ value, label }) => ({
          value,
          label: (
            <>
              {label}
              {value === 'checks' && found > 0 && <Badge tone="warn">{found}</Badge>}
            </>
          ),
          content: value === chosen ? content : null,
        }))}
      />
    </div>
  );
}

const VIEWS = [
  { value: 'preview', label: 'Preview' },
  { value: 'text', label: 'Text' },
  { value: 'html', label: 'HTML' },
  { value: 'source', label: 'Source' },
  { value: 'headers', label: 'Headers' },
  { value: 'links', label: 'Links' },
  { value: 'checks', label: 'Checks' },
] as const;

interface ViewProps {
  view: Exclude<(typeof VIEWS)[number]['value'], 'preview'>;
  email: InspectedEmail;
  content: EmailContent;
}

function View({ view, email, content }: ViewProps) {
  switch (view) {
    case 'text':
      return <TextView content={content} />;
    case 'html':
      return content.html === null ? (
        <EmptyState title="No HTML">This email has only a text part.</EmptyState>
      ) : (
        <Source label="the HTML" text={content.html} className="break-all" />
      );
    case 'source':
      return <RawSource content={content} />;
    case 'headers':
      return <Headers content={content} />;
    case 'links':
      return <Links links={content.links} isCounted={email.tracking.clicks} />;
    case 'checks':
      return <Checks content={content} />;
  }
}

function RawSource({ content: { source } }: { content: EmailContent }) {
  if (source === null)
    return (
      <EmptyState title="Message not available">
        No copy was stored, and Posthorn cannot compose the message again because the project can no longer
        send from its domain.
      </EmptyState>
    );
  return (
    <>
      <p className="mb-3 text-sm text-muted">
        {source.is_rebuilt
          ? 'No copy is stored. Posthorn composed this message again, as for a delivery attempt, with the current keys.'
          : 'These are the bytes that the sandbox received.'}{' '}
        {source.is_cut && 'Truncated. Download the message to see all of it. '}
        {bytes(source.octets)} in total.
      </p>
      <Source label="the source" text={source.text} className="break-all" />
    </>
  );
}

/** The header fields of the message, with explanations. */
function Headers({ content: { header_fields: fields, signatures } }: { content: EmailContent }) {
  if (fields.length === 0)
    return (
      <EmptyState title="No header">
        The message cannot be composed because the project can no longer send from its domain.
      </EmptyState>
    );
  return (
    <>
      <ul aria-label="Signatures" className="mb-4 grid gap-1.5">
        {signatures.map(({ domain, selector, algorithm, is_aligned: isAligned }) => (
          <li
            key={`${selector} ${domain} ${algorithm}`}
            className="flex flex-wrap items-center gap-2 text-sm"
          >
            <Badge tone={isAligned ? 'good' : 'warn'}>DKIM</Badge>
            <span className="wrap-anywhere">
              Signed by {domain}, selector <code className="font-mono">{selector}</code>, {algorithm}
              {isAligned ? '' : ' – not the sender’s domain'}
            </span>
          </li>
        ))}
      </ul>
      <dl className="divide-y divide-line border-y border-line">
        {fields.map(({ name, value, meaning }, at) => (
          <div key={at} className="grid gap-x-4 py-2.5 sm:grid-cols-[11rem_minmax(0,1fr)]">
            <dt className="font-medium wrap-anywhere">{name}</dt>
            <dd className="min-w-0">
              <div className="font-mono text-sm wrap-anywhere">{value}</div>
              {meaning !== null && <div className="mt-0.5 text-sm text-muted">{meaning}</div>}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** A long text as it is, with a copy button. @param className where lines may break */
function Source({ label, text, className }: { label: string; text: string; className: string }) {
  return (
    <div className="relative rounded-md border border-line bg-sunken">
      <pre
        tabIndex={0}
        aria-label={label}
        className={classes(
          'max-h-[min(44rem,75vh)] overflow-auto px-3.5 py-3 pr-12 font-mono text-sm whitespace-pre-wrap focus-visible:-outline-offset-2',
          className,
        )}
      >
        {text}
      </pre>
      <Copy text={text} what={label} className="absolute top-1 right-1 bg-sunken" />
    </div>
  );
}

function TextView({ content }: { content: EmailContent }) {
  return (
    <>
      {content.text_is_made && (
        <p className="mb-3 text-sm text-muted">
          The request had no text part. Posthorn generated this one from the HTML.
        </p>
      )}
      <Source label="the text" text={content.text} className="wrap-anywhere" />
    </>
  );
}

/** The email as the recipient sees it. */
function PreviewFrame({ id, content }: { id: string; content: EmailContent | undefined }) {
  const project = useProject();
  const choice = usePreviewChoice();
  const { isPhone } = choice;
  return (
    <div>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <PreviewChoices of={choice} html={content?.html ?? null} />
      </div>
      <div
        className={classes(
          'overflow-hidden rounded-lg border border-line bg-panel',
          // The outline shows the focus, because users scroll the frame with the keyboard.
          'has-[[data-focused]]:outline-2 has-[[data-focused]]:outline-accent',
          isPhone && 'flex justify-center py-4',
        )}
      >
        <PreviewDocument
          src={partUrl(project.id, id, 'preview', `?${previewQuery(choice)}`)}
          height="h-[min(44rem,75vh)]"
          isPhone={isPhone}
        />
      </div>
      <p className="mt-2 text-sm text-muted">
        Scripts and remote content are blocked, links are disabled, and viewing does not count as an open.
      </p>
    </div>
  );
}
