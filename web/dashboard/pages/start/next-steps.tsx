import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { cloneElement, type ReactElement } from 'react';
import type { NextSteps as Facts } from '../../../../src/contract/dashboard/overview.ts';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { classes } from '../../../ui/classes.ts';
import { CheckIcon, ChevronRightIcon } from '../../../ui/icons.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useMayInOrganization } from '../people/queries.ts';
import { useMay, useProject } from '../../shell/session.ts';

interface NextStep {
  title: string;
  text: string;
  isDone: boolean;
  /** A link to the page or dialog for the step. Its content is replaced by the title. */
  link: ReactElement<{ className?: string }>;
  /** Whether the role of the user allows the step. */
  mayDo: boolean;
  /** The user to ask if it does not. */
  askWhom: string;
}

/**
 * The steps from the first email to production.
 * @param props.sendsMail whether mail leaves the installation; null for users who cannot change this
 */
export default function NextSteps({ facts, sendsMail }: { facts: Facts; sendsMail: boolean | null }) {
  const steps = useSteps(facts, sendsMail);
  return (
    <Card
      title="Next steps"
      aside={
        <span className="flex items-center gap-2 text-sm text-muted">
          {steps.filter(({ isDone }) => isDone).length} of {steps.length} done
          <Hide />
        </span>
      }
    >
      <ul className="-mx-2 -mb-2">
        {steps.map((step) => (
          <StepItem key={step.title} step={step} />
        ))}
      </ul>
    </Card>
  );
}

function useSteps({ domain, has_webhook, has_colleague }: Facts, sendsMail: boolean | null): NextStep[] {
  const isDeveloper = useMay('developer');
  const mayInvite = useMayInOrganization('admin');
  return [
    {
      title: domain === null ? 'Add your domain' : 'Verify your domain',
      text: `Publish its DNS records${domain?.dns_provider == null ? '' : ` at ${domain.dns_provider}`}, and send from your own addresses.`,
      isDone: domain?.may_send === true,
      link:
        domain === null ? (
          <Link to="/domains" search={{ add: 'yes' }} />
        ) : (
          <Link to="/domains/$id" params={{ id: domain.id }} />
        ),
      mayDo: isDeveloper,
      askWhom: 'a developer',
    },
    ...(sendsMail === null
      ? []
      : [
          {
            title: 'Send to real recipients',
            text: 'The sandbox delivers nothing. Choose a smart host, Amazon SES or direct delivery.',
            isDone: sendsMail,
            link: <a href="/docs/operate/provider#from-a-trial-to-real-mail">Send to real recipients</a>,
            mayDo: true,
            askWhom: 'an operator',
          },
        ]),
    {
      title: 'Create a webhook',
      text: 'Get notified when an email is delivered or bounces.',
      isDone: has_webhook,
      link: <Link to="/webhooks" search={{ create: 'yes' }} />,
      mayDo: isDeveloper,
      askWhom: 'a developer',
    },
    {
      title: 'Invite a colleague',
      text: 'Each role has its own permissions.',
      isDone: has_colleague,
      link: <Link to="/people" search={{ invite: 'yes' }} />,
      mayDo: mayInvite,
      askWhom: 'an admin',
    },
  ];
}

function StepItem({ step }: { step: NextStep }) {
  const { title, text, isDone, link, mayDo, askWhom } = step;
  const isLink = mayDo && !isDone;
  return (
    <li
      className={classes(
        'relative flex min-h-10 items-center gap-3 rounded-md px-2 py-2',
        isLink && 'hover:bg-hover',
      )}
    >
      <span
        aria-hidden="true"
        className={classes(
          'grid size-5 shrink-0 place-items-center rounded-full border',
          isDone ? 'border-transparent bg-good-soft text-good' : 'border-edge',
        )}
      >
        {isDone && <CheckIcon className="size-3.5" />}
      </span>
      <span className="min-w-0 grow">
        {isLink ? (
          cloneElement(link, { className: 'font-medium after:absolute after:inset-0' }, title)
        ) : (
          <span className={classes('font-medium', isDone && 'text-muted')}>
            {title}
            {isDone && <span className="sr-only"> (done)</span>}
          </span>
        )}
        {!isDone && (
          <span className="block text-sm text-pretty text-muted">
            {text}
            {!mayDo && ` Ask ${askWhom}.`}
          </span>
        )}
      </span>
      {isLink && <ChevronRightIcon className="text-faint max-sm:hidden" />}
    </li>
  );
}

/** Hides the card from this user. */
function Hide() {
  const project = useProject().id;
  const queries = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: (hidden: boolean) =>
      dataOf(api.PUT('/projects/{project}/start', { params: { path: { project } }, body: { hidden } })),
    async onSuccess(_, hidden) {
      await queries.invalidateQueries({ queryKey: ['start', project] });
      if (hidden) toast('Next steps hidden', { action: { label: 'Undo', run: () => mutate(false) } });
    },
  });
  return (
    <Button kind="quiet" isBusy={isPending} aria-label="Hide next steps" onClick={() => mutate(true)}>
      Hide
    </Button>
  );
}
