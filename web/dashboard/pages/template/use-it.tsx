import { Link } from '@tanstack/react-router';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useSession } from '../../shell/session.ts';
import { snippetsOf } from './snippets.ts';

/** How a program sends by the template. */
export function UseIt({ id, sample }: { id: string; sample: string }) {
  const { service } = useSession();
  const [language, setLanguage] = useSearchParam('language');
  return (
    <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-4">
      <p className="text-pretty text-muted">
        Give the id in place of a subject and bodies, with the values. What was saved last is sent; a variable
        that is missing is refused by its name. The key comes from{' '}
        <Link to="/api-keys" className="font-medium text-accent hover:underline">
          API keys
        </Link>
        .
      </p>
      <Tabs
        label="Languages"
        value={language === '' ? 'curl' : language}
        onChange={(value) => setLanguage(value === 'curl' ? '' : value)}
        tabs={snippetsOf(service, id, sample).map(({ value, label, code }) => ({
          value,
          label,
          content: <CodeBlock code={code} label={`The example in ${label}`} />,
        }))}
      />
    </div>
  );
}
