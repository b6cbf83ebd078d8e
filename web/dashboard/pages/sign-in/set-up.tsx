import { CodeBlock } from '../../../ui/code-block.tsx';
import { SignInFrame } from '../../../ui/sign-in-frame.tsx';

const LOGS = [
  { label: 'Docker Compose', code: 'docker compose logs posthorn' },
  { label: 'systemd', code: 'journalctl -u posthorn -o cat' },
] as const;

/**
 * Shown instead of the sign-in form while no user exists. The link for the first owner is only in the output of the service. If it were shown
 * here, the first person to reach the port could take over the server.
 */
export default function SetUp() {
  return (
    <SignInFrame title="Set up Posthorn" description="No one has an account on this server yet.">
      <ol className="grid list-decimal gap-4 pl-5 text-pretty marker:text-muted">
        <li>
          Find the link in the output of the service. It contains{' '}
          <code className="font-mono">/dashboard/welcome#</code> and was printed when the service started.
          Without a terminal, run one of these on the server:
          {LOGS.map(({ label, code }) => (
            <CodeBlock key={label} code={code} label={label} isWrapped className="mt-2" />
          ))}
        </li>
        <li>Open the link. You become the owner of the first organization and an operator of this server.</li>
      </ol>
      <p className="mt-4 text-sm text-pretty text-muted">
        The link works once, within 24 hours. Each start of the service prints a new one. You can also create
        the owner on the server:
      </p>
      <CodeBlock
        code="npm run -s posthorn -- user create --email you@example.com --role owner --operator"
        label="The command that creates the owner"
        isWrapped
        className="mt-2"
      />
      <p className="mt-4 text-sm text-pretty text-muted">
        The sign-in form appears here as soon as there is an owner.
      </p>
    </SignInFrame>
  );
}
